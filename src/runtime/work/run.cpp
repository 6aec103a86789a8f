#include "runtime/work/run.h"

#include <algorithm>

namespace warpjit::runtime {

Status run_work(Run& run) {
  if (run.launch.primitives) return run_primitives(run);
  if (run.launch.pixels) return run_pixels(run);
  return run_rows(run);
}

Status run_units(const Run& run, KernelUse& use, const WorkPlan& plan, const WorkSize& size,
                 std::uint64_t& next, unsigned& workers) {
  // Several ranges for each worker balance the load.
  constexpr std::uint64_t kRangesPerWorker = 4;
  const auto whole_granules = [&](std::uint64_t units) {
    return (units + size.granule - 1) / size.granule * size.granule;
  };
  workers = run.runner.worker_count(size, run.options, use.kernel());
  if (!use.awaited) {
    const std::uint64_t first = next, count = size.units - first;
    const std::uint64_t even = workers == 1 ? count : count / (workers * kRangesPerWorker) + 1;
    next = size.units;
    return run.runner.run(plan, {first, count, whole_granules(std::min(even, size.most)), size.granule},
                          workers);
  }
  const std::uint64_t chunk =
      std::max<std::uint64_t>(1, whole_granules(size.between_looks / kRangesPerWorker));
  while (next < size.units && !use.awaited->is_ready()) {
    const std::uint64_t count = std::min(size.units - next, workers * size.between_looks);
    WARPJIT_CHECK(run.runner.run(plan, {next, count, chunk, size.granule}, workers));
    next += count;
  }
  return {};
}

}  // namespace warpjit::runtime
