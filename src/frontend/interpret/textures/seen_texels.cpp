#include "frontend/interpret/textures/seen_texels.h"

#include <algorithm>
#include <cstring>

#include "textures/decode.h"

namespace warpjit::interpret {
namespace {

// A component that results select is a float which is no number.
bool is_special(const textures::TextureView& texture, const std::byte* texel) {
  const textures::Texel words = textures::decode_texel(texture.format, texel);
  return std::ranges::any_of(texture.swizzle, [&](TexelSource source) {
    const auto n = static_cast<std::size_t>(source);
    return source <= TexelSource::alpha && texture.format.components[n].type == TexelType::float_bits &&
           (words[n] & 0x7f800000) == 0x7f800000;
  });
}

}  // namespace

void SeenTexels::see(const std::byte* place, unsigned bytes, unsigned level, std::uint32_t layer,
                     std::uint32_t x, std::uint32_t y, float weight) {
  Event::Texel& texel = texels_.emplace_back();
  texel.place = place;
  texel.x = x;
  texel.y = y;
  texel.layer = layer;
  texel.weight = weight;
  texel.texture = texture_;
  texel.level = static_cast<std::uint8_t>(level);
  texel.bytes = static_cast<std::uint8_t>(bytes);
  texel.lane = lane_;
  std::memcpy(texel.bits.data(), place, std::min<std::size_t>(bytes, sizeof texel.bits));
}

void SeenTexels::see(const textures::TextureView& texture, unsigned level, std::uint32_t layer,
                     const std::array<std::uint32_t, 3>& at, float weight) {
  const std::size_t offset = texture.texel_offset(level, layer, at[0], at[1], at[2]);
  const std::byte* const place = texture.base + offset;
  see(place, texture.format.bytes, level, std::max(layer, at[2]), at[0], at[1], weight);
  texels_.back().place = texture.decoded ? nullptr : texture.bound + offset;
  texels_.back().special = is_special(texture, place);
}

}  // namespace warpjit::interpret
