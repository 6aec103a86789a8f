// Fragment programs that call blend shaders (docs/guests/valhall.md 11.2). The blend descriptor says
// where one is, so that it is known before the draw runs: its code is put after the program's, once for each
// call, and the calls become branches.
#pragma once

#include "device/valhall/job_launch.h"
#include "device/valhall/state.h"

namespace warpjit::valhall {

// Changes the launch of a draw's fragment program. The targets that blend shaders write become part of
// `state`. Errors name descriptor and field: bad_input, unsupported, resource_limit.
Status link_blend_shaders(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                          JobLaunch& launch, DrawState& state);

}  // namespace warpjit::valhall
