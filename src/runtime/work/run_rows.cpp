// Launches over rows, draws and grids.
#include <algorithm>
#include <optional>

#include "runtime/work/grid_plan.h"
#include "runtime/work/row_plan.h"
#include "runtime/work/run.h"

namespace warpjit::runtime {
namespace {

WorkSize grid_size(const frontend::Grid& grid) {
  const auto& [x, y, z] = grid.block;
  WorkSize size{grid.blocks(), std::uint64_t{x} * y * z};
  size.most = 4096;
  size.between_looks = std::max<std::uint64_t>(1, size.between_looks / size.threads_per_unit);
  return size;
}

// As run_units() does.
Status run_from(Run& run, KernelUse& use, std::uint64_t& next) {
  const LaunchState& launch = run.launch;
  const KernelCall call = run.call(launch, use);
  unsigned& workers = run.report.threads;
  if (run.report.work != Work::grid)
    return run_units(run, use, RowPlan(call), {launch.count, 1, call.kernel.lanes()}, next, workers);
  std::optional<frontend::CheckedGrid> fresh;
  WARPJIT_TRY(const frontend::CheckedGrid* checked, launch.checked_grid(fresh));
  const GridPlan plan(call, *checked);
  Status status = run_units(run, use, plan, grid_size(launch.values.grid), next, workers);
  if (!run.report.fault) run.report.fault = plan.fault();
  return status;
}

}  // namespace

Status run_rows(Run& run) {
  LaunchState& launch = run.launch;
  Report& report = run.report;
  WARPJIT_CHECK(launch.check());
  KernelUse use{.hints = run.kernels.hints_of(launch)};
  WARPJIT_CHECK(run.kernels.lease_at_once(launch, run.options, use, report, false));
  report.work = launch.work();
  if (report.work != Work::grid && launch.count == 0) return {};
  const auto start = RunClock::now();
  WARPJIT_CHECK(run_all(run, launch, use, report, report.interpreted,
                        [&](std::uint64_t& next) { return run_from(run, use, next); }));
  report.run_time = RunClock::now() - start;
  return {};
}

}  // namespace warpjit::runtime
