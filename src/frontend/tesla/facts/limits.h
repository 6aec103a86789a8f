// Limits of the hardware (docs/guests/tesla.md 10, 12).
#pragma once

#include <cstdint>

namespace warpjit::tesla {

inline constexpr unsigned kLanes = 32;  // of a warp
inline constexpr std::uint32_t kMaxBlockThreads = 512;
inline constexpr std::uint32_t kMaxStackEntries = 4096;  // of a warp

}  // namespace warpjit::tesla
