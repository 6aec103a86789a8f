// Numbers of the guest interpreter: f16 and f32 as doubles, which hold both exactly, and the one rounding
// back (docs/guests/valhall.md 6).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/bits.h"
#include "frontend/valhall/encoding/decode.h"
#include "frontend/valhall/facts/float_format.h"

namespace warpjit::valhall {

// The bits of `value` in the format, rounded once. What is too large becomes infinity, or the greatest finite
// number if the rounding is away from infinity. A NaN is nan().
// round_by_hand does without the host's conversion, for which round_to needs the FloatEnvironment.
std::uint32_t round_by_hand(const FloatFormat& format, double value, Round round);
inline std::uint32_t round_to(const FloatFormat& format, double value, Round round = Round::nearest_even) {
  if (&format == &kSingle && round == Round::nearest_even && !std::isnan(value))
    return to_bits(static_cast<float>(value));
  return round_by_hand(format, value, round);
}

// An f16 as an f32 and as a double. A NaN keeps its payload and becomes quiet.
std::uint32_t widen_half(std::uint32_t half);
inline double half_value(std::uint32_t half) { return static_cast<double>(to_float(widen_half(half))); }

// a + b, rounded to odd: a sum that is not exact gets an odd last bit, so that rounding it again to at most
// 51 bits gives what rounding the exact sum once does.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  // What the sum lacks, exactly.
  const double from_b = sum - a;
  const double error = (a - (sum - from_b)) + (b - from_b);
  const std::uint64_t bits = to_bits(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool away = (error > 0) == (sum > 0);
  return to_double(away ? bits + 1 : bits - 1);
}

// Rounds to an integer; keeps the sign of a zero result.
double round_to_integer(double value, Round round);

}  // namespace warpjit::valhall
