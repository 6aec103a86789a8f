// The f32 operations that pixels are defined with, on words: round to nearest even, denormals are zeros
// of their sign before and after (after: once the result is rounded with an unbounded exponent), each
// NaN is 0x7fffffff.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/bits.h"

namespace warpjit::interpret::f32 {

using Word = std::uint32_t;
inline constexpr Word kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff, kOne = 0x3f800000;

inline bool is_nan(Word x) { return (x & ~kSign) > kInfinity; }
inline Word flushed(Word x) { return (x & kInfinity) == 0 ? x & kSign : x; }
inline Word negated(Word x) { return x ^ kSign; }

// From here on 24 bits round to a normal number, 2^-126 at least.
inline constexpr double kSmallestKept = 0x1.ffffffp-127;

inline Word rounded(double x) {
  if (std::isnan(x)) return kNan;
  if (std::fabs(x) < kSmallestKept) return std::signbit(x) ? kSign : 0;
  return to_bits(static_cast<float>(x));
}

inline double wide(Word x) { return to_float(flushed(x)); }

// RN32 of a coefficient: converted as IEEE does, denormals too; then they become zeros.
inline Word converted(double x) { return std::isnan(x) ? kNan : flushed(to_bits(static_cast<float>(x))); }

// The host rounds once to what is above the least normal number. Whether other products reach that,
// their doubles tell, which are exact. A sum is rounded once by the host: where a denormal would
// come out it is exact.
inline Word mul(Word a, Word b) {
  constexpr Word kLeast = 0x00800001;
  const Word product = to_bits(to_float(flushed(a)) * to_float(flushed(b)));
  return (product & ~kSign) - kLeast < kInfinity - kLeast ? product : rounded(wide(a) * wide(b));
}
inline Word add(Word a, Word b) {
  const float sum = to_float(flushed(a)) + to_float(flushed(b));
  return std::isnan(sum) ? kNan : flushed(to_bits(sum));
}
inline Word sub(Word a, Word b) { return add(a, negated(b)); }

// The nearest integer, of two the even one, without the sign of a zero; |x| < 2^51. Doubles of 2^52 and more
// are integers, so that a sum with 2^52 is rounded to one.
inline double nearest_integer(double x) {
  const double room = x < 0 ? -0x1p52 : 0x1p52;
  return x + room - room;
}

// Into [least, most], two numbers that are not NaN; a NaN becomes the least.
inline Word limited(Word x, float least, float most) {
  const Word low = flushed(to_bits(least)), high = flushed(to_bits(most));
  const float value = to_float(flushed(x));
  if (!(value > to_float(low))) return low;
  return value < to_float(high) ? x : high;
}

// Into [-1, 1]; a NaN and denormals become zeros.
inline Word balanced(Word x) { return is_nan(x) ? 0 : flushed(limited(x, -1, 1)); }
// Into [0, 1]; a NaN, denormals and both zeros become +0.
inline Word unit(Word x) { return limited(x, 0, 1); }

}  // namespace warpjit::interpret::f32
