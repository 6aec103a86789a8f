// How guest interpreters sample: a scalar sampler, written from docs/textures.md alone and as plainly as
// that. It shares no arithmetic with the code that the JIT makes, whose oracle it is. All of it is
// guest-neutral; the guest says what an instruction needs, and for which lanes. Numbers are bits of f32,
// unless a comment says other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/interpret/textures/seen_texels.h"
#include "textures/view.h"

namespace warpjit::interpret {

using TexelWords = std::array<std::uint32_t, 4>;

// The face of a cube and the place on it.
struct FacePlace {
  std::uint32_t face = 0;
  std::uint32_t s = 0, t = 0;
};

// Where a lane samples. What the texture's dimension and the sampler do not need does not count.
struct SamplePlace {
  std::array<std::uint32_t, 3> coordinates{};  // of a cube: divided by the largest one
  std::uint32_t layer = 0;                     // an integer
  std::uint32_t reference = 0;                 // of a comparison
  std::array<std::int32_t, 3> offsets{};       // texels
  std::optional<FacePlace> on_face{};          // of a cube, instead of coordinates: of a face that there is
  bool mirrors_texels = false;  // the mirror_once modes mirror numbers of texels, not coordinates
  SeenTexels* seen = nullptr;   // gets the texels that are read; null: nobody looks
};

// The level of detail, in 1/256.
inline constexpr std::int32_t kNoDetail = -(1 << 20), kAllDetail = 1 << 20;

// The greater of `most` and the square of the distance in texels between two lanes'
// coordinates; begin with 0.
std::uint32_t widen_gradient(std::uint32_t most, const textures::TextureView& texture,
                             const std::array<std::uint32_t, 3>& from,
                             const std::array<std::uint32_t, 3>& to);
std::int32_t detail_of(std::uint32_t gradient);
// A bias, or a level that replaces it all, as programs give it.
std::int32_t detail_operand(std::uint32_t number);

struct Detail {
  std::int32_t clamped = 0, unclamped = 0;
};
Detail resolve_detail(const textures::TextureView& texture, const Sampler& sampler, std::int32_t detail);

// `detail`: before the sampler's bias and clamps.
TexelWords sample(const textures::TextureView& texture, const Sampler& sampler, const SamplePlace& place,
                  std::int32_t detail);
// Component x of the four texels of the first level that a linear filter would mix:
// (0, 1), (1, 1), (1, 0), (0, 0).
TexelWords gather(const textures::TextureView& texture, const Sampler& sampler, const SamplePlace& place);
// One texel; coordinates and level are integers. Outside: zero.
TexelWords fetch(const textures::TextureView& texture, const SamplePlace& place, std::int32_t level);
// Width, height, depth or layers, number of levels: integers. A level that is not there: zero.
TexelWords query_size(const textures::TextureView& texture, std::uint32_t level);

FacePlace find_face(const std::array<std::uint32_t, 3>& direction);
// The point of a cube that is there, and one as it is seen on a face: what `widen_gradient` is
// given where faces are.
std::array<std::uint32_t, 3> point_of_cube(const FacePlace& place);
std::array<std::uint32_t, 3> seen_on_face(const std::array<std::uint32_t, 3>& point, const FacePlace& on);

}  // namespace warpjit::interpret
