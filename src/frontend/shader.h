// The one contract between a guest and the runtime: a shader of any stage knows its registers by name, says
// which facts of a launch its translation depends on, translates itself to IR, fills the uniform table, and
// can run itself in a guest interpreter. The runtime sees nothing else of a guest; the kind of work
// (warpjit::Work) is data of a launch.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/draw.h"
#include "frontend/grid.h"
#include "frontend/guest.h"
#include "frontend/interpret/pixels.h"
#include "frontend/pixels/facts.h"
#include "frontend/textures/facts.h"
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

inline constexpr std::size_t kMaxInputs = 17;   // input registers of any guest; numbers are below it
inline constexpr std::size_t kMaxOutputs = 40;  // output numbers are below it

// What a launch gives to all its threads alike. The shader decides where a register lies in `words`;
// Location::word says it.
struct Values {
  std::vector<std::uint32_t> words;
  std::uint64_t bools = 0;        // bit n: boolean uniform n
  std::uint64_t state_given = 0;  // bit n: state register n was set by the launch
  Grid grid;                      // of compute programs; of graphics programs, their memory
  PixelValues pixels;             // of fragment programs
};

// Facts of geometry programs, in which an invocation is a thread.
struct PrimitiveFacts {
  std::uint64_t enabled = 0;        // bit n: output register n belongs to an emitted vertex
  std::uint32_t max_triangles = 0;  // of one invocation
  // Float uniforms that each invocation has values of its own for.
  std::uint32_t first_row = 0, row_count = 0;
  bool keeps_unit = false;  // what the last invocation leaves in the unit is wanted
  bool operator==(const PrimitiveFacts&) const = default;
  std::uint32_t vertex_rows() const { return static_cast<std::uint32_t>(std::popcount(enabled)); }
};
// The bindings of a geometry kernel behind those of bound inputs and outputs (ir/opcodes.inc has what a
// binding of rows is). Only ordered kernels have the unit's rows, the same ones as input and as output: each
// invocation reads what the one before it left, and writes what it changes.
inline constexpr std::uint32_t kEmissionOutput = 0;   // triangles emitted, then their winding flags as bits
inline constexpr std::uint32_t kTrianglesOutput = 1;  // rows: per triangle 3 vertices of vertex_rows() rows
inline constexpr std::uint32_t kUnitOutput = 2;
inline constexpr std::size_t kMaxUnitRows = 128;    // Shader::unit_rows() of any guest
inline constexpr std::uint32_t kMaxTriangles = 96;  // of one invocation: the flags fit three words

// Geometry programs before a rasterizer: what one makes of each input primitive, strips of vertices.
struct StripOutput {
  Topology topology = Topology::triangle_strip;  // points, line_strip or triangle_strip
  std::uint32_t slots = 0;                       // of a vertex
  std::uint32_t most_vertices = 0;               // of an invocation
  // Of a vertex: its slots, and behind them the number of its strip, which tells strips of an invocation
  // that follow each other apart.
  std::uint32_t vertex_rows() const { return slots / 4 + 1; }
};
// The facts of such programs. An invocation is a thread.
struct StripFacts {
  std::uint32_t vertices = 0;  // of an input primitive; 0: this is no such program
  std::uint32_t words = 0;     // of each of its vertices
  bool operator==(const StripFacts&) const = default;
  std::uint32_t vertex_rows() const { return (words + 3) / 4; }
  std::uint32_t input_rows() const { return 1 + vertices * vertex_rows(); }
};
// Their bindings (ir/opcodes.inc has what one with several rows a thread is). Input 0: a row whose word 0 is
// the number of the input primitive, then the rows of each vertex.
inline constexpr std::uint32_t kEmittedOutput = 0;   // word 0: how many vertices the invocation emitted
inline constexpr std::uint32_t kVerticesOutput = 1;  // their rows

// Limits of a geometry stage, as data of the guest.
struct PrimitiveLimits {
  std::uint64_t vertex_outputs = 0;  // bit n: output register n may belong to a vertex
  std::uint32_t uniform_rows = 0;    // float uniforms that primitives can fill
  std::uint32_t uniform_word = 0;    // index of the first one in Values::words
};

// A texture that a program samples.
struct TextureUse {
  std::uint8_t texture = 0;  // its slot
  std::uint8_t sampler = 0;  // likewise, if it needs one
  bool needs_sampler = true;
  auto operator<=>(const TextureUse&) const = default;
};

// The facts of a launch that a translation is made for.
struct Facts {
  Work work = Work::rows;
  std::uint64_t bound_inputs = 0;  // bit n: input register n is bound; it is binding popcount(lower bits)
  std::uint64_t known_bools = 0;   // booleans whose value is fixed in the translation ...
  std::uint64_t bools = 0;         // ... to these
  std::uint64_t state_given = 0;
  std::uint32_t output_count = 0;
  std::array<std::uint8_t, kMaxOutputs> outputs{};  // output numbers in binding order
  PrimitiveFacts primitives;
  // Work::draw: bindings are the draw's rows and results, and neither inputs nor outputs are bound above.
  DrawFacts draw;
  GridFacts grid;
  PixelFacts pixels;
  std::vector<ir::SampleKey> samples;  // of Shader::texture_uses(), one by one, then of computed_uses
  // Of programs that compute which textures they sample.
  std::vector<TextureUse> computed_uses;
  std::vector<std::uint8_t> equal_samplers;
  StripFacts strips;
  bool half_arithmetic = false;  // the host has it, of two halves in a word

  std::uint32_t input_bindings() const {
    if (strips.vertices != 0) return 1;
    return draw.active ? draw.input_bindings() : static_cast<std::uint32_t>(std::popcount(bound_inputs));
  }
  std::uint32_t output_bindings() const {
    if (strips.vertices != 0) return kVerticesOutput + 1;
    return draw.active ? draw.output_bindings() : output_count;
  }
  bool operator==(const Facts&) const = default;
};

// What the code reachable from the entry may read; an over-approximation.
struct Usage {
  std::uint64_t inputs = 0;  // input registers
  std::uint64_t bools = 0;   // boolean uniforms that steer control flow
};

// Rows of four 32-bit words, one a thread, at address + thread * stride.
struct Rows {
  std::byte* address = nullptr;
  std::ptrdiff_t stride = 0;
};

// A memory space of the guest, found by its name.
struct SpaceName {
  bool constant = false;
  std::uint8_t index = 0;  // in Grid::constants or Grid::globals
  // Not 0: addresses have 64 bits, a launch maps memory at so many high words at most, and Grid::high_words
  // says where each one's pieces are in Grid::globals.
  std::uint8_t high_words = 0;
};

// Runs a shader by interpreting the guest's own instructions. Thread-safe; assumes the default floating-point
// environment. Errors name the guest address. `fuel` is per thread.
class GuestInterpreter {
 public:
  virtual ~GuestInterpreter() = default;
  // Threads one by one. inputs and outputs follow the binding order of `facts`, those of an ordered kernel
  // for geometry programs. Not for grids.
  virtual Status run(const Values& values, const Facts& facts, std::span<const Rows> inputs,
                     std::span<const Rows> outputs, std::size_t thread_count, std::uint64_t fuel) const;
  // Blocks `first` to `first + count - 1` of a grid, x fastest; sets `fault` to the first one.
  virtual Status run_blocks(const Grid& grid, std::uint64_t first, std::uint64_t count, std::uint64_t fuel,
                            std::optional<BlockFault>& fault) const;
  // A whole draw of a fragment program, by the scalar rasterizer.
  virtual Status draw(const Values& values, const interpret::PixelWork& work, std::uint64_t fuel) const;
  // Threads that run together.
  virtual unsigned lanes() const { return 1; }
};

// An immutable shader; every call is thread-safe. A guest overrides only what its stages need.
class Shader : public Guest, public Program::State {
 public:
  // ---- What it is
  virtual Isa isa() const = 0;
  virtual Stage stage() const = 0;
  virtual const std::string& name() const = 0;  // of the entry; may be empty
  virtual std::uint32_t entry() const = 0;      // guest address
  virtual std::size_t code_words() const = 0;
  virtual Resources resources() const { return {}; }
  // Is the work of its launches a grid?
  virtual bool runs_on_grid() const { return stage() == Stage::compute; }
  // Have its launches parameters, and constants that code reads where they lie?
  virtual bool takes_parameters() const { return runs_on_grid(); }
  // Do programs of this guest read and write images by coordinates?
  virtual bool takes_images() const { return false; }
  // True if they name buffers by tables and entries.
  virtual bool takes_buffers() const { return false; }

  // Can rows of its launches have memory? Else they have constants alone.
  virtual bool rows_have_memory() const { return false; }
  // Do threads 4n to 4n + 3 of its rows see each other? Behind the last one come copies of it.
  virtual bool rows_form_quads() const { return false; }

  // ---- Names
  virtual std::span<const Symbol> inputs() const { return {}; }
  virtual unsigned input_registers() const { return 16; }  // at most kMaxInputs
  virtual std::span<const Symbol> uniforms() const { return {}; }
  virtual std::span<const Symbol> outputs() const { return {}; }
  virtual std::uint64_t enabled_outputs() const { return 0; }  // as the container says: bit n is output n
  // By register name, else by symbol name. Errors: bad_input.
  virtual Result<Location> find(LocationKind kind, std::string_view name) const;
  // "v3", "c8": the register name of a location's first register.
  virtual std::string register_name(const Location&) const { return {}; }
  // The largest value that a word of this register takes.
  virtual std::uint32_t largest_word(const Location&) const { return ~std::uint32_t{0}; }
  virtual Result<SpaceName> find_space(std::string_view name) const;
  // "g14[0x1000]". `grid`: of the launch.
  virtual std::string address_text(const ir::MemoryFault& access, const Grid& grid) const;

  // ---- Values and facts of a launch
  virtual Usage usage() const { return {}; }
  // Sizes `values` and sets what the container presets; the rest is 0.
  virtual void reset(Values&) const {}
  // Bytes of the uniform table that fill_table needs, a multiple of 64. The table may be longer: behind these
  // bytes lies what the preamble computes once per launch.
  virtual std::size_t table_bytes() const { return 0; }
  virtual void fill_table(const Values& values, std::span<std::uint32_t> table) const = 0;

  // ---- Translation
  // Appends everything that translate() depends on: reachable code, descriptors, facts. Errors: as
  // translate().
  virtual Status append_key(const Facts& facts, std::vector<std::byte>& key) const = 0;
  struct Translation {
    ir::Function function;
    // Of geometry programs: an invocation may depend on what earlier ones left in the unit, so they run one
    // after another and pass the unit's rows on.
    bool ordered = false;
    UnitUse unit;
  };
  // `dispatch_all`: all control flow follows the guest's own rule literally. Errors: unsupported, with the
  // reason, for what only the guest interpreter can run.
  virtual Result<Translation> translate(const Facts& facts, bool dispatch_all) const = 0;
  virtual Result<std::unique_ptr<GuestInterpreter>> prepare_guest(const Facts& facts) const = 0;

  // ---- Geometry programs
  virtual GeometryInput geometry_input() const { return {}; }  // as the container says
  virtual PrimitiveLimits primitive_limits() const { return {}; }
  // Rows of four words that the unit keeps. What they are before the first invocation: as the unit's owner
  // has them, or, if `unit` is empty, as the launch says. And after the last one, back to the owner.
  virtual std::size_t unit_rows() const { return 0; }
  virtual void fill_unit(const Values&, std::span<const std::uint32_t> /*unit*/, std::byte* /*rows*/) const {}
  virtual void keep_unit(const std::byte* /*rows*/, std::span<std::uint32_t> /*unit*/) const {}
  // Has an invocation run on a unit with these rows?
  virtual bool has_run(const std::byte* /*rows*/) const { return false; }
  // Makes the unit's other bank of outputs the current one.
  virtual void swap_banks(std::byte* /*rows*/) const {}

  // ---- Vertex programs before a rasterizer: words of a vertex
  virtual unsigned result_slots() const { return 0; }

  // ---- Geometry programs before a rasterizer; nothing for others
  virtual std::optional<StripOutput> strip_output() const { return std::nullopt; }

  // ---- Fragment programs: the slots that they read
  virtual std::span<const pixels::SlotUse> slot_uses() const { return {}; }

  // ---- Textures: what the reachable code samples, each once, ascending
  virtual std::span<const TextureUse> texture_uses() const { return {}; }
  // True if the code computes which texture or sampler an instruction means: it may be any that is bound.
  virtual bool computes_textures() const { return false; }
  // Why the guest has no such texture with such a sampler; null if it has.
  virtual const char* refuses(const textures::TextureView&, const Sampler&) const { return nullptr; }

  // ---- Compute programs
  // Errors: bad_input for values outside the guest's limits.
  virtual Result<CheckedGrid> check_grid(const Grid& grid) const;
  // Do facts depend on the contents of constants, which may change from run to run without a call?
  virtual bool reads_code_addresses() const { return false; }
  virtual GridFacts grid_facts(const Grid&, const CheckedGrid&) const { return {}; }
  // Writes what the hardware puts into shared memory before a block runs, from byte 0 on; the rest of it is
  // zero. Gives how many bytes that are.
  virtual std::size_t begin_block(const Grid&, const ir::BlockPosition&, std::span<std::byte>) const {
    return 0;
  }
  // Where in shared memory 16 bits of a block's column and of its row stand side by side, at a multiple of 4;
  // none: nowhere. What else begin_block writes is the same for all blocks of a run.
  virtual std::optional<std::uint32_t> position_place() const { return std::nullopt; }
  // The whole grid in the guest interpreter, with a profile. Assumes the default floating-point environment.
  virtual Status profile(const Grid& grid, std::optional<BlockFault>& fault, Profile& profile) const;
};

// The shader of a public handle.
inline const Shader& shader_of(const warpjit::Program& program) {
  return static_cast<const Shader&>(*program.shared_state());
}
inline std::shared_ptr<const Shader> shared_shader(const warpjit::Program& program) {
  return std::static_pointer_cast<const Shader>(program.shared_state());
}

// For each slot the first slot with an equal sampler; kNoSampler if the slot has no sampler.
inline constexpr std::uint8_t kNoSampler = 0xff;
std::vector<std::uint8_t> equal_samplers(const BoundTextures& bound);
// What an instruction may mean that computes it: each texture that is bound, alone and with each sampler that
// goes with it, of equal ones the first. Empty: compiled code does not choose among so many.
inline constexpr std::size_t kMaxComputedUses = 72;  // of 8 textures and 8 samplers
std::vector<TextureUse> computed_uses(const BoundTextures& bound);

// Calls visit(use) for all that a launch of the shader may sample, in the order of Facts::samples.
template <class Visit>
void each_texture_use(const Shader& shader, const BoundTextures& bound, const Visit& visit) {
  for (const TextureUse& use : shader.texture_uses()) visit(use);
  if (!shader.computes_textures()) return;
  for (const TextureUse& use : computed_uses(bound)) visit(use);
}

}  // namespace warpjit::frontend
