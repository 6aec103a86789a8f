// Six combiner stages and fog (docs/pica-pixels.md).
#pragma once

#include "frontend/pica200/translate/fragment/steps.h"

namespace warpjit::pica200 {

// What combiners read, by CombinerSource; previous result, buffer and constant are not set.
using CombinerColors = std::array<Color, 11>;

class CombinerSteps : private FragmentSteps {
 public:
  CombinerSteps(ir::Builder& b, const FragmentState& state) : FragmentSteps(b), state_(state) {}
  Color combine(const CombinerColors& inputs);
  // `memory`: the number of TableMemory; depth is within 0 and 1.
  Color fogged(const Color& color, F32 depth, std::uint32_t memory);

 private:
  I32 color_operand(std::uint8_t code, const Color& from, std::size_t n);
  I32 alpha_operand(std::uint8_t code, const Color& from);
  I32 apply(CombinerOp op, const std::array<I32, 3>& arguments);
  I32 dot_term(I32 a, I32 b);
  I32 inverted_if(bool inverted, I32 x) { return inverted ? minus(word(255), x) : x; }
  I32 scaled(I32 x, std::uint8_t shift) { return shift == 0 ? x : b_.IMinS32(left(x, shift), word(255)); }

  const FragmentState& state_;
};

}  // namespace warpjit::pica200
