#include "runtime/work/range_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/result.h"

namespace warpjit::runtime {
namespace {

// Guest threads for each host thread; with fewer, handing out work costs more than it gains.
constexpr std::uint64_t kJitThreadsPerWorker = 4096, kInterpreterThreadsPerWorker = 128;

// Runs ranges of a plan on one host thread. What can be cancelled runs in parts that take about a millisecond:
// kernels look at the flag in their loops only.
class PartRunner {
 public:
  PartRunner(const WorkPlan& plan, std::uint64_t granule)
      : plan_(plan), granule_(granule), part_(granule == 1 ? 1 : kFirstGroups * granule) {}

  Status run(std::uint64_t first, std::uint64_t count) {
    if (!plan_.may_be_cancelled()) return plan_.run(first, count);
    // The last part is not timed: some systems take as long to read the clock as a tile takes.
    Clock::time_point begin = count > part_ ? Clock::now() : Clock::time_point();
    for (std::uint64_t done = 0; done < count;) {
      if (plan_.cancelled()) return cancelled_run();
      const std::uint64_t part = std::min(part_, count - done);
      WARPJIT_CHECK(plan_.run(first + done, part));
      done += part;
      if (done == count) break;
      const Clock::time_point end = Clock::now();
      const Clock::duration took = end - begin;
      begin = end;
      if (took < kShort && part == part_ && part_ < kMost)
        part_ *= 2;
      else if (took > kLong)
        part_ = std::max(part_ / 2 / granule_, std::uint64_t{1}) * granule_;
    }
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kShort{500}, kLong{2000};
  // Blocks may take long, groups of threads do not.
  static constexpr std::uint64_t kFirstGroups = 32;
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 32;

  const WorkPlan& plan_;
  const std::uint64_t granule_;
  std::uint64_t part_;
};

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
    PartRunner parts(plan, range.granule);
    for (std::uint64_t begin = 0; begin < range.count; begin += range.chunk)
      WARPJIT_CHECK(parts.run(range.first + begin, std::min(range.chunk, range.count - begin)));
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
    Status run_chunk(PartRunner& parts, std::uint64_t begin) const noexcept {
      try {
        return parts.run(range.first + begin, std::min(range.chunk, range.count - begin));
      } catch (...) {
        return caught();
      }
    }

    void work() {
      PartRunner parts(plan, range.granule);
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t begin = next.fetch_add(1, std::memory_order_relaxed) * range.chunk;
        if (begin >= range.count) return;
        Status result = run_chunk(parts, begin);
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
