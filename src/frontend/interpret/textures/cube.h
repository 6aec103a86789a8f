// Faces of cubes: which one a direction meets, and which texel lies beyond a face's edge.
#pragma once

#include <cstdint>
#include <optional>

namespace warpjit::interpret {

struct CubeTexel {
  std::uint32_t face = 0, x = 0, y = 0;
};
// Texel (x, y) of a face of size x size texels; coordinates may be one beyond an edge, where a neighbour's
// texel is. None: beyond two edges.
std::optional<CubeTexel> cube_texel(std::uint32_t face, std::int32_t x, std::int32_t y, std::int32_t size);

}  // namespace warpjit::interpret
