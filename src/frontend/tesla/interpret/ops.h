// What one lane computes: integers (tesla.md 5), floats as words (7, 8), conversions (6). Included by the
// interpreter's loops only; everything has internal linkage, because they are compiled for different hosts.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/fma.h"
#include "frontend/tesla/encoding/decode.h"

namespace warpjit::tesla {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kSignBit = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff, kOne = 0x3f800000;
constexpr u32 kLargest = 0x7f7fffff;

inline float as_float(u32 word) { return std::bit_cast<float>(word); }
inline u32 as_word(float value) { return std::bit_cast<u32>(value); }
inline u64 as_word(double value) { return std::bit_cast<u64>(value); }
inline double as_double(u64 word) { return std::bit_cast<double>(word); }

// --- Integers ----------------------------------------------------------------------------------------------

inline u32 sign_extend16(u32 x) { return static_cast<u32>(static_cast<std::int32_t>(x << 16) >> 16); }
inline u32 sign_extend24(u32 x) { return static_cast<u32>(static_cast<std::int32_t>(x << 8) >> 8); }

struct Sum {
  u32 value, flags;
};
// x + y + carry at 16 or 32 bits, with the flags of tesla.md 5.1.
template <bool k16>
inline Sum sum_of(u32 x, u32 y, u32 carry, bool saturate) {
  constexpr u32 kMask = k16 ? 0xffff : 0xffffffff, kWidth = k16 ? 16 : 32;
  x &= kMask;
  y &= kMask;
  u32 value = (x + y + carry) & kMask;
  const u32 carry_out = ((x & y) | ((x | y) & ~value)) >> (kWidth - 1) & 1;
  const u32 overflow = ((x ^ value) & (y ^ value)) >> (kWidth - 1) & 1;
  // The largest number of the first addend's sign.
  const u32 limit = (kMask >> 1) + (x >> (kWidth - 1) & 1);
  const u32 saturated = 0U - (overflow & (saturate ? 1U : 0U));
  value = (value & ~saturated) | (limit & saturated);
  return {value,
          (value == 0 ? u32{kZero} : 0U) | (value >> (kWidth - 1) & 1) << 1 | carry_out << 2 | overflow << 3};
}

template <bool k16>
inline u32 sign_flags(u32 value) {
  return ((k16 ? value & 0xffff : value) == 0 ? kZero : 0U) | ((value >> (k16 ? 15 : 31) & 1) << 1);
}

// tesla.md 5.2; `high` takes bits 47 to 16.
inline u32 multiply_u24(u32 a, u32 b, bool high) {
  const u64 product = u64{a & 0xffffff} * (b & 0xffffff);
  return static_cast<u32>(product >> (high ? 16 : 0));
}
inline u32 multiply_s24(u32 a, u32 b, bool high) {
  const std::int64_t product =
      std::int64_t{static_cast<std::int32_t>(sign_extend24(a))} * static_cast<std::int32_t>(sign_extend24(b));
  return static_cast<u32>(product >> (high ? 16 : 0));
}

// |a - b| at the operands' width.
inline u32 absolute_difference(Type type, u32 a, u32 b) {
  const std::int64_t x = type == Type::s32   ? static_cast<std::int32_t>(a)
                         : type == Type::s16 ? static_cast<std::int32_t>(sign_extend16(a))
                         : type == Type::u16 ? std::int64_t{a & 0xffff}
                                             : std::int64_t{a};
  const std::int64_t y = type == Type::s32   ? static_cast<std::int32_t>(b)
                         : type == Type::s16 ? static_cast<std::int32_t>(sign_extend16(b))
                         : type == Type::u16 ? std::int64_t{b & 0xffff}
                                             : std::int64_t{b};
  const auto difference = static_cast<u32>(x < y ? y - x : x - y);
  return size_of(type) == 2 ? difference & 0xffff : difference;
}

// Both at 32 bits, 16-bit operands extended as their type says.
inline u32 extended(Type type, u32 x) {
  return type == Type::s16 ? sign_extend16(x) : type == Type::u16 ? x & 0xffff : x;
}
inline u32 relation(bool is_signed, u32 a, u32 b) {
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  return a == b ? kEqual : less ? kLess : kGreater;
}

struct Shifted {
  u32 value, flags;
};
// tesla.md 5.5: the count is not wrapped.
template <bool k16>
inline Shifted shift_left(u32 a, u32 count) {
  constexpr u32 kWidth = k16 ? 16 : 32, kMask = k16 ? 0xffff : 0xffffffff;
  a &= kMask;
  const u32 value = count < kWidth ? a << count & kMask : 0;
  u32 flags = sign_flags<k16>(value);
  if (count > 0 && count < kWidth && (a >> (kWidth - count) & 1) != 0) flags |= kCarry;
  if (count == 1 && ((a ^ value) >> (kWidth - 1) & 1) != 0) flags |= kOverflow;
  return {value, flags};
}
template <bool k16>
inline Shifted shift_right(bool is_signed, u32 a, u32 count) {
  constexpr u32 kWidth = k16 ? 16 : 32, kMask = k16 ? 0xffff : 0xffffffff;
  a &= kMask;
  const auto extended = static_cast<std::int32_t>(k16 ? sign_extend16(a) : a);
  const u32 shifted =
      is_signed ? static_cast<u32>(extended >> (count < 31 ? count : 31)) : (count < kWidth ? a >> count : 0);
  const u32 value = shifted & kMask;
  u32 flags = sign_flags<k16>(value);
  if (count > 0 && count < kWidth && (a >> (count - 1) & 1) != 0) flags |= kCarry;
  if (count == 1 && ((a ^ value) >> (kWidth - 1) & 1) != 0) flags |= kOverflow;
  return {value, flags};
}

inline u32 logic(LogicOperation operation, u32 a, u32 b) {
  switch (operation) {
    case LogicOperation::and_:
      return a & b;
    case LogicOperation::or_:
      return a | b;
    case LogicOperation::xor_:
      return a ^ b;
    case LogicOperation::mov2:
      break;
  }
  return b;
}

// --- Floats ------------------------------------------------------------------------------------------------

inline bool is_nan(u32 x) { return (x & ~kSignBit) > kInfinity; }
// Denormals are zeros of their sign.
inline u32 flushed(u32 x) { return (x & kInfinity) == 0 ? x & kSignBit : x; }
inline u32 canonical(u32 x) { return is_nan(x) ? kNan : x; }
inline u32 modified(u32 x, bool absolute, bool negate) {
  return (absolute ? x & ~kSignBit : x) ^ (negate ? kSignBit : 0);
}

// Flags of a float result (tesla.md 7).
inline u32 float_flags(u32 x) {
  if (is_nan(x)) return kZero | kSign;
  if ((x & ~kSignBit) == 0) return kZero;
  return (x & kSignBit) != 0 ? kSign : 0;
}

inline u32 saturated(u32 x, bool nan_is_zero) {
  if (is_nan(x)) return nan_is_zero ? 0 : kNan;
  if ((x & kSignBit) != 0) return 0;
  return x > kOne ? kOne : x;
}

// The largest double below the smallest normal float that rounds to less than it with 24 bits.
constexpr double kFlushBelow = 0x1.ffffffp-127;

// A double that holds a result exactly, rounded to nearest with unbounded exponent, then flushed.
inline u32 narrowed(double exact) {
  const u32 word = as_word(static_cast<float>(exact));
  // Compared as words, so that compilers need no branch.
  const auto magnitude = static_cast<std::int64_t>(as_word(exact) & ~(u64{1} << 63));
  const u32 kept = magnitude < static_cast<std::int64_t>(as_word(kFlushBelow)) ? 0 : ~0U;
  return canonical(word & (kept | kSignBit));
}
// The same toward zero.
inline u32 truncated(double exact) {
  const u32 sign = static_cast<u32>(as_word(exact) >> 32) & kSignBit;
  const double magnitude = std::fabs(exact);
  if (magnitude < 0x1p-126) return sign;
  if (magnitude > 0x1.fffffep127) return std::isinf(exact) ? sign | kInfinity : sign | kLargest;
  if (std::isnan(exact)) return kNan;
  return as_word(static_cast<float>(as_double(as_word(exact) & ~u64{0x1fffffff})));
}

inline u32 fadd(u32 a, u32 b) {
  return canonical(flushed(as_word(as_float(flushed(a)) + as_float(flushed(b)))));
}

inline u32 fadd_toward_zero(u32 a, u32 b) {
  const double x = as_float(flushed(a)), y = as_float(flushed(b));
  double sum = x + y;
  if (std::isfinite(sum)) {
    // What the sum lost; if it was rounded away from zero, the next number below has the right upper bits.
    const double y_part = sum - x, error = (x - (sum - y_part)) + (y - y_part);
    if (error != 0 && (error < 0) != (sum < 0)) sum = as_double(as_word(sum) - 1);
  }
  return truncated(sum);
}

inline bool is_zero(u32 x) { return (x & kInfinity) == 0; }  // denormals count

// As fmul below, but for a result of 2^-126: only there does it matter whether the product would have rounded
// to less before it was rounded as a denormal.
inline u32 fmul_but_smallest(u32 a, u32 b) {
  return canonical(flushed(as_word(as_float(flushed(a)) * as_float(flushed(b)))));
}
inline bool is_smallest(u32 x) { return (x & ~kSignBit) == 0x00800000; }

inline u32 fmul(u32 a, u32 b, bool zero_wins) {
  const u32 product = narrowed(double{as_float(flushed(a))} * as_float(flushed(b)));
  return zero_wins && (is_zero(a) || is_zero(b)) ? 0 : product;
}
inline u32 fmul_toward_zero(u32 a, u32 b, bool zero_wins) {
  if (zero_wins && (is_zero(a) || is_zero(b))) return 0;
  return truncated(double{as_float(flushed(a))} * as_float(flushed(b)));
}

// tesla.md 8.3: the product is truncated to 24 bits, the sum rounded to nearest; but a zero addend takes the
// product rounded to nearest.
inline u32 fmad(u32 a, u32 b, u32 c, bool zero_wins) {
  a = flushed(a);
  b = flushed(b);
  c = flushed(c);
  double product = double{as_float(a)} * as_float(b);
  if (zero_wins && (is_zero(a) || is_zero(b))) product = 0;
  return narrowed(as_double(as_word(product) & ~u64{0x1fffffff}) + as_float(c));
}
inline u32 fmad_of_zero(u32 a, u32 b, u32 c, bool zero_wins) { return fadd(fmul(a, b, zero_wins), c); }
inline u32 fast_fmad(u32 a, u32 b, u32 c, bool zero_wins) {
  a = flushed(a);
  b = flushed(b);
  c = flushed(c);
  if (zero_wins && (is_zero(a) || is_zero(b))) return canonical(as_word(0.0F + as_float(c)));
  const float fused = fma::fused(as_float(a), as_float(b), as_float(c));
  // The same rounding without a lower bound on the exponent decides what is flushed: near the smallest normal
  // number the sum of the exact product and c is exact in a double, or far from the bound.
  const double wide = double{as_float(a)} * double{as_float(b)} + double{as_float(c)};
  const u32 sign = as_word(fused) & kSignBit;
  return std::fabs(wide) < kFlushBelow ? sign : canonical(as_word(fused));
}

inline u32 float_relation(u32 a, u32 b) {
  const float x = as_float(flushed(a)), y = as_float(flushed(b));
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}

// A number beats a NaN; -0 is less than +0.
template <bool kMax>
inline u32 float_extreme(u32 a, u32 b) {
  a = flushed(a);
  b = flushed(b);
  if (is_nan(a)) return canonical(b);
  if (is_nan(b)) return a;
  // Words in the order of the numbers.
  const auto key = [](u32 x) { return static_cast<std::int32_t>((x & kSignBit) != 0 ? ~x ^ kSignBit : x); };
  return (key(a) < key(b)) == kMax ? b : a;
}

inline u32 select_by_sign(u32 a, u32 b, u32 condition) {
  return !is_nan(condition) && ((condition & kSignBit) == 0 || is_zero(condition)) ? a : b;
}
inline u32 select_flags(u32 x) { return (x & ~kSignBit) == 0 ? kZero : (x & kSignBit) != 0 ? kSign : 0; }

// --- Conversions -------------------------------------------------------------------------------------------

// A 64-bit magnitude times 2^exponent, rounded to `bits` significant bits at or above 2^lowest: the multiple
// of the last place, and the exponent of that place.
struct RoundedMagnitude {
  u64 value;
  int exponent;
};
inline RoundedMagnitude round_magnitude(u64 magnitude, int exponent, int bits, int lowest, Rounding rounding,
                                        bool negative) {
  if (magnitude == 0) return {0, lowest};
  const int width = 64 - std::countl_zero(magnitude);
  int place = exponent + width - bits;  // of the last bit that stays
  if (place < lowest) place = lowest;
  const int drop = place - exponent;
  if (drop <= 0) return {magnitude << -drop, place};
  const u64 kept = drop >= 64 ? 0 : magnitude >> drop;
  const u64 lost = drop >= 64 ? magnitude : magnitude & ((u64{1} << drop) - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::nearest: {
      if (drop > 64) break;
      const u64 half = u64{1} << (drop - 1);
      up = lost > half || (lost == half && (kept & 1) != 0);
      break;
    }
    case Rounding::down:
      up = negative && lost != 0;
      break;
    case Rounding::up:
      up = !negative && lost != 0;
      break;
    case Rounding::zero:
      break;
  }
  return {kept + (up ? 1 : 0), place};
}
// Whether an overflow rounds to infinity.
inline bool overflows_to_infinity(Rounding rounding, bool negative) {
  return rounding == Rounding::nearest || (rounding == Rounding::up && !negative) ||
         (rounding == Rounding::down && negative);
}

// value * 2^exponent as a float; no result is denormal but in f64.
inline u32 float_of(u64 magnitude, int exponent, bool negative, Rounding rounding) {
  const u32 sign = negative ? kSignBit : 0;
  if (magnitude == 0) return sign;
  RoundedMagnitude r = round_magnitude(magnitude, exponent, 24, -149, rounding, negative);
  if (r.value == 0) return sign;
  if (r.value >> 24 != 0) {
    r.value >>= 1;
    ++r.exponent;
  }
  if (r.value >> 23 == 0) return sign | static_cast<u32>(r.value);  // denormal
  const int biased = r.exponent + 23 + 127;
  if (biased >= 255) return sign | (overflows_to_infinity(rounding, negative) ? kInfinity : kLargest);
  return sign | static_cast<u32>(biased) << 23 | (static_cast<u32>(r.value) & 0x7fffff);
}

inline u32 half_of(u64 magnitude, int exponent, bool negative, Rounding rounding) {
  const u32 sign = negative ? 0x8000 : 0;
  if (magnitude == 0) return sign;
  RoundedMagnitude r = round_magnitude(magnitude, exponent, 11, -24, rounding, negative);
  if (r.value >> 11 != 0) {
    r.value >>= 1;
    ++r.exponent;
  }
  if (r.value >> 10 == 0) return sign | static_cast<u32>(r.value);
  const int biased = r.exponent + 10 + 15;
  if (biased >= 31) return sign | (overflows_to_infinity(rounding, negative) ? 0x7c00 : 0x7bff);
  return sign | static_cast<u32>(biased) << 10 | (static_cast<u32>(r.value) & 0x3ff);
}

// f32, flushed, to f16: what lies below the denormals is zero in every rounding mode.
inline u32 float_to_half(u32 x, Rounding rounding) {
  const u32 sign = x >> 16 & 0x8000, exponent = x >> 23 & 0xff;
  if (is_nan(x)) return 0x7fff;
  if (exponent == 255) return sign | 0x7c00;
  if (exponent <= 0x5d) return sign;
  return half_of((x & 0x7fffff) | 0x800000, static_cast<int>(exponent) - 150, sign != 0, rounding);
}
inline u32 half_to_float(u32 x) {
  const u32 sign = (x & 0x8000) << 16, exponent = x >> 10 & 31, fraction = x & 0x3ff;
  if (exponent == 31) return fraction != 0 ? kNan : sign | kInfinity;
  if (exponent == 0) return float_of(fraction, -24, sign != 0, Rounding::zero);
  return sign | (exponent + 112) << 23 | fraction << 13;
}

// A flushed float rounded to an integer; the sign of zero stays.
inline u32 round_to_integral(u32 x, Rounding rounding) {
  if ((x >> 23 & 0xff) >= 150) return x;  // integers, infinities and NaNs
  const float number = as_float(x);
  switch (rounding) {
    case Rounding::nearest:
      return as_word(std::nearbyint(number));
    case Rounding::down:
      return as_word(std::floor(number));
    case Rounding::up:
      return as_word(std::ceil(number));
    case Rounding::zero:
      break;
  }
  return as_word(std::trunc(number));
}

// A number of 64 bits and a sign, as integers of all widths and both signs share.
struct SignedMagnitude {
  u64 magnitude;
  bool negative;
};
inline SignedMagnitude integer_value(Type type, u64 x) {
  const unsigned bits = 8 * size_of(type);
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  x &= mask;
  if (is_signed(type) && (x >> (bits - 1) & 1) != 0) return {(~x + 1) & mask, true};
  return {x, false};
}

struct Clamped {
  u64 value;
  bool saturated;
};
inline Clamped clamp_to(Type type, SignedMagnitude x) {
  const unsigned bits = 8 * size_of(type);
  if (!is_signed(type)) {
    if (x.negative) return {0, x.magnitude != 0};
    const u64 most = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
    return x.magnitude > most ? Clamped{most, true} : Clamped{x.magnitude, false};
  }
  const u64 least = u64{1} << (bits - 1);
  if (x.negative) return x.magnitude > least ? Clamped{~least + 1, true} : Clamped{~x.magnitude + 1, false};
  return x.magnitude > least - 1 ? Clamped{least - 1, true} : Clamped{x.magnitude, false};
}

// A finite f32 or f64 as an integer.
inline SignedMagnitude float_value(u32 x, Rounding rounding) {
  const bool negative = (x & kSignBit) != 0;
  const int exponent = static_cast<int>(x >> 23 & 0xff) - 150;
  if (exponent + 24 > 64) return {~u64{0}, negative};
  return {round_magnitude((x & 0x7fffff) | 0x800000, exponent, 64, 0, rounding, negative).value, negative};
}
inline SignedMagnitude double_value(u64 x, Rounding rounding) {
  const bool negative = x >> 63 != 0;
  const int biased = static_cast<int>(x >> 52 & 0x7ff);
  const u64 fraction = x & 0xfffffffffffff;
  if (biased + 1 > 1023 + 64) return {~u64{0}, negative};
  const u64 significand = biased == 0 ? fraction : fraction | u64{1} << 52;
  return {round_magnitude(significand, (biased == 0 ? 1 : biased) - 1075, 64, 0, rounding, negative).value,
          negative};
}

// --- Doubles -----------------------------------------------------------------------------------------------

constexpr u64 kDoubleSign = u64{1} << 63, kDoubleQuiet = u64{1} << 51, kDoubleNan = 0xfff8000000000000;

inline bool is_nan64(u64 x) { return (x & ~kDoubleSign) > 0x7ff0000000000000; }
inline u64 modified64(u64 x, bool absolute, bool negate) {
  return (absolute ? x & ~kDoubleSign : x) ^ (negate ? kDoubleSign : 0);
}
inline u32 double_flags(u64 x) {
  if (is_nan64(x)) return kZero | kSign;
  if ((x & ~kDoubleSign) == 0) return kZero;
  return x >> 63 != 0 ? kSign : 0;
}
inline u32 double_relation(u64 a, u64 b) {
  const double x = as_double(a), y = as_double(b);
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}
template <bool kMax>
inline u64 double_extreme(u64 a, u64 b) {
  if (is_nan64(b) && is_nan64(a)) return b | kDoubleQuiet;
  if (is_nan64(a)) return b;
  if (is_nan64(b)) return a;
  const auto key = [](u64 x) { return static_cast<std::int64_t>(x >> 63 != 0 ? ~x ^ kDoubleSign : x); };
  return (key(a) < key(b)) == kMax ? b : a;
}

// value * 2^exponent as a double.
inline u64 double_of(u64 magnitude, int exponent, bool negative, Rounding rounding) {
  const u64 sign = negative ? kDoubleSign : 0;
  if (magnitude == 0) return sign;
  RoundedMagnitude r = round_magnitude(magnitude, exponent, 53, -1074, rounding, negative);
  if (r.value >> 53 != 0) {
    r.value >>= 1;
    ++r.exponent;
  }
  if (r.value >> 52 == 0) return sign | r.value;
  return sign | static_cast<u64>(r.exponent + 52 + 1023) << 52 | (r.value & 0xfffffffffffff);
}

// A finite double's significand and the exponent of its last bit.
struct Significand {
  u64 value;
  int exponent;
};
inline Significand significand_of(u64 x) {
  const int biased = static_cast<int>(x >> 52 & 0x7ff);
  const u64 fraction = x & 0xfffffffffffff;
  return biased == 0 ? Significand{fraction, -1074} : Significand{fraction | u64{1} << 52, biased - 1075};
}
inline bool is_infinite64(u64 x) { return (x & ~kDoubleSign) == 0x7ff0000000000000; }

struct Converted {
  u64 value;
  u32 flags;
};

inline Converted float_result(const Instruction& i, u32 word, bool nan_is_zero) {
  if (i.saturate != 0) word = saturated(word, nan_is_zero);
  return {word, float_flags(word)};
}
// A float on its way to f16.
inline Converted half_result(u32 half) { return {half, float_flags(half_to_float(half))}; }

inline Converted integer_result(const Instruction& i, u64 value, u32 more_flags) {
  const u64 sign = i.dst.type == Type::b64   ? value >> 63
                   : i.dst.type == Type::b16 ? value >> 15 & 1
                                             : value >> 31 & 1;
  const u64 mask = i.dst.type == Type::b64 ? ~u64{0} : i.dst.type == Type::b16 ? 0xffff : 0xffffffff;
  return {value & mask, ((value & mask) == 0 ? u32{kZero} : 0U) | static_cast<u32>(sign) << 1 | more_flags};
}

inline Converted convert_from_integer(const Instruction& i, u64 x, bool nan_is_zero) {
  SignedMagnitude value = integer_value(i.source_type, x);
  if (i.absolute[0] != 0) value.negative = false;
  if (i.negate[0] != 0) value.negative = !value.negative;
  const auto rounding = static_cast<Rounding>(i.rounding);
  if (i.opcode == Opcode::cvt_i2i) {
    if (value.magnitude == 0) value.negative = false;
    return integer_result(i, clamp_to(i.type, value).value, 0);
  }
  if (i.type == Type::f64) {
    const u64 word = double_of(value.magnitude, 0, value.negative, rounding);
    return {word, double_flags(word)};
  }
  if (i.type == Type::f32)
    return float_result(i, float_of(value.magnitude, 0, value.negative, rounding), nan_is_zero);
  // Faults of real chips for 32-bit sources are not modelled (tesla.md 6).
  u32 half = half_of(value.magnitude, 0, value.negative, rounding);
  if (i.saturate != 0) half = (half & 0x8000) != 0 ? 0 : half > 0x3c00 ? 0x3c00 : half;
  return half_result(half);
}

// A source that has been made f32: modifiers, then flushing (tesla.md 6).
inline u32 prepared_float(const Instruction& i, u64 x) {
  const u32 word = i.source_type == Type::f16 ? half_to_float(static_cast<u32>(x)) : static_cast<u32>(x);
  return canonical(flushed(modified(word, i.absolute[0] != 0, i.negate[0] != 0)));
}

inline Converted convert_to_integer(const Instruction& i, u64 x) {
  const auto rounding = static_cast<Rounding>(i.rounding);
  const bool wide = i.source_type == Type::f64 || size_of(i.type) == 8;  // the double unit (tesla.md 11)
  const auto result = [&](bool nan, SignedMagnitude value) {
    if (nan)
      return integer_result(i, wide ? u64{1} << (8 * size_of(i.type) - 1) : 0, wide ? u32{kOverflow} : 0U);
    const Clamped clamped = clamp_to(i.type, value);
    // No float equals 2^64 - 1, which stands for all greater values.
    const bool saturated = clamped.saturated || value.magnitude == ~u64{0};
    return integer_result(i, clamped.value, wide && saturated ? u32{kOverflow} : 0U);
  };
  if (i.source_type == Type::f64) {
    const u64 word = modified64(x, i.absolute[0] != 0, i.negate[0] != 0);
    return result(is_nan64(word), double_value(word, rounding));
  }
  const u32 word = prepared_float(i, x);
  return result(is_nan(word), is_zero(word) ? SignedMagnitude{0, false} : float_value(word, rounding));
}

inline Converted convert_double(const Instruction& i, u64 x, bool nan_is_zero) {
  const auto rounding = static_cast<Rounding>(i.rounding);
  // As a double first: from f32 nothing is lost.
  u64 word = x;
  if (i.source_type == Type::f32) {
    const u32 narrow = static_cast<u32>(x);
    const u64 sign = u64{narrow & kSignBit} << 32;
    if ((narrow & kInfinity) == kInfinity)
      word = sign | 0x7ff0000000000000 | u64{narrow & 0x7fffff} << 29;
    else
      word = double_of((narrow & kInfinity) == 0 ? narrow & 0x7fffff : (narrow & 0x7fffff) | 0x800000,
                       (narrow & kInfinity) == 0 ? -149 : static_cast<int>(narrow >> 23 & 0xff) - 150,
                       sign != 0, Rounding::nearest);
  }
  const bool nan = is_nan64(word);
  if (nan)
    word |= kDoubleQuiet;  // and not negated
  else
    word = modified64(word, i.absolute[0] != 0, i.negate[0] != 0);
  const bool negative = word >> 63 != 0;
  if (i.to_integral != 0 && !nan && !is_infinite64(word)) {
    const Significand s = significand_of(word);
    if (s.exponent < 0) {
      const RoundedMagnitude r = round_magnitude(s.value, s.exponent, 64, 0, rounding, negative);
      word = double_of(r.value, 0, negative, Rounding::zero);
    }
  }
  if (i.type == Type::f64) return {word, double_flags(word)};
  u32 result = negative ? kSignBit : 0;
  if (nan) {
    result |= kInfinity | static_cast<u32>(word >> 29 & 0x7fffff);
    if (i.saturate != 0 && nan_is_zero) result = 0;
    return {result, float_flags(result)};
  }
  if (is_infinite64(word)) {
    result |= kInfinity;
  } else {
    const Significand s = significand_of(word);
    result = float_of(s.value, s.exponent, negative, i.to_integral != 0 ? Rounding::zero : rounding);
  }
  return float_result(i, result, nan_is_zero);
}

inline Converted convert(const Instruction& i, u64 x, bool nan_is_zero) {
  if (i.opcode == Opcode::cvt_i2i || i.opcode == Opcode::cvt_i2f)
    return convert_from_integer(i, x, nan_is_zero);
  if (i.opcode == Opcode::cvt_f2i) return convert_to_integer(i, x);
  if (i.type == Type::f64 || i.source_type == Type::f64) return convert_double(i, x, nan_is_zero);
  const auto rounding = static_cast<Rounding>(i.rounding);
  u32 word = prepared_float(i, x);
  if (i.saturate != 0) word = saturated(word, nan_is_zero);
  if (i.to_integral != 0) word = round_to_integral(word, rounding);
  if (i.type == Type::f32) return {word, float_flags(word)};
  return half_result(float_to_half(word, i.to_integral != 0 ? Rounding::zero : rounding));
}

}  // namespace
}  // namespace warpjit::tesla
