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
  std::array<float, 8> distances{};                // those that clip or cull; others are anything
  SmallVector<float, 16> values;                   // one of each use; nobody reads those without a plane
};

// All but its values, and those.
void load_vertex(const PixelWork& work, std::uint64_t index, Vertex& vertex);
void load_values(const PixelWork& work, std::uint64_t index, Vertex& vertex);
// The uses that are colours become those of the vertex `provoking`, as the flat shade model has them.
void take_colors(const PixelWork& work, std::uint64_t provoking, Vertex& vertex);

// The planes that bound what is drawn of a triangle, a line or a point.
class ClipVolume {
 public:
  explicit ClipVolume(const PixelWork& work);

  // Bit n: the vertex is behind plane n.
  std::uint32_t behind(const Vertex& vertex) const;
  // What is left of one whose vertices are not all behind the same plane, in order; perhaps nothing.
  std::vector<Vertex> clip(std::vector<Vertex> polygon) const;

 private:
  // A plane: factors of x, y, z, w, or the number of a distance.
  struct Plane {
    std::array<double, 4> factors{};
    int distance = -1;
  };
  static double side(const Plane& plane, const Vertex& vertex);
  static bool inside(const Plane& plane, const Vertex& vertex) { return side(plane, vertex) >= 0; }
  Vertex crossing(const Plane& plane, const Vertex& in, const Vertex& out) const;
  std::vector<Vertex> cut_polygon(const Plane& plane, const std::vector<Vertex>& polygon) const;
  std::vector<Vertex> cut_line(const Plane& plane, const std::vector<Vertex>& line) const;

  const PixelWork& work_;
  std::vector<Plane> planes_;  // in the order in which they cut
};
bool is_finite(const Vertex& vertex);  // its position
// True if the vertex has a place in the window. What the planes leave may have none.
bool is_drawable(const Vertex& vertex);

}  // namespace warpjit::interpret
