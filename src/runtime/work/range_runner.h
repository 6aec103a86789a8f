// Runs ranges of work on the host threads of an executor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "base/float_environment.h"
#include "runtime/kernel/kernel.h"
#include "runtime/work/work.h"

namespace warpjit::runtime {

// Units `first` to `first + count - 1` of a plan, at most `chunk` a range. Where a run may be cancelled, a range
// is done in parts, multiples of `granule` units.
struct Range {
  std::uint64_t first, count, chunk, granule = 1;
};

class RangeRunner {
 public:
  explicit RangeRunner(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}

  unsigned concurrency() const { return executor_->concurrency(); }
  // Host threads that share the work: as many as the options say, else as many as pay.
  unsigned worker_count(const WorkSize& size, const RunOptions& options, const Kernel& kernel) const;
  // Runs the ranges. Errors: that of the first range that fails; `cancelled`.
  Status run(const WorkPlan& plan, const Range& range, unsigned workers) const;
  // Calls body(k) for all k below `count`; on several host threads, if there are several workers. One
  // of the exceptions that bodies throw leaves the call, after all have ended.
  template <class Body>
  void each(std::size_t count, unsigned workers, Body body) const {
    if (workers == 1) {
      for (std::size_t k = 0; k < count; ++k) body(k);
      return;
    }
    struct Job {
      Body& body;
      std::atomic_flag failed;
      std::exception_ptr exception;
    } job{body, {}, {}};
    executor_->parallel_for(
        count,
        [](void* context, std::size_t k) {
          auto& job = *static_cast<Job*>(context);
          const FloatEnvironment environment;
          try {
            job.body(k);
          } catch (...) {
            if (!job.failed.test_and_set()) job.exception = std::current_exception();
          }
        },
        &job);
    if (job.exception) std::rethrow_exception(job.exception);
  }

 private:
  std::shared_ptr<Executor> executor_;
};

}  // namespace warpjit::runtime
