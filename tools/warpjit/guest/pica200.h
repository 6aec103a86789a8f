// PICA200 values as launch files hold them, for what makes launches of random programs.
#pragma once

#include <vector>

#include "frontend/pica200/interpret/interpret.h"
#include "launch/launch_file.h"

namespace warpjit::tool {

// All uniforms, register by register.
std::vector<LaunchValue> launch_values(const frontend::Shader& shader, const pica200::Uniforms& uniforms);

}  // namespace warpjit::tool
