#include "pixels/vertex.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace warpjit::pixels {

namespace {

constexpr double kClipGuard = 8, kWindowGuard = 32768, kWindowLimit = 0x1p26;

using TwoDoubles = Vector<double, 2>;
using TwoLongs = Vector<std::int64_t, 2>;
using FourFloats = Vector<float, 4>;
using FourInts = Vector<std::int32_t, 4>;

bool finite(const Position& p) { return (p.x - p.x) + (p.y - p.y) + (p.z - p.z) + (p.w - p.w) == 0; }

// The least f32 that is not below.
float least_above(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

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
  to_center_ = FourInts{128 - state.sample_point[0], 0, 128 - state.sample_point[1], 0};
  step_bits_ = 8 - rules_.subpixel_bits;
  subpixels_ = 1 << rules_.subpixel_bits;
  limit_ = kWindowLimit / (1 << step_bits_);
  guard_ = window_ ? kWindowGuard : kClipGuard;
  const auto& scale = state.viewport_scale;
  const auto& translate = state.viewport_translate;
  scale_ = window_ ? TwoDoubles{1, 1} : TwoDoubles{scale[0], scale[1]};
  translate_ = window_ ? TwoDoubles{0, 0} : TwoDoubles{translate[0], translate[1]};
  depth_scale_ = window_ ? 1 : scale[2];
  depth_translate_ = window_ ? 0 : translate[2];
  first_distance_ = state.distances.first;
  distance_count_ = static_cast<std::uint8_t>(std::min<unsigned>(state.distances.count, kMostDistances));
  const std::uint32_t exist = low_mask<std::uint32_t>(distance_count_);
  used_planes_ = bit_if(state.clip_near, 0) | bit_if(state.clip_far, 1) | 0xFU << kGuardPlane |
                 (state.distances.clip & exist) << kDistancePlane;
  cull_ = state.distances.cull & exist;
  simple_ = rules_.plane_count != 0 && !window_;
  if (rules_.plane_count != 0) used_planes_ = low_mask<std::uint32_t>(rules_.plane_count);
  for (std::size_t plane = 0; plane < rules_.planes.size(); ++plane) {
    const ClipPlane& from = rules_.planes[plane];
    TwoPlanes& to = two_planes_[plane / 2];
    for (std::size_t n = 0; n < from.factors.size(); ++n) to.factors[n][plane % 2] = from.factors[n];
    to.rest[plane % 2] = from.rest;
    to.least[plane % 2] = from.least;
    FourPlanes& simple = four_planes_[plane / 4];
    for (std::size_t n = 0; n < from.factors.size(); ++n)
      simple.factors[n][plane % 4] = static_cast<float>(from.factors[n]);
    simple.least[plane % 4] = least_above(from.rest == 0 ? from.least : -from.rest);
    simple_ = simple_ && (plane >= rules_.plane_count || is_simple(from));
  }
}

bool VertexTransform::is_simple(const ClipPlane& plane) {
  const auto& f = plane.factors;
  const auto zeros = std::count(f.begin(), f.end(), 0.0);
  const bool ones =
      std::all_of(f.begin(), f.end(), [](double factor) { return std::fabs(factor) <= 1; }) &&
      std::all_of(f.begin(), f.end(), [](double factor) { return std::floor(factor) == factor; });
  const bool of_two = zeros == 2 && f[3] != 0 && plane.rest == 0 && plane.least == 0;
  return ones && (of_two || (zeros == 3 && (plane.rest == 0 || plane.least == 0)));
}

inline std::uint32_t VertexTransform::outside_simple(FourFloats p) const {
  const FourFloats x = WARPJIT_SHUFFLE(p, p, 0, 0, 0, 0), y = WARPJIT_SHUFFLE(p, p, 1, 1, 1, 1),
                   z = WARPJIT_SHUFFLE(p, p, 2, 2, 2, 2), w = WARPJIT_SHUFFLE(p, p, 3, 3, 3, 3);
  const auto inside = [&](const FourPlanes& planes) {
    const auto& f = planes.factors;
    return std::bit_cast<FourInts>((((f[0] * x + f[1] * y) + f[2] * z) + f[3] * w) >= planes.least);
  };
  const auto finite = std::bit_cast<FourInts>(p - p == 0);
  constexpr std::uint32_t kFinite = 0xF00;
  const FourInts bits = (inside(four_planes_[0]) & FourInts{1, 2, 4, 8}) |
                        (inside(four_planes_[1]) & FourInts{16, 32, 64, 128}) |
                        (finite & FourInts{256, 512, 1024, 2048});
  const FourInts pairs = bits | WARPJIT_SHUFFLE(bits, bits, 2, 3, 0, 1);
  const auto all = static_cast<std::uint32_t>(pairs[0] | pairs[1]);
  return (~all & used_planes_) | ((all & kFinite) == kFinite ? 0U : std::uint32_t{kNotFinite});
}

std::uint32_t VertexTransform::outside_rules(const Position& position) const {
  TwoLongs inside{};
  TwoLongs bits{1, 2};
  for (const TwoPlanes& planes : two_planes_) {
    const auto& f = planes.factors;
    const TwoDoubles distances =
        ((f[0] * position.x + f[1] * position.y) + f[2] * position.z) + f[3] * position.w + planes.rest;
    inside |= std::bit_cast<TwoLongs>(distances >= planes.least) & bits;
    bits = bits << 2;
  }
  return ~static_cast<std::uint32_t>(inside[0] | inside[1]) & used_planes_;
}

bool VertexTransform::to_subpixels(const TwoDoubles& pixels, WindowVertex& vertex) const {
  const TwoDoubles fine = pixels * subpixels_;
  const auto held = (fine <= limit_) & (fine >= -limit_);
  if ((held[0] & held[1]) == 0) {
    vertex.x = vertex.y = 0;
    return false;
  }
  // Adding this rounds to an integer, ties to even, which is then in the low half.
  constexpr double kRound = 0x1.8p52;
  const FourInts rounded = (std::bit_cast<FourInts>(fine + kRound) << step_bits_) + to_center_;
  vertex.x = rounded[0];
  vertex.y = rounded[2];
  return true;
}

Position VertexTransform::position(const std::uint32_t* words) const {
  const Position given{to_float(words[0]), to_float(words[1]), to_float(words[2]), to_float(words[3])};
  if (!window_) return given;
  const double inverse = given.w;
  return {static_cast<float>(given.x / inverse), static_cast<float>(given.y / inverse),
          static_cast<float>(given.z / inverse), static_cast<float>(1 / inverse)};
}

void VertexTransform::simple_vertex(const std::uint32_t* words, WindowVertex& vertex) const {
  FourFloats p;
  std::memcpy(&p, words, sizeof p);
  to_window({p[0], p[1], p[2], p[3]}, vertex);
  vertex.outside |= outside_simple(p);
}

void VertexTransform::any_vertex(const std::uint32_t* words, WindowVertex& result) const {
  const Position p = position(words);
  result = project(p);
  if (window_) {
    result.inverse_w = to_float(words[3]);
    result.depth = to_float(words[2]);
    result.outside &= ~std::uint32_t{kBeyond};
    if (!to_subpixels(TwoDoubles{to_float(words[0]), to_float(words[1])}, result)) result.outside |= kBeyond;
  }
  if (rules_.plane_count != 0) {
    result.outside |= outside_rules(p);
    return;
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
}

WindowVertex VertexTransform::project(const Position& p) const {
  WindowVertex vertex;
  to_window(p, vertex);
  if (!finite(p)) vertex.outside |= kNotFinite;
  return vertex;
}

void VertexTransform::to_window(const Position& p, WindowVertex& vertex) const {
  vertex.outside = p.w > 0 ? 0U : std::uint32_t{kNotInFront};
  vertex.inverse_w = 1 / static_cast<double>(p.w);
  if (!to_subpixels((TwoDoubles{p.x, p.y} * vertex.inverse_w) * scale_ + translate_, vertex))
    vertex.outside |= kBeyond;
  vertex.depth = (p.z * vertex.inverse_w) * depth_scale_ + depth_translate_;
}

}  // namespace warpjit::pixels
