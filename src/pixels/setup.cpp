#include "pixels/setup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/bits.h"
#include "base/cpu.h"
#include "base/vector.h"

#if WARPJIT_HOST_X64
#include <immintrin.h>
#endif

namespace warpjit::pixels {

namespace {

constexpr std::uint32_t kNaN = 0x7fffffff;
constexpr std::size_t kInverseW = 0, kDepth = 1, kFirstUse = 2;

// Four planes at once: compilers leave the loop scalar.
using TwoDoubles = Vector<double, 2>;
using TwoFloats = Vector<float, 2>;
using TwoLongs = Vector<std::int64_t, 2>;
using FourFloats = Vector<float, 4>;
using FourWords = Vector<std::uint32_t, 4>;

// Denormals become zeros of their sign, and all is NaN unless `finite`, whose words are all ones or 0.
WARPJIT_ALWAYS_INLINE FourFloats coefficients(FourFloats values, FourWords finite) {
  const auto words = std::bit_cast<FourWords>(values);
  const auto denormal = std::bit_cast<FourWords>((words & 0x7f800000) == 0);
  const FourWords flushed = words & (~denormal | 0x80000000);
  return std::bit_cast<FourFloats>((flushed & finite) | (kNaN & ~finite));
}

float coefficient(double value, bool finite) {
  const std::uint32_t mask = finite ? ~0U : 0U;
  return coefficients(FourFloats{static_cast<float>(value), 0, 0, 0}, FourWords{mask, 0, 0, 0})[0];
}

// The rows {a, b, c, flat word} of four planes.
struct FourRows {
  FourFloats a, b, c;
  FourWords finite, flat;

  WARPJIT_ALWAYS_INLINE std::array<FourFloats, 4> rows() const {
    const FourFloats a_row = coefficients(a, finite), b_row = coefficients(b, finite),
                     c_row = coefficients(c, finite), flat_row = std::bit_cast<FourFloats>(flat);
    const FourFloats ab_low = WARPJIT_SHUFFLE(a_row, b_row, 0, 4, 1, 5),
                     ab_high = WARPJIT_SHUFFLE(a_row, b_row, 2, 6, 3, 7),
                     cf_low = WARPJIT_SHUFFLE(c_row, flat_row, 0, 4, 1, 5),
                     cf_high = WARPJIT_SHUFFLE(c_row, flat_row, 2, 6, 3, 7);
    return {WARPJIT_SHUFFLE(ab_low, cf_low, 0, 1, 4, 5), WARPJIT_SHUFFLE(ab_low, cf_low, 2, 3, 6, 7),
            WARPJIT_SHUFFLE(ab_high, cf_high, 0, 1, 4, 5), WARPJIT_SHUFFLE(ab_high, cf_high, 2, 3, 6, 7)};
  }
};

// A plane, or two at once, through the values of three corners.
// `rest` is 0 if all three are finite, else NaN.
template <class Value>
struct Plane {
  Value a, b, c, rest;
};
}  // namespace

struct PlaneFrame {
  double dx1, dx2, dy1, dy2;  // from the first corner to the others
  double to_x, to_y;          // from the first corner to the origin's pixel, in pixels
  double area;

  template <class Value>
  Plane<Value> through(Value a0, Value a1, Value a2) const {
    const Value d1 = a1 - a0, d2 = a2 - a0;
    const Value b = ((d1 * dy2 - d2 * dy1) * 256) / area;
    const Value c = ((d2 * dx1 - d1 * dx2) * 256) / area;
    return {(a0 + b * to_x) + c * to_y, b, c, ((a0 - a0) + (a1 - a1)) + (a2 - a2)};
  }
};

namespace {

float even_origin(std::int64_t least) {
  return static_cast<float>(std::max<std::int64_t>(0, least >> 8) & ~std::int64_t{1});
}

}  // namespace

void RecordRows::reserve(std::size_t rows) {
  if (rows <= capacity_) return;
  auto grown = std::make_unique_for_overwrite<RecordRow[]>(rows);
  if (size_ != 0) std::memcpy(grown.get(), rows_.get(), size_ * sizeof(RecordRow));
  rows_ = std::move(grown);
  capacity_ = rows;
}

RecordRow* RecordRows::append(std::size_t rows, std::size_t spare) {
  if (capacity_ - size_ < rows + spare) reserve(std::max(size_ + rows + spare, 2 * capacity_));
  RecordRow* const first = rows_.get() + size_;
  size_ += rows;
  return first;
}

Setup::Setup(std::span<const SlotUse> uses, const PixelRectangle& bounds)
    : use_count_(static_cast<std::uint32_t>(uses.size())), bounds_(bounds) {
  rows_ = {{kInverseWRow, 0}, {kDepthRow, 0}};
  for (std::uint32_t i = 0; i < use_count_; ++i) {
    const bool flat = uses[i].plane == SlotUse::Plane::none;
    const PlaneRowUse row{kHeaderRows + i, uses[i].slot};
    if (flat) {
      flat_rows_.push_back(row);
    } else {
      rows_.push_back(row);
      interpolated_.push_back(uses[i]);
    }
  }
  planes_ = (rows_.size() + 3) & ~std::size_t{3};
  for (auto after = static_cast<std::uint32_t>(record_rows()); rows_.size() < planes_; ++after)
    rows_.push_back({after, 0});
  for (std::size_t i = 0; kFirstUse + i < planes_; i += 2) {
    const auto use = [&](std::size_t n) {
      return n < interpolated_.size() ? interpolated_[n] : SlotUse{0, SlotUse::Plane::linear};
    };
    const SlotUse first = use(i), second = use(i + 1);
    const auto linear = [](const SlotUse& use) {
      return std::int64_t{use.plane == SlotUse::Plane::linear ? -1 : 0};
    };
    TwoUses two;
    two.uses = {first, second};
    two.together = first.part == SlotUse::Part::word && second.part == SlotUse::Part::word &&
                   second.slot == first.slot + 1;
    two.linear = TwoLongs{linear(first), linear(second)};
    two_uses_.push_back(two);
  }
  for (auto& values : values_) std::fill_n(values.begin(), planes_, 0.0);
}

void Setup::set_depth_bias(const RasterState::DepthBias& bias, PixelFormat depth_format) {
  bias_ = bias;
  biased_ = bias.units != 0 || bias.slope != 0;
  step_follows_depth_ = depth_format == PixelFormat::d32f;
  smallest_step_ = depth_format == PixelFormat::d16     ? 0x1p-16
                   : depth_format == PixelFormat::d24s8 ? 0x1p-24
                   : step_follows_depth_                ? 0x1p-23
                                                        : 0;
}

// The bias of a triangle whose depth changes by b from column to column and by c from row to row.
double Setup::depth_bias(const Corners& v, double b, double c) const {
  double step = smallest_step_;
  if (step_follows_depth_) {
    const double largest =
        std::max({std::fabs(v[0]->depth), std::fabs(v[1]->depth), std::fabs(v[2]->depth), 0x1p-126});
    step = std::ldexp(step, std::ilogb(largest));
  }
  const double bias = bias_.slope * std::max(std::fabs(b), std::fabs(c)) + bias_.units * step;
  if (std::isnan(bias)) return 0;
  if (bias_.clamp > 0) return std::min<double>(bias, bias_.clamp);
  return bias_.clamp < 0 ? std::max<double>(bias, bias_.clamp) : bias;
}

void Setup::set_values(unsigned n, const WindowVertex& vertex, const std::uint32_t* words) {
  double* values = values_[n].data();
  values[kInverseW] = vertex.inverse_w;
  values[kDepth] = vertex.depth;
  values += kFirstUse;
  const auto inverse_w = std::bit_cast<TwoLongs>(TwoDoubles{vertex.inverse_w, vertex.inverse_w});
  const auto one = std::bit_cast<TwoLongs>(TwoDoubles{1, 1});
  for (const TwoUses& two : two_uses_) {
    TwoFloats given;
    if (two.together)
      std::memcpy(&given, words + two.uses[0].slot, sizeof given);
    else
      given = TwoFloats{use_value(two.uses[0], words), use_value(two.uses[1], words)};
    const TwoDoubles made = WARPJIT_CONVERT(TwoDoubles, given) *
                            std::bit_cast<TwoDoubles>((inverse_w & ~two.linear) | (one & two.linear));
    std::memcpy(values, &made, sizeof made);
    values += 2;
  }
}

void Setup::set_values(unsigned n, const WindowVertex& vertex, const float* given) {
  auto& values = values_[n];
  values[kInverseW] = vertex.inverse_w;
  values[kDepth] = vertex.depth;
  for (std::size_t i = 0; i < interpolated_.size(); ++i)
    values[kFirstUse + i] =
        given[i] * (interpolated_[i].plane == SlotUse::Plane::perspective ? vertex.inverse_w : 1);
}

void Setup::flatten_colors(const std::uint32_t* provoking) {
  for (std::size_t i = 0; i < interpolated_.size(); ++i) {
    const SlotUse& use = interpolated_[i];
    if (!use.color) continue;
    const double value = use_value(use, provoking);
    for (auto& values : values_)
      values[kFirstUse + i] = value * (use.plane == SlotUse::Plane::perspective ? values[kInverseW] : 1);
  }
}

bool Setup::limit(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
                  std::int64_t least_x, std::int64_t least_y, Shape& shape) const {
  shape.bounded =
      left >= bounds_.left && top >= bounds_.top && right <= bounds_.right && bottom <= bounds_.bottom;
  left = std::max(left, bounds_.left);
  top = std::max(top, bounds_.top);
  right = std::min(right, bounds_.right);
  bottom = std::min(bottom, bounds_.bottom);
  if (left > right || top > bottom) return false;
  shape.left = static_cast<std::uint16_t>(left);
  shape.top = static_cast<std::uint16_t>(top);
  shape.right = static_cast<std::uint16_t>(right);
  shape.bottom = static_cast<std::uint16_t>(bottom);
  shape.origin_x = even_origin(least_x);
  shape.origin_y = even_origin(least_y);
  return true;
}

bool Setup::shape(const Corners& v, std::int64_t area, Shape& shape) const {
  const auto [left, right] = std::minmax({v[0]->x, v[1]->x, v[2]->x});
  const auto [top, bottom] = std::minmax({v[0]->y, v[1]->y, v[2]->y});
  // Pixels whose centre is within.
  if (!limit((std::int64_t{left} + 127) >> 8, (std::int64_t{top} + 127) >> 8,
             (std::int64_t{right} - 128) >> 8, (std::int64_t{bottom} - 128) >> 8, left, top, shape))
    return false;
  shape.small = right - left < kSmallExtent && bottom - top < kSmallExtent;
  const unsigned second = area > 0 ? 1 : 2;
  const std::array<unsigned, 4> corners{0, second, 3 - second, 0};
  for (unsigned k = 0; k < 3; ++k) {
    const WindowVertex &from = *v[corners[k]], &to = *v[corners[k + 1]];
    const std::int64_t dx = to.x - from.x, dy = to.y - from.y;
    const std::int64_t at_first = dx * (128 - from.y) - dy * (128 - from.x);  // pixel (0, 0)
    const bool zero_is_inside = dy < 0 || (dy == 0 && dx > 0);
    shape.c[k] = (at_first - (zero_is_inside ? 0 : 1)) >> 8;
    if (k == 2) break;
    shape.edge_x[k] = static_cast<std::int32_t>(dx);
    shape.edge_y[k] = static_cast<std::int32_t>(dy);
  }
  return true;
}

bool Setup::point_shape(const WindowVertex& v, std::int32_t half, Shape& shape) const {
  const std::int64_t x = v.x, y = v.y;
  shape.c = {};
  shape.edge_x = shape.edge_y = {};
  shape.small = true;
  const bool any = limit((x - half + 127) >> 8, (y - half + 127) >> 8, ((x + half + 127) >> 8) - 1,
                         ((y + half + 127) >> 8) - 1, x - half, y - half, shape);
  shape.bounded = false;  // nothing has edges
  return any;
}

void Setup::write_header(const Shape& shape, const PrimitiveFacts& facts, RecordRow* record) const {
  const PrimitiveHeader header{facts.front_facing ? ~0U : 0U, facts.number, shape.origin_x, shape.origin_y};
  std::memcpy(record, &header, sizeof header);
}

void Setup::write_flat(const PrimitiveFacts& facts, RecordRow* record) const {
  for (const auto [row, slot] : flat_rows_) {
    const PlaneRow values{0, 0, 0, facts.provoking[slot]};
    std::memcpy(record + row, &values, sizeof values);
  }
}

void Setup::write_planes(const PlaneFrame& frame, const PrimitiveFacts& facts, RecordRow* record) const {
  for (std::size_t i = 0; i < planes_; i += 4) {
    const auto two = [&](std::size_t first) {
      std::array<TwoDoubles, 3> values;
      for (std::size_t n = 0; n < 3; ++n) std::memcpy(&values[n], &values_[n][first], sizeof values[n]);
      return frame.through(values[0], values[1], values[2]);
    };
    const Plane<TwoDoubles> low = two(i), high = two(i + 2);
    const auto floats = [](const TwoDoubles& low, const TwoDoubles& high) {
      return WARPJIT_SHUFFLE(WARPJIT_CONVERT(TwoFloats, low), WARPJIT_CONVERT(TwoFloats, high), 0, 1, 2, 3);
    };
    const PlaneRowUse* const rows = &rows_[i];
    const FourRows four{floats(low.a, high.a), floats(low.b, high.b), floats(low.c, high.c),
                        WARPJIT_SHUFFLE(std::bit_cast<FourWords>(low.rest == 0),
                                        std::bit_cast<FourWords>(high.rest == 0), 0, 2, 4, 6),
                        flat_words(rows, facts.provoking)};
    put_rows(four.rows(), rows, record);
  }
}

#if WARPJIT_HAS_TARGETS
namespace {

// What two uses read of a vertex.
template <class Two>
WARPJIT_TARGET("avx2")
inline __m128 two_values(const Two& two, const std::uint32_t* words) {
  if (two.together)
    return _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(words + two.uses[0].slot)));
  return _mm_setr_ps(use_value(two.uses[0], words), use_value(two.uses[1], words), 0, 0);
}

}  // namespace

WARPJIT_TARGET("avx2")
void Setup::write_planes_v3(const PlaneFrame& frame, const Corners& v,
                            const std::array<const std::uint32_t*, 3>& words, const PrimitiveFacts& facts,
                            RecordRow* record) const {
  static_assert(kInverseW == 0 && kDepth == 1 && kFirstUse == 2);
  static_assert(offsetof(WindowVertex, depth) == offsetof(WindowVertex, inverse_w) + sizeof(double));
  const __m256d dx1 = _mm256_set1_pd(frame.dx1), dx2 = _mm256_set1_pd(frame.dx2),
                dy1 = _mm256_set1_pd(frame.dy1), dy2 = _mm256_set1_pd(frame.dy2),
                to_x = _mm256_set1_pd(frame.to_x), to_y = _mm256_set1_pd(frame.to_y),
                area = _mm256_set1_pd(frame.area), scale = _mm256_set1_pd(256), zero = _mm256_setzero_pd(),
                one = _mm256_set1_pd(1);
  const TwoUses* two = two_uses_.data();
  for (std::size_t i = 0; i < planes_; i += 4) {
    __m256d values[3];
    const __m128d linear = std::bit_cast<__m128d>(two[0].linear);
    if (i == 0) {
      for (std::size_t n = 0; n < 3; ++n) {
        const __m128d by = _mm_blendv_pd(_mm_set1_pd(v[n]->inverse_w), _mm256_castpd256_pd128(one), linear);
        const __m128d made = _mm_mul_pd(_mm_cvtps_pd(two_values(two[0], words[n])), by);
        values[n] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&v[n]->inverse_w)), made, 1);
      }
      two += 1;
    } else {
      const __m256d all_linear =
          _mm256_insertf128_pd(_mm256_castpd128_pd256(linear), std::bit_cast<__m128d>(two[1].linear), 1);
      for (std::size_t n = 0; n < 3; ++n) {
        const __m256d by = _mm256_blendv_pd(_mm256_set1_pd(v[n]->inverse_w), one, all_linear);
        const __m128 four = _mm_movelh_ps(two_values(two[0], words[n]), two_values(two[1], words[n]));
        values[n] = _mm256_mul_pd(_mm256_cvtps_pd(four), by);
      }
      two += 2;
    }
    const __m256d a0 = values[0], a1 = values[1], a2 = values[2];
    const __m256d d1 = _mm256_sub_pd(a1, a0), d2 = _mm256_sub_pd(a2, a0);
    const __m256d b = _mm256_div_pd(
        _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(d1, dy2), _mm256_mul_pd(d2, dy1)), scale), area);
    const __m256d c = _mm256_div_pd(
        _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(d2, dx1), _mm256_mul_pd(d1, dx2)), scale), area);
    const __m256d a = _mm256_add_pd(_mm256_add_pd(a0, _mm256_mul_pd(b, to_x)), _mm256_mul_pd(c, to_y));
    const __m256d rest =
        _mm256_add_pd(_mm256_add_pd(_mm256_sub_pd(a0, a0), _mm256_sub_pd(a1, a1)), _mm256_sub_pd(a2, a2));
    const __m256 finite = _mm256_castpd_ps(_mm256_cmp_pd(rest, zero, _CMP_EQ_OQ));
    const __m128 finite_words =
        _mm_shuffle_ps(_mm256_castps256_ps128(finite), _mm256_extractf128_ps(finite, 1), 0x88);
    const PlaneRowUse* const rows = &rows_[i];
    const FourRows all{std::bit_cast<FourFloats>(_mm256_cvtpd_ps(a)),
                       std::bit_cast<FourFloats>(_mm256_cvtpd_ps(b)),
                       std::bit_cast<FourFloats>(_mm256_cvtpd_ps(c)), std::bit_cast<FourWords>(finite_words),
                       flat_words(rows, facts.provoking)};
    put_rows(all.rows(), rows, record);
  }
}
#endif

PlaneFrame Setup::frame_of(const Corners& v, std::int64_t area, const Shape& shape) const {
  return {.dx1 = static_cast<double>(v[1]->x - v[0]->x),
          .dx2 = static_cast<double>(v[2]->x - v[0]->x),
          .dy1 = static_cast<double>(v[1]->y - v[0]->y),
          .dy2 = static_cast<double>(v[2]->y - v[0]->y),
          .to_x = (256 * double{shape.origin_x} + (128 + to_center_[0] - v[0]->x)) / 256,  // exact
          .to_y = (256 * double{shape.origin_y} + (128 + to_center_[1] - v[0]->y)) / 256,
          .area = static_cast<double>(area)};
}

void Setup::write(const Corners& v, std::int64_t area, const Shape& shape, const PrimitiveFacts& facts,
                  bool of_line, RecordRow* record) {
  if (flat_colors_) flatten_colors(facts.provoking);
  const PlaneFrame frame = frame_of(v, area, shape);
  write_planes(frame, facts, record);
  write_rest(frame, v, shape, facts, of_line, record);
}

void Setup::write(const Corners& v, const std::array<const std::uint32_t*, 3>& words, std::int64_t area,
                  const Shape& shape, const PrimitiveFacts& facts, RecordRow* record) {
#if WARPJIT_HAS_TARGETS
  static const bool kHasAvx2 = cpu::has(cpu::Feature::avx2);
  if (kHasAvx2 && !flat_colors_) {
    const PlaneFrame frame = frame_of(v, area, shape);
    write_planes_v3(frame, v, words, facts, record);
    return write_rest(frame, v, shape, facts, false, record);
  }
#endif
  for (unsigned n = 0; n < 3; ++n) set_values(n, *v[n], words[n]);
  write(v, area, shape, facts, false, record);
}

void Setup::write_rest(const PlaneFrame& frame, const Corners& v, const Shape& shape,
                       const PrimitiveFacts& facts, bool of_line, RecordRow* record) const {
  write_header(shape, facts, record);
  write_flat(facts, record);
  const bool biased = biased_ && !of_line;
  if (!biased && !off_center_) return;
  PlaneFrame at_samples = frame;
  at_samples.to_x = (256 * double{shape.origin_x} + (128 - v[0]->x)) / 256;
  at_samples.to_y = (256 * double{shape.origin_y} + (128 - v[0]->y)) / 256;
  const Plane<double> depth = at_samples.through(v[0]->depth, v[1]->depth, v[2]->depth);
  const float a = coefficient(biased ? depth.a + depth_bias(v, depth.b, depth.c) : depth.a, depth.rest == 0);
  std::memcpy(record + kDepthRow, &a, sizeof a);
}

void Setup::write_point(const WindowVertex& v, std::int32_t half, const Shape& shape,
                        const PrimitiveFacts& facts, RecordRow* record) {
  const auto put = [&](std::size_t plane, double a, double b, double c, bool finite) {
    const PlaneRowUse row = rows_[plane];
    const PlaneRow values{coefficient(a, finite), coefficient(b, finite), coefficient(c, finite),
                          facts.provoking[row.slot]};
    std::memcpy(record + row.row, &values, sizeof values);
  };
  for (std::size_t i = 0; i < planes_; ++i) put(i, values_[0][i], 0, 0, values_[0][i] - values_[0][i] == 0);
  const std::int64_t left = std::int64_t{v.x} - half - to_center_[0],
                     top = std::int64_t{v.y} - half - to_center_[1];
  for (std::size_t i = 0; i < interpolated_.size(); ++i) {
    const SlotUse use = interpolated_[i];
    if (use.sprite == SlotUse::Sprite::none) continue;
    const double slope = 128.0 / half;
    const auto from = [&](float origin, std::int64_t side) {
      return (256 * double{origin} + static_cast<double>(128 - side)) / (2.0 * half);
    };
    double a = 0, b = 0, c = 0;
    switch (use.sprite) {
      case SlotUse::Sprite::from_left:
        a = from(shape.origin_x, left);
        b = slope;
        break;
      case SlotUse::Sprite::from_top:
        a = from(shape.origin_y, top);
        c = slope;
        break;
      case SlotUse::Sprite::from_bottom:
        a = 1 - from(shape.origin_y, top);
        c = -slope;
        break;
      case SlotUse::Sprite::one:
        a = 1;
        break;
      default:
        break;
    }
    const double by = use.plane == SlotUse::Plane::linear ? 1 : v.inverse_w;
    put(kFirstUse + i, a * by, b * by, c * by, by - by == 0);
  }
  write_header(shape, facts, record);
  write_flat(facts, record);
}

}  // namespace warpjit::pixels
