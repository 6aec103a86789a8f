// A USSE program of one stage: its primary program, which every vertex or pixel runs, its secondary program,
// which runs once for a draw and fills the secondary attributes, and what its container says of registers and
// values (docs/guests/usse.md 4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::usse {

inline constexpr std::size_t kMaxCodeWords = 1 << 16;  // of a primary or secondary program
inline constexpr std::uint32_t kMaxRegisters = 256;    // of a bank, as far as instructions can name them
inline constexpr unsigned kTexcoords = 10, kTextureUnits = 16, kControlWords = 4;

// Programs are for vertices or fragments.
std::string_view stage_name(Stage stage);
std::optional<Stage> find_stage(std::string_view name);

enum class Category : std::uint8_t { attribute, uniform, sampler, auxiliary_surface, uniform_buffer };
std::string_view name(Category category);
enum class ParameterType : std::uint8_t { f32, f16, c10, u32, s32, u16, s16, u8, s8, aggregate };
std::string_view name(ParameterType type);
unsigned bytes_of(ParameterType type);  // of a component
// "position"; empty for none.
std::string_view semantic_name(std::uint8_t semantic);
inline constexpr std::uint8_t kSemantics = 17;

// What the container calls a value.
struct Parameter {
  std::string name;  // may be empty
  Category category{};
  ParameterType type{};
  std::uint8_t components = 0;
  std::uint8_t container = 0;
  std::uint8_t semantic = 0, semantic_index = 0;
  bool cube = false;  // of samplers
  std::uint32_t array_size = 0;
  // The first register, the word in the container, the texture unit or the buffer.
  std::uint32_t resource = 0;
  bool operator==(const Parameter&) const = default;
};

// Secondary attributes that belong together.
inline constexpr std::uint16_t kDefaultContainer = 14, kLiteralContainer = 16, kDataContainer = 19;
inline constexpr std::uint16_t kContainers = 20;
struct RegisterContainer {
  std::uint16_t index = 0, base = 0, words = 0;
  bool operator==(const RegisterContainer&) const = default;
};
struct Literal {
  std::uint32_t offset = 0, value = 0;
  bool operator==(const Literal&) const = default;
};
// A secondary attribute gets the address of a buffer plus a bias in bytes.
struct UniformBuffer {
  std::uint16_t buffer = 0, offset = 0;
  std::int32_t bias = 0;
  bool operator==(const UniformBuffer&) const = default;
};
// A secondary attribute gets a control word of the texture in a unit.
struct DependentSampler {
  std::uint8_t unit = 0, word = 0;
  std::uint16_t offset = 0;
  bool operator==(const DependentSampler&) const = default;
};

// What a vertex program takes and gives.
struct VertexInterface {
  std::uint64_t live = 0;     // bit n: word n of pa is read
  std::uint64_t untyped = 0;  // bit n: word n of pa gets raw bits
  // Outputs, packed in this order: position, colours, fog, texture coordinates, point size, clip distances.
  std::uint8_t clip_distances = 0;  // bit n
  bool point_size = false, fog = false;
  std::array<bool, 2> color{};
  std::array<std::uint8_t, kTexcoords> texcoord{};       // components; 0: it is absent
  std::array<std::uint8_t, kTexcoords> texcoord_bits{};  // as the container writes them
  std::uint32_t half_texcoords = 0;                      // bit n: as halves
  std::uint8_t words = 0;                                // of o
  std::optional<std::uint16_t> index, instance;          // words of pa
  bool operator==(const VertexInterface&) const = default;

  unsigned texcoord_words(unsigned n) const {
    return (half_texcoords >> n & 1) != 0 ? (texcoord[n] + 1U) / 2 : texcoord[n];
  }
};

// One input of a fragment program: a value that is interpolated, a texel at such a value, or both.
struct FragmentInput {
  enum class Value : std::uint8_t { texcoord, color, fog, position, point };
  enum class Format : std::uint8_t { f32, f16, c10, u8 };
  struct Iterated {
    Value value{};
    std::uint8_t index = 0;  // of the texture coordinate or colour
    std::uint8_t components = 0;
    Format format{};
    std::uint8_t words = 0;
    bool operator==(const Iterated&) const = default;
  };
  enum class Projection : std::uint8_t { none, by_z, by_w };
  enum class Texel : std::uint8_t { native, f16, f32 };
  struct Sampled {
    Value value{};  // texcoord or point
    std::uint8_t index = 0;
    Projection projection{};
    bool centroid = false;
    std::uint8_t unit = 0;
    Texel format{};
    std::uint8_t words = 0;
    bool operator==(const Sampled&) const = default;
  };
  std::optional<Iterated> iterated;
  std::optional<Sampled> sampled;
  std::array<std::uint32_t, 4> raw{};
  bool operator==(const FragmentInput&) const = default;

  // True if a texel has the components of its texture's swizzle; else it has four.
  bool own_components() const { return (raw[3] >> 6 & 1) != 0; }
  unsigned words() const { return (iterated ? iterated->words : 0U) + (sampled ? sampled->words : 0U); }
};
inline constexpr std::size_t kMaxFragmentInputs = 256;
struct FragmentInterface {
  std::uint8_t output_start = 0;  // a word of pa, unless the colour is native
  ParameterType output_type{};
  std::uint8_t output_components = 0;
  std::vector<FragmentInput> inputs;  // one after the other in pa
  bool operator==(const FragmentInterface&) const = default;
};

// Bits of Program::flags.
enum class Flag : std::uint8_t {
  fragment = 0,
  per_instance = 1,
  discards = 3,
  replaces_depth = 4,
  sprite_coordinate = 5,
  native_color = 6,
  reads_color = 7,
  presampled = 11,
  iterated = 12,
  stores = 14,
  output_undefined = 16,
  uses_index = 17,
  uses_instance = 18,
};

struct Program {
  Stage stage = Stage::vertex;
  std::vector<std::uint64_t> primary, secondary;
  std::string source_name;  // for messages

  std::uint32_t flags = 0;
  std::uint32_t buffer_flags = 0;   // two bits a buffer: 1 in registers, 2 in memory, 3 both
  std::uint64_t texture_units = 0;  // four bits a unit: 1 sampled before, 2 by instructions
  std::uint32_t primary_attributes = kMaxRegisters, secondary_attributes = kMaxRegisters;
  std::uint32_t temporaries = kMaxRegisters;
  std::uint32_t phases = 1;
  std::uint32_t default_words = 0;  // of the default uniform buffer
  std::vector<Parameter> parameters;
  std::vector<RegisterContainer> containers;
  std::vector<Literal> literals;
  std::vector<UniformBuffer> uniform_buffers;
  std::vector<DependentSampler> dependent_samplers;
  // What is not supported where a program needs it.
  std::uint32_t scratch_bytes = 0, thread_bytes = 0, texture_buffer_samplers = 0;
  VertexInterface vertex;
  FragmentInterface fragment;
  bool operator==(const Program&) const = default;

  bool has(Flag flag) const { return (flags >> static_cast<unsigned>(flag) & 1) != 0; }
  const RegisterContainer* container(std::uint16_t index) const;
  // "file, primary word 3 (0x0091c10000000002)".
  std::string where(bool in_secondary, std::size_t word) const;
};

// For code that says of no unit where its control words are: the places that samples name are those of units
// 0, 1 and so on, in the order of registers, up to 16.
void number_units(Program& program);

// A bare binary: the little-endian words of a primary program. What its samples name are the control words of
// units 0, 1 and so on, in the order of registers. Errors: bad_input for a size that is no
// multiple of 8 or nothing, resource_limit above kMaxCodeWords.
Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name);
// Errors: bad_input for a program with a secondary one, which bare binaries cannot hold.
Result<std::vector<std::byte>> write_words(const Program& program);

}  // namespace warpjit::usse
