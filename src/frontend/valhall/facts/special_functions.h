// Pieces of functions, each defined once from IEEE-exact operations on f32, as base/math.h does:
// templates over an `Ops` (described there). The bits are the same in every engine. Errors are measured
// over all mantissas (tests/valhall/special_functions_test.cpp); none is more than 1 ulp from the
// correctly rounded value.
#pragma once

#include <initializer_list>

#include "base/math.h"

namespace warpjit::valhall {

// 1/sqrt(x), two roundings: below 1.5 ulp.
// +0 gives +inf, -0 gives -inf, negative numbers give NaN. 2 instructions.
template <class Ops>
typename Ops::F32 reciprocal_root(Ops& ops, typename Ops::F32 x) {
  const auto root = ops.sqrt(x);
  return ops.div(ops.constant_f(1.0F), root);
}

// 2^(scaled / 2^24): below 0.87 ulp, in the denormal range 1 ulp;
// exact where it is a power of two. 20 instructions.
template <class Ops>
typename Ops::F32 exp2_scaled(Ops& ops, typename Ops::F32 scaled) {
  const auto y = ops.mul(scaled, ops.constant_f(0x1p-24F));
  // Outside this range the result is 0 or infinity anyway. A NaN is the second operand and survives.
  auto clamped = ops.fmin_select(ops.constant_f(128.0F), y);
  clamped = ops.fmax_select(ops.constant_f(-151.0F), clamped);
  // y = n + f with f in [-1/2, 1/2]; the low bits of the sum are n.
  const auto magic = ops.constant_f(0x1.8p23F);
  const auto shifted = ops.add(clamped, magic);
  const auto n = ops.isub(ops.as_int(shifted), ops.as_int(magic));
  const auto f = ops.sub(clamped, ops.sub(shifted, magic));
  auto p = ops.constant_f(0x1.44138ap-13F);
  for (const float coefficient :
       {0x1.5f0890p-10F, 0x1.3b2a54p-7F, 0x1.c6af6cp-5F, 0x1.ebfbe0p-3F, 0x1.62e430p-1F, 1.0F})
    p = ops.fma(p, f, ops.constant_f(coefficient));
  // 2^n in two steps, each of which is a normal number: only the last product rounds.
  const auto bias = ops.constant_i(-127);
  const auto half = ops.ishrs(n, 1);
  const auto first = ops.as_float(ops.ishl(ops.isub(half, bias), 23));
  const auto rest = ops.isub(n, half);
  const auto second = ops.as_float(ops.ishl(ops.isub(rest, bias), 23));
  return ops.mul(ops.mul(p, first), second);
}

// log2(m) / (m - 1) for m in [3/4, 3/2): below 0.91 ulp; of 1 the f32 log2(e). 12 instructions.
template <class Ops>
typename Ops::F32 log2_slope(Ops& ops, typename Ops::F32 m) {
  const auto t = ops.sub(m, ops.constant_f(1.0F));
  auto p = ops.constant_f(0x1.acdecap-5F);
  for (const float coefficient :
       {-0x1.0a0da6p-3F, 0x1.5a8b26p-3F, -0x1.792f94p-3F, 0x1.a5da90p-3F, -0x1.ebfe7ap-3F, 0x1.27741ep-2F,
        -0x1.71559ep-2F, 0x1.ec70acp-2F, -0x1.715476p-1F, 0x1.715476p+0F})
    p = ops.fma(p, t, ops.constant_f(coefficient));
  return p;
}

}  // namespace warpjit::valhall
