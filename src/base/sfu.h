// The special-function unit, bit by bit (docs/guests/tesla.md 8.5): quadratic interpolation in the ROM's
// tables, in integers. Floats are words; NaN results are 0x7fffffff, denormals are zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpjit::sfu {

struct Segment {
  std::int32_t c0, c1, c2;
};
// The unit's truncated square of a 17-bit number: partial products lose their low bits before they are added,
// so that of the sum of x[i] x[j] 2^(i+j) the terms below 2^18 are missing; the result is in units of 2^19.
// With x = 512 high + low those among the bits of `high` all stay, those among the bits of `low` all go.
inline std::uint32_t square(std::uint32_t x) {
  const std::uint32_t high = x >> 9, low = x & 511;
  const auto row = [&](unsigned bit) { return (high >> bit & 1) != 0 ? low >> (9 - bit) : 0; };
  return (high * high >> 1) + row(1) + row(2) + row(3) + row(4) + row(5) + row(6) + row(7);
}

extern const Segment kRcp[128], kRsqrt[128], kSin[64], kEx2[64], kLg2[64];

enum class Function : std::uint8_t {
  rcp,
  rsqrt,
  lg2,
  presin,
  preex2,
  sin,
  cos,
  ex2,
  // Not the unit's bits (sfu_fast.h).
  fast_rcp,
  fast_rsqrt,
  fast_lg2,
  fast_presin,
  fast_sin,
  fast_cos,
  fast_ex2,
};
inline constexpr std::size_t kFunctions = 15;
constexpr bool is_fast(Function function) { return function >= Function::fast_rcp; }
// True if it interpolates in tables.
constexpr bool looks_up(Function function) {
  return !is_fast(function) && function != Function::presin && function != Function::preex2;
}
constexpr bool gives_fixed_point(Function function) {
  return function == Function::presin || function == Function::preex2;
}
using WordFunction = std::uint32_t (*)(std::uint32_t);
WordFunction word_function(Function function);
// Evaluates the function for each word. The results do not overlap with `x`.
void evaluate(Function function, std::span<const std::uint32_t> x, std::uint32_t* results);

std::uint32_t rcp(std::uint32_t x);
std::uint32_t rsqrt(std::uint32_t x);
std::uint32_t lg2(std::uint32_t x);

// Range reduction to the fixed-point format that sin, cos and ex2 take: bit 31 sign, bits 29:0 magnitude with
// 23 fraction bits, bit 30 NaN (0x40000000) or infinity (0x40800000).
std::uint32_t presin(std::uint32_t x);
std::uint32_t preex2(std::uint32_t x);
std::uint32_t sin(std::uint32_t fixed);
std::uint32_t cos(std::uint32_t fixed);
std::uint32_t ex2(std::uint32_t fixed);

// In few instructions (sfu_fast.h), within 2^-21.9 of the real functions: relative, of sin and cos absolute.
// sin and cos take turns, which fast_presin gives; ex2 takes a float.
// Denormals are zeros, a NaN is 0x7fffffff.
std::uint32_t fast_rcp(std::uint32_t x);
std::uint32_t fast_rsqrt(std::uint32_t x);
std::uint32_t fast_lg2(std::uint32_t x);
std::uint32_t fast_presin(std::uint32_t x);
std::uint32_t fast_sin(std::uint32_t turns);
std::uint32_t fast_cos(std::uint32_t turns);
std::uint32_t fast_ex2(std::uint32_t x);

}  // namespace warpjit::sfu
