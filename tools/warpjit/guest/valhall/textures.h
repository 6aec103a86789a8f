// Textures and samplers of Valhall programs in launch templates.
#pragma once

#include "guest/guest.h"

namespace warpjit::tool {

// `textures` and `samplers` that fit the instructions which sample: small ones, by slots. What no constant
// names is left out.
Json valhall_textures(const frontend::Shader& shader);
Json valhall_samplers(const frontend::Shader& shader);

}  // namespace warpjit::tool
