// The one contract between a guest and the runtime: a shader of any stage knows its registers by name, says
// which facts of a launch its translation depends on, translates itself to IR, fills the uniform table, and
// can run itself in a guest interpreter. The runtime sees nothing else of a guest; the kind of work is data
// of a launch (Facts::work).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/facts.h"
#include "frontend/grid.h"
#include "frontend/instruction_facts.h"
#include "frontend/interpreter.h"
#include "frontend/memory.h"
#include "frontend/register_bank.h"
#include "frontend/source_map.h"
#include "frontend/unit.h"
#include "ir/function.h"
#include "warpjit/warpjit.hpp"

// What the public handle holds: a frontend::Shader.
class warpjit::Program::State {
 protected:
  State() = default;
  ~State() = default;
};

namespace warpjit::frontend {

// What the code reachable from the entry may read; an over-approximation.
struct Usage {
  std::uint64_t inputs = 0;  // input registers
  std::uint64_t bools = 0;   // boolean uniforms that steer control flow
};

// What a container declares of its registers, and what these can hold.
struct Declarations {
  std::vector<Symbol> inputs{}, uniforms{}, outputs{};
  std::uint64_t enabled_outputs = 0;  // bit n: output n
  std::uint64_t vertex_outputs = 0;   // bit n: output register n may belong to a vertex
  // Registers whose words are at most `largest`.
  struct Limit {
    LocationKind kind{};
    std::uint16_t first = 0, count = 0;
    std::uint32_t largest = 0;
  };
  std::vector<Limit> limits{};

  std::uint32_t largest_word(const Location& location) const;
};

// Geometry programs before a rasterizer: what one makes of each input primitive, strips of vertices.
struct StripOutput {
  Topology topology = Topology::triangle_strip;  // points, line_strip or triangle_strip
  std::uint32_t slots = 0;                       // of a vertex
  std::uint32_t most_vertices = 0;               // of an invocation
  // A vertex has its slots, and after them the number of its strip, which tells strips of an invocation
  // that follow each other apart.
  std::uint32_t vertex_rows() const { return slots / 4 + 1; }
};

// What a program gives to a rasterizer or takes from it.
struct Varyings {
  unsigned result_slots = 0;                  // vertex programs: words of a vertex
  std::optional<StripOutput> strips{};        // geometry programs
  std::vector<pixels::SlotUse> slots_read{};  // fragment programs
};

// What a program is and has, as data.
struct Traits {
  Isa isa{};
  Stage stage{};
  std::string name{};       // of the entry; may be empty
  std::uint32_t entry = 0;  // guest address
  std::size_t code_words = 0;
  Resources resources{};
  unsigned input_registers = 16;  // at most kMaxInputs
  Usage usage{};
  Declarations declarations{};
  // Bytes of the uniform table that fill_table needs, a multiple of 64. The table may be longer: after these
  // bytes lies what the preamble computes once per launch.
  std::size_t table_bytes = 0;
  bool runs_on_grid = false;  // the work of its launches is a grid
  // Threads 4n to 4n + 3 of its rows see each other. After the last one come copies of it.
  bool rows_form_quads = false;
  bool has_secondary = false;  // a part runs once a launch, before the threads
  MemoryUse memory{};
  Sampling sampling{};
  Varyings varyings{};
};

// An immutable shader; every call is thread-safe. A guest sets the traits and overrides the capabilities that
// it has, and nothing else.
class Shader : public SourceMap, public Program::State {
 public:
  const Traits& traits() const { return traits_; }
  Isa isa() const { return traits_.isa; }
  Stage stage() const { return traits_.stage; }
  const std::string& name() const { return traits_.name; }
  std::uint32_t entry() const { return traits_.entry; }
  std::size_t code_words() const { return traits_.code_words; }
  const Resources& resources() const { return traits_.resources; }
  const Usage& usage() const { return traits_.usage; }
  const Declarations& declarations() const { return traits_.declarations; }
  const Sampling& sampling() const { return traits_.sampling; }
  const Varyings& varyings() const { return traits_.varyings; }
  std::size_t table_bytes() const { return traits_.table_bytes; }

  // ---- Names
  // By register name, else by symbol name. Errors: bad_input.
  virtual Result<Location> find(LocationKind kind, std::string_view name) const;
  // "v3", "c8": the register name of a location's first register.
  virtual std::string register_name(const Location&) const { return {}; }

  // ---- Values of a launch
  // Sizes `values` and sets what the container presets; the rest is 0.
  virtual void reset(Values&) const {}
  virtual void fill_table(const Values& values, std::span<std::uint32_t> table) const = 0;

  // ---- Translation
  // Appends everything that translate() depends on: reachable code, descriptors, facts.
  // Errors: as translate().
  virtual Status append_key(const Facts& facts, std::vector<std::byte>& key) const = 0;
  struct Translation {
    ir::Function function;
    // For geometry programs: an invocation may depend on what earlier ones left in the unit, so they run one
    // after another and pass the unit's rows on.
    bool ordered = false;
    UnitUse unit;
  };
  // `dispatch_all`: all control flow follows the guest's own rule literally. Errors: unsupported, with the
  // reason, for what only the guest interpreter can run.
  virtual Result<Translation> translate(const Facts& facts, bool dispatch_all) const = 0;
  virtual Result<std::unique_ptr<GuestInterpreter>> prepare_interpreter(const Facts& facts) const = 0;

  // ---- Capabilities; null: it has no such thing
  virtual const MemorySpaces* memory() const { return nullptr; }
  virtual const GeometryUnit* geometry_unit() const { return nullptr; }
  virtual const BlockHeader* block_header() const { return nullptr; }
  // What observers of its interpreter see; empty: it has none.
  virtual std::span<const RegisterBank> register_banks() const { return {}; }

  // False: no launch changes memory other than its outputs or targets.
  virtual bool changes_memory() const { return true; }

  // What is known of each instruction of its code, by ascending addresses; empty: the guest says nothing.
  virtual std::vector<InstructionFacts> instruction_facts() const { return {}; }

 protected:
  explicit Shader(Traits traits) : traits_(std::move(traits)) {}
  Traits traits_;  // constant once the constructor of the guest's class has ended
};

// The shader of a public handle.
inline const Shader& shader_of(const warpjit::Program& program) {
  return static_cast<const Shader&>(*program.shared_state());
}
inline std::shared_ptr<const Shader> shared_shader(const warpjit::Program& program) {
  return std::static_pointer_cast<const Shader>(program.shared_state());
}

// The number after a prefix, as in names of registers: if it is written plainly and below `limit`.
std::optional<unsigned> number_after(std::string_view name, std::string_view prefix, unsigned limit);

// Errors: bad_input.
Result<SpaceName> find_space(const Shader& shader, std::string_view name);

}  // namespace warpjit::frontend
