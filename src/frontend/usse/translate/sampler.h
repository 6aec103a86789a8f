// Samples of textures by the rules of the Vita (docs/guests/usse.md 9.5), which are not those that other
// guests share. Where texels are and what their bits say is the same.
#pragma once

#include <array>

#include "ir/pass/samples/expansion.h"

namespace warpjit::usse {

struct SampleRequest {
  enum class Level : std::uint8_t { of_quad, biased, given, zero } level = Level::of_quad;
  std::array<ir::F32, 3> coordinates;  // two, of cubes three
  ir::F32 detail;                      // the bias, or the level
};

class TextureSampler final : ir::samples::Steps {
 public:
  // `wanted`: how many results.
  TextureSampler(ir::Builder& b, const ir::SampleSource& source, std::uint32_t number, unsigned wanted);
  std::array<ir::F32, 4> sample(const SampleRequest& request);

 private:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;
  using Level = ir::samples::Level;
  struct Taps {
    I32 first, second;
    F32 weight;  // of the second one
  };

  void find_face(const std::array<F32, 3>& direction);
  I32 detail(const SampleRequest& request);
  F32 squared_gradient();
  I32 wrapped(Wrap wrap, I32 index, I32 extent);
  I32 modulo(I32 index, I32 extent);
  Taps taps(unsigned axis, I32 extent);
  std::array<F32, 4> of_level(const Level& level);
  F32 component(ir::samples::Texels::Texel& texel, unsigned component);
  F32 mix(F32 a, F32 b, F32 weight) { return b_.FAdd32(a, b_.FMul32(b_.FSub32(b, a), weight)); }
  F32 fraction(I32 x) { return b_.FMul32(b_.I32ToF32(b_.IAnd32(x, word(255))), real(1.0F / 256)); }
  bool has_levels() const { return key_.mip != MipFilter::none && !key_.one_level; }

  ir::samples::Coordinates where_;
  ir::samples::Texels texels_;
  const unsigned wanted_;
  std::array<F32, 2> at_{};
  I32 face_;
  I1 magnified_;
};

}  // namespace warpjit::usse
