// What a turn of a loop takes by the table of what operations cost (cost.h), and what bounds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpjit::backend {

enum class Bound : std::uint8_t {
  issue,            // how many instructions begin in a clock
  vectors,          // how many of them on vectors
  multiplications,  // the units for products, quotients and roots
  additions,        // for sums, comparisons and conversions
  shuffles,         // for what goes between lanes
  loads,
  stores,
  chain,  // what waits for what the turn before left
  // How far the processor looks ahead: nothing begins before what stands 256 operations before it ended.
  window,
};
inline constexpr std::size_t kBoundCount = 9;
std::string_view name(Bound bound);

struct LoopCost {
  std::uint32_t begin = 0, end = 0;  // bytes of code; loops within it lie there, too
  std::uint32_t depth = 0;           // how many loops are around it; 0: the loop over groups
  std::uint32_t operations = 0;      // of LIR
  // By Bound: what a turn that goes through each block once, and through no cold one, would take if nothing
  // else bounded it.
  std::array<double, kBoundCount> clocks{};

  Bound bound() const;
  double turn() const { return clocks[static_cast<std::size_t>(bound())]; }
};

// The cost of one operation of LIR, whose code begins at `offset`.
struct InstructionCost {
  std::uint32_t offset;
  double clocks, latency;
};

}  // namespace warpjit::backend
