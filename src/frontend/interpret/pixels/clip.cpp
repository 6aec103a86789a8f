#include "frontend/interpret/pixels/clip.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/bits.h"
#include "frontend/interpret/pixels/format.h"

namespace warpjit::interpret {

namespace {

// A plane: factors of x, y, z, w, or the number of a distance.
struct ClipPlane {
  std::array<double, 4> factors{};
  int distance = -1;
};

double side(const ClipPlane& plane, const Vertex& vertex) {
  if (plane.distance >= 0) return vertex.distances[static_cast<std::size_t>(plane.distance)];
  double sum = 0;
  for (std::size_t n = 0; n < 4; ++n) sum += plane.factors[n] * vertex.position[n];
  return sum;
}
bool inside(const ClipPlane& plane, const Vertex& vertex) { return side(plane, vertex) >= 0; }

// In the order in which they cut. |x| and |y| are at most w times `bound`.
std::vector<ClipPlane> planes_of(const RasterState& raster, double bound) {
  std::vector<ClipPlane> planes;
  planes.reserve(6 + raster.distances.count);
  const bool from_zero = raster.depth_zero_to_one || raster.window_positions;
  const auto [least, most] = raster.window_positions ? raster.depth_bounds : std::array<float, 2>{0, 1};
  if (raster.clip_near) planes.push_back({{0, 0, 1, from_zero ? -double{least} : 1.0}});
  if (raster.clip_far) planes.push_back({{0, 0, -1, most}});
  planes.push_back({{1, 0, 0, bound}});
  planes.push_back({{-1, 0, 0, bound}});
  planes.push_back({{0, 1, 0, bound}});
  planes.push_back({{0, -1, 0, bound}});
  for (int n = 0; n < raster.distances.count; ++n)
    if ((raster.distances.clip >> n & 1) != 0) planes.push_back({{}, n});
  return planes;
}

float between(float u, float v, double t) { return static_cast<float>(u + t * (double{v} - double{u})); }

// Where the edge from `in` to `out` leaves the plane.
Vertex crossing(const ClipPlane& plane, const Vertex& in, const Vertex& out,
                std::span<const pixels::SlotUse> uses) {
  const double d_in = side(plane, in), d_out = side(plane, out);
  const double t = d_in / (d_in - d_out);
  const double w_in = in.position[3], w_out = out.position[3];
  const double t_linear = (t * w_out) / (w_in + t * (w_out - w_in));  // in the window
  Vertex result;
  for (std::size_t n = 0; n < 4; ++n) result.position[n] = between(in.position[n], out.position[n], t);
  for (std::size_t n = 0; n < 8; ++n) result.distances[n] = between(in.distances[n], out.distances[n], t);
  for (std::size_t n = 0; n < uses.size(); ++n) {
    const bool linear = uses[n].plane == pixels::SlotUse::Plane::linear;
    result.values.push_back(between(in.values[n], out.values[n], linear ? t_linear : t));
  }
  return result;
}

std::vector<Vertex> cut_polygon(const ClipPlane& plane, const std::vector<Vertex>& polygon,
                                std::span<const pixels::SlotUse> uses) {
  std::vector<Vertex> result;
  for (std::size_t n = 0; n < polygon.size(); ++n) {
    const Vertex &from = polygon[n], &to = polygon[(n + 1) % polygon.size()];
    if (inside(plane, from)) result.push_back(from);
    if (inside(plane, from) && !inside(plane, to)) result.push_back(crossing(plane, from, to, uses));
    if (!inside(plane, from) && inside(plane, to)) result.push_back(crossing(plane, to, from, uses));
  }
  return result;
}

std::vector<Vertex> cut_line(const ClipPlane& plane, const std::vector<Vertex>& line,
                             std::span<const pixels::SlotUse> uses) {
  const bool first = inside(plane, line[0]), second = inside(plane, line[1]);
  if (first && second) return line;
  if (first) return {line[0], crossing(plane, line[0], line[1], uses)};
  if (second) return {crossing(plane, line[1], line[0], uses), line[1]};
  return {};
}

// Of a use with a plane.
float value_of(const pixels::SlotUse& use, std::uint32_t word) {
  using Part = pixels::SlotUse::Part;
  if (use.part == Part::word) return to_float(word);
  return to_float(from_half(use.part == Part::low_half ? word & 0xffff : word >> 16));
}

bool is_finite(const Vertex& vertex) {
  return std::ranges::all_of(vertex.position, [](float coordinate) { return std::isfinite(coordinate); });
}

}  // namespace

Vertex load_vertex(const PixelWork& work, std::uint64_t index) {
  const auto words = work.vertices.subspan(static_cast<std::size_t>(index) * work.stride, work.slots);
  Vertex vertex;
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
  for (const pixels::SlotUse& use : work.uses) vertex.values.push_back(value_of(use, words[use.slot]));
  return vertex;
}

bool is_drawn(const RasterState& raster, std::span<const Vertex> vertices) {
  if (!std::ranges::all_of(vertices, is_finite)) return false;
  for (std::size_t n = 0; n < raster.distances.count; ++n) {
    const bool culls = (raster.distances.cull >> n & 1) != 0;
    if (culls && std::ranges::none_of(vertices, [&](const Vertex& v) { return v.distances[n] >= 0; }))
      return false;
  }
  return true;
}

std::vector<Vertex> clip(const PixelWork& work, std::vector<Vertex> polygon) {
  // Points end at the view volume itself.
  const bool point = polygon.size() == 1;
  const double bound = work.raster.window_positions ? 32768 : point ? 1 : 8;
  const std::vector<ClipPlane> planes = planes_of(work.raster, bound);
  const auto is_inside = [](const ClipPlane& plane) {
    return [&plane](const Vertex& vertex) { return inside(plane, vertex); };
  };
  for (const ClipPlane& plane : planes)
    if (std::ranges::none_of(polygon, is_inside(plane))) return {};

  const auto cut = polygon.size() == 3 ? cut_polygon : cut_line;
  if (!point)
    for (const ClipPlane& plane : planes)
      if (!std::ranges::all_of(polygon, is_inside(plane))) polygon = cut(plane, polygon, work.uses);
  const auto drawable = [](const Vertex& vertex) { return is_finite(vertex) && vertex.position[3] > 0; };
  if (!std::ranges::all_of(polygon, drawable)) polygon.clear();
  return polygon;
}

}  // namespace warpjit::interpret
