// State of a draw of the Vita in the terms that all GPUs share (docs/guests/usse.md 10).
#pragma once

#include "frontend/usse/container/program.h"
#include "warpjit/usse.hpp"

namespace warpjit::usse {

// `vertex`: its clip distances and the sizes of its points count.
Result<RasterState> convert_raster(const Draw& draw, const usse::Program& vertex);
// `color`: what is drawn to; `depth`: the scene has such a target.
// `native`: the fragment program's colour is not blended.
Result<OutputState> convert_output(const Draw& draw, PixelFormat color, PixelFormat depth, bool native);

}  // namespace warpjit::usse
