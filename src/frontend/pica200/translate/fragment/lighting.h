// Fragment lighting (docs/pica-pixels.md).
#pragma once

#include "frontend/pica200/translate/fragment/steps.h"

namespace warpjit::pica200 {

class LightingSteps : private FragmentSteps {
 public:
  struct Inputs {
    std::array<F32, 4> quaternion;
    std::array<F32, 3> view;
    Color bump, shadow;  // texels of the units that lighting reads; none where it reads none
  };
  struct Colors {
    Color primary, secondary;
  };

  // `memory`: the number of TableMemory.
  LightingSteps(ir::Builder& b, const LightingState& state, std::uint32_t memory)
      : FragmentSteps(b), state_(state), memory_(memory) {}
  Colors light(const Inputs& inputs);

 private:
  using Vector = std::array<F32, 3>;
  struct Sum {
    Vector primary, secondary;
    F32 fresnel;
  };
  // What tables may look up of a light.
  struct Angles {
    Vector normal, tangent, view, to_light, half, spot;
  };

  F32 dot(const Vector& a, const Vector& b) {
    return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]));
  }
  Vector sum(const Vector& a, const Vector& b) { return {add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])}; }
  Vector cross(const Vector& a, const Vector& b);
  Vector normalized(const Vector& v, F32 length);
  Vector rotated(const std::array<F32, 4>& q, const Vector& v);
  Vector uniform_vector(std::size_t member, unsigned slot);
  F32 light_real(std::size_t member, unsigned slot);

  void set_frame(const Inputs& inputs);
  void set_shadow(const Color& texel);
  void add_light(unsigned slot);
  F32 angle(std::uint8_t input, const Angles& angles);
  F32 look_up(LightTable which, I32 table, const LightState& light, const Angles& angles);
  F32 entry(I32 table, F32 scaled, F32 whole);
  F32 look_up_positive(I32 table, F32 x);
  I32 to_byte(F32 x) { return integer(mul(real(255), limited(x, 0, 1))); }

  const LightingState& state_;
  const std::uint32_t memory_;
  Vector normal_, tangent_, view_, direction_;
  std::array<F32, 4> shadow_;
  Sum sum_;
};

}  // namespace warpjit::pica200
