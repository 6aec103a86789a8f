#include "pixels/clip.h"

#include "base/bits.h"

namespace warpjit::pixels {

Clipper::Clipper(const VertexTransform& transform, std::span<const SlotUse> uses)
    : transform_(&transform), uses_(uses), stride_(kValues + uses.size()) {}

Position Clipper::position(std::uint32_t vertex) const {
  const float* const p = &pool_[vertex * stride_];
  return {p[0], p[1], p[2], p[3]};
}

double Clipper::distance(unsigned plane, std::uint32_t vertex) const {
  return transform_->distance(plane, position(vertex), &pool_[vertex * stride_ + kDistances]);
}

// Where the edge meets the plane, at distance 0 between `from` (inside) and `to`.
std::uint32_t Clipper::crossing(std::uint32_t inside, std::uint32_t outside, double from, double to) {
  const auto vertex = static_cast<std::uint32_t>(pool_.size() / stride_);
  pool_.resize(pool_.size() + stride_);
  const float *const u = &pool_[inside * stride_], *const v = &pool_[outside * stride_];
  float* const made = &pool_[vertex * stride_];
  const auto between = [](float start, float end, double t) {
    return static_cast<float>(start + t * (static_cast<double>(end) - start));
  };
  const double t = from / (from - to);
  const double start_w = u[3], end_w = v[3], w = start_w + t * (end_w - start_w);
  const double linear = w == 0 ? t : (t * end_w) / w;  // at w = 0 there is no place in the window
  for (std::size_t i = 0; i < kValues; ++i) made[i] = between(u[i], v[i], t);
  for (std::size_t i = 0; i < uses_.size(); ++i)
    made[kValues + i] =
        between(u[kValues + i], v[kValues + i], uses_[i].plane == SlotUse::Plane::linear ? linear : t);
  return vertex;
}

bool Clipper::clip_polygon(unsigned plane) {
  const std::size_t count = polygon_.size();
  distances_.resize(count);
  bool all_inside = true;
  for (std::size_t i = 0; i < count; ++i) {
    distances_[i] = distance(plane, polygon_[i]);
    all_inside = all_inside && transform_->is_inside(plane, distances_[i]);
  }
  if (all_inside) return true;
  next_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + 1 == count ? 0 : i + 1;
    const bool here = transform_->is_inside(plane, distances_[i]),
               there = transform_->is_inside(plane, distances_[j]);
    if (here) next_.push_back(polygon_[i]);
    if (here && !there)
      next_.push_back(crossing(polygon_[i], polygon_[j], distances_[i], distances_[j]));
    else if (!here && there)
      next_.push_back(crossing(polygon_[j], polygon_[i], distances_[j], distances_[i]));
  }
  polygon_.swap(next_);
  return !polygon_.empty();
}

bool Clipper::clip_line(unsigned plane) {
  const double first = distance(plane, polygon_[0]), second = distance(plane, polygon_[1]);
  if (!(first >= 0) && !(second >= 0)) return false;
  if (!(first >= 0)) polygon_[0] = crossing(polygon_[1], polygon_[0], second, first);
  if (!(second >= 0)) polygon_[1] = crossing(polygon_[0], polygon_[1], first, second);
  return true;
}

std::size_t Clipper::clip(std::span<const SourceVertex> vertices) {
  pool_.assign(vertices.size() * stride_, 0);
  polygon_.clear();
  for (std::size_t n = 0; n < vertices.size(); ++n) {
    const std::uint32_t* const words = vertices[n].words;
    float* const vertex = &pool_[n * stride_];
    const Position p = transform_->position(words);
    vertex[0] = p.x;
    vertex[1] = p.y;
    vertex[2] = p.z;
    vertex[3] = p.w;
    for (unsigned i = 0; i < transform_->distances(); ++i)
      vertex[kDistances + i] = to_float(words[transform_->first_distance() + i]);
    for (std::size_t i = 0; i < uses_.size(); ++i) vertex[kValues + i] = use_value(uses_[i], words);
    polygon_.push_back(static_cast<std::uint32_t>(n));
  }
  for (unsigned plane = 0; plane < kPlanes; ++plane) {
    if (!transform_->uses_plane(plane)) continue;
    if (!(vertices.size() == 2 ? clip_line(plane) : clip_polygon(plane))) return 0;
  }
  windows_.clear();
  for (const std::uint32_t vertex : polygon_) {
    windows_.push_back(vertex < vertices.size() ? vertices[vertex].window
                                                : transform_->project(position(vertex)));
    if ((windows_.back().outside & (kNotFinite | kNotInFront)) != 0) return 0;
  }
  return polygon_.size();
}

}  // namespace warpjit::pixels
