// What instructions compute that look at the other lanes of a warp (docs/guests/valhall.md 7).
#pragma once

#include <array>
#include <cstdint>

#include "frontend/valhall/encoding/decode.h"
#include "frontend/valhall/facts/lanes.h"

namespace warpjit::valhall {

using LaneWords = std::array<std::uint32_t, kWarpLanes>;

// The result of each active lane; those of others are 0. `active`: bit n is lane n, which executes this
// instruction now. Sources are registers as a whole.
LaneWords exchange(const Instruction& instruction, const LaneWords& first, const LaneWords& second,
                   unsigned active);

}  // namespace warpjit::valhall
