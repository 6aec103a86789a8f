// What a PICA200 program is, independent of the container it came in: shared code and descriptor words, and
// per entry point the stage, preset constants, names and output semantics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

inline constexpr std::size_t kMaxCodeWords = 4096;  // what the 12-bit branch field spans
inline constexpr std::size_t kMaxDescriptors = 128;
// Control that comes to this address ends the thread as END does. The word there is never executed.
inline constexpr std::uint32_t kEndAddress = 4095;

enum class Stage : std::uint8_t { vertex, geometry };
std::string_view name(Stage stage);

// A register that the container presets. Floats are kept as f24 words, so that nothing is lost.
struct Constant {
  Register reg;                        // file c, i or b
  std::array<std::uint32_t, 4> raw{};  // c: four f24; i: four bytes x y z w; b: raw[0] is 0 or 1
  bool operator==(const Constant&) const = default;
  std::array<float, 4> floats() const;
};

// A named input (file v) or uniform (c, i, b): registers first..last.
struct Symbol {
  std::string name;
  Register first;
  std::uint8_t last = 0;
  bool operator==(const Symbol&) const = default;
};

enum class Semantic : std::uint8_t {
  position = 0,
  normalquat = 1,
  color = 2,
  texcoord0 = 3,
  texcoord0w = 4,
  texcoord1 = 5,
  texcoord2 = 6,
  view = 8,
  dummy = 9,
};
// The name of a semantic number of the container; "unknown" for others.
std::string_view name(Semantic semantic);
std::optional<Semantic> find_semantic(std::string_view name);

struct Output {
  Semantic semantic = Semantic::position;
  std::uint16_t reg = 0;   // o register
  std::uint8_t mask = 15;  // bit 0 = x (the container's order, not the descriptor's)
  std::string name;        // only known after assembling; containers do not store it
  bool operator==(const Output&) const = default;
};

struct Label {
  std::string name;
  std::uint32_t address = 0;
  std::uint8_t id = 0;
  std::uint32_t unknown = 0;
  bool operator==(const Label&) const = default;
};

enum class GeometryMode : std::uint8_t { point = 0, variable = 1, fixed = 2 };

// What one DVLE of a container says.
struct ProgramInfo {
  Stage stage = Stage::vertex;
  std::uint16_t version = 0x1002;
  bool merge_output_maps = false;
  std::uint32_t entry = 0;     // word address
  std::uint32_t main_end = 0;  // first word after the main procedure; not reliable
  std::uint16_t input_mask = 0, output_mask = 0;
  GeometryMode geometry_mode = GeometryMode::point;
  std::uint8_t fixed_start = 0;        // first c register of fixed mode
  std::uint8_t variable_vertices = 0;  // M of variable mode
  std::uint8_t fixed_vertices = 0;
  std::vector<Constant> constants;
  std::vector<Symbol> symbols;  // inputs and uniforms in the container's order
  std::vector<Output> outputs;
  std::vector<Label> labels;
  std::string entry_name;  // when known
  bool operator==(const ProgramInfo&) const = default;

  const Symbol* find_symbol(std::string_view name) const;
  // The output register of a semantic name ("position"), if there is exactly one.
  const Output* find_output(std::string_view name) const;
};

struct Program : ProgramInfo {
  std::vector<std::uint32_t> code;
  std::vector<std::uint32_t> descriptors;
  std::string source_name;  // for messages
  // Every result of arithmetic, moves included, is rounded to the 24-bit format (math::round_f24) as it is
  // written; within an instruction it is f32. False: registers hold f32, as in the emulators.
  bool f24 = false;
  // Each end of a CALL, IF or LOOP belongs to that scope alone and is checked wherever control arrives, the
  // innermost scope first. False: the hardware's three stacks, which take ends that coincide literally.
  bool structural_scopes = false;

  // Descriptor `index`; those past the table are 0, as in the hardware's cleared table.
  Descriptor descriptor(unsigned index) const {
    return decode_descriptor(index < descriptors.size() ? descriptors[index] : 0);
  }
  // "file, word 12 (0x4e000000)".
  std::string where(std::uint32_t address) const;
};

// A container: one code and one descriptor table, several entry points.
struct Container {
  std::vector<std::uint32_t> code;
  std::vector<std::uint32_t> descriptors;
  std::vector<ProgramInfo> programs;
  std::string source_name;
};

// Which program of a container: by index, else by the name of its entry, else by stage, else the first. A
// container that stores no labels answers to the entry name "main" with the first program of the stage.
struct ProgramChoice {
  std::optional<std::size_t> index;
  std::string entry;
  std::optional<Stage> stage;
};
Result<Program> select_program(const Container& container, const ProgramChoice& choice = {});

// The 24-bit float format (docs/guests/pica200.md 7). The f32 bits of the value that the low 24 bits have: a
// denormal is exact, a NaN keeps its sign and mantissa.
std::uint32_t f24_to_f32(std::uint32_t bits);
float decode_f24(std::uint32_t bits);
// Truncates; below the range gives signed zero, above it infinity. NaN gives the f24 NaN 0x7f8000.
std::uint32_t encode_f24(float value);

}  // namespace warpjit::pica200
