// Which instructions exchange values between lanes of a warp (docs/guests/valhall.md 7).
#pragma once

#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

inline constexpr unsigned kWarpLanes = 16;

// Whether this exchange is defined. Errors: unsupported, naming the instruction.
Status check_exchange(const Instruction& instruction);

}  // namespace warpjit::valhall
