// What sees a guest interpreter draw one pixel: a record for each fragment that a primitive has there, with what the
// tests compared and what became of it, and a word for each primitive that would have covered the pixel but for its
// scissor, its side or its place in the view volume. A draw with an observer draws the pixel's quad alone.
#pragma once

#include <array>
#include <cstdint>

#include "warpjit/pixels.hpp"

namespace warpjit::interpret {

// A pixel of a target that is not bound is all 0.
struct SeenPixel {
  std::array<std::uint32_t, 4> bits{};  // in memory, from the lowest up
  // Colours: red to alpha, bits of f32, but integers of integer formats. Depth: depth (bits of f32), stencil.
  std::array<std::uint32_t, 4> values{};
};

// How a fragment ended.
enum class FragmentEnd : std::uint8_t {
  passed,
  early_stencil,  // this test failed before the program ran
  early_depth,
  discarded,  // by the program
  alpha,      // this test failed after it
  stencil,
  depth,
  failed  // the program ended with an error
};

// A test that the fragment came to: `value` COMPARE `stored`, bits of f32; of stencil the masked reference and the
// masked stencil; of alpha the alpha and the state's reference.
struct SeenTest {
  bool on = false;
  Compare compare = Compare::always;
  std::uint32_t value = 0, stored = 0;
};

struct SeenFragment {
  std::uint32_t primitive = 0;  // in the draw, before clipping
  std::uint32_t part = 0;       // triangle of what clipping has left
  bool front_facing = true;
  FragmentEnd end = FragmentEnd::passed;
  bool ran = false;  // its quad ran the program, perhaps for other pixels alone
  std::uint32_t instructions = 0;
  SeenTest alpha, stencil, depth;
  // What the program gives to the observer's target, and what has become of it there.
  bool gives_color = false;
  std::array<std::uint32_t, 4> color{};
  bool writes_color = false;  // some component
  bool whole_color = false;   // all that the format has
  bool blends = false;
  bool writes_depth = false;
  SeenPixel color_before, color_after, depth_before, depth_after;
};

// Why a primitive has no fragment there.
enum class Miss : std::uint8_t {
  scissor,     // it covers the pixel, which is outside
  culled,      // it would cover it, but for the side that is seen
  clipped,     // the view volume, or a clip or cull distance, has cut off what would cover it
  degenerate,  // it has no area or no size, and lies around it
  not_finite,  // a coordinate is NaN or infinite; where it lies nobody knows
  missing      // an index names no vertex
};

class PixelObserver {
 public:
  virtual ~PixelObserver() = default;

  // A part of the draw begins: an instance, or what a geometry program gave.
  virtual void begin_part() {}
  virtual void met(const SeenFragment& fragment) = 0;
  virtual void missed(std::uint32_t primitive, Miss why) = 0;

  std::int32_t x = 0, y = 0;  // the pixel
  unsigned target = 0;        // the colour that records are about
};

}  // namespace warpjit::interpret
