#include "base/fma.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/rounding.h"

namespace warpjit::fma {
namespace {

using u64 = std::uint64_t;

// 192 bits, the lowest word first.
struct Wide {
  u64 words[3] = {};

  unsigned highest() const {  // bit; not of 0
    for (unsigned n = 3; n-- > 1;)
      if (words[n] != 0) return 64 * n + 63 - static_cast<unsigned>(std::countl_zero(words[n]));
    return 63 - static_cast<unsigned>(std::countl_zero(words[0]));
  }
  bool zero() const { return (words[0] | words[1] | words[2]) == 0; }
  bool below(const Wide& other) const {
    for (unsigned n = 3; n-- > 0;)
      if (words[n] != other.words[n]) return words[n] < other.words[n];
    return false;
  }
  u64 at(int bit) const {  // 64 bits from there; beyond the ends are zeros
    u64 result = 0;
    for (int n = 0; n < 3; ++n) {
      const int shift = bit - 64 * n;
      if (shift >= 0 && shift < 64) result |= words[n] >> shift;
      if (shift < 0 && shift > -64) result |= words[n] << -shift;
    }
    return result;
  }
  bool any_below(int bit) const {
    for (int n = 0; n < 3; ++n) {
      const int count = bit - 64 * n;
      if (count >= 64 ? words[n] != 0 : count > 0 && words[n] << (64 - count) != 0) return true;
    }
    return false;
  }
  // The bits that fall out make the lowest one 1.
  Wide right(int count) const {
    return {{at(count) | (any_below(count) ? 1U : 0U), at(count + 64), at(count + 128)}};
  }
  Wide left(int count) const { return {{at(-count), at(64 - count), at(128 - count)}}; }
};

Wide sum(const Wide& a, const Wide& b) {
  Wide result;
  u64 carry = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const u64 partial = a.words[n] + b.words[n];
    result.words[n] = partial + carry;
    carry = (partial < a.words[n] ? 1U : 0U) | (result.words[n] < partial ? 1U : 0U);
  }
  return result;
}
Wide difference(const Wide& a, const Wide& b) {
  Wide result;
  u64 borrow = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const u64 partial = a.words[n] - b.words[n];
    result.words[n] = partial - borrow;
    borrow = (a.words[n] < b.words[n] ? 1U : 0U) | (partial < borrow ? 1U : 0U);
  }
  return result;
}

// A number is mantissa * 2^exponent.
constexpr int kLeast = -1074;  // exponent of the last bit of denormals
struct Parts {
  explicit Parts(double x) {
    const u64 bits = std::bit_cast<u64>(x);
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    mantissa = (bits & ((u64{1} << 52) - 1)) | (field != 0 ? u64{1} << 52 : 0);
    exponent = (field != 0 ? field - 1 : 0) + kLeast;
  }
  u64 mantissa;
  int exponent;
};

Wide product(u64 a, u64 b) {
  const u64 a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const u64 low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return {{other << 32 | (low & 0xffffffff), a1 * b1 + (middle >> 32) + (other >> 32), 0}};
}

// Whether what is cut off, in quarters of the last bit (an odd number of quarters stands for all between), makes the
// magnitude greater by 1.
bool rounds_up(int mode, bool negative, bool odd, unsigned quarters) {
  switch (mode) {
    case FE_UPWARD:
      return !negative && quarters != 0;
    case FE_DOWNWARD:
      return negative && quarters != 0;
    case FE_TOWARDZERO:
      return false;
    default:
      return quarters > 2 || (quarters == 2 && odd);
  }
}

// Not of 0.
double rounded(const Wide& magnitude, int exponent, bool negative, int mode) {
  // 53 bits, or down to the last bit of denormals.
  int last = static_cast<int>(magnitude.highest()) - 52;
  if (exponent + last < kLeast) last = kLeast - exponent;
  u64 mantissa = magnitude.at(last);
  const unsigned half = static_cast<unsigned>(magnitude.at(last - 1) & 1);
  const unsigned quarters = half * 2 + (magnitude.any_below(last - 1) ? 1 : 0);
  if (rounds_up(mode, negative, (mantissa & 1) != 0, quarters)) ++mantissa;
  // A carry out of the mantissa goes on into the exponent, also from denormals. The leading bit adds 1 to the field.
  u64 bits = (static_cast<u64>(exponent + last - kLeast) << 52) + mantissa;
  const u64 infinity = std::bit_cast<u64>(std::numeric_limits<double>::infinity());
  if (bits >= infinity) bits = infinity - (rounds_up(mode, negative, true, 3) ? 0 : 1);
  return std::bit_cast<double>(bits | (negative ? u64{1} << 63 : 0));
}

}  // namespace

double in_integers(double a, double b, double c) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b + c;
  if (!std::isfinite(c)) return c + c;
  const int mode = host_rounding();
  if (a == 0 || b == 0) return a * b + c;
  const Parts x(a), y(b), z(c);
  const bool negative = std::signbit(a) != std::signbit(b), c_negative = std::signbit(c);
  Wide left = product(x.mantissa, y.mantissa), right{{z.mantissa, 0, 0}};
  int exponent = x.exponent + y.exponent;
  if (c == 0) return rounded(left, exponent, negative, mode);
  // Both with the highest bit at most at 190. The greater one then has zeros below, where the other one's last bits
  // may be cut off: that happens only if it is far below, so that what is left of a difference has bits enough.
  constexpr int kTop = 190;
  const int left_shift = kTop - static_cast<int>(left.highest()),
            right_shift = kTop - static_cast<int>(right.highest());
  left = left.left(left_shift);
  right = right.left(right_shift);
  const int distance = (exponent - left_shift) - (z.exponent - right_shift);
  exponent = distance >= 0 ? exponent - left_shift : z.exponent - right_shift;
  constexpr int kFar = 192;
  if (distance > 0) right = right.right(distance < kFar ? distance : kFar);
  if (distance < 0) left = left.right(-distance < kFar ? -distance : kFar);
  if (negative == c_negative) return rounded(sum(left, right), exponent, negative, mode);
  const bool swapped = left.below(right);
  const Wide rest = swapped ? difference(right, left) : difference(left, right);
  if (rest.zero()) return mode == FE_DOWNWARD ? -0.0 : 0.0;
  return rounded(rest, exponent, swapped ? c_negative : negative, mode);
}

}  // namespace warpjit::fma
