// A launch's work as an engine hands it out: units in any order, in ranges, from several host threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace warpjit::runtime {

// What compiled code polls: the caller's word, or if there is none, one that stays 0.
inline const std::uint32_t* cancel_word(const std::atomic<std::uint32_t>* cancel) {
  static constexpr std::uint32_t kNever = 0;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  return cancel != nullptr ? reinterpret_cast<const std::uint32_t*>(cancel) : &kNever;
}

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

// How much work there is, and how it may be divided.
struct WorkSize {
  std::uint64_t units = 0;             // threads or blocks
  std::uint64_t threads_per_unit = 1;  // guest threads
  std::uint64_t granule = 1;           // ranges are best multiples of it
  std::uint64_t most = 0;  // units of a range at most, so that a run without loops can be cancelled
};

}  // namespace warpjit::runtime
