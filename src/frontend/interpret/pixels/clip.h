// Vertices, and what the planes of the view volume leave of primitives (docs/pixels.md 1 to 3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/small_vector.h"
#include "frontend/interpret/pixels.h"

namespace warpjit::interpret {

struct Vertex {
  std::array<float, 4> position{};                 // x, y, z, w; clip coordinates
  std::optional<std::array<float, 4>> own_window;  // x, y, z, 1/w: of a vertex that came with them
  std::array<float, 8> distances{};                // those that clip or cull
  SmallVector<float, 16> values;                   // one of each use; nobody reads those without a plane
};

Vertex load_vertex(const PixelWork& work, std::uint64_t index);
// Not if a coordinate is no finite number, or if a distance culls all vertices.
bool is_drawn(const RasterState& raster, std::span<const Vertex> vertices);

// What is left of a triangle, a line or a point, in order; perhaps nothing.
std::vector<Vertex> clip(const PixelWork& work, std::vector<Vertex> polygon);

}  // namespace warpjit::interpret
