// Random states of rasterizer and outputs, for tests and fuzzing of draws: all that a guest's draw may have,
// most of them such that something is drawn.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "warpjit/pixels.hpp"

namespace warpjit::random {

template <class Enum>
Enum any(Random& random, unsigned count) {
  return static_cast<Enum>(random.below(count));
}

inline constexpr unsigned kTopologies = 6, kMixAdds = 3, kMixMultiplies = 4, kMixBys = 7, kBlendFactors = 16,
                          kBlendOps = 5, kComparisons = 8, kStencilOps = 8;

// Every second one lets everything pass, so that draws leave something in their targets.
inline Compare comparison(Random& random) {
  return random.one_in(2) ? Compare::always : any<Compare>(random, kComparisons);
}

// A coordinate of a vertex: mostly from -2 to 2, now and then an odd value.
inline float coordinate(Random& random) {
  if (random.one_in(40)) {
    constexpr std::array kOdd = {0.0F, -0.0F, 1e30F, -1e30F, INFINITY, NAN, 1e-30F};
    return kOdd[random.below(kOdd.size())];
  }
  return (static_cast<float>(random.below(4001)) - 2000) / 1000;
}

inline RasterState raster_state(Random& random, std::uint32_t width, std::uint32_t height) {
  const float x = static_cast<float>(width) / 2, y = static_cast<float>(height) / 2;
  RasterState state;
  state.topology = any<Topology>(random, kTopologies);
  state.viewport_scale = {x, random.one_in(2) ? y : -y, 0.5F};
  state.viewport_translate = {x, y, 0.5F};
  if (random.one_in(3))
    state.scissor = {random.below(2 * width / 3), random.below(2 * height / 3), random.below(width),
                     random.below(height + 20)};
  state.depth_zero_to_one = random.one_in(2);
  state.clip_near = !random.one_in(4);
  state.clip_far = !random.one_in(4);
  state.positive_is_front = random.one_in(2);
  state.cull_front = random.one_in(8);
  state.cull_back = random.one_in(8);
  state.provoking_last = random.one_in(2);
  state.point_size = static_cast<float>(random.below(80)) / 4;
  state.line_width = static_cast<float>(random.below(24)) / 4;
  if (random.one_in(3))
    state.depth_bias = {static_cast<float>(random.below(9)) * 1000 - 4000,
                        static_cast<float>(random.below(9)) / 2 - 2,
                        random.one_in(2) ? 0 : static_cast<float>(random.below(9)) / 100 - 0.04F};
  if (random.one_in(4))
    state.depth_bounds = {static_cast<float>(random.below(5)) / 10,
                          1 - static_cast<float>(random.below(6)) / 10};
  if (random.one_in(4))
    state.clip_bounds = {static_cast<float>(random.below(4)) / 2 - 1.5F,
                         1 - static_cast<float>(random.below(3)) / 4};
  if (random.one_in(4))
    state.sample_point = {static_cast<std::uint8_t>(random.below(256)),
                          static_cast<std::uint8_t>(random.below(256))};
  return state;
}

inline StencilFace stencil_face(Random& random) {
  return {comparison(random),
          any<StencilOp>(random, kStencilOps),
          any<StencilOp>(random, kStencilOps),
          any<StencilOp>(random, kStencilOps),
          static_cast<std::uint8_t>(random.below(256)),
          static_cast<std::uint8_t>(random.one_in(2) ? 255 : random.below(256)),
          static_cast<std::uint8_t>(random.one_in(2) ? 255 : random.below(256))};
}

inline BlendMix blend_mix(Random& random) {
  return {any<BlendMix::Add>(random, kMixAdds),
          random.one_in(2),
          any<BlendMix::Multiply>(random, kMixMultiplies),
          random.one_in(2),
          any<BlendMix::By>(random, kMixBys),
          random.one_in(2)};
}

inline OutputState output_state(Random& random) {
  OutputState state;
  state.depth = {!random.one_in(3), !random.one_in(4), comparison(random)};
  state.stencil = {random.one_in(3), stencil_face(random), stencil_face(random)};
  for (BlendState& blend : state.blend)
    blend = {random.one_in(2),
             any<BlendFactor>(random, kBlendFactors),
             any<BlendFactor>(random, kBlendFactors),
             any<BlendFactor>(random, kBlendFactors),
             any<BlendFactor>(random, kBlendFactors),
             any<BlendOp>(random, kBlendOps),
             any<BlendOp>(random, kBlendOps),
             static_cast<std::uint8_t>(random.one_in(2) ? 15 : random.below(16)),
             random.one_in(3),
             blend_mix(random),
             blend_mix(random),
             random.one_in(2)};
  state.alpha_test = random.one_in(4);
  state.alpha_compare = comparison(random);
  state.alpha_reference = 0.5F;
  state.early_tests = random.one_in(4);
  for (float& c : state.blend_constant) c = static_cast<float>(random.below(5)) / 4;
  return state;
}

}  // namespace warpjit::random
