// f16 and f32 by their numbers (docs/guests/valhall.md 6).
#pragma once

#include <cstdint>

#include "base/bits.h"

namespace warpjit::valhall {

// A binary format of IEEE 754 by its numbers.
struct FloatFormat {
  unsigned fraction_bits;
  int least_exponent, greatest_exponent;  // of normal numbers

  constexpr std::uint32_t infinity() const {
    return static_cast<std::uint32_t>(greatest_exponent - least_exponent + 2) << fraction_bits;
  }
  constexpr std::uint32_t sign() const { return (infinity() | low_mask<std::uint32_t>(fraction_bits)) + 1; }
  // The least number that is no denormal.
  constexpr double least_normal() const {
    return to_double(static_cast<std::uint64_t>(least_exponent + 1023) << 52);
  }
  // Every NaN that arithmetic gives.
  constexpr std::uint32_t nan() const { return infinity() | 1U << (fraction_bits - 1); }
};
inline constexpr FloatFormat kSingle{23, -126, 127};
inline constexpr FloatFormat kHalf{10, -14, 15};
static_assert(kSingle.infinity() == 0x7f800000 && kSingle.sign() == 0x80000000 &&
              kSingle.nan() == 0x7fc00000);
static_assert(kHalf.infinity() == 0x7c00 && kHalf.sign() == 0x8000 && kHalf.nan() == 0x7e00);

}  // namespace warpjit::valhall
