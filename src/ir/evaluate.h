// The meaning of every lane-wise opcode, written once: a function over native types with the opcode's name.
// The folder calls it through evaluate(), the IR interpreter inlines it into its lane loops, and each backend
// is tested against it.
//
// Expects round to nearest even and no flushing, which every public entry of the library sets. NaN results
// have the payload that the host gives (docs/architecture.md).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/compiler.h"
#include "base/fma.h"
#include "base/math.h"
#include "ir/types.h"

namespace warpjit::ir {

// Result bits from operand bits: i1 is 0 or 1; i32 and f32 stand in the low 32 bits, the rest is 0. Needs
// info(opcode).lane_wise() and as many operands as its row says.
std::uint64_t evaluate(Opcode opcode, std::span<const std::uint64_t> operands);

// Lane loops only vectorize when the meaning is inlined into them, in every instruction set variant.
#define WARPJIT_MEANING WARPJIT_ALWAYS_INLINE

// A static member for each lane-wise row (OpcodeInfo::lane_wise); a row that lacks its own does not compile.
struct meaning {
  using u32 = std::uint32_t;

  WARPJIT_MEANING static u32 word(float a) { return std::bit_cast<u32>(a); }
  WARPJIT_MEANING static float real(u32 a) { return std::bit_cast<float>(a); }
  WARPJIT_MEANING static std::int32_t signed_word(u32 a) { return static_cast<std::int32_t>(a); }
  WARPJIT_MEANING static bool is_nan(float a) { return a != a; }

  WARPJIT_MEANING static float FAdd32(float a, float b) { return a + b; }
  WARPJIT_MEANING static float FSub32(float a, float b) { return a - b; }
  WARPJIT_MEANING static float FMul32(float a, float b) { return a * b; }
  WARPJIT_MEANING static float FMulZeroInf32(float a, float b) {
    const float product = a * b;
    return is_nan(product) && !is_nan(a) && !is_nan(b) ? 0.0f : product;
  }
  WARPJIT_MEANING static float FMulNoZeroInf32(float a, float b) { return a * b; }
  WARPJIT_MEANING static float FDiv32(float a, float b) { return a / b; }
  WARPJIT_MEANING static float FSqrt32(float a) { return std::sqrt(a); }
  WARPJIT_MEANING static float FFma32(float a, float b, float c) { return fma::fused(a, b, c); }
  // In f64 the product is exact. The sum is made odd there, and what is cut off below f32 makes that odd.
  WARPJIT_MEANING static float FFmaOdd32(float a, float b, float c) {
    const double product = static_cast<double>(a) * static_cast<double>(b), sum = product + c;
    const double back = sum - product, error = (product - (sum - back)) + (c - back);
    std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
    const bool inexact = error < 0 || error > 0;
    bits = inexact ? (bits - ((error < 0) == (sum > 0) ? 1 : 0)) | 1 : bits;
    const double odd = std::bit_cast<double>(bits);
    const float narrow = static_cast<float>(odd);
    const double widened = static_cast<double>(narrow);
    const u32 toward_zero = word(narrow) - (std::fabs(widened) > std::fabs(odd) ? 1 : 0);
    return real(widened < odd || widened > odd ? toward_zero | 1 : word(narrow));
  }
  WARPJIT_MEANING static u32 F32ToHalf(float a) {
    const float magnitude = real(word(a) & 0x7fffffffu);
    const u32 bits = word(magnitude), sign = word(a) >> 16 & 0x8000u;
    const u32 normal = (bits - (112u << 23) + 0xfffu + (bits >> 13 & 1)) >> 13;
    const u32 small = word(magnitude + 0.5f) - word(0.5f);  // in units of 2^-24
    u32 half = magnitude < 0x1p-14f ? small : normal;
    half = magnitude >= 65520.0f ? 0x7c00u : half;
    return is_nan(a) ? 0x7e00u : half | sign;
  }
  WARPJIT_MEANING static float HalfToF32(u32 a) {
    const u32 magnitude = a & 0x7fffu, sign = (a & 0x8000u) << 16;
    const u32 small = word(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
    u32 single = magnitude < 0x400u ? small : (magnitude << 13) + (112u << 23);
    single = magnitude >= 0x7c00u ? magnitude << 13 | 0x7f800000u : single;
    single = magnitude > 0x7c00u ? single | 0x400000u : single;
    return real(single | sign);
  }
  WARPJIT_MEANING static float FRoundHalf32(float a) { return HalfToF32(F32ToHalf(a)); }

  WARPJIT_MEANING static u32 low_half(u32 a) { return a & 0xffffu; }
  // What f gives for the lower halves, and for the upper ones.
  template <class F, class... Words>
  WARPJIT_MEANING static u32 each_half(F f, Words... words) {
    return low_half(f(low_half(words)...)) | f((words >> 16)...) << 16;
  }
  WARPJIT_MEANING static u32 HalvesAdd(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return F32ToHalf(HalfToF32(x) + HalfToF32(y)); }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesMul(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return F32ToHalf(HalfToF32(x) * HalfToF32(y)); }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesFma(u32 a, u32 b, u32 c) {
    return each_half(
        [](u32 x, u32 y, u32 z) { return F32ToHalf(FFmaOdd32(HalfToF32(x), HalfToF32(y), HalfToF32(z))); }, a,
        b, c);
  }
  WARPJIT_MEANING static u32 HalvesMaxNum(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return F32ToHalf(FMaxNum32(HalfToF32(x), HalfToF32(y))); }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesMinNum(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return F32ToHalf(FMinNum32(HalfToF32(x), HalfToF32(y))); }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesNeg(u32 a) { return a ^ 0x80008000u; }
  WARPJIT_MEANING static u32 HalvesAbs(u32 a) { return a & 0x7fff7fffu; }
  WARPJIT_MEANING static u32 HalvesLow(u32 a) { return low_half(a) | a << 16; }
  WARPJIT_MEANING static u32 HalvesHigh(u32 a) { return a >> 16 | (a & 0xffff0000u); }
  WARPJIT_MEANING static u32 HalvesSwap(u32 a) { return a >> 16 | a << 16; }
  WARPJIT_MEANING static u32 HalvesEq(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return HalfToF32(x) == HalfToF32(y) ? 0xffffu : 0u; }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesLt(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return HalfToF32(x) < HalfToF32(y) ? 0xffffu : 0u; }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesLe(u32 a, u32 b) {
    return each_half([](u32 x, u32 y) { return HalfToF32(x) <= HalfToF32(y) ? 0xffffu : 0u; }, a, b);
  }
  WARPJIT_MEANING static u32 HalvesOfF32(float a, float b) { return F32ToHalf(a) | F32ToHalf(b) << 16; }
  WARPJIT_MEANING static u32 HalvesOfBytes(u32 a) {
    return HalvesOfF32(static_cast<float>(a & 0xffu) / 255.0f, static_cast<float>(a >> 8 & 0xffu) / 255.0f);
  }
  WARPJIT_MEANING static u32 HalvesOfUpperBytes(u32 a) { return HalvesOfBytes(a >> 16); }
  WARPJIT_MEANING static u32 HalvesLowBytes(u32 a, u32 b) {
    return (a & 0xffu) | (a >> 8 & 0xff00u) | (b & 0xffu) << 16 | (b & 0xff0000u) << 8;
  }
  WARPJIT_MEANING static u32 CanonicalizeNaNHalves(u32 a) {
    return each_half([](u32 x) { return (x & 0x7fffu) > 0x7c00u ? 0x7e00u : x; }, a);
  }
  WARPJIT_MEANING static float FNeg32(float a) { return real(word(a) ^ 0x80000000u); }
  WARPJIT_MEANING static float FAbs32(float a) { return real(word(a) & 0x7fffffffu); }
  WARPJIT_MEANING static float FFloor32(float a) { return std::floor(a); }
  WARPJIT_MEANING static float FMaxSelect32(float a, float b) { return WARPJIT_GREATER(a, b); }
  WARPJIT_MEANING static float FMinSelect32(float a, float b) { return WARPJIT_LESSER(a, b); }
  WARPJIT_MEANING static float CanonicalizeNaN32(float a) { return real(is_nan(a) ? 0x7fc00000u : word(a)); }
  WARPJIT_MEANING static float CanonicalizeNaNOnes32(float a) {
    return real(is_nan(a) ? 0x7fffffffu : word(a));
  }
  WARPJIT_MEANING static float FRoundEven32(float a) { return std::nearbyint(a); }
  WARPJIT_MEANING static float FCeil32(float a) { return std::ceil(a); }
  WARPJIT_MEANING static float FTrunc32(float a) { return std::trunc(a); }
  WARPJIT_MEANING static float FMaxNum32(float a, float b) {
    const float greater = a == b ? real(word(a) & word(b)) : a > b ? a : b;
    return is_nan(a) ? b : is_nan(b) ? a : greater;
  }
  WARPJIT_MEANING static float FMinNum32(float a, float b) {
    const float less = a == b ? real(word(a) | word(b)) : a < b ? a : b;
    return is_nan(a) ? b : is_nan(b) ? a : less;
  }

  // Without denormals. Sums of floats below 2^-126 are exact, so they can simply be flushed.
  // Products and conversions from double are flushed if they are below 2^-126 when rounded to
  // 24 bits with unbounded exponent.
  static constexpr double kFlushBelow = 0x1p-126 - 0x1p-151;
  WARPJIT_MEANING static float signed_zero(float a) { return real(word(a) & 0x80000000u); }
  WARPJIT_MEANING static float FFlush32(float a) { return std::fabs(a) < 0x1p-126f ? signed_zero(a) : a; }
  WARPJIT_MEANING static float narrow_flush(double a) {
    const float narrow = static_cast<float>(a);
    return std::fabs(a) < kFlushBelow ? signed_zero(narrow) : narrow;
  }
  WARPJIT_MEANING static double truncated(double a) {  // to 24 bits
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & ~std::uint64_t{0x1fffffff});
  }
  WARPJIT_MEANING static float FAddFlush32(float a, float b) { return FFlush32(FFlush32(a) + FFlush32(b)); }
  WARPJIT_MEANING static float FSubFlush32(float a, float b) { return FFlush32(FFlush32(a) - FFlush32(b)); }
  WARPJIT_MEANING static float FDivFlush32(float a, float b) {
    return narrow_flush(static_cast<double>(FFlush32(a)) / static_cast<double>(FFlush32(b)));
  }
  WARPJIT_MEANING static float FSqrtFlush32(float a) { return std::sqrt(FFlush32(a)); }
  WARPJIT_MEANING static float FMulFlush32(float a, float b) {
    return narrow_flush(static_cast<double>(FFlush32(a)) * static_cast<double>(FFlush32(b)));
  }
  WARPJIT_MEANING static float FFmaFlush32(float a, float b, float c) {
    a = FFlush32(a), b = FFlush32(b), c = FFlush32(c);
    return flushed_sum(FFma32(a, b, c), a, b, c);
  }
  // `once` is a * b + c, rounded once.
  WARPJIT_MEANING static float flushed_sum(float once, float a, float b, float c) {
    // The 24-bit rounding matters only just below 2^-126; there the error of the double
    // undoes its own rounding.
    const double product = static_cast<double>(a) * static_cast<double>(b), sum = product + c;
    const double back = sum - product, error = (product - (sum - back)) + (c - back);
    const bool below =
        std::fabs(sum) < kFlushBelow || (std::fabs(sum) == kFlushBelow && (sum > 0 ? error < 0 : error > 0));
    return below ? signed_zero(once) : once;
  }
  WARPJIT_MEANING static float FMadTruncFlush32(float a, float b, float c) {
    a = FFlush32(a), b = FFlush32(b), c = FFlush32(c);
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const float plain = FAddFlush32(narrow_flush(product), c);
    return c == 0 ? plain : narrow_flush(truncated(product) + static_cast<double>(c));
  }
  WARPJIT_MEANING static float FAddZeroFlush32(float a, float b) {
    a = FFlush32(a), b = FFlush32(b);
    const float sum = a + b;
    const float back = sum - a, error = (a - (sum - back)) + (b - back);
    const bool finite = std::fabs(a) <= 0x1.fffffep127f && std::fabs(b) <= 0x1.fffffep127f;
    const bool too_far =
        finite && (std::fabs(sum) > 0x1.fffffep127f || (sum > 0 ? error < 0 : sum < 0 && error > 0));
    return FFlush32(too_far ? real(word(sum) - 1) : sum);
  }
  WARPJIT_MEANING static float FMulZeroFlush32(float a, float b) {
    const double product = truncated(static_cast<double>(FFlush32(a)) * static_cast<double>(FFlush32(b)));
    const bool infinite = std::fabs(product) > 0x1p1023;
    const bool too_far = !infinite && std::fabs(product) > 0x1.fffffep127;
    const float narrow = static_cast<float>(product);
    const float inside = too_far ? real(word(narrow) - 1) : narrow;
    return std::fabs(product) < 0x1p-126 ? signed_zero(inside) : inside;
  }

  WARPJIT_MEANING static float Exp2F32(float a) {
    math::ScalarOps ops;
    return math::exp2(ops, a);
  }
  WARPJIT_MEANING static float Log2F32(float a) {
    math::ScalarOps ops;
    return math::log2(ops, a);
  }
  WARPJIT_MEANING static float RcpF32(float a) {
    math::ScalarOps ops;
    return math::rcp(ops, a);
  }
  WARPJIT_MEANING static float RsqrtF32(float a) {
    math::ScalarOps ops;
    return math::rsqrt(ops, a);
  }

  WARPJIT_MEANING static bool FEq32(float a, float b) { return a == b; }
  WARPJIT_MEANING static bool FNe32(float a, float b) { return a != b; }
  WARPJIT_MEANING static bool FLt32(float a, float b) { return a < b; }
  WARPJIT_MEANING static bool FLe32(float a, float b) { return a <= b; }
  WARPJIT_MEANING static bool FGt32(float a, float b) { return a > b; }
  WARPJIT_MEANING static bool FGe32(float a, float b) { return a >= b; }
  WARPJIT_MEANING static bool FUnordered32(float a, float b) { return is_nan(a) || is_nan(b); }

  WARPJIT_MEANING static u32 F32ToI32Sat(float a) {
    // The converted value is in range for every input, so that the loop over lanes has no branch.
    float inside = a >= -2147483648.0f ? a : -2147483648.0f;
    inside = inside < 2147483648.0f ? inside : 2147483520.0f;
    u32 result = static_cast<u32>(static_cast<std::int32_t>(inside));
    result = a >= 2147483648.0f ? 0x7fffffffu : result;
    return is_nan(a) ? 0 : result;
  }
  WARPJIT_MEANING static u32 F32ToI32Lowest(float a) {
    const bool fits = a >= -2147483648.0f && a < 2147483648.0f;
    return static_cast<u32>(static_cast<std::int32_t>(fits ? a : -2147483648.0f));
  }
  WARPJIT_MEANING static u32 F32ToU32Sat(float a) {
    float inside = WARPJIT_GREATER(a, 0.0f);
    inside = WARPJIT_LESSER(inside, 4294967040.0f);
    // By way of a signed conversion, which vector units have.
    const bool high = inside >= 2147483648.0f;
    const u32 low = static_cast<u32>(static_cast<std::int32_t>(high ? inside - 2147483648.0f : inside));
    const u32 result = low + (high ? 0x80000000u : 0);
    return a >= 4294967296.0f ? 0xffffffffu : result;
  }
  WARPJIT_MEANING static float U32ToF32(u32 a) { return static_cast<float>(a); }
  WARPJIT_MEANING static float I32ToF32(u32 a) { return static_cast<float>(signed_word(a)); }
  WARPJIT_MEANING static u32 BitcastF32ToI32(float a) { return word(a); }
  WARPJIT_MEANING static float BitcastI32ToF32(u32 a) { return real(a); }

  WARPJIT_MEANING static u32 IAdd32(u32 a, u32 b) { return a + b; }
  WARPJIT_MEANING static u32 ISub32(u32 a, u32 b) { return a - b; }
  WARPJIT_MEANING static u32 IMul32(u32 a, u32 b) { return a * b; }
  WARPJIT_MEANING static u32 IAnd32(u32 a, u32 b) { return a & b; }
  WARPJIT_MEANING static u32 IOr32(u32 a, u32 b) { return a | b; }
  WARPJIT_MEANING static u32 IXor32(u32 a, u32 b) { return a ^ b; }
  WARPJIT_MEANING static u32 IShl32(u32 a, u32 b) { return b < 32 ? a << (b & 31) : 0; }
  WARPJIT_MEANING static u32 IShrU32(u32 a, u32 b) { return b < 32 ? a >> (b & 31) : 0; }
  WARPJIT_MEANING static u32 IShrS32(u32 a, u32 b) {
    return static_cast<u32>(signed_word(a) >> (b < 31 ? b : 31));
  }
  WARPJIT_MEANING static u32 IMinS32(u32 a, u32 b) { return signed_word(a) < signed_word(b) ? a : b; }
  WARPJIT_MEANING static u32 IMaxS32(u32 a, u32 b) { return signed_word(a) > signed_word(b) ? a : b; }
  WARPJIT_MEANING static u32 IMinU32(u32 a, u32 b) { return a < b ? a : b; }
  WARPJIT_MEANING static u32 IMaxU32(u32 a, u32 b) { return a > b ? a : b; }
  WARPJIT_MEANING static bool IEq32(u32 a, u32 b) { return a == b; }
  WARPJIT_MEANING static bool INe32(u32 a, u32 b) { return a != b; }
  WARPJIT_MEANING static bool ILtS32(u32 a, u32 b) { return signed_word(a) < signed_word(b); }
  WARPJIT_MEANING static bool ILeS32(u32 a, u32 b) { return signed_word(a) <= signed_word(b); }
  WARPJIT_MEANING static bool ILtU32(u32 a, u32 b) { return a < b; }
  WARPJIT_MEANING static bool ILeU32(u32 a, u32 b) { return a <= b; }

  WARPJIT_MEANING static bool And1(bool a, bool b) { return a & b; }
  WARPJIT_MEANING static bool Or1(bool a, bool b) { return a | b; }
  WARPJIT_MEANING static bool Xor1(bool a, bool b) { return a != b; }
  WARPJIT_MEANING static bool AndNot1(bool a, bool b) { return a & !b; }
  WARPJIT_MEANING static bool Not1(bool a) { return !a; }

  WARPJIT_MEANING static bool SelectI1(bool condition, bool a, bool b) { return condition ? a : b; }
  WARPJIT_MEANING static u32 SelectI32(bool condition, u32 a, u32 b) { return condition ? a : b; }
  WARPJIT_MEANING static float SelectF32(bool condition, float a, float b) { return condition ? a : b; }
};

namespace evaluate_detail {

template <class T>
WARPJIT_MEANING T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return static_cast<T>(bits);
}
WARPJIT_MEANING std::uint64_t to_bits(bool value) { return value ? 1 : 0; }
WARPJIT_MEANING std::uint64_t to_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
WARPJIT_MEANING std::uint64_t to_bits(std::uint32_t value) { return value; }

template <class R, class A>
WARPJIT_MEANING std::uint64_t call(R (*f)(A), std::uint64_t a, std::uint64_t, std::uint64_t) {
  return to_bits(f(from_bits<A>(a)));
}
template <class R, class A, class B>
WARPJIT_MEANING std::uint64_t call(R (*f)(A, B), std::uint64_t a, std::uint64_t b, std::uint64_t) {
  return to_bits(f(from_bits<A>(a), from_bits<B>(b)));
}
template <class R, class A, class B, class C>
WARPJIT_MEANING std::uint64_t call(R (*f)(A, B, C), std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return to_bits(f(from_bits<A>(a), from_bits<B>(b), from_bits<C>(c)));
}

}  // namespace evaluate_detail

// The same by opcode at compile time; operands beyond the row's are ignored.
template <Opcode kOpcode, class Meaning = meaning>
struct Evaluator;
#define WARPJIT_IR_OP(name, ...)                                                                    \
  template <class Meaning>                                                                          \
  struct Evaluator<Opcode::name, Meaning> {                                                         \
    static constexpr bool kDefined = info(Opcode::name).lane_wise();                                \
    static constexpr std::size_t kOperands = info(Opcode::name).operands.size();                    \
    WARPJIT_MEANING static std::uint64_t apply(std::uint64_t a, std::uint64_t b, std::uint64_t c) { \
      if constexpr (kDefined)                                                                       \
        return evaluate_detail::call(Meaning::name, a, b, c);                                       \
      else                                                                                          \
        return 0;                                                                                   \
    }                                                                                               \
  };
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP

}  // namespace warpjit::ir
