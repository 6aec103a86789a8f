// What instructions compute that look at the other lanes of a warp (docs/guests/valhall.md 7).
#pragma once

#include <array>
#include <cstdint>

#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

inline constexpr unsigned kWarpLanes = 16;
using LaneWords = std::array<std::uint32_t, kWarpLanes>;

// Can exchange() compute it? Errors: unsupported, naming the instruction.
Status check_exchange(const Instruction& instruction);

// The result of each active lane; those of others are 0. `active`: bit n is lane n, which executes this
// instruction now. Sources are registers as a whole.
LaneWords exchange(const Instruction& instruction, const LaneWords& first, const LaneWords& second,
                   unsigned active);

}  // namespace warpjit::valhall
