// Triangles of raster vertices: clipped, in the window, and which pixels they cover with which values
// (docs/pica-pixels.md). Rows grow upwards; row 0 is the lowest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/pica200/facts/fragment.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200::fragment {

// What is interpolated, in the order of RasterVertex::values.
enum Varying : std::uint8_t {
  kQuaternion = 0,
  kColor = 4,
  kCoordinates0 = 8,
  kCoordinates1 = 10,
  kCoordinates2 = 12,
  kCoordinatesW = 14,
  kView = 15,
  kVaryings = 18,
};

struct RasterVertex {
  std::array<float, 4> position{};
  std::array<float, kVaryings> values{};
};

// What is left of a triangle: a polygon, whose triangles (0, n, n + 1) are drawn; perhaps nothing.
std::vector<RasterVertex> clip_triangle(const RasterSetup& raster, const std::array<Vertex, 3>& triangle);

class RasterTriangle {
 public:
  // False: nothing of it is drawn.
  bool set_up(const RasterSetup& raster, const RasterVertex& v0, const RasterVertex& v1,
              const RasterVertex& v2);

  // Columns and rows whose centres may be covered, first and last.
  std::int64_t left() const { return (min_x_ + 7) >> 4; }
  std::int64_t right() const { return (max_x_ - 8) >> 4; }
  std::int64_t bottom() const { return (min_y_ + 7) >> 4; }
  std::int64_t top() const { return (max_y_ - 8) >> 4; }
  bool covers(std::int64_t column, std::int64_t row) const;
  // Twice the area, in 1/256 square pixels; also after set_up() gave false, if the triangle is not too far out.
  std::int64_t area() const { return area_; }

  // Values in the centre of any pixel.
  float depth(std::int32_t column, std::int32_t row) const { return at(depth_, column, row); }
  float w(std::int32_t column, std::int32_t row) const;
  // The value of a varying where w is as above.
  float value(unsigned varying, std::int32_t column, std::int32_t row, float w) const;

 private:
  struct Plane {
    std::uint32_t a = 0, b = 0, c = 0;  // f32
  };
  Plane plane(double a0, double a1, double a2) const;
  float at(const Plane& plane, std::int32_t column, std::int32_t row) const;

  std::array<std::int64_t, 3> x_{}, y_{};  // 1/16 of a pixel
  std::int64_t area_ = 0, min_x_ = 0, max_x_ = -64, min_y_ = 0, max_y_ = -64, origin_x_ = 0, origin_y_ = 0;
  Plane inverse_w_, depth_;
  std::array<Plane, kVaryings> planes_;
};

}  // namespace warpjit::pica200::fragment
