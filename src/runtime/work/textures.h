// Checks that the textures and samplers are there that a launch's programs use.
#pragma once

#include "base/result.h"

namespace warpjit::runtime {

struct LaunchData;

// Every texture and sampler that a program of the launch or of a stage before it may use is set, the two go
// together, and no texture's memory is a target's. Errors: bad_input, naming the slot.
Status check_textures(const LaunchData& launch);

}  // namespace warpjit::runtime
