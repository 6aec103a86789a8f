// Words that generated programs compute with: edge values of floats and integers,
// and floats of moderate size.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/random.h"

namespace warpjit::random {

// Both zeros and infinities, NaNs of both kinds, denormals, the ends of the range, numbers around 1.
inline constexpr std::uint32_t kFloatEdges[] = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00001, 0xffc00001,
    0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
    0x3f000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x40490fdb, 0xc2f00000, 0x4f000000,
    0xcf000000, 0x5f000000, 0x60000000, 0x20800000, 0x1f000000};
// The ends of 16 and 32 bits, signed and not.
inline constexpr std::uint32_t kIntegerEdges[] = {0,      1,          0x7fff,     0x8000,
                                                  0xffff, 0x7fffffff, 0x80000000, 0xffffffff};

template <std::size_t kCount>
std::uint32_t one_of(Random& random, const std::uint32_t (&words)[kCount]) {
  return words[random.below(kCount)];
}

// Between 0 and 1, between -4 and 4, an integer of at most 150, or any size from 2^-11 to 2^8.
inline float moderate_float(Random& random) {
  const float unit = static_cast<float>(random.below(1U << 24)) * 0x1p-24F;
  switch (random.below(4)) {
    case 0:
      return unit;
    case 1:
      return unit * 8.0F - 4.0F;
    case 2:
      return static_cast<float>(static_cast<int>(random.below(300)) - 150);
    default:
      return std::ldexp(unit - 0.5F, static_cast<int>(random.below(20)) - 10);
  }
}

}  // namespace warpjit::random
