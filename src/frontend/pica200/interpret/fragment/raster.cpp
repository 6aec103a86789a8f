#include "frontend/pica200/interpret/fragment/raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/pica200/interpret/fragment/number.h"

namespace warpjit::pica200::fragment {

namespace f32 = interpret::f32;

namespace {

constexpr double kLeastW = 1e-5, kNearZero = -1e-8;

RasterVertex raster_vertex(const Vertex& vertex) {
  RasterVertex to;
  std::copy_n(vertex.position, 4, to.position.begin());
  const auto copy = [&](const float* from, std::size_t count, std::size_t place) {
    std::copy_n(from, count, to.values.begin() + static_cast<std::ptrdiff_t>(place));
  };
  copy(vertex.quaternion, 4, kQuaternion);
  copy(vertex.color, 4, kColor);
  copy(vertex.texcoord0, 2, kCoordinates0);
  copy(vertex.texcoord1, 2, kCoordinates1);
  copy(vertex.texcoord2, 2, kCoordinates2);
  copy(&vertex.texcoord0_w, 1, kCoordinatesW);
  copy(vertex.view, 3, kView);
  return to;
}

// Quaternions of one triangle take the short way.
void align(const RasterVertex& reference, RasterVertex& vertex) {
  float dot = 0;
  for (std::size_t n = 0; n < 4; ++n) dot += reference.values[n] * vertex.values[n];
  if (dot < 0)
    for (std::size_t n = 0; n < 4; ++n) vertex.values[n] = -vertex.values[n];
}

constexpr unsigned kPlanes = 8;
// The distance of a vertex from a plane, in the order in which they cut: inside is 0 and more.
double distance(const RasterSetup& raster, unsigned plane, const RasterVertex& vertex) {
  constexpr std::array<std::array<float, 4>, kPlanes - 1> kFactors = {
      {{-1, 0, 0, 1}, {1, 0, 0, 1}, {0, -1, 0, 1}, {0, 1, 0, 1}, {0, 0, -1, 0}, {0, 0, 1, 1}, {0, 0, 0, 1}}};
  const std::array<float, 4>& factors = plane < kFactors.size() ? kFactors[plane] : raster.plane;
  const auto term = [&](std::size_t n) { return double{factors[n]} * double{vertex.position[n]}; };
  const double product = ((term(0) + term(1)) + term(2)) + term(3);
  return product + (plane == 6 ? -kLeastW : 0);
}
// Games draw at z = 0, where programs are off by a little.
bool is_inside(unsigned plane, double distance) { return distance >= (plane == 4 ? kNearZero : 0.0); }

RasterVertex crossing(const RasterVertex& in, const RasterVertex& out, double d_in, double d_out) {
  const double t = d_in / (d_in - d_out);
  const auto between = [&](float u, float v) { return static_cast<float>(u + t * (double{v} - double{u})); };
  RasterVertex result;
  for (std::size_t n = 0; n < 4; ++n) result.position[n] = between(in.position[n], out.position[n]);
  for (std::size_t n = 0; n < kVaryings; ++n) result.values[n] = between(in.values[n], out.values[n]);
  return result;
}

}  // namespace

std::vector<RasterVertex> clip_triangle(const RasterSetup& raster, const std::array<Vertex, 3>& triangle) {
  std::vector<RasterVertex> polygon;
  for (const Vertex& vertex : triangle) {
    for (const float coordinate : vertex.position)
      if (!std::isfinite(coordinate)) return {};
    polygon.push_back(raster_vertex(vertex));
  }
  align(polygon[0], polygon[1]);
  align(polygon[0], polygon[2]);
  const unsigned planes = kPlanes - (raster.user_plane ? 0 : 1);
  // Far vertices may round to places inside when they are cut.
  for (unsigned plane = 0; plane < planes; ++plane)
    if (std::ranges::none_of(polygon, [&](const RasterVertex& vertex) {
          return is_inside(plane, distance(raster, plane, vertex));
        }))
      return {};
  for (unsigned plane = 0; plane < planes; ++plane) {
    std::vector<double> distances;
    for (const RasterVertex& vertex : polygon) distances.push_back(distance(raster, plane, vertex));
    std::vector<RasterVertex> left;
    for (std::size_t n = 0; n < polygon.size(); ++n) {
      const std::size_t next = (n + 1) % polygon.size();
      const bool from = is_inside(plane, distances[n]), to = is_inside(plane, distances[next]);
      if (from) left.push_back(polygon[n]);
      if (from && !to) left.push_back(crossing(polygon[n], polygon[next], distances[n], distances[next]));
      if (!from && to) left.push_back(crossing(polygon[next], polygon[n], distances[next], distances[n]));
    }
    polygon = std::move(left);
    if (polygon.size() < 3) return {};
  }
  for (const RasterVertex& vertex : polygon) {
    if (!(vertex.position[3] > 0)) return {};
    for (const float coordinate : vertex.position)
      if (!std::isfinite(coordinate)) return {};
  }
  return polygon;
}

bool RasterTriangle::set_up(const RasterSetup& raster, const RasterVertex& v0, const RasterVertex& v1,
                            const RasterVertex& v2) {
  constexpr double kMostSubpixels = 0x1p22;
  const float center_x = static_cast<float>(raster.half_width) + static_cast<float>(raster.x);
  const float center_y = static_cast<float>(raster.half_height) + static_cast<float>(raster.y);
  const std::array<const RasterVertex*, 3> v = {&v0, &v1, &v2};
  std::array<double, 3> inverse_w{}, z{};
  for (std::size_t n = 0; n < 3; ++n) {
    inverse_w[n] = 1 / double{v[n]->position[3]};
    const double x = ((v[n]->position[0] * inverse_w[n]) * raster.half_width + double{center_x}) * 16;
    const double y = ((v[n]->position[1] * inverse_w[n]) * raster.half_height + double{center_y}) * 16;
    if (!(std::fabs(x) <= kMostSubpixels && std::fabs(y) <= kMostSubpixels)) return false;
    x_[n] = static_cast<std::int64_t>(f32::nearest_integer(x));
    y_[n] = static_cast<std::int64_t>(f32::nearest_integer(y));
    z[n] = v[n]->position[2] * inverse_w[n];
  }
  area_ = (x_[1] - x_[0]) * (y_[2] - y_[0]) - (x_[2] - x_[0]) * (y_[1] - y_[0]);
  std::tie(min_x_, max_x_) = std::minmax({x_[0], x_[1], x_[2]});
  std::tie(min_y_, max_y_) = std::minmax({y_[0], y_[1], y_[2]});
  if (area_ == 0 || (raster.cull == 1 && area_ > 0) || (raster.cull == 2 && area_ < 0)) return false;
  origin_x_ = std::max<std::int64_t>(0, min_x_ >> 4) & ~std::int64_t{1};
  origin_y_ = std::max<std::int64_t>(0, min_y_ >> 4) & ~std::int64_t{1};
  inverse_w_ = plane(inverse_w[0], inverse_w[1], inverse_w[2]);
  depth_ = plane(z[0], z[1], z[2]);
  for (std::size_t n = 0; n < kVaryings; ++n)
    planes_[n] = plane(v0.values[n] * inverse_w[0], v1.values[n] * inverse_w[1], v2.values[n] * inverse_w[2]);
  return true;
}

RasterTriangle::Plane RasterTriangle::plane(double a0, double a1, double a2) const {
  if (!std::isfinite(a0) || !std::isfinite(a1) || !std::isfinite(a2))
    return {f32::kNan, f32::kNan, f32::kNan};
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const double d1 = a1 - a0, d2 = a2 - a0, area = number(area_);
  const double b = ((d1 * number(y_[2] - y_[0]) - d2 * number(y_[1] - y_[0])) * 16) / area;
  const double c = ((d2 * number(x_[1] - x_[0]) - d1 * number(x_[2] - x_[0])) * 16) / area;
  const double a =
      (a0 + b * (number(16 * origin_x_ + 8 - x_[0]) / 16)) + c * (number(16 * origin_y_ + 8 - y_[0]) / 16);
  return {f32::converted(a), f32::converted(b), f32::converted(c)};
}

float RasterTriangle::at(const Plane& plane, std::int32_t column, std::int32_t row) const {
  const auto distance = [](std::int64_t to, std::int64_t from) {
    return to_bits(static_cast<float>(to - from));
  };
  const std::uint32_t along = f32::add(plane.a, f32::mul(plane.c, distance(row, origin_y_)));
  return to_float(f32::add(along, f32::mul(plane.b, distance(column, origin_x_))));
}

float RasterTriangle::w(std::int32_t column, std::int32_t row) const {
  return (Number(1.0f) / at(inverse_w_, column, row)).value;
}

float RasterTriangle::value(unsigned varying, std::int32_t column, std::int32_t row, float w) const {
  return (Number(at(planes_[varying], column, row)) * w).value;
}

bool RasterTriangle::covers(std::int64_t column, std::int64_t row) const {
  const std::int64_t x = 16 * column + 8, y = 16 * row + 8;
  // In the order that makes the area positive.
  constexpr std::size_t kOrders[2][3] = {{0, 1, 2}, {0, 2, 1}};
  const auto& order = kOrders[area_ > 0 ? 0 : 1];
  for (std::size_t n = 0; n < 3; ++n) {
    const std::size_t from = order[n], to = order[(n + 1) % 3];
    const std::int64_t dx = x_[to] - x_[from], dy = y_[to] - y_[from];
    const std::int64_t edge = dx * (y - y_[from]) - dy * (x - x_[from]);
    if (edge < 0 || (edge == 0 && !(dy < 0 || (dy == 0 && dx > 0)))) return false;
  }
  return true;
}

}  // namespace warpjit::pica200::fragment
