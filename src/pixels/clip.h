// Clipping in homogeneous space (docs/pixels.md, 3). Seldom needed, so plain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pixels/records.h"
#include "pixels/vertex.h"

namespace warpjit::pixels {

// A vertex of a primitive as it came.
struct SourceVertex {
  WindowVertex window;
  const std::uint32_t* words;
};

class Clipper {
 public:
  // `uses` are those with a plane; they outlive the clipper.
  Clipper(const VertexTransform& transform, std::span<const SlotUse> uses);

  // Clips a triangle (three vertices) or a line (two). The result has as many vertices as it returns: 0 if
  // nothing is left.
  std::size_t clip(std::span<const SourceVertex> vertices);

  // Vertex n of the result, and its values of the uses.
  const WindowVertex& window(std::size_t n) const { return windows_[n]; }
  const float* values(std::size_t n) const { return &pool_[std::size_t{polygon_[n]} * stride_ + kValues]; }

 private:
  // A vertex in the pool: position, distances, values.
  static constexpr std::size_t kDistances = 4, kValues = kDistances + kMostDistances;

  double distance(unsigned plane, std::uint32_t vertex) const;
  std::uint32_t crossing(std::uint32_t inside, std::uint32_t outside, double from, double to);
  bool clip_polygon(unsigned plane);
  bool clip_line(unsigned plane);
  Position position(std::uint32_t vertex) const;

  const VertexTransform* transform_;
  std::span<const SlotUse> uses_;
  std::size_t stride_;
  std::vector<float> pool_;
  std::vector<std::uint32_t> polygon_, next_;
  std::vector<double> distances_;
  std::vector<WindowVertex> windows_;
};

}  // namespace warpjit::pixels
