// What launch files of USSE programs say in the console's terms (docs/launch.md): vertex streams, uniform
// buffers, state.
#pragma once

#include "frontend/usse/container/program.h"
#include "launch/reading.h"

namespace warpjit::tool {

// The keys `streams` and `attributes` of a vertex program, as inputs.
Status read_usse_attributes(Reading& reading, const usse::Program& program);
// The key `buffers`, as uniforms.
Status read_usse_buffers(Reading& reading, const usse::Program& program);

// A SceGxmBlendInfo, as it is where this fragment program draws to such a target.
Result<BlendState> usse_blend(std::uint32_t word, const usse::Program& fragment, PixelFormat target);
// What the console does without being asked. `vertex`: null for vertices that are given as slots.
Result<RasterState> usse_raster(const usse::Program* vertex, Topology topology);

}  // namespace warpjit::tool
