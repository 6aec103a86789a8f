#include "capture/pica200/draw_textures.h"

#include "frontend/pica200/interpret/fragment/texture.h"

namespace warpjit::pica200 {

Status find_textures(const DrawView& draw, const VisitTexture& visit) {
  WARPJIT_TRY(const FoundTargets targets, find_targets(draw.setup, draw.memory));
  for (unsigned unit = 0; unit < draw.setup.state.textures.size(); ++unit) {
    const TextureState& texture = draw.setup.state.textures[unit];
    if (texture.type == TextureType::off || texture.absent) continue;
    FoundTexture found;
    WARPJIT_CHECK(find_texture(draw.setup, unit, draw.memory, targets, found));
    WARPJIT_CHECK(visit(unit, found));
  }
  return {};
}

bool show_texture(const DrawView& draw, unsigned unit, const FoundTexture& found, std::uint32_t most,
                  capture::TextureNumbers& numbers, const std::function<bool(const CaptureTexture&)>& visit) {
  constexpr std::array<const char*, 14> kFormats = {"rgba8", "rgb8", "rgb5a1", "rgb565", "rgba4",
                                                    "ia8",   "rg8",  "i8",     "a8",     "ia4",
                                                    "i4",    "a4",   "etc1",   "etc1a4"};
  const TextureState& state = draw.setup.state.textures[unit];
  const TextureValues& values = draw.setup.values.textures[unit];
  const auto format = static_cast<std::size_t>(state.format);
  CaptureTexture texture;
  texture.draw = static_cast<std::size_t>(draw.number);
  texture.stage = "fragment";
  texture.unit = unit;
  texture.format = kFormats[format];
  texture.width = values.width >> found.first_level;
  texture.height = values.height >> found.first_level;
  const std::uint32_t width = texture.width, height = texture.height;
  const std::size_t size = std::size_t{width} * height * texel_bits(state.format) / 8;
  for (unsigned face = 0; face < (state.is_cube() ? 6U : 1U); ++face) {
    if (found.data == nullptr || found.faces[face] > found.size || size > found.size - found.faces[face])
      continue;
    const std::byte* const data = found.data + found.faces[face];
    const std::array<std::uint64_t, 4> what = {values.addresses[face], format, width, height};
    const auto number = numbers.of({data, size}, what);
    capture::TexturePicture picture;
    // The row with the highest number is on top.
    if (number.is_new)
      picture = capture::shrink_texture(width, height, most, [&](std::uint32_t x, std::uint32_t y) {
        return fragment::read_texel(state.format, data, width, x, height - 1 - y);
      });
    texture.layer = face;
    texture.address = values.addresses[face];
    texture.number = number.number;
    texture.picture_width = picture.width;
    texture.picture_height = picture.height;
    texture.rgba = picture.rgba;
    if (!visit(texture)) return false;
  }
  return true;
}

}  // namespace warpjit::pica200
