// Where the rasterizers of some guests differ from docs/pixels.md: data that no public state has.
#pragma once

#include <array>
#include <cstdint>

namespace warpjit::pixels {

// A plane that cuts clip positions: ((x * factors[0] + y * factors[1]) + z * factors[2]) + w * factors[3] + rest,
// in f64, is `least` or more inside.
struct ClipPlane {
  std::array<double, 4> factors{};
  double rest = 0, least = 0;
};

struct RasterRules {
  std::uint8_t subpixel_bits = 8;  // of window coordinates; at most 8
  // Not 0: these planes, in this order, in place of those of section 3.
  std::uint8_t plane_count = 0;
  std::array<ClipPlane, 8> planes{};
  // Not 0: the first of four slots with a quaternion. That of a triangle's second and third vertex is negated
  // where its dot product with that of the first one is negative.
  std::uint8_t quaternion_slot = 0;
};

}  // namespace warpjit::pixels
