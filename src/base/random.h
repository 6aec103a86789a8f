// Pseudorandom numbers for generated programs and data: SplitMix64 (Steele, Lea, Flood 2014), small, and the
// same on every host, so that a seed names a program.
#pragma once

#include <cstdint>

namespace warpjit {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // 0 <= result < limit
  unsigned below(unsigned limit) { return static_cast<unsigned>((next() >> 32) * limit >> 32); }
  bool chance(unsigned percent) { return below(100) < percent; }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace warpjit
