#include "frontend/interpret/pixels/clip.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/bits.h"
#include "frontend/interpret/pixels/format.h"

namespace warpjit::interpret {

namespace {

float between(float u, float v, double t) { return static_cast<float>(u + t * (double{v} - double{u})); }

// The value of a use with a plane.
float value_of(const pixels::SlotUse& use, std::uint32_t word) {
  using Part = pixels::SlotUse::Part;
  if (use.part == Part::word) return to_float(word);
  return to_float(from_half(use.part == Part::low_half ? word & 0xffff : word >> 16));
}

}  // namespace

void load_vertex(const PixelWork& work, std::uint64_t index, Vertex& vertex) {
  const auto words = work.vertices.subspan(static_cast<std::size_t>(index) * work.stride, work.slots);
  for (std::size_t n = 0; n < 4; ++n) vertex.position[n] = to_float(words[n]);
  if (work.raster.window_positions) {
    vertex.own_window = vertex.position;
    const double inverse_w = vertex.position[3];
    for (std::size_t n = 0; n < 3; ++n)
      vertex.position[n] = static_cast<float>(vertex.position[n] / inverse_w);
    vertex.position[3] = static_cast<float>(1 / inverse_w);
  }
  for (std::size_t n = 0; n < work.raster.distances.count; ++n)
    vertex.distances[n] = to_float(words[work.raster.distances.first + n]);
}

void load_values(const PixelWork& work, std::uint64_t index, Vertex& vertex) {
  const auto words = work.vertices.subspan(static_cast<std::size_t>(index) * work.stride, work.slots);
  vertex.values.clear();
  for (const pixels::SlotUse& use : work.uses) vertex.values.push_back(value_of(use, words[use.slot]));
}

void take_colors(const PixelWork& work, std::uint64_t provoking, Vertex& vertex) {
  const auto words = work.vertices.subspan(static_cast<std::size_t>(provoking) * work.stride, work.slots);
  for (std::size_t n = 0; n < work.uses.size(); ++n)
    if (const pixels::SlotUse& use = work.uses[n]; use.color)
      vertex.values[n] = value_of(use, words[use.slot]);
}

ClipVolume::ClipVolume(const PixelWork& work) : work_(work) {
  const RasterState& raster = work.raster;
  planes_.reserve(6 + raster.distances.count);
  // |x| and |y| are at most w times this. Points end at the view volume itself.
  const double bound = raster.window_positions ? 32768 : raster.topology == Topology::points ? 1 : 8;
  const bool from_zero = raster.depth_zero_to_one || raster.window_positions;
  const auto [least, most] = raster.window_positions ? raster.clip_bounds : std::array<float, 2>{0, 1};
  if (raster.clip_near) planes_.push_back({{0, 0, 1, from_zero ? -double{least} : 1.0}});
  if (raster.clip_far) planes_.push_back({{0, 0, -1, most}});
  planes_.push_back({{1, 0, 0, bound}});
  planes_.push_back({{-1, 0, 0, bound}});
  planes_.push_back({{0, 1, 0, bound}});
  planes_.push_back({{0, -1, 0, bound}});
  for (int n = 0; n < raster.distances.count; ++n)
    if ((raster.distances.clip >> n & 1) != 0) planes_.push_back({{}, n});
}

double ClipVolume::side(const Plane& plane, const Vertex& vertex) {
  if (plane.distance >= 0) return vertex.distances[static_cast<std::size_t>(plane.distance)];
  double sum = 0;
  for (std::size_t n = 0; n < 4; ++n) sum += plane.factors[n] * vertex.position[n];
  return sum;
}

std::uint32_t ClipVolume::behind(const Vertex& vertex) const {
  std::uint32_t bits = 0;
  for (std::size_t n = 0; n < planes_.size(); ++n)
    if (!inside(planes_[n], vertex)) bits |= std::uint32_t{1} << n;
  return bits;
}

// Where the edge from `in` to `out` leaves the plane.
Vertex ClipVolume::crossing(const Plane& plane, const Vertex& in, const Vertex& out) const {
  const double d_in = side(plane, in), d_out = side(plane, out);
  const double t = d_in / (d_in - d_out);
  const double w_in = in.position[3], w_out = out.position[3];
  const double w = w_in + t * (w_out - w_in);
  const double t_linear = w == 0 ? t : (t * w_out) / w;  // in the window, in which w = 0 has no place
  Vertex result;
  for (std::size_t n = 0; n < 4; ++n) result.position[n] = between(in.position[n], out.position[n], t);
  for (std::size_t n = 0; n < 8; ++n) result.distances[n] = between(in.distances[n], out.distances[n], t);
  for (std::size_t n = 0; n < work_.uses.size(); ++n) {
    const bool linear = work_.uses[n].plane == pixels::SlotUse::Plane::linear;
    result.values.push_back(between(in.values[n], out.values[n], linear ? t_linear : t));
  }
  return result;
}

std::vector<Vertex> ClipVolume::cut_polygon(const Plane& plane, const std::vector<Vertex>& polygon) const {
  std::vector<Vertex> result;
  for (std::size_t n = 0; n < polygon.size(); ++n) {
    const Vertex &from = polygon[n], &to = polygon[(n + 1) % polygon.size()];
    if (inside(plane, from)) result.push_back(from);
    if (inside(plane, from) && !inside(plane, to)) result.push_back(crossing(plane, from, to));
    if (!inside(plane, from) && inside(plane, to)) result.push_back(crossing(plane, to, from));
  }
  return result;
}

std::vector<Vertex> ClipVolume::cut_line(const Plane& plane, const std::vector<Vertex>& line) const {
  const bool first = inside(plane, line[0]), second = inside(plane, line[1]);
  if (first && second) return line;
  if (first) return {line[0], crossing(plane, line[0], line[1])};
  if (second) return {crossing(plane, line[1], line[0]), line[1]};
  return {};
}

std::vector<Vertex> ClipVolume::clip(std::vector<Vertex> polygon) const {
  const bool triangle = polygon.size() == 3;
  if (polygon.size() != 1)
    for (const Plane& plane : planes_)
      if (!std::ranges::all_of(polygon, [&](const Vertex& vertex) { return inside(plane, vertex); }))
        polygon = triangle ? cut_polygon(plane, polygon) : cut_line(plane, polygon);
  if (!std::ranges::all_of(polygon, is_drawable)) polygon.clear();
  return polygon;
}

bool is_finite(const Vertex& vertex) {
  return std::ranges::all_of(vertex.position, [](float coordinate) { return std::isfinite(coordinate); });
}

bool is_drawable(const Vertex& vertex) { return is_finite(vertex) && vertex.position[3] > 0; }

}  // namespace warpjit::interpret
