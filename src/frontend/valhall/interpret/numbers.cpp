#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

constexpr unsigned kDoubleFraction = 52;

// Does a number between two neighbours of the format become the one that is farther from zero?
bool rounds_away(Round round, bool negative, bool odd, std::uint64_t rest, std::uint64_t half) {
  switch (round) {
    case Round::nearest_even:
      return rest > half || (rest == half && odd);
    case Round::up:
      return rest != 0 && !negative;
    case Round::down:
      return rest != 0 && negative;
    case Round::to_zero:
      return false;
  }
  return false;
}

}  // namespace

std::uint32_t round_to(const FloatFormat& format, double value, Round round) {
  const bool negative = std::signbit(value);
  const std::uint32_t sign = negative ? format.sign() : 0;
  if (std::isnan(value)) return format.nan();
  if (std::isinf(value)) return sign | format.infinity();
  if (value == 0) return sign;

  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // [1/2, 1)
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, kDoubleFraction + 1));
  --exponent;
  // The bits of the significand that the format has no place for; more of them where it is denormal.
  const bool denormal = exponent < format.least_exponent;
  const int missing = static_cast<int>(kDoubleFraction - format.fraction_bits) +
                      (denormal ? format.least_exponent - exponent : 0);
  // From 55 on all are lost, and they are less than a half.
  const auto shift = static_cast<unsigned>(missing < 55 ? missing : 55);
  const std::uint64_t rest = significand & low_mask<std::uint64_t>(shift);
  std::uint64_t bits = significand >> shift;
  if (rounds_away(round, negative, (bits & 1) != 0, rest, std::uint64_t{1} << (shift - 1))) ++bits;
  // The leading one of a normal number adds 1 to the exponent; so does a carry.
  if (!denormal) bits += static_cast<std::uint64_t>(exponent - format.least_exponent) << format.fraction_bits;
  if (bits < format.infinity()) return sign | static_cast<std::uint32_t>(bits);
  const bool to_infinity = round == Round::nearest_even || round == (negative ? Round::down : Round::up);
  return sign | (to_infinity ? format.infinity() : format.infinity() - 1);
}

std::uint32_t widen_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31) return sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000U : 0U);
  if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
  return sign | to_bits(static_cast<float>(fraction) * 0x1p-24F);
}

double add_to_odd(double a, double b) {
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

double round_to_integer(double value, Round round) {
  switch (round) {
    case Round::nearest_even:
      return std::nearbyint(value);
    case Round::up:
      return std::ceil(value);
    case Round::down:
      return std::floor(value);
    case Round::to_zero:
      return std::trunc(value);
  }
  return value;
}

}  // namespace warpjit::valhall
