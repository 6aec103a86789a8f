// Vertices in the window, and where they lie outside of the planes of clipping (docs/pixels.md, 1 to 4).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/bits.h"
#include "base/vector.h"
#include "pixels/records.h"
#include "pixels/rules.h"
#include "warpjit/pixels.hpp"

namespace warpjit::pixels {

inline constexpr unsigned kGuardPlane = 2, kDistancePlane = 6, kPlanes = 14;  // 0 near, 1 far
inline constexpr unsigned kMostDistances = 8;

// What is wrong with a vertex: bits.
enum Outside : std::uint32_t {
  kClipPlanes = (1U << kPlanes) - 1,  // bit p: outside of plane p
  kVolume = 1U << 14,                 // outside of the view volume's sides, which bound points
  kFirstCull = 1U << 15,              // 8 bits: cull distance n is negative
  kCullDistances = 0xFFU * kFirstCull,
  kNotFinite = 1U << 23,
  kNotInFront = 1U << 24,  // w <= 0
  kBeyond = 1U << 25,      // of what window coordinates can be
};

struct WindowVertex {
  double inverse_w, depth;
  std::int32_t x, y;      // 1/256 pixels, moved so that samples are where the centres of pixels would be
  std::uint32_t outside;  // bits of Outside
};

// Homogeneous coordinates.
struct Position {
  float x, y, z, w;
};

// What a use with a plane reads of a vertex.
float half_value(std::uint32_t half);  // of an f16, which is in the low bits
inline float use_value(const SlotUse& use, const std::uint32_t* words) {
  const std::uint32_t word = words[use.slot];
  if (use.part == SlotUse::Part::word) return to_float(word);
  return half_value(use.part == SlotUse::Part::low_half ? word & 0xffff : word >> 16);
}

// What the raster state makes of positions.
class VertexTransform {
 public:
  explicit VertexTransform(const RasterState& state, const RasterRules& rules = {});

  bool window_positions() const { return window_; }
  unsigned distances() const { return distance_count_; }
  unsigned first_distance() const { return first_distance_; }

  // Reads a vertex of the draw.
  void vertex(const std::uint32_t* words, WindowVertex& vertex) const {
#if WARPJIT_HAS_TARGETS
    if (simple_) return simple_vertex_v3(words, vertex);
#endif
    vertex = any_vertex(words);
  }
  Position position(const std::uint32_t* words) const;

  // For a vertex that clipping created: it is not clipped again, so `outside` has only
  // the bits from kNotFinite on.
  WindowVertex project(const Position& position) const;

  // Distance from a plane.
  double distance(unsigned plane, const Position& position, const float* distances) const {
    const double x = position.x, y = position.y, z = position.z, w = position.w;
    if (rules_.plane_count != 0) return distance(rules_.planes[plane], position);
    switch (plane) {
      case 0:
        return near_distance(z, w);
      case 1:
        return far_distance(z, w);
      case 2:
        return guard_ * w + x;
      case 3:
        return guard_ * w - x;
      case 4:
        return guard_ * w + y;
      case 5:
        return guard_ * w - y;
      default:
        return distances[plane - kDistancePlane];
    }
  }
  bool uses_plane(unsigned plane) const { return (used_planes_ >> plane & 1) != 0; }
  bool is_inside(unsigned plane, double distance) const {
    return distance >= (rules_.plane_count != 0 ? rules_.planes[plane].least : 0);
  }

 private:
  static double distance(const ClipPlane& plane, const Position& position) {
    const auto& f = plane.factors;
    return ((position.x * f[0] + position.y * f[1]) + position.z * f[2]) + position.w * f[3] + plane.rest;
  }
  // The planes of the rules two by two, for all at once.
  struct TwoPlanes {
    std::array<Vector<double, 2>, 4> factors;
    Vector<double, 2> rest, least;
  };
  // All of them, where f32 gives what f64 does: +-c >= least for a coordinate c, or +-c + w >= 0, whose sum keeps its
  // sign. Other planes are no simple ones.
  struct SimplePlanes {
    std::array<std::array<float, 8>, 4> factors{};
    std::array<float, 8> least{};
  };
  WindowVertex any_vertex(const std::uint32_t* words) const;
  std::uint32_t outside_rules(const Position& position) const;
  static bool is_simple(const ClipPlane& plane);
#if WARPJIT_HAS_TARGETS
  // With all planes of the rules simple, in clip positions, for processors with AVX2.
  void simple_vertex_v3(const std::uint32_t* words, WindowVertex& vertex) const;
#endif
  // Window coordinates in pixels to those of the vertex. False: beyond the limit, or NaN.
  bool to_subpixels(double x, double y, WindowVertex& vertex) const;
  double near_distance(double z, double w) const { return zero_to_one_ ? z - least_ * w : z + w; }
  double far_distance(double z, double w) const { return most_ * w - z; }

  RasterRules rules_;
  std::array<TwoPlanes, 4> two_planes_;
  SimplePlanes simple_planes_;
  bool simple_ = false;
  std::array<double, 4> scale_{}, translate_{};  // of x, y and z
  double least_ = 0, most_ = 1;                  // of depths
  std::int32_t to_x_ = 0, to_y_ = 0;             // from a pixel's sample to its centre
  double subpixels_, limit_;                     // that count in a pixel; of coordinates in these
  std::int32_t step_bits_;                       // of one, which is 1 << step_bits_ of 1/256 pixels
  double guard_;
  std::uint32_t used_planes_, cull_;
  std::uint8_t first_distance_, distance_count_;
  bool zero_to_one_, window_;
};

}  // namespace warpjit::pixels
