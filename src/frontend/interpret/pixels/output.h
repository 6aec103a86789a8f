// What becomes of a fragment: alpha, stencil and depth test, blending, write (docs/pixels.md 9).
#pragma once

#include <cstdint>

#include "frontend/interpret/pixels.h"

namespace warpjit::interpret {

// `depth`: bits of f32, from the program or from the plane. The pixel is in the targets.
void write_fragment(const PixelWork& work, bool front_facing, std::uint32_t depth, const Fragment& fragment,
                    std::int32_t x, std::int32_t y);

}  // namespace warpjit::interpret
