// The transcendentals of every guest, each defined once from IEEE-exact operations: a template over an
// `Ops`. Guest interpreters call the scalar instances at the end; the IR expands the same template with its
// builder as Ops. So the bits are the same in every engine and on every host.
//
// An Ops has the types F32, I32, I1 and the operations of ScalarOps below; each is one instruction on AVX-512
// and at most two on AVX2 or NEON. Floats round to nearest even and keep denormals; integers wrap.
//   constant_f(float), constant_i(int32_t)
//   add, sub, mul, div, sqrt, fma(a, b, c) = a*b + c rounded once
//   fmax_select(a, b) = a > b ? a : b, fmin_select(a, b) = a < b ? a : b
//                                          b when unordered, as vmaxps and vminps; here only b is ever a NaN,
//                                          and no two zeros meet, so NEON's fmax and fmin will do too
//   flt(a, b) = a < b, false when unordered: I1;  select(I1, F32, F32)
//   as_int(F32), as_float(I32)             bit casts
//   isub, iand, ior, ishl(I32, int), ishrs(I32, int)    shifts by constants 1 to 31, ishrs is arithmetic
//   int_to_float(I32)                      of a multiple of 2^23 here, so exact
// No argument list makes two operations, so that what a builder emits has one order on every compiler.
//
// The polynomials come from scripts/minimax.py and scripts/polish_polynomials.cpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "base/compiler.h"
#include "base/fma.h"

namespace warpjit::math {

// Largest relative errors, measured over all 2^32 inputs (tests/base/math_exhaustive_test.cpp): exp2
// 2^-22.73, log2 2^-22.64, rsqrt 2^-23.41; rcp is correctly rounded. A denormal result of exp2 is at
// most 1.04 denormal ulps from 2^x. Instruction counts below are those of AVX-512, constants apart; AVX2
// needs one more for log2.

// 2^x. Exact at integers; error below 2^-22 relative; in the denormal range at most one denormal ulp from the
// correctly rounded result. exp2(-inf) = +0, exp2(+inf) = +inf; overflow gives +inf. 15 instructions.
template <class Ops>
typename Ops::F32 exp2(Ops& ops, typename Ops::F32 x) {
  // Outside this range the result is 0 or infinity anyway. A NaN is the second operand and survives.
  auto clamped = ops.fmin_select(ops.constant_f(128.0f), x);
  clamped = ops.fmax_select(ops.constant_f(-151.0f), clamped);
  // Rounds to an even integer n = 2k: the addend has an ulp of 2, and the low bits of the sum are k + 127.
  const auto magic = ops.constant_f(0x1.8p24f + 254.0f);
  const auto shifted = ops.add(clamped, magic);
  const auto n = ops.sub(shifted, magic);
  const auto f = ops.sub(clamped, n);  // in [-1, 1], exact; the ends occur for odd x
  auto p = ops.constant_f(0x1.f857b6p-17f);
  for (float coefficient : {0x1.483b3cp-13f, 0x1.5db182p-10f, 0x1.3b1f3ep-7f, 0x1.c6afc4p-5f, 0x1.ebfbfap-3f,
                            0x1.62e432p-1f, 1.0f}) {
    p = ops.fma(p, f, ops.constant_f(coefficient));
  }
  // 2^n as 2^k twice: k is a normal exponent for every result, so that only the last product rounds or
  // overflows. (A select for denormal results would need |f| <= 1/2 only, two fma
  // less, but costs three instructions, on AVX2 five; measured 10% slower on Zen 4.)
  const auto scale = ops.as_float(ops.ishl(ops.as_int(shifted), 23));
  return ops.mul(ops.mul(p, scale), scale);
}

// log2(x). Exact at powers of two; error below 2^-22 relative, also near 1 and for denormals.
// log2(+-0) = -inf, log2(x < 0) = NaN, log2(+inf) = +inf, log2(1) = +0. 21 instructions.
template <class Ops>
typename Ops::F32 log2(Ops& ops, typename Ops::F32 x) {
  const auto zero = ops.constant_f(0.0f);
  // Makes denormals normal (and -0 to +0).
  const auto small = ops.flt(x, ops.constant_f(0x1p-64f));
  const auto scale = ops.constant_f(0x1p32f);
  const auto enlarged = ops.fma(x, scale, zero);
  const auto scaled = ops.select(small, enlarged, x);
  // scaled = m * 2^(E-126) with m in [sqrt(1/2), sqrt(2)), exponent = E << 23. Read as a float, `exponent` is
  // positive, but for zero it is -inf, because the subtraction borrows: just what log2(0) needs.
  const auto word = ops.as_int(scaled);
  const auto lowered = ops.isub(word, ops.constant_i(0x003504f3));
  const auto exponent = ops.iand(lowered, ops.constant_i(-0x00800000));
  // f = 4 (m - 1), exact; the factor 4 keeps 2^(128-E) a normal number. f is +inf for +inf, NaN for NaN.
  const auto factor = ops.as_float(ops.isub(ops.constant_i(0x7f800000), exponent));
  const auto f = ops.fma(scaled, factor, ops.constant_f(-4.0f));
  // The exponent's bias, but -inf for zero, and NaN (all ones) for negative x: fmin takes its
  // second operand if unordered.
  const auto sign = ops.ishrs(word, 31);
  const auto special = ops.as_float(ops.ior(exponent, sign));
  const auto bias_small = ops.constant_f(-126.0f - 32.0f);
  const auto bias_normal = ops.constant_f(-126.0f);
  auto e = ops.fmin_select(ops.select(small, bias_small, bias_normal), special);
  const auto exponent_float = ops.int_to_float(exponent);
  e = ops.fma(exponent_float, ops.constant_f(0x1p-23f), e);
  // log2(m) = f Q(f). The degree of Q is even, so that f = +inf gives +inf.
  auto q = ops.constant_f(0x1.01b6cep-21f);
  for (float coefficient : {-0x1.a87d0ep-19f, 0x1.b9ce7cp-17f, -0x1.e95be6p-15f, 0x1.26d384p-12f,
                            -0x1.715c3p-10f, 0x1.ec73bep-8f, -0x1.715472p-5f, 0x1.715476p-2f}) {
    q = ops.fma(q, f, ops.constant_f(coefficient));
  }
  return ops.fma(f, q, e);
}

// 1/x, correctly rounded; rcp(+-0) = +inf, rcp(+-inf) = +0. 3 instructions.
template <class Ops>
typename Ops::F32 rcp(Ops& ops, typename Ops::F32 x) {
  const auto zero = ops.constant_f(0.0f);
  const auto one = ops.constant_f(1.0f);
  const auto divisor = ops.add(x, zero);  // turns -0 into +0
  const auto quotient = ops.div(one, divisor);
  return ops.add(quotient, zero);
}

// 1/sqrt(x), two roundings; rsqrt(+-0) = +inf, rsqrt(x < 0) = NaN, rsqrt(+inf) = +0. 3 instructions.
template <class Ops>
typename Ops::F32 rsqrt(Ops& ops, typename Ops::F32 x) {
  const auto one = ops.constant_f(1.0f);
  const auto radicand = ops.add(x, ops.constant_f(0.0f));  // turns -0 into +0
  const auto root = ops.sqrt(radicand);
  return ops.div(one, root);
}

// Rounds to a 24-bit float: 1 sign, 7 exponent and 16 fraction bits, bias 63, without denormals (PICA200).
// The fraction is truncated; below 2^-62 the result is a zero with x's sign, from 2^64 on infinity; a NaN
// stays one. 6 instructions.
template <class Ops>
typename Ops::F32 round_f24(Ops& ops, typename Ops::F32 x) {
  // There and back exactly, except that what is too large becomes infinity.
  const auto scaled = ops.mul(ops.mul(x, ops.constant_f(0x1p64f)), ops.constant_f(0x1p-64f));
  const auto bits = ops.as_int(scaled);
  const auto magnitude = ops.as_float(ops.iand(bits, ops.constant_i(0x7fffffff)));
  const auto small = ops.flt(magnitude, ops.constant_f(0x1p-62f));
  const auto sign = ops.as_float(ops.constant_i(INT32_MIN)), all = ops.as_float(ops.constant_i(~0x7f));
  return ops.as_float(ops.iand(bits, ops.as_int(ops.select(small, sign, all))));
}

// The instance on plain floats. Expects round to nearest even without flushing, as every public entry sets.
struct ScalarOps {
  using F32 = float;
  using I32 = std::int32_t;
  using I1 = bool;

  static float constant_f(float value) { return value; }
  static std::int32_t constant_i(std::int32_t value) { return value; }
  static float add(float a, float b) { return a + b; }
  static float sub(float a, float b) { return a - b; }
  static float mul(float a, float b) { return a * b; }
  static float div(float a, float b) { return a / b; }
  static float sqrt(float a) { return std::sqrt(a); }
  static float fma(float a, float b, float c) { return fma::fused(a, b, c); }
  static float fmax_select(float a, float b) { return WARPJIT_GREATER(a, b); }
  static float fmin_select(float a, float b) { return WARPJIT_LESSER(a, b); }
  static bool flt(float a, float b) { return a < b; }
  static float select(bool condition, float a, float b) { return condition ? a : b; }
  static std::int32_t as_int(float a) { return std::bit_cast<std::int32_t>(a); }
  static float as_float(std::int32_t a) { return std::bit_cast<float>(a); }
  static std::int32_t isub(std::int32_t a, std::int32_t b) { return wrap(word(a) - word(b)); }
  static std::int32_t iand(std::int32_t a, std::int32_t b) { return a & b; }
  static std::int32_t ior(std::int32_t a, std::int32_t b) { return a | b; }
  static std::int32_t ishl(std::int32_t a, int count) { return wrap(word(a) << count); }
  static std::int32_t ishrs(std::int32_t a, int count) { return a >> count; }
  static float int_to_float(std::int32_t a) { return static_cast<float>(a); }

 private:
  static std::uint32_t word(std::int32_t a) { return static_cast<std::uint32_t>(a); }
  static std::int32_t wrap(std::uint32_t a) { return static_cast<std::int32_t>(a); }
};

float round_f24(float x);
float exp2(float x);
float log2(float x);
float rcp(float x);
float rsqrt(float x);

}  // namespace warpjit::math
