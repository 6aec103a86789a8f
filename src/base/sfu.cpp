#include "base/sfu.h"

#include <bit>

namespace warpjit::sfu {

#define SFU_SEGMENT(c0, c1, c2) {c0, c1, c2},
const Segment kRcp[128] = {
#define SFU_RCP
#include "base/sfu_rom.inc"
};
const Segment kRsqrt[128] = {
#define SFU_RSQRT
#include "base/sfu_rom.inc"
};
const Segment kSin[64] = {
#define SFU_SIN
#include "base/sfu_rom.inc"
};
const Segment kEx2[64] = {
#define SFU_EX2
#include "base/sfu_rom.inc"
};
const Segment kLg2[64] = {
#define SFU_LG2
#include "base/sfu_rom.inc"
};
#undef SFU_SEGMENT

namespace {

constexpr std::uint32_t kSignBit = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff, kOne = 0x3f800000;
constexpr std::uint32_t kFixedNan = 0x40000000, kFixedInfinity = 0x40800000;

std::uint32_t exponent_of(std::uint32_t x) { return x >> 23 & 0xff; }
std::uint32_t fraction_of(std::uint32_t x) { return x & 0x7fffff; }
bool is_nan(std::uint32_t x) { return (x & ~kSignBit) > kInfinity; }

// c0 * 2^shift + c1 * x + c2 * square
std::int64_t interpolate(const Segment& segment, unsigned shift, std::uint32_t x, std::int64_t square_term) {
  return (std::int64_t{segment.c0} << shift) + std::int64_t{segment.c1} * x + segment.c2 * square_term;
}

// A positive significand with its leading one at bit 23 (or just 2^24) and a biased exponent.
std::uint32_t assemble(std::int32_t exponent, std::int64_t significand) {
  const std::int64_t word = (std::int64_t{exponent} << 23) + significand - 0x800000;
  if (word < 0x800000) return 0;
  return word >= kInfinity ? kInfinity : static_cast<std::uint32_t>(word);
}

}  // namespace

std::uint32_t rcp(std::uint32_t x) {
  const std::uint32_t sign = x & kSignBit, e = exponent_of(x), f = fraction_of(x);
  if (is_nan(x)) return kNan;
  if (e == 0) return sign | kInfinity;
  if (e == 255) return sign;
  const std::uint32_t low = f & 0xffff;
  const std::int64_t value = (interpolate(kRcp[f >> 16], 13, low, square(2 * low)) + 0x47e7) >> 15;
  return sign | assemble(253 - static_cast<std::int32_t>(e), value);
}

std::uint32_t rsqrt(std::uint32_t x) {
  const std::uint32_t e = exponent_of(x), f = fraction_of(x);
  if (is_nan(x)) return kNan;
  if (e == 0) return (x & kSignBit) | kInfinity;
  if ((x & kSignBit) != 0) return kNan;
  if (e == 255) return 0;
  const std::int32_t power = static_cast<std::int32_t>(e) - 127;
  const bool odd = (power & 1) != 0;
  const std::int32_t half = (power - (odd ? 1 : 0)) / 2;
  if (!odd && f == 0) return static_cast<std::uint32_t>(127 - half) << 23;
  const std::uint32_t both = (odd ? 1U << 23 : 0) | f, low = both & 0x1ffff;
  const std::int64_t value = (interpolate(kRsqrt[both >> 17], 14, low, 4 * square(low)) + 0x7fff) >> 16;
  return assemble(126 - half, value);
}

std::uint32_t lg2(std::uint32_t x) {
  const std::uint32_t e = exponent_of(x), f = fraction_of(x);
  if (is_nan(x)) return kNan;
  if (e == 0) return kSignBit | kInfinity;
  if ((x & kSignBit) != 0) return kNan;
  if (e == 255) return kInfinity;
  if (x == kOne) return 0;
  const std::uint32_t low = f & 0x1ffff;
  std::int64_t value = (interpolate(kLg2[f >> 17], 12, low, 2 * square(low)) + 0x3345) >> 2;
  value += (std::int64_t{e} - 127) * (std::int64_t{1} << 36);
  std::uint32_t sign = 0;
  if (value < 0) {
    value = ~value;
    sign = kSignBit;
  }
  if (value == 0) return sign;
  // 36 fraction bits; the leading one goes to bit 42, of which 24 bits stay.
  const int leading = 63 - std::countl_zero(static_cast<std::uint64_t>(value));
  const std::int64_t normalized = leading <= 42 ? value << (42 - leading) : value >> (leading - 42);
  return sign | assemble(127 + leading - 36, normalized >> 19);
}

std::uint32_t preex2(std::uint32_t x) {
  const std::uint32_t sign = x & kSignBit;
  if (is_nan(x)) return sign | kFixedNan;
  const std::uint32_t e = exponent_of(x);
  if (e == 0) return sign;
  if (e >= 127 + 7) return sign | kFixedInfinity;
  const std::uint32_t significand = fraction_of(x) | 0x800000;
  if (e >= 127) return sign | significand << (e - 127);
  return sign | (127 - e < 24 ? significand >> (127 - e) : 0);
}

std::uint32_t presin(std::uint32_t x) {
  const std::uint32_t sign = x & kSignBit;
  if (is_nan(x)) return sign | kFixedNan;
  const std::uint32_t e = exponent_of(x);
  if (e == 0) return sign;
  if (e == 255) return sign | kFixedInfinity;
  // Times 2/pi: 31 fraction bits before the exponent counts, 23 are wanted, and 2 integer bits.
  const std::uint64_t product = std::uint64_t{fraction_of(x) | 0x800000} * 0xa2f983 >> 16;
  const int right = 8 - (static_cast<int>(e) - 127);
  std::uint64_t fixed = 0;
  if (right >= 0)
    fixed = right < 64 ? product >> right : 0;
  else if (right > -64)
    fixed = product << -right;
  return sign | static_cast<std::uint32_t>(fixed & 0x1ffffff);
}

namespace {

// sin of a quadrant (0 to 3) and a fraction of it.
std::uint32_t sin_of(std::uint32_t quadrant, std::uint32_t fraction, std::uint32_t sign) {
  const std::uint32_t t = (quadrant & 1) != 0 ? ~fraction & 0x7fffff : fraction;
  if ((quadrant & 2) != 0) sign ^= kSignBit;
  const std::uint32_t low = t & 0x1ffff;
  const std::int64_t value = interpolate(kSin[t >> 17], 11, low, square(low));
  if (value <= 0) return sign;
  const int leading = 63 - std::countl_zero(static_cast<std::uint64_t>(value));
  const std::int64_t normalized = leading <= 37 ? value << (37 - leading) : value >> (leading - 37);
  return sign | assemble(127 + leading - 37, normalized >> 14);
}

}  // namespace

std::uint32_t sin(std::uint32_t fixed) {
  if ((fixed & 0x40000000) != 0) return kNan;
  return sin_of(fixed >> 23 & 3, fixed & 0x7fffff, fixed & kSignBit);
}

std::uint32_t cos(std::uint32_t fixed) {
  if ((fixed & 0x40000000) != 0) return kNan;
  return sin_of(((fixed >> 23) + 1) & 3, fixed & 0x7fffff, 0);
}

std::uint32_t ex2(std::uint32_t fixed) {
  const bool negative = (fixed & kSignBit) != 0;
  if ((fixed & 0x40000000) != 0) {
    if ((fixed & 0x3fffffff) == 0) return kNan;
    return negative ? 0 : kInfinity;
  }
  const auto whole = static_cast<std::int32_t>(fixed >> 23 & 0x7f);
  std::uint32_t fraction = fixed & 0x7fffff;
  std::int32_t integer = whole;
  if (negative) {
    integer = fraction != 0 ? -whole - 1 : -whole;
    if (fraction != 0) fraction = ~fraction & 0x7fffff;
  }
  const std::uint32_t low = fraction & 0x1ffff;
  const std::int64_t value = (interpolate(kEx2[fraction >> 17], 13, low, square(low)) + 0x77e2) >> 15;
  return assemble(127 + integer, value);
}

}  // namespace warpjit::sfu
