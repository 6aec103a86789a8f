// The transcendentals of every guest, each defined once from IEEE-exact operations: a template over an
// `Ops`. Guest interpreters call the scalar instances at the end; the IR expands the same template with its
// builder as Ops. So the bits are the same in every engine and on every host.
//
// Ops has the types F32, I32, I1 and these operations, each one AVX-512 instruction and at most two on AVX2
// or NEON. Floats round to nearest even with denormals kept; integers wrap.
//   constant_f(float), constant_i(int32_t)
//   add, sub, mul, div, sqrt, fma(a, b, c) = a*b + c rounded once
//   fmax_select(a, b) = a > b ? a : b      (b when unordered; -0 = +0, so b)
//   fmin_select(a, b) = a < b ? a : b      (vmaxps, vminps)
//   flt(a, b) = a < b, ordered: I1;  select(I1, F32, F32)
//   as_int(F32), as_float(I32)             bit casts, free
//   iadd, isub, iand, ior, ishl(I32, int), ishrs(I32, int)  (arithmetic), shifts by constants 1..31
//   int_to_float(I32)                      always of a multiple of 2^23 here, so exact
//
// Where fmin/fmax see a NaN, only "NaN survives" or "the other operand is taken" matters, as commented.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpjit::math {

// 2^x. Exact at integers; error below 2^-22 relative, in the denormal range below one denormal ulp.
// exp2(-inf) = +0, exp2(+inf) = +inf; overflow gives +inf, underflow is gradual. 15 instructions.
template <class Ops>
typename Ops::F32 exp2(Ops& ops, typename Ops::F32 x) {
  const auto c = [&](float value) { return ops.constant_f(value); };
  // Outside this range the result is 0 or infinity anyway. A NaN is the second operand and survives.
  auto clamped = ops.fmin_select(c(128.0f), x);
  clamped = ops.fmax_select(c(-151.0f), clamped);
  // Rounds to an even integer n = 2k: the addend has an ulp of 2, and its low bits are then k + 127.
  const auto magic = c(0x1.8p24f + 254.0f);
  const auto shifted = ops.add(clamped, magic);
  const auto f = ops.sub(clamped, ops.sub(shifted, magic));  // in [-1, 1], exact
  auto p = c(0x1.f857a6p-17f);
  p = ops.fma(p, f, c(0x1.4847f8p-13f));
  p = ops.fma(p, f, c(0x1.5dafcep-10f));
  p = ops.fma(p, f, c(0x1.3b1ee4p-7f));
  p = ops.fma(p, f, c(0x1.c6afe6p-5f));
  p = ops.fma(p, f, c(0x1.ebfbfep-3f));
  p = ops.fma(p, f, c(0x1.62e432p-1f));
  p = ops.fma(p, f, c(1.0f));
  // 2^n as 2^k twice: k is always a normal exponent, so that only the last product rounds or overflows.
  const auto scale = ops.as_float(ops.ishl(ops.as_int(shifted), 23));
  return ops.mul(ops.mul(p, scale), scale);
}

// log2(x). Exact at powers of two; error below 2^-22 relative. log2(+-0) = -inf, log2(x < 0) = NaN,
// log2(+inf) = +inf, log2(1) = +0; denormals are handled. 21 instructions.
template <class Ops>
typename Ops::F32 log2(Ops& ops, typename Ops::F32 x) {
  const auto c = [&](float value) { return ops.constant_f(value); };
  const auto i = [&](std::uint32_t value) { return ops.constant_i(static_cast<std::int32_t>(value)); };
  // Brings denormals to normal numbers and -0 to +0.
  const auto small = ops.flt(x, c(0x1p-64f));
  const auto scaled = ops.select(small, ops.fma(x, c(0x1p32f), c(0.0f)), x);
  const auto word = ops.as_int(scaled);
  // scaled = m * 2^(E-126) with m in [sqrt(1/2), sqrt(2)); `exponent` is E << 23. Seen as a float it is
  // positive, but -inf for zero, whose subtraction borrows.
  const auto exponent = ops.iand(ops.isub(word, i(0x003504f3)), i(0xff800000));
  // f = 4 (m - 1), exact: the factor is 2^(2-(E-126)), which is normal for every E that can occur.
  // f is +inf for +inf and NaN for NaN.
  const auto factor = ops.as_float(ops.isub(i(0x7f800000), exponent));
  const auto f = ops.fma(scaled, factor, c(-4.0f));
  // The bias; -inf for zero, and NaN (all ones) for negative numbers. The second operand wins if it is NaN.
  const auto bias = ops.select(small, c(-158.0f), c(-126.0f));
  const auto special = ops.as_float(ops.ior(exponent, ops.ishrs(word, 31)));
  const auto e = ops.fma(ops.int_to_float(exponent), c(0x1p-23f), ops.fmin_select(bias, special));
  // log2(m) = f Q(f). Even degree, so that f = +inf gives +inf.
  auto q = c(0x1.01b6cep-3f * 0x1p-18f);
  q = ops.fma(q, f, c(-0x1.a87d0ep-3f * 0x1p-16f));
  q = ops.fma(q, f, c(0x1.b9c920p-3f * 0x1p-14f));
  q = ops.fma(q, f, c(-0x1.e95be6p-3f * 0x1p-12f));
  q = ops.fma(q, f, c(0x1.26d384p-2f * 0x1p-10f));
  q = ops.fma(q, f, c(-0x1.715c4ep-2f * 0x1p-8f));
  q = ops.fma(q, f, c(0x1.ec73d6p-2f * 0x1p-6f));
  q = ops.fma(q, f, c(-0x1.715470p-1f * 0x1p-4f));
  q = ops.fma(q, f, c(0x1.715476p+0f * 0x1p-2f));
  return ops.fma(f, q, e);
}

// 1/x, correctly rounded; rcp(+-0) = +inf, rcp(+-inf) = +0. 3 instructions.
template <class Ops>
typename Ops::F32 rcp(Ops& ops, typename Ops::F32 x) {
  const auto zero = ops.constant_f(0.0f);
  return ops.add(ops.div(ops.constant_f(1.0f), ops.add(x, zero)), zero);  // x + 0 turns -0 into +0
}

// 1/sqrt(x), two roundings; rsqrt(+-0) = +inf, rsqrt(x < 0) = NaN, rsqrt(+inf) = +0. 3 instructions.
template <class Ops>
typename Ops::F32 rsqrt(Ops& ops, typename Ops::F32 x) {
  return ops.div(ops.constant_f(1.0f), ops.sqrt(ops.add(x, ops.constant_f(0.0f))));
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
  static float fma(float a, float b, float c) { return std::fma(a, b, c); }
  static float fmax_select(float a, float b) { return a > b ? a : b; }
  static float fmin_select(float a, float b) { return a < b ? a : b; }
  static bool flt(float a, float b) { return a < b; }
  static float select(bool condition, float a, float b) { return condition ? a : b; }
  static std::int32_t as_int(float a) { return std::bit_cast<std::int32_t>(a); }
  static float as_float(std::int32_t a) { return std::bit_cast<float>(a); }
  static std::int32_t iadd(std::int32_t a, std::int32_t b) { return wrap(word(a) + word(b)); }
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

float exp2(float x);
float log2(float x);
float rcp(float x);
float rsqrt(float x);

}  // namespace warpjit::math
