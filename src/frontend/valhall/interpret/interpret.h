// The Valhall guest interpreter, written from the rules of docs/guests/valhall.md alone: warps of 16 lanes,
// each lane with a program counter of its own, of which the lowest runs (section 8). It is the oracle for the
// translator. Draws: the quads of a fragment program, by the scalar rasterizer (section 10).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/fuel.h"
#include "frontend/grid.h"
#include "frontend/interpret/pixels.h"
#include "frontend/valhall/container/program.h"

namespace warpjit::valhall {

struct RunReport {
  std::optional<frontend::BlockFault> first_fault;  // the first one of the first workgroup that has one
  std::uint64_t warp_instructions = 0;              // executed by at least one lane
  std::uint64_t lane_instructions = 0;              // lanes of those
  std::uint64_t divergences = 0;                    // branches that parted the lanes at them
  void add(const RunReport& other);
};

struct WarpOp;  // interpret/op.h

class Interpreter {
 public:
  // Prepares what the entry of a program can reach. Errors: those of check_limits; with the guest address,
  // code that is statically reached and not defined (bad_input) or does not run (unsupported).
  static Result<Interpreter> prepare(const Program& program);

  // Workgroups `first` to `first` + `count` - 1 of the grid (x fastest), one after the other; the rest of
  // the grid may run on other threads at the same time. Assumes the default floating-point environment.
  // Errors: bad_input for a launch outside the limits; with the guest address, fault for control that leaves
  // the code, out_of_fuel, cancelled. Without `limits`: the launch's fuel.
  Status run(const frontend::Grid& launch, std::uint64_t first, std::uint64_t count, RunReport& report,
             std::optional<RunLimits> limits = {}) const;
  // The whole grid.
  Status run(const frontend::Grid& launch, RunReport& report) const;

  // The quads of a fragment program, added to the report as they run. `work` has the program's uses of slots;
  // nothing else of it but the extent matters. All must outlive it. Errors: as above.
  Result<std::unique_ptr<interpret::FragmentProgram>> make_fragment_program(
      const frontend::Grid& launch, const interpret::PixelWork& work, RunReport& report,
      std::optional<RunLimits> limits = {}) const;

  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

 private:
  friend class WarpRun;
  Interpreter();

  Program program_;
  std::vector<WarpOp> ops_;
  std::vector<std::uint32_t> op_of_word_;  // index of the op at each word of the code
};

}  // namespace warpjit::valhall
