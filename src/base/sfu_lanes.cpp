// The special-function unit for many words at once. The same arithmetic as in sfu.cpp, in 32 bits and without
// branches, so that the compiler vectorizes it.
#include "base/sfu.h"

namespace warpjit::sfu {
namespace {

using i32 = std::int32_t;
using u32 = std::uint32_t;

#define WARPJIT_LANE [[gnu::always_inline]] inline

constexpr u32 kSignBit = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff;
constexpr u32 kFixedNan = 0x40000000, kFixedInfinity = 0x40800000;

WARPJIT_LANE bool is_nan(u32 x) { return (x & ~kSignBit) > kInfinity; }

// (c0 << shift) + c1 x + c2 square + half, all of it >> right: at most 2^24. The lowest 8 bits are summed
// first, so that the rest fits 32 bits (modulo 2^32).
WARPJIT_LANE i32 interpolate(const Segment& segment, unsigned shift, u32 x, u32 square_term, i32 half,
                             unsigned right) {
  const i32 fine =
      (segment.c1 * static_cast<i32>(x & 255) + segment.c2 * static_cast<i32>(square_term) + half) >> 8;
  const u32 sum = (static_cast<u32>(segment.c0) << (shift - 8)) + static_cast<u32>(segment.c1) * (x >> 8) +
                  static_cast<u32>(fine);
  return static_cast<i32>(sum >> (right - 8));
}

WARPJIT_LANE u32 assemble(i32 exponent, i32 significand) {
  const i32 word = static_cast<i32>(static_cast<u32>(exponent) << 23) + significand - 0x800000;
  const u32 rounded = word < 0x800000 ? 0 : static_cast<u32>(word);
  return rounded > kInfinity ? kInfinity : rounded;
}

WARPJIT_LANE u32 rcp_lane(u32 x) {
  const u32 sign = x & kSignBit, e = x >> 23 & 0xff, low = x & 0xffff;
  u32 r = assemble(253 - static_cast<i32>(e),
                   interpolate(kRcp[x >> 16 & 0x7f], 13, low, square(2 * low), 0x47e7, 15));
  r = e == 0 ? kInfinity : r;
  r = (e == 255 ? 0 : r) | sign;
  return is_nan(x) ? kNan : r;
}

WARPJIT_LANE u32 rsqrt_lane(u32 x) {
  const u32 e = x >> 23 & 0xff;
  const u32 both = (~e & 1) << 23 | (x & 0x7fffff), low = both & 0x1ffff;
  const i32 half = static_cast<i32>((e + 1) >> 1) - 64;  // of the exponent, rounded down
  u32 r = assemble(126 - half, interpolate(kRsqrt[both >> 17], 14, low, 4 * square(low), 0x7fff, 16));
  r = both == 0 ? static_cast<u32>(127 - half) << 23 : r;
  r = e == 255 ? 0 : r;
  r = (x & kSignBit) != 0 ? kNan : r;
  r = e == 0 ? (x & kSignBit) | kInfinity : r;
  return is_nan(x) ? kNan : r;
}

WARPJIT_LANE u32 preex2_lane(u32 x) {
  const u32 e = x >> 23 & 0xff, significand = (x & 0x7fffff) | 0x800000;
  const u32 left = significand << ((e - 127) & 7), right = significand >> (127 - e < 24 ? 127 - e : 24);
  u32 r = e >= 127 ? left : right;
  r = e >= 127 + 7 ? kFixedInfinity : r;
  r = is_nan(x) ? kFixedNan : r;
  return (x & kSignBit) | (e == 0 ? 0 : r);
}

WARPJIT_LANE u32 ex2_lane(u32 fixed) {
  const u32 magnitude = fixed & 0x3fffffff;
  const bool negative = (fixed & kSignBit) != 0;
  // With the sign in: 7 bits of integer, rounded down, and what is above it; ~fraction stands for -fraction.
  const i32 whole = static_cast<i32>(magnitude >> 23);
  const u32 part = magnitude & 0x7fffff;
  const bool borrow = negative && part != 0;
  const u32 fraction = borrow ? ~part & 0x7fffff : part;
  const i32 integer = (negative ? -whole : whole) - (borrow ? 1 : 0);
  const u32 low = fraction & 0x1ffff;
  const u32 r = assemble(127 + integer, interpolate(kEx2[fraction >> 17], 13, low, square(low), 0x77e2, 15));
  const u32 special = magnitude == 0 ? kNan : negative ? 0 : kInfinity;
  return (fixed & 0x40000000) != 0 ? special : r;
}

template <u32 (*kFunction)(u32)>
WARPJIT_LANE void each(const u32* x, u32* results, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) results[k] = kFunction(x[k]);
}

WARPJIT_LANE void evaluate_lanes(Function function, const u32* __restrict x, u32* __restrict results,
                                 std::size_t count) {
  switch (function) {
    case Function::rcp:
      for (std::size_t k = 0; k < count; ++k) results[k] = rcp_lane(x[k]);
      break;
    case Function::rsqrt:
      for (std::size_t k = 0; k < count; ++k) results[k] = rsqrt_lane(x[k]);
      break;
    case Function::preex2:
      for (std::size_t k = 0; k < count; ++k) results[k] = preex2_lane(x[k]);
      break;
    case Function::ex2:
      for (std::size_t k = 0; k < count; ++k) results[k] = ex2_lane(x[k]);
      break;
    case Function::lg2:
      return each<lg2>(x, results, count);
    case Function::presin:
      return each<presin>(x, results, count);
    case Function::sin:
      return each<sin>(x, results, count);
    case Function::cos:
      return each<cos>(x, results, count);
  }
}

#undef WARPJIT_LANE

using Evaluate = void (*)(Function, const u32*, u32*, std::size_t);

void evaluate_plain(Function function, const u32* x, u32* results, std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) void evaluate_avx2(Function function, const u32* x, u32* results,
                                                   std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void evaluate_avx512(Function function,
                                                                                   const u32* x, u32* results,
                                                                                   std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
Evaluate best() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return evaluate_avx512;
  return __builtin_cpu_supports("avx2") ? evaluate_avx2 : evaluate_plain;
}
#else
Evaluate best() { return evaluate_plain; }
#endif

}  // namespace

void evaluate(Function function, std::span<const std::uint32_t> x, std::uint32_t* results) {
  static const Evaluate kEvaluate = best();
  kEvaluate(function, x.data(), results, x.size());
}

}  // namespace warpjit::sfu
