// How the guest interpreter samples a texture, as the console does: docs/guests/usse.md 9.5 and 9.6, as
// plainly as that. Arithmetic is IEEE f32.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/interpret/textures/seen_texels.h"
#include "frontend/usse/encoding/decode.h"
#include "frontend/usse/interpret/quad.h"
#include "textures/view.h"

namespace warpjit::usse {

using Coordinates = std::array<float, 3>;  // u, v; of a cube a direction
using Texels = std::array<float, 4>;

class TextureSampler {
 public:
  // Both must outlive it. `native`: for results of the texture's own type, which are made of numbers of 0 to
  // 1, or -1 to 1, also where the texture has integers.
  TextureSampler(const textures::TextureView& texture, const Sampler& sampler, bool native = false)
      : texture_(texture), sampler_(sampler), native_(native) {}

  // Gets the texels that sample() and gather() read; null: nobody looks.
  void show_to(interpret::SeenTexels* seen) { seen_ = seen; }

  bool is_cube() const { return texture_.dimension == TextureDimension::cube; }

  // A level of detail, without any bias: of a quad, or of a place's changes along x and y.
  float level_of_quad(const std::array<Coordinates, kLanes>& lanes) const;
  float level_of_gradients(const Coordinates& at, const Coordinates& dx, const Coordinates& dy) const;
  // The texture's bias.
  float bias() const { return static_cast<float>(texture_.lod_bias) / 256.0F; }

  Texels sample(const Coordinates& at, float level) const;
  // Those that a linear filter would mix: (0, 1), (1, 1), (1, 0), (0, 0), and their weights.
  struct Gathered {
    std::array<Texels, 4> texels{};
    Texels weights{};
  };
  Gathered gather(const Coordinates& at, float level) const;
  // The weights of u and v and between levels, in 1/256, and the level.
  std::array<std::uint8_t, 4> query(const Coordinates& at, float level) const;

 private:
  struct Detail {
    std::uint32_t level = 0, next = 0;
    std::uint32_t weight = 0;  // of `next`, in 1/256
    bool mixes = false;
    Filter filter{};
  };
  Detail detail(float level) const;
  // On a face, and which one.
  struct Place {
    float u = 0, v = 0;
    std::uint32_t face = 0;
  };
  Place place(const Coordinates& at) const;
  // From one place to another; none between faces.
  static Coordinates difference(const Place& from, const Place& to);
  float level_of(const Coordinates& dx, const Coordinates& dy) const;  // changes of u and v
  struct Axis {
    std::uint32_t first = 0, second = 0, weight = 0;
  };
  Axis nearest(float u, unsigned axis, std::uint32_t size) const;
  Axis linear(float u, unsigned axis, std::uint32_t size) const;
  std::uint32_t wrap(std::int64_t texel, unsigned axis, std::uint32_t size) const;
  Texels texel(std::uint32_t level, std::uint32_t face, std::uint32_t x, std::uint32_t y) const;
  // `share`: of the level in the sample.
  Texels filtered(const Place& place, std::uint32_t level, Filter filter, float share) const;
  void show(const Place& place, std::uint32_t level, const Axis& x, const Axis& y, float share) const;

  const textures::TextureView& texture_;
  const Sampler& sampler_;
  const bool native_;
  interpret::SeenTexels* seen_ = nullptr;
};

// A sample, or the first components of it, in the words of a result of that type;
// `mask`: the bits that are written.
struct TexelWords {
  std::array<std::uint32_t, 4> words{}, mask{};
};
TexelWords pack_texel(const textures::TextureView& texture, Type type, const Texels& texel,
                      unsigned components);
// Words that `components` components take.
unsigned words_of_texel(const textures::TextureView& texture, Type type, unsigned components);

}  // namespace warpjit::usse
