// One run of a launch, and the drivers of each kind of work: a driver leases the kernel, makes the plan of
// the work, and has its ranges run.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/kernel/pool.h"
#include "runtime/work/kernel_source.h"
#include "runtime/work/launch.h"
#include "runtime/work/pixel_plan.h"
#include "runtime/work/primitive_plan.h"
#include "runtime/work/range_runner.h"

namespace warpjit::runtime {

// Memory that runs use one after another.
struct WorkMemory {
  Pool<PrimitiveRound> rounds;
  Pool<TilePlanes> tile_planes;
  Pool<pixels::BatchMemory> batches;
};

// Is told which pixels of its targets a launch may draw to next, before it does, on the thread of the run.
class DrawWatch {
 public:
  virtual ~DrawWatch() = default;
  virtual void draw(const RasterState::Rectangle& pixels) = 0;
};

struct Run {
  LaunchState& launch;
  const RunOptions& options;
  KernelSource& kernels;
  const RangeRunner& runner;
  WorkMemory& memory;
  DrawWatch* watch = nullptr;  // null: nobody is told
  Report report{};

  std::uint64_t fuel() const { return options.fuel.value_or(launch.fuel); }
  bool cancelled() const {
    return options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed) != 0;
  }
  // `of`: the launch, or one of its stages.
  KernelCall call(const LaunchState& of, const KernelUse& use) const {
    return {of, use.kernel(), use.table(), fuel(), options.cancel};
  }
};

// All of these set run.report.
Status run_work(Run& run);
Status run_rows(Run& run);  // a draw and a grid, too
Status run_primitives(Run& run);
Status run_pixels(Run& run);

// Runs the units from `next` on, and advances it to the first one that is left: if the kernel is awaited, the
// run ends as soon as it is there. Sets `workers`.
Status run_units(const Run& run, KernelUse& use, const WorkPlan& plan, const WorkSize& size,
                 std::uint64_t& next, unsigned& workers);

// Runs all units by run_from(next), which is as run_units(): in the guest interpreter until the awaited
// kernel is there, then in that. Sets `interpreted` to how many units the first one ran.
template <class RunFrom>
Status run_all(const Run& run, LaunchState& launch, KernelUse& use, CompileReport& report,
               std::uint64_t& interpreted, RunFrom run_from) {
  std::uint64_t next = 0;
  if (!use.awaited) return run_from(next);
  WARPJIT_CHECK(run_from(next));
  interpreted = next;
  if (!use.awaited->kernel()) return {};
  WARPJIT_CHECK(run.kernels.lease_awaited(launch, run.options, use, report));
  return run_from(next);
}

using RunClock = std::chrono::steady_clock;

}  // namespace warpjit::runtime
