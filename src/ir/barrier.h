// Barriers of a block. A barrier counts arrivals, and the last arrival says how many it expects. Whenever a
// group waits or ends, each count that has reached the expected number becomes 0. All groups that wait at a
// barrier whose count is 0 then go on.
#pragma once

#include <cstdint>

namespace warpjit::ir {

inline constexpr std::uint32_t kMaxBarriers = 16;  // of a block

// What a group does at a Barrier. A plain barrier waits for all groups of the block that have not ended; it
// packs into its number.
struct BarrierForm {
  std::uint32_t number = 0;  // below kMaxBarriers
  bool arrives = true, waits = true;
  std::uint32_t arrivals = 0;  // that end it, below 2^16; 0: as many as groups have not ended

  constexpr bool is_plain() const { return arrives && waits && arrivals == 0; }
  constexpr std::uint64_t pack() const {
    return number | (arrives ? 0U : 1U << 4) | (waits ? 0U : 1U << 5) | arrivals << 8;
  }
  static constexpr BarrierForm unpack(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits & 15), (bits >> 4 & 1) == 0, (bits >> 5 & 1) == 0,
            static_cast<std::uint32_t>(bits >> 8 & 0xffff)};
  }
};

}  // namespace warpjit::ir
