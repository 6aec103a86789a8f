// Fuel (kDefaultFuel in warpjit.hpp): each thread of a group may make so many backward transfers. Whoever
// runs a group first counts what it does as a whole, which is no less than what any thread does. When that is
// as much as one thread may do, threads are counted one by one from there on: so none is stopped that does
// not exceed the fuel, and each is that makes more than twice as many transfers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpjit {

inline constexpr const char* kOutOfFuelMessage =
    "a thread made more backward transfers than the launch allows";

// What a group's word begins with: it goes down by one with each transfer, and below 0 threads are counted.
inline std::int64_t group_fuel(std::uint64_t fuel) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(fuel, kMost));
}

// The transfers of each thread since its group's word has gone below 0.
class FuelCounts {
 public:
  explicit FuelCounts(std::uint64_t fuel) : fuel_(fuel) {}

  // `counted`: what each thread is known to have made before.
  void restart(std::uint64_t counted = 0) {
    counts_.clear();
    counted_ = counted;
  }
  // The same, if this is another group than the last one: any two numbers that name it.
  void of_group(std::uint64_t a, std::uint64_t b) {
    if (std::array{a, b} != group_) restart();
    group_ = {a, b};
  }
  // Lane n of `lanes`, which is thread `first` + n, makes a transfer if takes(n). False: that is too many.
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
