// The procedural texture unit (docs/pica-pixels.md).
#pragma once

#include "frontend/pica200/translate/fragment/steps.h"

namespace warpjit::pica200 {

class ProceduralSteps : private FragmentSteps {
 public:
  // `memory`: the number of TableMemory.
  ProceduralSteps(ir::Builder& b, const ProceduralState& state, std::uint32_t memory)
      : FragmentSteps(b), state_(state), memory_(memory) {}
  Color sample(F32 u, F32 v);

 private:
  struct Levels {
    I32 first;
    F32 weight;  // of the next one
  };
  F32 bounded(F32 x);
  F32 look_up(std::size_t map, F32 f);
  F32 shift(std::uint8_t code, std::uint8_t clamp, F32 other);
  F32 clamped_to(std::uint8_t code, F32 x);
  F32 function(std::uint8_t code, F32 u, F32 v);
  I32 nibble(const std::array<std::uint8_t, 16>& table, I32 index);
  I32 random(I32 v);
  F32 random(I32 x, I32 y);
  F32 noise(F32 u, F32 v);
  Levels levels(F32 u, F32 v);
  Color color_at(I32 level, F32 mapped);
  F32 procedural_real(std::size_t member) {
    return uniform_real(static_cast<std::uint32_t>(WARPJIT_FRAGMENT_WORD(procedural) + member));
  }

  const ProceduralState& state_;
  const std::uint32_t memory_;
};

}  // namespace warpjit::pica200
