#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

constexpr unsigned kDoubleFraction = 52;

// True if a number between two neighbours of the format becomes the one that is farther from zero.
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

std::uint32_t round_by_hand(const FloatFormat& format, double value, Round round) {
  if (std::isnan(value)) return format.nan();
  const bool negative = std::signbit(value);
  const std::uint32_t sign = negative ? format.sign() : 0;
  if (std::isinf(value)) return sign | format.infinity();
  if (value == 0) return sign;

  // Denormals of double have no leading one; they are far below any number of the format.
  const std::uint64_t magnitude = to_bits(std::fabs(value));
  const bool leading = magnitude >> kDoubleFraction != 0;
  const int exponent = leading ? static_cast<int>(magnitude >> kDoubleFraction) - 1023 : -1022;
  const std::uint64_t significand = (magnitude & low_mask<std::uint64_t>(kDoubleFraction)) |
                                    (leading ? std::uint64_t{1} << kDoubleFraction : 0);
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
