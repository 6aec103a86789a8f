// A launch's work as it is handed out: units in any order, in ranges, from several host threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace warpjit::runtime {

// All that the workers of one run share.
class WorkPlan {
 public:
  explicit WorkPlan(const std::atomic<std::uint32_t>* cancel) : cancel_(cancel) {}
  WorkPlan(const WorkPlan&) = default;
  WorkPlan& operator=(const WorkPlan&) = delete;
  virtual ~WorkPlan() = default;

  // Units `first` to `first + count - 1`.
  virtual Status run(std::uint64_t first, std::uint64_t count) const = 0;

  // The launch may be stopped between ranges.
  bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed) != 0; }

 protected:
  const std::atomic<std::uint32_t>* cancel_;
};

inline Error cancelled_run() { return {ErrorCode::cancelled, "the run was cancelled", ""}; }

// How much work there is, and how it may be divided.
struct WorkSize {
  std::uint64_t units = 0;             // threads or blocks
  std::uint64_t threads_per_unit = 1;  // guest threads
  std::uint64_t granule = 1;           // ranges are best multiples of it
  std::uint64_t most = 65536;  // units of a range at most, so that a run without loops can be cancelled
  // Units that the guest interpreter runs on each host thread between two looks whether the kernel is there.
  std::uint64_t between_looks = 256;
};

}  // namespace warpjit::runtime
