#include "pixels/vertex.h"

#include <algorithm>
#include <bit>

namespace warpjit::pixels {

namespace {

constexpr double kClipGuard = 8, kWindowGuard = 32768, kWindowLimit = 0x1p26;

using TwoDoubles = Vector<double, 2>;
using TwoLongs = Vector<std::int64_t, 2>;

bool finite(const Position& p) { return (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (p.w - p.w) == 0; }

std::uint32_t bit_if(bool condition, unsigned bit) { return std::uint32_t{condition} << bit; }

}  // namespace

float half_value(std::uint32_t half) {
  const std::uint32_t magnitude = half & 0x7fff, sign = half << 16 & 0x80000000;
  // Exponents have other biases; infinity and NaN keep theirs, and denormals are multiples of 2^-24.
  const std::uint32_t normal = (magnitude << 13) + (magnitude >= 0x7c00 ? 224U << 23 : 112U << 23);
  return to_float(sign | (magnitude < 0x400 ? to_bits(static_cast<float>(magnitude) * 0x1p-24F) : normal));
}

VertexTransform::VertexTransform(const RasterState& state, const RasterRules& rules) : rules_(rules) {
  window_ = state.window_positions;
  zero_to_one_ = window_ || state.depth_zero_to_one;
  if (window_) {
    least_ = state.clip_bounds[0];
    most_ = state.clip_bounds[1];
  }
  to_x_ = 128 - state.sample_point[0];
  to_y_ = 128 - state.sample_point[1];
  step_ = 256 >> rules_.subpixel_bits;
  subpixels_ = 1 << rules_.subpixel_bits;
  limit_ = kWindowLimit / step_;
  guard_ = window_ ? kWindowGuard : kClipGuard;
  for (unsigned axis = 0; axis < 3; ++axis) {
    scale_[axis] = window_ ? 1 : state.viewport_scale[axis];
    translate_[axis] = window_ ? 0 : state.viewport_translate[axis];
  }
  first_distance_ = state.distances.first;
  distance_count_ = static_cast<std::uint8_t>(std::min<unsigned>(state.distances.count, kMostDistances));
  const std::uint32_t exist = low_mask<std::uint32_t>(distance_count_);
  used_planes_ = bit_if(state.clip_near, 0) | bit_if(state.clip_far, 1) | 0xFU << kGuardPlane |
                 (state.distances.clip & exist) << kDistancePlane;
  cull_ = state.distances.cull & exist;
  if (rules_.plane_count != 0) used_planes_ = low_mask<std::uint32_t>(rules_.plane_count);
  for (std::size_t plane = 0; plane < rules_.planes.size(); ++plane) {
    const ClipPlane& from = rules_.planes[plane];
    TwoPlanes& to = two_planes_[plane / 2];
    for (std::size_t n = 0; n < from.factors.size(); ++n) to.factors[n][plane % 2] = from.factors[n];
    to.rest[plane % 2] = from.rest;
    to.least[plane % 2] = from.least;
  }
}

std::uint32_t VertexTransform::outside_rules(const Position& position) const {
  TwoLongs inside{};
  TwoLongs bits{1, 2};
  for (const TwoPlanes& planes : two_planes_) {
    const auto& f = planes.factors;
    const TwoDoubles distances =
        ((f[0] * position.x + f[1] * position.y) + f[2] * position.z) + f[3] * position.w + planes.rest;
    inside |= std::bit_cast<TwoLongs>(distances >= planes.least) & bits;
    bits <<= 2;
  }
  return ~static_cast<std::uint32_t>(inside[0] | inside[1]) & used_planes_;
}

bool VertexTransform::to_subpixels(double x, double y, WindowVertex& vertex) const {
  const TwoDoubles pixels{x, y};
  const TwoDoubles fine = pixels * subpixels_;
  const auto held = (fine <= limit_) & (fine >= -limit_);
  if ((held[0] & held[1]) == 0) {
    vertex.x = vertex.y = 0;
    return false;
  }
  // Adding this rounds to an integer, ties to even, which is then in the low half.
  constexpr double kRound = 0x1.8p52;
  const auto rounded = std::bit_cast<Vector<std::int32_t, 4>>(fine + kRound);
  vertex.x = rounded[0] * step_ + to_x_;
  vertex.y = rounded[2] * step_ + to_y_;
  return true;
}

Position VertexTransform::position(const std::uint32_t* words) const {
  const Position given{to_float(words[0]), to_float(words[1]), to_float(words[2]), to_float(words[3])};
  if (!window_) return given;
  const double inverse = given.w;
  return {static_cast<float>(given.x / inverse), static_cast<float>(given.y / inverse),
          static_cast<float>(given.z / inverse), static_cast<float>(1 / inverse)};
}

WindowVertex VertexTransform::vertex(const std::uint32_t* words) const {
  const Position p = position(words);
  WindowVertex result = project(p);
  if (window_) {
    result.inverse_w = to_float(words[3]);
    result.depth = to_float(words[2]);
    result.outside &= ~std::uint32_t{kBeyond};
    if (!to_subpixels(to_float(words[0]), to_float(words[1]), result)) result.outside |= kBeyond;
  }
  if (rules_.plane_count != 0) {
    result.outside |= outside_rules(p);
    return result;
  }
  const double x = p.x, y = p.y, z = p.z, w = p.w, guard = guard_ * w;
  std::uint32_t outside = bit_if(!(near_distance(z, w) >= 0), 0) | bit_if(!(far_distance(z, w) >= 0), 1) |
                          bit_if(!(guard + x >= 0), 2) | bit_if(!(guard - x >= 0), 3) |
                          bit_if(!(guard + y >= 0), 4) | bit_if(!(guard - y >= 0), 5);
  if (!window_ && !(w + x >= 0 && w - x >= 0 && w + y >= 0 && w - y >= 0)) outside |= kVolume;
  for (unsigned n = 0; n < distance_count_; ++n) {
    const bool negative = !(to_float(words[first_distance_ + n]) >= 0);
    outside |= bit_if(negative, kDistancePlane + n);
    if ((cull_ >> n & 1) != 0 && negative) outside |= kFirstCull << n;
  }
  result.outside |= outside & (used_planes_ | ~std::uint32_t{kClipPlanes});
  return result;
}

WindowVertex VertexTransform::project(const Position& p) const {
  WindowVertex vertex;
  vertex.outside = 0;
  if (!finite(p)) vertex.outside |= kNotFinite;
  if (!(p.w > 0)) vertex.outside |= kNotInFront;
  vertex.inverse_w = 1 / static_cast<double>(p.w);
  const double x = (p.x * vertex.inverse_w) * scale_[0] + translate_[0];
  const double y = (p.y * vertex.inverse_w) * scale_[1] + translate_[1];
  vertex.depth = (p.z * vertex.inverse_w) * scale_[2] + translate_[2];
  if (!to_subpixels(x, y, vertex)) vertex.outside |= kBeyond;
  return vertex;
}

}  // namespace warpjit::pixels
