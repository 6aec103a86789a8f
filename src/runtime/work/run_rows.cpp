// Launches over rows, draws and grids.
#include <algorithm>
#include <optional>

#include "runtime/work/grid_plan.h"
#include "runtime/work/run.h"
#include "runtime/work/run_plan.h"

namespace warpjit::runtime {
namespace {

WorkSize size_of(const LaunchState& launch, const Kernel& kernel) {
  WorkSize size{launch.count, 1, kernel.lanes()};
  if (launch.work() != Work::grid) return size;
  const auto& [x, y, z] = launch.values.grid.block;
  size.units = launch.values.grid.blocks();
  size.threads_per_unit = std::uint64_t{x} * y * z;
  size.granule = 1;
  size.most = 4096;
  size.between_looks = std::max<std::uint64_t>(1, size.between_looks / size.threads_per_unit);
  return size;
}

// Units from `first` on, as run_units() does.
Result<std::uint64_t> run_from(Run& run, KernelUse& use, std::uint64_t first) {
  const LaunchState& launch = run.launch;
  const Kernel& kernel = use.kernel();
  const WorkSize size = size_of(launch, kernel);
  if (launch.work() != Work::grid) {
    const RunPlan plan(launch, kernel, use.table(), run.fuel(), run.options.cancel);
    return run_units(run, use, plan, size, first, run.report.threads);
  }
  std::optional<frontend::CheckedGrid> fresh;
  WARPJIT_TRY(const frontend::CheckedGrid* checked, launch.checked_grid(fresh));
  const GridPlan plan(launch, *checked, kernel, use.table(), run.fuel(), run.options.cancel);
  Result<std::uint64_t> next = run_units(run, use, plan, size, first, run.report.threads);
  if (!run.report.fault) run.report.fault = plan.fault();
  return next;
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
  const bool awaited = use.is_awaited();
  WARPJIT_TRY(const std::uint64_t done, run_from(run, use, 0));
  if (awaited) report.interpreted = done;
  if (done != size_of(launch, use.kernel()).units) {
    WARPJIT_CHECK(run.kernels.lease_ready(launch, run.options, use, report));
    WARPJIT_CHECK(run_from(run, use, done));
  }
  report.run_ns = nanoseconds(RunClock::now() - start);
  return {};
}

Result<Report> profile(LaunchState& launch, Profile& profile) {
  WARPJIT_CHECK(launch.check());
  Report report;
  report.engine = EngineKind::guest;
  report.work = launch.work();
  std::optional<frontend::BlockFault> fault;
  const auto start = RunClock::now();
  WARPJIT_CHECK(launch.shader->profile(launch.values.grid, fault, profile));
  report.run_ns = nanoseconds(RunClock::now() - start);
  if (fault) report.fault = describe(*fault, *launch.shader, launch.values.grid);
  return report;
}

}  // namespace warpjit::runtime
