// Runs ranges of work on the host threads of an executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/float_environment.h"
#include "runtime/kernel/kernel.h"
#include "runtime/work/work.h"

namespace warpjit::runtime {

// Units `first` to `first + count - 1` of a plan, at most `chunk` a range.
struct Range {
  std::uint64_t first, count, chunk;
};

class RangeRunner {
 public:
  explicit RangeRunner(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}

  unsigned concurrency() const { return executor_->concurrency(); }
  // Host threads that share the work: as many as the options say, else as many as pay.
  unsigned worker_count(const WorkSize& size, const RunOptions& options, const Kernel& kernel) const;
  // Runs the ranges. Errors: that of the first range that fails; `cancelled`.
  Status run(const WorkPlan& plan, const Range& range, unsigned workers) const;
  // Calls body(k) for all k below `count`; on several host threads, if there are several workers.
  template <class Body>
  void each(std::size_t count, unsigned workers, Body body) const {
    if (workers == 1) {
      for (std::size_t k = 0; k < count; ++k) body(k);
      return;
    }
    executor_->parallel_for(
        count,
        [](void* context, std::size_t k) {
          const FloatEnvironment environment;
          (*static_cast<Body*>(context))(k);
        },
        &body);
  }

 private:
  std::shared_ptr<Executor> executor_;
};

}  // namespace warpjit::runtime
