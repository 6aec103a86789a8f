// The Tesla guest interpreter, written from the rules of docs/guests/tesla.md alone: a warp of 32 lanes at
// a time, the hardware's control stack literally (section 12), its numbers, its memory spaces. It decodes
// once into resolved operations, each of which then runs over the 32 words of a warp's lanes; it is the
// oracle for the translator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fuel.h"
#include "frontend/grid.h"
#include "frontend/interpret/host_code.h"
#include "frontend/interpret/pixels.h"
#include "frontend/tesla/container/program.h"
#include "frontend/tesla/facts/limits.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tesla {

using GlobalRange = frontend::MappedRange;
using Launch = frontend::Grid;

// An access outside its space, or one that is not aligned to its size: it read 0 or wrote nothing.
struct MemoryFault {
  std::uint32_t pc = 0;
  ir::BlockPosition block{};
  std::uint32_t thread = 0;  // in its block
  Operand::Kind space = Operand::Kind::none;
  std::uint8_t index = 0;  // of c[] and g[]
  std::uint32_t address = 0;
  bool is_store = false;
  std::uint64_t accesses = 0;  // of lanes, that faulted
};
// "store to g14[0x1000] by thread 3 of block (0, 1)".
std::string to_string(const MemoryFault& fault);

struct RunReport {
  std::optional<MemoryFault> first_fault;  // the first one of the first block that has one
  // Executed with at least one active lane; a join that resumes lanes counts.
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;  // active lanes of those, predicates aside
  std::uint32_t deepest_stack = 0;
  void add(const RunReport& other);
};

// Registers of one warp, a word for each lane.
struct alignas(64) WarpRegisters {
  std::uint32_t r[kMaxRegisters][kLanes] = {};
  std::uint32_t a[8][kLanes] = {};  // 16 bits; a[0] stays 0
  std::uint32_t c[4][kLanes] = {};  // 4 bits
};

using interpret::HostCode;

// Vertices for a vertex program: those with these ids, in order.
struct InputVertices {
  std::span<const std::uint32_t> attributes{};  // of each vertex, attribute_layout().components
  std::span<const std::uint32_t> vertex_ids{}, instance_ids{};
};

// Input primitives for a geometry program.
struct InputPrimitives {
  std::span<const std::uint32_t> vertex_words{};  // what vertex programs left: `words` of each vertex
  std::uint32_t words = 0;
  std::span<const std::uint32_t> indices{};  // of the vertices of each primitive
  std::uint32_t vertices = 3;                // of a primitive, 1 to 6
  std::span<const std::uint32_t> numbers{};  // of the primitives; empty: from 0 on
};
// What they emitted, in order.
struct EmittedVertices {
  std::vector<std::uint32_t> words;        // slots of each vertex
  std::vector<std::uint32_t> strips;       // vertices of each strip
  std::vector<std::uint32_t> invocations;  // vertices of each invocation
};

struct WarpOp;        // interpret/op.h
struct BlockContext;  // interpret/op.h

class Interpreter {
 public:
  // Prepares what the entry can reach. Errors: limits (resource_limit), code that is statically reached and
  // undefined, illegal or runs past the end, or graphics state outside its limits (bad_input).
  // `targets`: of the launches' c[], if the program may have a `bra c[]` (branch_targets).
  static Result<Interpreter> prepare(const Program& program, const Modes& modes = {},
                                     std::span<const BranchTarget> targets = {});

  // Blocks first_block to first_block + count - 1 of the grid (x fastest), one after the other; the rest of
  // the grid may run on other threads at the same time. Assumes the default floating-point environment.
  // Errors, with the guest address: bad_input for a launch outside the limits; fault for a trap, a stack that
  // underflows, overflows or does not match, control flow under quadon, a branch through c[] to where no code
  // is, a barrier that can never complete; out_of_fuel; cancelled. Without `limits`: the launch's fuel.
  Status run(const Launch& launch, std::uint64_t first_block, std::uint64_t count, RunReport& report,
             HostCode code = HostCode::best, std::optional<RunLimits> limits = {}) const;
  // The whole grid.
  Status run(const Launch& launch, RunReport& report, HostCode code = HostCode::best) const;

  // One warp with all its lanes as the only one of block (0, 0), from registers that the
  // caller sets and gets.
  Status run_warp(const Launch& launch, WarpRegisters& registers, RunReport& report,
                  HostCode code = HostCode::best) const;

  // Programs of draws. They read constants, memory and fuel of the launch; threads of faults are numbers of
  // vertices, of input primitives, and lanes. Errors: as of run().
  // Adds the slots of each vertex (result_words) to `slots`.
  Status run_vertices(const Launch& launch, const InputVertices& input, std::vector<std::uint32_t>& slots,
                      RunReport& report, HostCode code = HostCode::best,
                      std::optional<RunLimits> limits = {}) const;
  // Adds to `output`.
  Status run_geometry(const Launch& launch, const InputPrimitives& input, EmittedVertices& output,
                      RunReport& report, HostCode code = HostCode::best,
                      std::optional<RunLimits> limits = {}) const;
  // The program of a work with the uses fragment_uses(). It refers to this interpreter, the launch and the
  // report, to which its runs are added; one thread may call it. `counted`: fragments say how many
  // instructions they executed.
  Result<std::unique_ptr<interpret::FragmentProgram>> make_fragment_program(
      const Launch& launch, RunReport& report, HostCode code = HostCode::best, bool counted = false,
      std::optional<RunLimits> limits = {}) const;

  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

 private:
  friend struct BlockRun;
  friend class GraphicsRun;
  Interpreter();
  void set_up(BlockContext& context, const Launch& launch) const;

  Program program_;
  Modes modes_;
  std::vector<WarpOp> ops_;
  std::vector<std::uint32_t> op_of_word_;                     // index of the op at each word of the code
  std::vector<std::array<std::uint32_t, kLanes>> constants_;  // immediates, a word for each lane
  std::uint32_t registers_ = 0;
};

}  // namespace warpjit::tesla
