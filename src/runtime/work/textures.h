// Are the textures and samplers there that a launch's programs use?
#pragma once

#include "base/result.h"

namespace warpjit::runtime {

struct LaunchData;

// Of the launch and the stages before it: every texture and sampler that a program may use is set, the two go
// together, and no texture's memory is a target's. Errors: bad_input, naming the slot.
Status check_textures(const LaunchData& launch);

}  // namespace warpjit::runtime
