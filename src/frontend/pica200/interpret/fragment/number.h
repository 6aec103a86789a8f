// The f32 arithmetic of the fixed function: denormals are zeros of their sign, before and after.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"

namespace warpjit::pica200::fragment {

struct Number {
  float value = 0;

  constexpr Number() = default;
  constexpr Number(float number) : value(number) {}  // NOLINT: a float is a number
  explicit operator float() const { return value; }

  friend Number operator+(Number a, Number b) { return of(interpret::f32::add(a.word(), b.word())); }
  friend Number operator-(Number a, Number b) { return of(interpret::f32::sub(a.word(), b.word())); }
  friend Number operator*(Number a, Number b) { return of(interpret::f32::mul(a.word(), b.word())); }
  friend Number operator/(Number a, Number b) {
    return of(interpret::f32::rounded(double{a.flushed()} / double{b.flushed()}));
  }
  Number operator-() const { return -value; }
  friend bool operator<(Number a, Number b) { return a.flushed() < b.flushed(); }
  friend bool operator>(Number a, Number b) { return b < a; }
  friend bool operator==(Number a, Number b) { return a.flushed() == b.flushed(); }

  bool is_nan() const { return std::isnan(value); }
  std::uint32_t word() const { return to_bits(value); }
  float flushed() const { return to_float(interpret::f32::flushed(word())); }

 private:
  static Number of(std::uint32_t word) { return to_float(word); }
};

inline Number sqrt(Number x) { return std::sqrt(x.flushed()); }
inline Number floor(Number x) { return std::floor(x.flushed()); }
inline Number abs(Number x) { return std::fabs(x.value); }
// b where the comparison does not hold, as of a NaN.
inline Number least(Number a, Number b) { return a < b ? a : b; }
inline Number greatest(Number a, Number b) { return a > b ? a : b; }
// NaN becomes `low`.
inline Number limited(Number x, float low, float high) { return least(greatest(x, low), high); }
// The next lower integer of a number whose integers fit.
inline std::int32_t integer(Number x) { return static_cast<std::int32_t>(x.value); }

}  // namespace warpjit::pica200::fragment
