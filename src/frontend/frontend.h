// What every guest gives to the runtime: a shader that knows its registers by name, says which facts of a
// launch its translation depends on, translates itself to IR, fills the uniform table, and can run itself
// in a guest interpreter. The runtime sees nothing else of a guest.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/draw.h"
#include "frontend/guest.h"
#include "ir/function.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::frontend {

inline constexpr std::size_t kMaxInputs = 16;   // input registers of any guest; numbers are below it
inline constexpr std::size_t kMaxOutputs = 40;  // output numbers are below it

// Uniforms and initial state of one launch. Where a register lies in `words` is the shader's business and
// told by Location::word.
struct Values {
  std::vector<std::uint32_t> words;
  std::uint64_t bools = 0;        // bit n: boolean uniform n
  std::uint64_t state_given = 0;  // bit n: state register n was set by the launch
};

// Facts of geometry programs, in which an invocation is a thread.
struct PrimitiveFacts {
  std::uint64_t enabled = 0;        // bit n: output register n belongs to an emitted vertex
  std::uint32_t max_triangles = 0;  // of one invocation
  // Float uniforms that each invocation has values of its own for.
  std::uint32_t first_row = 0, row_count = 0;
  bool operator==(const PrimitiveFacts&) const = default;
  std::uint32_t vertex_rows() const { return static_cast<std::uint32_t>(std::popcount(enabled)); }
};
// The bindings of a geometry kernel behind those of bound inputs and outputs (ir/opcodes.inc has what a
// binding of rows is). The unit's rows are there in ordered kernels only: each invocation reads what the one
// before it wrote.
inline constexpr std::uint32_t kEmissionOutput = 0;   // triangles emitted, then their winding flags as bits
inline constexpr std::uint32_t kTrianglesOutput = 1;  // rows: per triangle 3 vertices of vertex_rows() rows
inline constexpr std::uint32_t kUnitOutput = 2;
inline constexpr std::uint32_t kMaxTriangles = 96;  // of one invocation: the flags fit three words

inline constexpr std::uint64_t kVertexRegisters = 0xffff;  // output numbers that a vertex may have
inline constexpr std::uint32_t kUniformRows = 96;          // float uniforms that primitives can fill

// The facts of a launch that a translation is made for.
struct Facts {
  std::uint64_t bound_inputs = 0;  // bit n: input register n is bound; it is binding popcount(lower bits)
  std::uint64_t known_bools = 0;   // booleans whose value is fixed in the translation ...
  std::uint64_t bools = 0;         // ... to these
  std::uint64_t state_given = 0;
  std::uint32_t output_count = 0;
  std::array<std::uint8_t, kMaxOutputs> outputs{};  // output numbers in binding order
  PrimitiveFacts primitives;
  // If active, bindings are the draw's rows and results, and neither inputs nor outputs are bound above.
  DrawFacts draw;

  std::uint32_t input_bindings() const {
    return draw.active ? draw.input_bindings() : static_cast<std::uint32_t>(std::popcount(bound_inputs));
  }
  std::uint32_t output_bindings() const { return draw.active ? draw.output_bindings() : output_count; }
  bool operator==(const Facts&) const = default;
};

// What the code that the entry reaches may read. Never too small.
struct Usage {
  std::uint64_t inputs = 0;  // input registers
  std::uint64_t bools = 0;   // boolean uniforms that steer control flow
};

// Rows of four 32-bit words, one a thread, at address + thread * stride.
struct Rows {
  std::byte* address = nullptr;
  std::ptrdiff_t stride = 0;
};

// Runs threads one by one in the guest's own terms.
class GuestInterpreter {
 public:
  virtual ~GuestInterpreter() = default;
  // inputs and outputs follow the binding order of `facts`, those of an ordered kernel for geometry
  // programs; of the unit's rows the first of the inputs is read and the last of the outputs is written.
  // `fuel` is per thread. Assumes the default
  // floating-point environment. Errors name the guest address.
  virtual Status run(const Values& values, const Facts& facts, std::span<const Rows> inputs,
                     std::span<const Rows> outputs, std::size_t thread_count, std::uint64_t fuel) const = 0;
};

// An immutable shader; every call is thread-safe.
class Shader : public Guest {
 public:
  virtual Isa isa() const = 0;
  virtual Stage stage() const = 0;
  virtual std::uint32_t entry() const = 0;  // guest address
  virtual std::size_t code_words() const = 0;
  virtual std::span<const Symbol> inputs() const = 0;
  virtual std::span<const Symbol> uniforms() const = 0;
  virtual std::span<const Symbol> outputs() const = 0;
  virtual Usage usage() const = 0;

  virtual std::uint64_t enabled_outputs() const = 0;  // as the container says: bit n is output register n

  // By register name, else by symbol name. Errors: bad_input.
  virtual Result<Location> find(LocationKind kind, std::string_view name) const = 0;
  // "v3", "c8": the register name of a location's first register.
  virtual std::string register_name(const Location& location) const = 0;

  // Sizes `values` and sets what the container presets; the rest is 0.
  virtual void reset(Values& values) const = 0;

  // Bytes of the uniform table that fill_table writes, a multiple of 64; the table may be longer.
  virtual std::size_t table_bytes() const = 0;
  virtual void fill_table(const Values& values, std::uint32_t* table) const = 0;

  // Appends everything that translate() depends on: reachable code, descriptors, facts.
  virtual void append_key(const Facts& facts, std::vector<std::byte>& key) const = 0;
  virtual Result<ir::Function> translate(const Facts& facts) const = 0;
  virtual Result<std::unique_ptr<GuestInterpreter>> prepare_guest() const = 0;

  // Geometry programs. `ordered`: an invocation may depend on what earlier ones left in the unit, so they run
  // one after another and pass the unit's rows on.
  struct GeometryCode {
    ir::Function function;
    bool ordered = false;
  };
  virtual Result<GeometryCode> translate_geometry(const Facts& facts) const = 0;
  virtual GeometryInput geometry_input() const = 0;  // as the container says
  // Rows of four words that the unit keeps, and what they are before the first invocation.
  virtual std::size_t unit_rows() const = 0;
  virtual void fill_unit(const Values& values, std::byte* rows) const = 0;
};

}  // namespace warpjit::frontend
