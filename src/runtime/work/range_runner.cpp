#include "runtime/work/range_runner.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/result.h"

namespace warpjit::runtime {
namespace {

// Guest threads for each host thread; with fewer, handing out work costs more than it gains.
constexpr std::uint64_t kJitThreadsPerWorker = 4096, kInterpreterThreadsPerWorker = 128;

}  // namespace

unsigned RangeRunner::worker_count(const WorkSize& size, const RunOptions& options,
                                   const Kernel& kernel) const {
  const std::uint64_t ranges = (size.units + size.granule - 1) / size.granule;
  std::uint64_t workers = options.threads;
  if (workers == 0) {
    const std::uint64_t share =
        kernel.report().engine == EngineKind::jit ? kJitThreadsPerWorker : kInterpreterThreadsPerWorker;
    workers = size.units * size.threads_per_unit / share;
    if (workers > 1) workers = std::min<std::uint64_t>(workers, executor_->concurrency());
  }
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(workers, ranges), 1, 1024));
}

Status RangeRunner::run(const WorkPlan& plan, const Range& range, unsigned workers) const {
  if (workers == 1) {
    for (std::uint64_t begin = 0; begin < range.count; begin += range.chunk) {
      if (plan.cancelled()) return cancelled_run();
      WARPJIT_CHECK(plan.run(range.first + begin, std::min(range.chunk, range.count - begin)));
    }
    return {};
  }
  struct Job {
    const WorkPlan& plan;
    const Range range;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex{};
    Status status{};
    std::uint64_t failed = ~std::uint64_t{0};  // the first chunk that failed is the one reported

    // The status of a chunk; what it throws is an error of this chunk.
    Status run_chunk(std::uint64_t begin) const noexcept {
      try {
        if (plan.cancelled()) return cancelled_run();
        return plan.run(range.first + begin, std::min(range.chunk, range.count - begin));
      } catch (...) {
        return caught();
      }
    }

    void work() {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t begin = next.fetch_add(1, std::memory_order_relaxed) * range.chunk;
        if (begin >= range.count) return;
        Status result = run_chunk(begin);
        if (result) continue;
        stop.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (begin < failed) {
          failed = begin;
          status = std::move(result);
        }
      }
    }
  };
  Job job{plan, range};
  each(workers, workers, [&job](std::size_t) { job.work(); });
  return std::move(job.status);
}

}  // namespace warpjit::runtime
