// Tests, blending, logic operations and shadow maps: from a fragment's colour and depth to words of the tile.
#pragma once

#include "frontend/pica200/translate/fragment/steps.h"

namespace warpjit::pica200 {

class OutputSteps : private FragmentSteps {
 public:
  // Planes of the tile: the colour's first, where it is touched, then that of depth and stencil.
  OutputSteps(ir::Builder& b, const OutputState& state)
      : FragmentSteps(b), state_(state), depth_plane_(state.touches_color() ? 1 : 0) {}

  I1 alpha_test(I1 live, const Color& color);
  void store(I1 live, const Color& color, F32 depth);
  void store_shadow(I1 live, const Color& color, F32 depth);

 private:
  I1 compare(Comparison op, I32 incoming, I32 stored);
  I32 stencil_value(std::uint8_t op, I32 stored, I32 reference);
  I1 test_depth(I1 live, F32 depth);
  Color unpacked(I32 pixel);
  I32 packed(const Color& color);
  I32 factor(std::uint8_t code, const Color& source, const Color& target, const Color& constant,
             std::size_t n);
  Color blended(const Color& source, const Color& target);
  I32 blended(std::uint8_t equation, I32 s, I32 d);
  I32 logic(I32 s, I32 d);

  const OutputState& state_;
  const std::uint32_t depth_plane_;
};

}  // namespace warpjit::pica200
