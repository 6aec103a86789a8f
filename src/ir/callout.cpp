// Compiled with -frounding-math: the modes are the host's, set around each operation.
#include "ir/callout.h"

#include <array>
#include <bit>
#include <cmath>

#include "base/fma.h"
#include "base/rounding.h"
#include "base/sfu.h"

namespace warpjit::ir {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class Rounded : public HostRounding {
 public:
  explicit Rounded(RoundingMode mode) : HostRounding(static_cast<unsigned>(mode)) {}
};

u32 word(float x) { return std::bit_cast<u32>(x); }
float real(u32 x) { return std::bit_cast<float>(x); }
u64 word(double x) { return std::bit_cast<u64>(x); }
double wide(u64 x) { return std::bit_cast<double>(x); }

// The integer that is nearest in the host's mode; the sign stays, also of zero. std::nearbyint, where it is no
// instruction, may look at the mode of x87.
double integral(double x) {
  const volatile double shift = std::copysign(0x1p52, x), zero = -0.0;
  if (!(std::fabs(x) < 0x1p52)) return x + zero;  // an integer; a NaN becomes quiet
  const volatile double sum = x + shift, result = sum - shift;
  return std::copysign(result, x);
}

// A double as f16 bits. A half has 11 bits from 2^-14 on, and multiples of 2^-24 below.
u32 half_bits(double x, RoundingMode mode) {
  const u32 sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return 0x7fff;
  if (std::isinf(x)) return sign | 0x7c00;
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), -14);
  volatile double scaled = std::ldexp(x, 10 - exponent);
  {
    const Rounded rounding(mode);
    scaled = integral(scaled);
  }
  const double rounded = std::fabs(std::ldexp(scaled, exponent - 10));
  if (rounded > 65504) {
    const bool away =
        mode == RoundingMode::nearest || mode == (sign != 0 ? RoundingMode::down : RoundingMode::up);
    return sign | (away ? 0x7c00 : 0x7bff);
  }
  if (rounded < 0x1p-14) return sign | static_cast<u32>(std::ldexp(rounded, 24));
  const int e = std::ilogb(rounded);
  return sign | static_cast<u32>(e + 15) << 10 | (static_cast<u32>(std::ldexp(rounded, 10 - e)) & 0x3ff);
}

u32 f32_to_f16(u32 x, RoundingMode mode) {
  const bool vanishes = (x >> 23 & 0xff) <= 0x5d;  // in any rounding (docs/guests/tesla.md 6)
  return vanishes ? x >> 16 & 0x8000 : half_bits(real(x), mode);
}

u32 f16_to_f32(u32 x) {
  const u32 sign = (x & 0x8000) << 16, exponent = x >> 10 & 31, fraction = x & 0x3ff;
  if (exponent == 31) return fraction != 0 ? 0x7fffffff : sign | 0x7f800000;
  if (exponent == 0) return sign | word(static_cast<float>(fraction) * 0x1p-24f);
  return sign | (exponent + 112) << 23 | fraction << 13;
}

// A 64-bit magnitude as a double: rounded to odd, so that rounding again to fewer bits is rounding once.
double to_odd(u64 magnitude) {
  const Rounded rounding(RoundingMode::zero);
  const volatile double high = static_cast<double>(static_cast<u32>(magnitude >> 32)) * 0x1p32;
  const volatile double low = static_cast<double>(static_cast<u32>(magnitude));
  const volatile double sum = high + low;
  const volatile double rest = low - (sum - high);
  return rest != 0 ? wide(word(double{sum}) | 1) : double{sum};
}

struct Integer {
  u64 magnitude;
  bool negative;
};
Integer signed_integer(u64 x) { return {(x >> 63) != 0 ? ~x + 1 : x, (x >> 63) != 0}; }

float integer_to_f32(Integer x, RoundingMode mode) {
  const volatile double exact = x.negative ? -to_odd(x.magnitude) : to_odd(x.magnitude);
  const Rounded rounding(mode);
  const volatile float result = static_cast<float>(exact);
  return result;
}
double integer_to_f64(Integer x, RoundingMode mode) {
  const double sign = x.negative ? -1 : 1;
  const volatile double high = sign * static_cast<double>(static_cast<u32>(x.magnitude >> 32)) * 0x1p32;
  const volatile double low = sign * static_cast<double>(static_cast<u32>(x.magnitude));
  const Rounded rounding(mode);
  const volatile double sum = high + low;
  return x.magnitude == 0 ? 0.0 : double{sum};
}

double to_integral(double x, RoundingMode mode) {
  const volatile double operand = x;
  const Rounded rounding(mode);
  const volatile double result = integral(operand);
  return result;
}

struct Clamped {
  u64 value;
  bool outside;
};
// The integer in [least, 2^bits) that is nearest to an integral x.
Clamped clamp(double x, bool is_signed, int bits) {
  const u64 lowest = u64{1} << (bits - 1), mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (std::isnan(x)) return {lowest, true};
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (x >= end) return {is_signed ? lowest - 1 : mask, true};
  if (is_signed && x < -end) return {lowest, true};
  if (!is_signed && x < 0) return {0, true};
  const u64 magnitude = static_cast<u64>(std::fabs(x));
  return {(x < 0 ? ~magnitude + 1 : magnitude) & mask, false};
}

constexpr u64 kQuiet = u64{1} << 51, kMadeNan = 0xfff8000000000000;
bool is_nan(u64 x) { return (x & ~(u64{1} << 63)) > 0x7ff0000000000000; }

u64 arithmetic(TeslaF64Function function, RoundingMode mode, u64 a, u64 b, u64 c) {
  if (is_nan(b)) return b | kQuiet;
  if (function == TeslaF64Function::fma && is_nan(c)) return c | kQuiet;
  if (is_nan(a)) return a | kQuiet;
  const volatile double x = wide(a), y = wide(b), z = wide(c);
  const Rounded rounding(mode);
  volatile double result = 0;
  if (function == TeslaF64Function::fma)
    result = fma::fused(x, y, z);
  else if (function == TeslaF64Function::add)
    result = x + y;
  else
    result = x * y;
  return is_nan(word(double{result})) ? kMadeNan : word(double{result});
}

u64 extreme(bool greater, u64 a, u64 b) {
  if (is_nan(a)) return is_nan(b) ? b | kQuiet : b;
  if (is_nan(b)) return a;
  const double x = wide(a), y = wide(b);
  if (x == y) return std::signbit(x) == greater ? b : a;
  return (x > y) == greater ? a : b;
}

u32 relation(double a, double b) { return a < b ? 1 : a == b ? 2 : a > b ? 4 : 8; }

u64 f32_to_f64(u32 x) {
  if (!std::isnan(real(x))) return word(static_cast<double>(real(x)));
  return u64{x >> 31} << 63 | 0x7ff0000000000000 | kQuiet | u64{x & 0x7fffff} << 29;
}
u32 f64_to_f32(u64 x, RoundingMode mode) {
  if (is_nan(x)) return static_cast<u32>(x >> 63) << 31 | 0x7fc00000 | (static_cast<u32>(x >> 29) & 0x7fffff);
  const volatile double operand = wide(x);
  const Rounded rounding(mode);
  const volatile float result = static_cast<float>(operand);
  return word(float{result});
}

u64 f64_operation(TeslaF64Function function, RoundingMode mode, u64 a, u64 b, u64 c, bool& second_flag,
                  bool& flag) {
  const u32 low = static_cast<u32>(a);
  const auto integer = [&](double x, bool is_signed, int bits) {
    const Clamped clamped = clamp(to_integral(x, mode), is_signed, bits);
    second_flag = bits == 32;
    flag = clamped.outside;
    return clamped.value;
  };
  switch (function) {
    case TeslaF64Function::fma:
    case TeslaF64Function::add:
    case TeslaF64Function::mul:
      return arithmetic(function, mode, a, b, c);
    case TeslaF64Function::min:
    case TeslaF64Function::max:
      return extreme(function == TeslaF64Function::max, a, b);
    case TeslaF64Function::compare:
      return relation(wide(a), wide(b));
    case TeslaF64Function::from_f32:
      return f32_to_f64(low);
    case TeslaF64Function::to_f32:
      return f64_to_f32(a, mode);
    case TeslaF64Function::from_s32:
      return word(static_cast<double>(static_cast<std::int32_t>(low)));
    case TeslaF64Function::from_u32:
      return word(static_cast<double>(low));
    case TeslaF64Function::from_s64:
      return word(integer_to_f64(signed_integer(a), mode));
    case TeslaF64Function::from_u64:
      return word(integer_to_f64({a, false}, mode));
    case TeslaF64Function::to_s32:
      return integer(wide(a), true, 32);
    case TeslaF64Function::to_u32:
      return integer(wide(a), false, 32);
    case TeslaF64Function::to_s64:
      return integer(wide(a), true, 64);
    case TeslaF64Function::to_u64:
      return integer(wide(a), false, 64);
    case TeslaF64Function::round_to_integral:
      return is_nan(a) ? a | kQuiet : word(to_integral(wide(a), mode));
    case TeslaF64Function::s64_to_f32:
      return word(integer_to_f32(signed_integer(a), mode));
    case TeslaF64Function::u64_to_f32:
      return word(integer_to_f32({a, false}, mode));
    case TeslaF64Function::f32_to_s64:
      return integer(static_cast<double>(real(low)), true, 64);
    case TeslaF64Function::f32_to_u64:
      return integer(static_cast<double>(real(low)), false, 64);
  }
  return 0;
}

Integer integer_operand(u32 x, u64 immediate) {
  const bool negative = (immediate & kSignedInteger) != 0 && (x >> 31) != 0;
  return {negative ? u64{~x + 1} : u64{x}, negative};
}

// The product is exact in a double, the sum rounded to odd, and scaling exact: the conversion rounds once.
u32 fma_scaled(u32 a, u32 b, u32 c, std::int32_t n) {
  const volatile double product = static_cast<double>(real(a)) * static_cast<double>(real(b));
  const volatile double addend = static_cast<double>(real(c));
  const volatile double sum = product + addend;
  const volatile double from_addend = sum - product;
  const volatile double rest = (product - (sum - from_addend)) + (addend - from_addend);
  u64 odd = word(double{sum});
  if (rest != 0 && !std::isnan(rest) && (odd & 1) == 0) odd += (rest > 0) == (sum > 0) ? 1 : ~u64{0};
  return word(static_cast<float>(std::ldexp(wide(odd), std::max(std::min(n, 700), -700))));
}

}  // namespace

void evaluate_callout(Opcode opcode, u64 immediate, const u32* operands, u32* results) {
  const auto mode = static_cast<RoundingMode>(immediate & 3);
  switch (opcode) {
    case Opcode::TeslaSpecialFunction32:
      results[0] = sfu::word_function(static_cast<TeslaSpecialFunction>(immediate))(operands[0]);
      break;
    case Opcode::TeslaF32ToF16:
      results[0] = f32_to_f16(operands[0], mode);
      break;
    case Opcode::TeslaF16ToF32:
      results[0] = f16_to_f32(operands[0]);
      break;
    case Opcode::IntToF32:
      results[0] = word(integer_to_f32(integer_operand(operands[0], immediate), mode));
      break;
    case Opcode::IntToF16: {
      const Integer x = integer_operand(operands[0], immediate);
      results[0] =
          half_bits(x.negative ? -static_cast<double>(x.magnitude) : static_cast<double>(x.magnitude), mode);
      break;
    }
    case Opcode::IMulHi24: {
      const auto extended = [&](u32 x) {
        return immediate != 0 ? std::int64_t{static_cast<std::int32_t>(x << 8) >> 8}
                              : std::int64_t{x & 0xffffff};
      };
      results[0] = static_cast<u32>(static_cast<u64>(extended(operands[0]) * extended(operands[1])) >> 16);
      break;
    }
    case Opcode::FmaScaled32:
      results[0] = fma_scaled(operands[0], operands[1], operands[2], static_cast<std::int32_t>(operands[3]));
      break;
    case Opcode::TeslaF64Operation: {
      const auto pair = [&](unsigned k) { return operands[2 * k] | u64{operands[2 * k + 1]} << 32; };
      bool second_flag = false, flag = false;
      const u64 result = f64_operation(static_cast<TeslaF64Function>(immediate & 0xff),
                                       static_cast<RoundingMode>(immediate >> 8 & 3), pair(0), pair(1),
                                       pair(2), second_flag, flag);
      results[0] = static_cast<u32>(result);
      results[1] = second_flag ? (flag ? 1 : 0) : static_cast<u32>(result >> 32);
      break;
    }
    default:
      break;
  }
}

}  // namespace warpjit::ir
