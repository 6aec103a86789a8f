// One run of a launch, and the drivers of each kind of work: a driver leases the kernel, makes the plan of the
// work, and has its ranges run.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/kernel/pool.h"
#include "runtime/work/kernel_source.h"
#include "runtime/work/launch.h"
#include "runtime/work/pixel_plan.h"
#include "runtime/work/primitives.h"
#include "runtime/work/range_runner.h"

namespace warpjit::runtime {

// Memory that runs use one after another.
struct WorkMemory {
  Pool<PrimitiveRound> rounds;
  Pool<TilePlanes> tile_planes;
};

struct Run {
  LaunchState& launch;
  const RunOptions& options;
  KernelSource& kernels;
  const RangeRunner& runner;
  WorkMemory& memory;
  Report report{};

  std::uint64_t fuel() const { return options.fuel.value_or(launch.fuel); }
};

// All of these set run.report.
Status run_work(Run& run);
Status run_rows(Run& run);  // a draw and a grid, too
Status run_primitives(Run& run);
Status run_pixels(Run& run);
// The work of a compute program, in the guest interpreter.
Result<Report> profile(LaunchState& launch, Profile& profile);

// Runs the units from `first` on. If the kernel is awaited, only until it is there. Returns the first unit
// that is left, and sets `workers`.
Result<std::uint64_t> run_units(const Run& run, KernelUse& use, const WorkPlan& plan, const WorkSize& size,
                                std::uint64_t first, unsigned& workers);

using RunClock = std::chrono::steady_clock;
inline std::uint64_t nanoseconds(RunClock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace warpjit::runtime
