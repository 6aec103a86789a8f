// Samples of textures by the rules of the Vita (docs/guests/usse.md 9.5), which are not those that other
// guests share. Where texels are and what their bits say is the same.
#pragma once

#include <array>

#include "ir/pass/samples/expansion.h"

namespace warpjit::usse {

struct SampleRequest {
  // zero: without the texture's bias, which is added to all others but a given one.
  enum class Level : std::uint8_t { of_quad, of_gradients, of_nothing, given, zero } level = Level::of_quad;
  std::array<ir::F32, 3> coordinates;  // one or two, of cubes three
  // Those that each lane had last, if lanes of the quad may be elsewhere.
  std::array<ir::F32, 3> last_coordinates;
  ir::F32 detail;  // the level that is given, or one more bias, if there is one
  std::array<std::array<ir::F32, 3>, 2> gradients;  // along x and y: of as many coordinates
};

class SampleTranslator final : ir::samples::Steps {
 public:
  // `wanted`: how many results.
  SampleTranslator(ir::Builder& b, const ir::SampleSource& source, std::uint32_t number, unsigned wanted);
  std::array<ir::F32, 4> sample(const SampleRequest& request);
  // The texels of a linear footprint: (0, 1), (1, 1), (1, 0), (0, 0), and the weights of these in reverse.
  struct Gathered {
    std::array<std::array<ir::F32, 4>, 4> texels;
    std::array<ir::F32, 4> weights;
  };
  Gathered gather(const SampleRequest& request);
  // A byte each: the weights of u, of v and between levels, and the level.
  ir::I32 query(const SampleRequest& request);

 private:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;
  using Level = ir::samples::Level;
  struct Taps {
    I32 first, second;
    F32 weight;  // of the second one
  };

  struct Place {
    std::array<F32, 2> at;
    I32 face;  // of cubes
  };
  struct Levels {
    I32 first, weight;  // its low byte: that of the next one; not valid: not mixed
  };

  Place place(std::array<F32, 3> coordinates);
  Place find_face(const std::array<F32, 3>& direction);
  F32 changes_as_level(const SampleRequest& request);
  I32 detail(const SampleRequest& request);
  Levels levels(I32 detail);
  F32 squared(const std::array<F32, 2>& difference);
  std::array<F32, 2> squared_differences(const SampleRequest& request);
  std::array<F32, 2> squared_gradients(const SampleRequest& request);
  I32 wrapped(Wrap wrap, I32 index, I32 extent);
  I32 modulo(I32 index, I32 extent);
  // In texels of an axis, times 256, from the middle of the first one.
  I32 parts(unsigned axis, I32 extent);
  Taps linear_taps(unsigned axis, I32 parts, I32 extent);
  Taps taps(unsigned axis, I32 extent);
  // Texels of a level: (0, 0), (1, 0), (0, 1), (1, 1), or the first one alone.
  std::array<ir::samples::Texels::Texel, 4> texels(const Level& level, const Taps& x, const Taps& y,
                                                   unsigned corners);
  std::array<F32, 4> of_level(const Level& level);
  F32 selected(ir::samples::Texels::Texel& texel, unsigned k);
  F32 component(ir::samples::Texels::Texel& texel, unsigned component);
  F32 mix(F32 a, F32 b, F32 weight) { return b_.FAdd32(a, b_.FMul32(b_.FSub32(b, a), weight)); }
  F32 fraction(I32 x) { return b_.FMul32(b_.I32ToF32(b_.IAnd32(x, word(255))), real(1.0F / 256)); }
  bool has_levels() const { return key_.mip != MipFilter::none && !key_.one_level; }

  ir::samples::Coordinates where_;
  ir::samples::Texels texels_;
  const unsigned wanted_;
  Place place_;
  I1 magnified_;
};

}  // namespace warpjit::usse
