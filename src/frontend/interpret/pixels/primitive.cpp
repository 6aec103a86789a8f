#include "frontend/interpret/pixels/primitive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"

namespace warpjit::interpret {

namespace {

using UsePlane = pixels::SlotUse::Plane;

// Twice the area, in square subpixels.
std::int64_t area_of(const std::array<WindowVertex, 3>& v) {
  return (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
}

// What is not a number everywhere has no plane.
constexpr Plane kNoPlane = {f32::kNan, f32::kNan, f32::kNan};
// The same everywhere.
Plane level(double a) { return std::isfinite(a) ? Plane{f32::converted(a), 0, 0} : kNoPlane; }

// Half of the side of a point or of a line's width, in subpixels; none: nothing is drawn.
std::optional<std::int64_t> half_size(float size) {
  constexpr float kMaxSize = 16384;
  if (!(size > 0)) return std::nullopt;
  const auto half = static_cast<std::int64_t>(std::nearbyint(double{std::min(size, kMaxSize)} * 128));
  return half != 0 ? std::optional(half) : std::nullopt;
}

// The smallest step of depths up to `largest`.
double depth_step(PixelFormat format, double largest) {
  if (format == PixelFormat::d16) return 0x1p-16;
  if (format == PixelFormat::d24s8) return 0x1p-24;
  if (format != PixelFormat::d32f) return 0;
  const bool normal = largest >= 0x1p-126 && std::isfinite(largest);
  return std::ldexp(1.0, (normal ? std::ilogb(largest) : -126) - 23);
}

// What the plane of a use is set up from.
double planar(const WindowVertex& vertex, const pixels::SlotUse& use, std::size_t number) {
  const double value = vertex.values[number];
  return use.plane == UsePlane::perspective ? value * vertex.inverse_w : value;
}

class Triangle final : public RasterPrimitive {
 public:
  Triangle(const Source& source, const std::array<WindowVertex, 3>& v, bool front_facing)
      : RasterPrimitive(source), area_(area_of(v)) {
    front_facing_ = front_facing;
    for (std::size_t n = 0; n < 3; ++n) {
      x_[n] = v[n].x;
      y_[n] = v[n].y;
    }
    const auto [left, right] = std::ranges::minmax(x_);
    const auto [top, bottom] = std::ranges::minmax(y_);
    set_box({left, top, right, bottom}, false);

    inverse_w_ = plane(v[0].inverse_w, v[1].inverse_w, v[2].inverse_w);
    depth_ = rounded(exact_plane(v[0].z, v[1].z, v[2].z, {}));
    planes_.reserve(source.uses.size());
    for (std::size_t n = 0; n < source.uses.size(); ++n) {
      const pixels::SlotUse& use = source.uses[n];
      planes_.push_back(use.plane == UsePlane::none
                            ? Plane{}
                            : plane(planar(v[0], use, n), planar(v[1], use, n), planar(v[2], use, n)));
    }
  }

  bool covers(std::int64_t x, std::int64_t y) const override {
    // In the order that makes the area positive.
    const std::array<std::size_t, 3> order =
        area_ > 0 ? std::array<std::size_t, 3>{0, 1, 2} : std::array<std::size_t, 3>{0, 2, 1};
    for (std::size_t n = 0; n < 3; ++n) {
      const std::size_t from = order[n], to = order[(n + 1) % 3];
      const std::int64_t dx = x_[to] - x_[from], dy = y_[to] - y_[from];
      const std::int64_t edge = dx * (y - y_[from]) - dy * (x - x_[from]);
      const bool top_or_left = dy < 0 || (dy == 0 && dx > 0);
      if (edge < 0 || (edge == 0 && !top_or_left)) return false;
    }
    return true;
  }

  void move_depth(const RasterState::DepthBias& bias, const std::array<WindowVertex, 3>& v) {
    if (bias.units == 0 && bias.slope == 0) return;
    std::array<double, 3> abc = exact_plane(v[0].z, v[1].z, v[2].z, {});
    const double steepest = std::max(std::fabs(abc[1]), std::fabs(abc[2]));
    const double largest = std::max({std::fabs(v[0].z), std::fabs(v[1].z), std::fabs(v[2].z)});
    double by = bias.slope * steepest + bias.units * depth_step(source_.depth_format, largest);
    if (bias.clamp > 0 && by > bias.clamp) by = bias.clamp;
    if (bias.clamp < 0 && by < bias.clamp) by = bias.clamp;
    if (!std::isnan(by)) abc[0] += by;
    depth_ = rounded(abc);
  }

 private:
  Plane plane(double a0, double a1, double a2) const {
    return rounded(exact_plane(a0, a1, a2, source_.to_center));
  }

  static Plane rounded(const std::array<double, 3>& abc) {
    return {f32::converted(abc[0]), f32::converted(abc[1]), f32::converted(abc[2])};
  }

  // A, B and C; the plane's places are so far from the samples.
  std::array<double, 3> exact_plane(double a0, double a1, double a2,
                                    const std::array<std::int64_t, 2>& from_samples) const {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(a0) || !std::isfinite(a1) || !std::isfinite(a2)) return {kNan, kNan, kNan};
    const auto number = [](std::int64_t x) { return static_cast<double>(x); };
    const double d1 = a1 - a0, d2 = a2 - a0, area = number(area_);
    const double b = (d1 * number(y_[2] - y_[0]) - d2 * number(y_[1] - y_[0])) * 256 / area;
    const double c = (d2 * number(x_[1] - x_[0]) - d1 * number(x_[2] - x_[0])) * 256 / area;
    const double x = number(256 * origin_x_ + 128 + from_samples[0] - x_[0]) / 256;
    const double y = number(256 * origin_y_ + 128 + from_samples[1] - y_[0]) / 256;
    return {(a0 + b * x) + c * y, b, c};
  }

  std::array<std::int64_t, 3> x_{}, y_{};
  std::int64_t area_;
};

// A square.
class Point final : public RasterPrimitive {
 public:
  Point(const Source& source, const WindowVertex& v, std::int64_t half_side)
      : RasterPrimitive(source), x_(v.x), y_(v.y), half_side_(half_side) {
    set_box({x_ - half_side, y_ - half_side, x_ + half_side, y_ + half_side}, true);
    inverse_w_ = level(v.inverse_w);
    depth_ = level(v.z);
    planes_.reserve(source.uses.size());
    for (std::size_t n = 0; n < source.uses.size(); ++n) {
      const pixels::SlotUse& use = source.uses[n];
      planes_.push_back(use.sprite == Sprite::none ? level(planar(v, use, n)) : sprite(v, use));
    }
  }
  bool covers(std::int64_t x, std::int64_t y) const override {
    return x_ - half_side_ <= x && x < x_ + half_side_ && y_ - half_side_ <= y && y < y_ + half_side_;
  }

 private:
  using Sprite = pixels::SlotUse::Sprite;

  // The coordinate at the centre of the first pixel, and its steps from column to column and row to row.
  Plane sprite(const WindowVertex& v, const pixels::SlotUse& use) const {
    const auto side = static_cast<double>(2 * half_side_);
    const double step = 256 / side;
    const auto [to_x, to_y] = source_.to_center;
    const double across = static_cast<double>(256 * origin_x_ + 128 + to_x - (x_ - half_side_)) / side;
    const double down = static_cast<double>(256 * origin_y_ + 128 + to_y - (y_ - half_side_)) / side;
    std::array<double, 3> abc{};
    if (use.sprite == Sprite::from_left) abc = {across, step, 0};
    if (use.sprite == Sprite::from_top) abc = {down, 0, step};
    if (use.sprite == Sprite::from_bottom) abc = {1 - down, 0, -step};
    if (use.sprite == Sprite::one) abc = {1, 0, 0};
    if (use.plane == UsePlane::perspective) {
      if (!std::isfinite(v.inverse_w)) return kNoPlane;
      for (double& coefficient : abc) coefficient *= v.inverse_w;
    }
    return {f32::converted(abc[0]), f32::converted(abc[1]), f32::converted(abc[2])};
  }

  std::int64_t x_, y_, half_side_;
};

}  // namespace

std::array<std::int64_t, 2> from_sample(const RasterState& raster) {
  return {128 - std::int64_t{raster.sample_point[0]}, 128 - std::int64_t{raster.sample_point[1]}};
}

std::optional<WindowVertex> to_window(const RasterState& raster, const Vertex& vertex) {
  WindowVertex window;
  double column, row;  // in pixels
  if (vertex.own_window) {
    const auto& own = *vertex.own_window;
    column = own[0];
    row = own[1];
    window.z = own[2];
    window.inverse_w = own[3];
  } else {
    const double inverse_w = 1 / double{vertex.position[3]};
    const auto place = [&](std::size_t n) {
      const double along = vertex.position[n] * inverse_w;
      return raster.window_positions ? along
                                     : along * raster.viewport_scale[n] + raster.viewport_translate[n];
    };
    column = place(0);
    row = place(1);
    window.z = place(2);
    window.inverse_w = inverse_w;
  }
  constexpr double kMaxSubpixel = 0x1p26;
  if (!(std::fabs(column * 256) <= kMaxSubpixel && std::fabs(row * 256) <= kMaxSubpixel)) return std::nullopt;
  const auto [to_x, to_y] = from_sample(raster);
  window.x = static_cast<std::int64_t>(f32::nearest_integer(column * 256)) + to_x;
  window.y = static_cast<std::int64_t>(f32::nearest_integer(row * 256)) + to_y;
  window.values = vertex.values;
  return window;
}

void RasterPrimitive::set_box(const Box& box, bool is_open) {
  box_ = {box.left >> 8, box.top >> 8, box.right >> 8, box.bottom >> 8};
  const std::int64_t last = is_open ? 129 : 128;
  centers_ = {(box.left + 127) >> 8, (box.top + 127) >> 8, (box.right - last) >> 8, (box.bottom - last) >> 8};
  origin_x_ = std::max<std::int64_t>(box_.left, 0) & ~1;
  origin_y_ = std::max<std::int64_t>(box_.top, 0) & ~1;
}

std::uint32_t RasterPrimitive::value(unsigned use, std::int32_t x, std::int32_t y) const {
  return at(planes_[use], x, y, 0, 0);
}

std::uint32_t RasterPrimitive::inverse_w(std::int32_t x, std::int32_t y) const {
  return at(inverse_w_, x, y, 0, 0);
}
std::uint32_t RasterPrimitive::value_at(unsigned use, std::int32_t x, std::int32_t y, float dx,
                                        float dy) const {
  return at(planes_[use], x, y, dx, dy);
}
std::uint32_t RasterPrimitive::inverse_w_at(std::int32_t x, std::int32_t y, float dx, float dy) const {
  return at(inverse_w_, x, y, dx, dy);
}
std::uint32_t RasterPrimitive::depth(std::int32_t x, std::int32_t y) const {
  return f32::limited(at(depth_, x, y, 0, 0), source_.depth_bounds[0], source_.depth_bounds[1]);
}

std::uint32_t RasterPrimitive::at(const Plane& plane, std::int32_t x, std::int32_t y, float dx,
                                  float dy) const {
  const auto distance = [](std::int64_t to, std::int64_t from, float away) {
    const std::uint32_t whole = to_bits(static_cast<float>(to - from));
    return away == 0 ? whole : f32::add(whole, to_bits(away));
  };
  const std::uint32_t row = f32::add(plane.a, f32::mul(plane.c, distance(y, origin_y_, dy)));
  return f32::add(row, f32::mul(plane.b, distance(x, origin_x_, dx)));
}

std::unique_ptr<RasterPrimitive> make_triangle(const RasterState& raster, const Source& source,
                                               const std::array<WindowVertex, 3>& vertices, Ending& ending) {
  const std::int64_t area = area_of(vertices);
  ending = &DrawCounts::empty;
  if (area == 0) return nullptr;
  const bool front_facing = (area > 0) == raster.positive_is_front;
  ending = &DrawCounts::culled;
  if (front_facing ? raster.cull_front : raster.cull_back) return nullptr;
  auto triangle = std::make_unique<Triangle>(source, vertices, front_facing);
  triangle->move_depth(raster.depth_bias, vertices);
  return triangle;
}

std::unique_ptr<RasterPrimitive> make_point(const RasterState& raster, const Source& source,
                                            const WindowVertex& vertex, Ending& ending) {
  const auto half = half_size(raster.point_size_slot != 0 ? to_float(source.provoking[raster.point_size_slot])
                                                          : raster.point_size);
  ending = &DrawCounts::empty;
  return half ? std::make_unique<Point>(source, vertex, *half) : nullptr;
}

std::array<std::unique_ptr<RasterPrimitive>, 2> make_line(const RasterState& raster, const Source& source,
                                                          const std::array<WindowVertex, 2>& vertices,
                                                          Ending& ending) {
  const auto half = half_size(raster.line_width);
  ending = &DrawCounts::empty;
  if (!half) return {};
  const auto& [from, to] = vertices;
  const bool more_columns = std::abs(to.x - from.x) >= std::abs(to.y - from.y);
  const auto moved = [&](WindowVertex vertex, std::int64_t distance) {
    (more_columns ? vertex.y : vertex.x) += distance;
    return vertex;
  };
  const WindowVertex a = moved(from, -*half), b = moved(to, -*half), c = moved(to, *half),
                     d = moved(from, *half);
  const auto triangle = [&](const std::array<WindowVertex, 3>& corners) {
    return area_of(corners) == 0 ? nullptr : std::make_unique<Triangle>(source, corners, true);
  };
  return {triangle({a, b, c}), triangle({a, c, d})};
}

}  // namespace warpjit::interpret
