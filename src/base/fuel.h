// Fuel (kDefaultFuel in warpjit.hpp): the number of backward transfers that each thread may make. A group is
// first counted as a whole; no thread makes more transfers than its group. When the group has made as many as
// one thread may make, its threads are counted one by one from there on. So a thread that stays within the
// fuel is never stopped, and one that makes more than twice as many transfers always is.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpjit::interpret {
class Observer;
}

namespace warpjit {

inline constexpr const char* kOutOfFuelMessage =
    "a thread made more backward transfers than the launch allows";
inline constexpr const char* kCancelledMessage = "the run was cancelled";

// What ends the threads of a run before they end themselves.
struct RunLimits {
  static constexpr std::atomic<std::uint32_t> kNever{0};

  // `stop`: ends the run soon after it becomes other than 0; null: nothing does. `by`: sees a guest interpreter run
  // (frontend/interpret/observer.h); null: nobody does. Both must outlive the run.
  RunLimits(std::uint64_t of_thread, const std::atomic<std::uint32_t>* stop = nullptr,
            interpret::Observer* by = nullptr)
      : fuel(of_thread), cancel(stop != nullptr ? stop : &kNever), observer(by) {}
  bool cancelled() const { return cancel->load(std::memory_order_relaxed) != 0; }

  std::uint64_t fuel;                        // of a thread
  const std::atomic<std::uint32_t>* cancel;  // never null
  interpret::Observer* observer;
};

// The fuel of one thread, in parts, between which the run may be stopped.
class ThreadFuel {
 public:
  explicit ThreadFuel(const RunLimits& limits) : limits_(limits), rest_(limits.fuel) {}
  // For one backward transfer. False: the thread must stop.
  bool take() { return part_-- != 0 || take_part(); }
  // Why, after take() gave false; else the run was cancelled.
  bool is_used_up() const { return rest_ == 0; }

 private:
  static constexpr std::uint64_t kPart = 64;

  bool take_part() {
    if (rest_ == 0 || limits_.cancelled()) return false;
    const std::uint64_t part = std::min(rest_, kPart);
    rest_ -= part;
    part_ = part - 1;
    return true;
  }

  const RunLimits& limits_;
  std::uint64_t part_ = 0, rest_;
};

// The start value of a group's counter. Each transfer takes one off; below 0, threads are counted.
inline std::int64_t group_fuel(std::uint64_t fuel) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(fuel, kMost));
}

// The transfers of each thread since its group's counter went below 0.
class FuelCounts {
 public:
  explicit FuelCounts(std::uint64_t fuel) : fuel_(fuel) {}

  // `counted`: the transfers that each thread has made before.
  void restart(std::uint64_t counted = 0) {
    counts_.clear();
    counted_ = counted;
  }
  // The same, if this is another group than the last one. `a` and `b`: two numbers that identify it.
  void of_group(std::uint64_t a, std::uint64_t b) {
    if (std::array{a, b} != group_) restart();
    group_ = {a, b};
  }
  // Lane n of `lanes`, which is thread `first` + n, makes a transfer if takes(n). False if a thread has now
  // made too many.
  template <class Takes>
  bool count(std::size_t first, std::size_t lanes, Takes takes) {
    if (counts_.size() < first + lanes) counts_.resize(first + lanes, counted_);
    bool enough = true;
    for (std::size_t n = 0; n < lanes; ++n)
      if (takes(n) && ++counts_[first + n] > fuel_) enough = false;
    return enough;
  }

 private:
  std::uint64_t fuel_, counted_ = 0;
  std::array<std::uint64_t, 2> group_{};
  std::vector<std::uint64_t> counts_;
};

}  // namespace warpjit
