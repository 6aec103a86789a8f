#include "pixels/vertex.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "base/cpu.h"

#if WARPJIT_HOST_X64
#include <immintrin.h>
#endif

namespace warpjit::pixels {

namespace {

// Adding this rounds to an integer, ties to even, which is then in the low half.
constexpr double kRound = 0x1.8p52;

constexpr double kClipGuard = 8, kWindowGuard = 32768, kWindowLimit = 0x1p26;

using TwoDoubles = Vector<double, 2>;
using TwoLongs = Vector<std::int64_t, 2>;

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
  to_x_ = 128 - state.sample_point[0];
  to_y_ = 128 - state.sample_point[1];
  step_bits_ = 8 - rules_.subpixel_bits;
  subpixels_ = 1 << rules_.subpixel_bits;
  limit_ = kWindowLimit / (1 << step_bits_);
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
  const std::span planes(rules_.planes.begin(), rules_.plane_count);
  simple_ = !planes.empty() && !window_ && cpu::has(cpu::Feature::avx2) &&
            std::all_of(planes.begin(), planes.end(), is_simple);
  if (!simple_) two_planes_ = {};
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    const ClipPlane& from = planes[plane];
    if (simple_) {
      for (std::size_t n = 0; n < from.factors.size(); ++n)
        simple_planes_.factors[n][plane] = static_cast<float>(from.factors[n]);
      simple_planes_.least[plane] = least_above(from.rest == 0 ? from.least : -from.rest);
      continue;
    }
    TwoPlanes& to = two_planes_[plane / 2];
    for (std::size_t n = 0; n < from.factors.size(); ++n) to.factors[n][plane % 2] = from.factors[n];
    to.rest[plane % 2] = from.rest;
    to.least[plane % 2] = from.least;
  }
}

bool VertexTransform::is_simple(const ClipPlane& plane) {
  double sum = 0;  // as many factors as are not 0, if all others are 1 or -1
  bool ones = true;
  for (const double factor : plane.factors) {
    ones = ones && factor * factor == std::fabs(factor);
    sum += std::fabs(factor);
  }
  if (!ones) return false;
  if (sum == 1) return plane.rest == 0 || plane.least == 0;
  return sum == 2 && plane.factors[3] != 0 && plane.rest == 0 && plane.least == 0;
}

#if WARPJIT_HAS_TARGETS
WARPJIT_TARGET("avx2")
void VertexTransform::simple_vertex_v3(const std::uint32_t* words, WindowVertex& vertex) const {
  const float* const given = reinterpret_cast<const float*>(words);
  const __m128 p = _mm_loadu_ps(given);
  // In f64: x, y, z, and w, of whose window coordinate nothing is used.
  const __m256d all = _mm256_cvtps_pd(p);
  const __m128d one = _mm_set_sd(1), w = _mm256_castpd256_pd128(_mm256_permute4x64_pd(all, 3));
  const __m128d inverse_w = _mm_div_sd(one, w);
  const __m256d window = _mm256_add_pd(
      _mm256_mul_pd(_mm256_mul_pd(all, _mm256_broadcastsd_pd(inverse_w)), _mm256_loadu_pd(scale_.data())),
      _mm256_loadu_pd(translate_.data()));
  static_assert(offsetof(WindowVertex, depth) == offsetof(WindowVertex, inverse_w) + sizeof(double));
  _mm_storeu_pd(&vertex.inverse_w, _mm_unpacklo_pd(inverse_w, _mm256_extractf128_pd(window, 1)));
  // As to_subpixels().
  const __m128d fine = _mm_mul_pd(_mm256_castpd256_pd128(window), _mm_set1_pd(subpixels_));
  const __m128d magnitude = _mm_andnot_pd(_mm_set1_pd(-0.0), fine);
  const int held = _mm_movemask_pd(_mm_cmple_pd(magnitude, _mm_set1_pd(limit_)));
  const __m128i rounded =
      _mm_sll_epi32(_mm_castpd_si128(_mm_add_pd(fine, _mm_set1_pd(kRound))), _mm_cvtsi32_si128(step_bits_));
  const __m128i pixels =
      _mm_add_epi32(_mm_shuffle_epi32(rounded, 0x08),
                    _mm_unpacklo_epi32(_mm_cvtsi32_si128(to_x_), _mm_cvtsi32_si128(to_y_)));
  static_assert(offsetof(WindowVertex, y) == offsetof(WindowVertex, x) + sizeof(std::int32_t));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(&vertex.x), pixels);

  const auto& f = simple_planes_.factors;
  const __m256 x = _mm256_mul_ps(_mm256_broadcast_ss(given), _mm256_loadu_ps(f[0].data())),
               y = _mm256_mul_ps(_mm256_broadcast_ss(given + 1), _mm256_loadu_ps(f[1].data())),
               z = _mm256_mul_ps(_mm256_broadcast_ss(given + 2), _mm256_loadu_ps(f[2].data())),
               of_w = _mm256_mul_ps(_mm256_broadcast_ss(given + 3), _mm256_loadu_ps(f[3].data()));
  const __m256 distances = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(x, y), z), of_w);
  const auto inside = static_cast<std::uint32_t>(
      _mm256_movemask_ps(_mm256_cmp_ps(distances, _mm256_loadu_ps(simple_planes_.least.data()), _CMP_GE_OQ)));
  const int finite = _mm_movemask_ps(_mm_cmpeq_ps(_mm_sub_ps(p, p), _mm_setzero_ps()));
  const bool in_front = _mm_comigt_sd(w, _mm_setzero_pd()) != 0;
  vertex.outside = (~inside & used_planes_) | (finite != 15 ? kNotFinite : 0U) | (held != 3 ? kBeyond : 0U) |
                   (in_front ? 0U : kNotInFront);
}
#endif

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

bool VertexTransform::to_subpixels(double x, double y, WindowVertex& vertex) const {
  const TwoDoubles pixels{x, y};
  const TwoDoubles fine = pixels * subpixels_;
  const auto held = (fine <= limit_) & (fine >= -limit_);
  if ((held[0] & held[1]) == 0) {
    vertex.x = vertex.y = 0;
    return false;
  }
  const auto rounded = std::bit_cast<Vector<std::int32_t, 4>>(fine + kRound);
  vertex.x = (rounded[0] << step_bits_) + to_x_;
  vertex.y = (rounded[2] << step_bits_) + to_y_;
  return true;
}

Position VertexTransform::position(const std::uint32_t* words) const {
  const Position given{to_float(words[0]), to_float(words[1]), to_float(words[2]), to_float(words[3])};
  if (!window_) return given;
  const double inverse = given.w;
  return {static_cast<float>(given.x / inverse), static_cast<float>(given.y / inverse),
          static_cast<float>(given.z / inverse), static_cast<float>(1 / inverse)};
}

WindowVertex VertexTransform::any_vertex(const std::uint32_t* words) const {
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
