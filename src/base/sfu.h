// The special-function unit, bit by bit (reference 8.5): quadratic interpolation in the ROM's tables, in
// integers. Floats are words; NaN results are 0x7fffffff, denormals are zeros.
#pragma once

#include <cstdint>

namespace warpjit::sfu {

struct Segment {
  std::int32_t c0, c1, c2;
};
extern const Segment kRcp[128], kRsqrt[128], kSin[64], kEx2[64], kLg2[64];

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

}  // namespace warpjit::sfu
