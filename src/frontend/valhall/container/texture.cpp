#include "frontend/valhall/container/texture.h"

#include "frontend/valhall/container/descriptor.h"
#include "warpjit/textures.hpp"

namespace warpjit::valhall {
Result<std::optional<TextureDescriptor>> read_texture(const Image& image, const Environment& environment,
                                                      std::uint32_t table, std::uint32_t index) {
  WARPJIT_TRY(const auto d, read_descriptor(image, environment, table, index, DescriptorType::texture));
  if (!d) return std::optional<TextureDescriptor>();
  return std::optional<TextureDescriptor>(
      {.address = environment.tables[table].address + std::uint64_t{kDescriptorBytes} * index,
       .place = d->place(),
       .kind = static_cast<TextureKind>(d->bits(0, 4, 2)),
       .format = d->bits(0, 10, 22),
       .width = d->bits(1, 0, 16) + 1,
       .height = d->bits(1, 16, 16) + 1,
       .depth = d->bits(7, 0, 16) + 1,
       .layers = d->bits(6, 0, 16) + 1,
       .levels = d->bits(2, 16, 5) + 1,
       .swizzle = static_cast<std::uint16_t>(d->bits(2, 0, 12)),
       .interleaved = d->bit(2, 12),
       .minimum_level = d->bits(2, 24, 5),
       .minimum_lod = static_cast<std::uint16_t>(d->bits(3, 0, 13)),
       .maximum_lod = static_cast<std::uint16_t>(d->bits(3, 16, 13)),
       .samples = 1U << d->bits(3, 13, 3),
       .surfaces = d->address(4)});
}

Result<std::optional<SamplerDescriptor>> read_sampler(const Image& image, const Environment& environment,
                                                      std::uint32_t table, std::uint32_t index) {
  WARPJIT_TRY(const auto d, read_descriptor(image, environment, table, index, DescriptorType::sampler));
  if (!d) return std::optional<SamplerDescriptor>();
  const auto small = [&](std::size_t word, unsigned low, unsigned count) {
    return static_cast<std::uint8_t>(d->bits(word, low, count));
  };
  return std::optional<SamplerDescriptor>(
      {.address = environment.tables[table].address + std::uint64_t{kDescriptorBytes} * index,
       .place = d->place(),
       .wrap = {small(0, 16, 4), small(0, 12, 4), small(0, 8, 4)},
       .keep_srgb = d->bit(0, 22),
       .seamless = d->bit(0, 23),
       .normalized = d->bit(0, 25),
       .minify_nearest = d->bit(0, 27),
       .magnify_nearest = d->bit(0, 28),
       .magnify_cutoff = d->bit(0, 29),
       .mip = small(0, 30, 2),
       .compare = small(1, 13, 3),
       .minimum_lod = static_cast<std::uint16_t>(d->bits(1, 0, 13)),
       .maximum_lod = static_cast<std::uint16_t>(d->bits(1, 16, 13)),
       .bias = static_cast<std::int16_t>(static_cast<std::uint16_t>(d->bits(2, 0, 16))),
       .anisotropy = static_cast<std::uint8_t>(d->bits(2, 16, 5) + 1),
       .border = {d->word(4), d->word(5), d->word(6), d->word(7)}});
}

Result<std::vector<PlaneDescriptor>> read_planes(const Image& image, const TextureDescriptor& texture) {
  const auto fail = [&](const std::string& what) {
    return Error{ErrorCode::resource_limit, texture.place + ": " + what, image.name()};
  };
  if (texture.levels > kMaxTextureLevels)
    return fail("levels: " + std::to_string(texture.levels) + " are more than " +
                std::to_string(kMaxTextureLevels));
  if (texture.layers > kMaxTextureLayers)
    return fail("array size: " + std::to_string(texture.layers) + " is more than " +
                std::to_string(kMaxTextureLayers));
  const std::uint32_t count = texture.layers * texture.faces() * texture.levels;
  std::vector<PlaneDescriptor> planes;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint64_t address = texture.surfaces + std::uint64_t{kDescriptorBytes} * n;
    WARPJIT_TRY(const Descriptor d, Descriptor::read(image, texture.place + ", plane " + std::to_string(n),
                                                     address, kDescriptorBytes));
    if (const std::uint32_t type = d.bits(0, 0, 4); type != 10)
      return d.error("type is " + std::to_string(type) + ", not 10");
    planes.push_back({.address = address,
                      .kind = static_cast<std::uint8_t>(d.bits(0, 4, 4)),
                      .ordering = static_cast<std::uint8_t>(d.bits(0, 8, 4)),
                      .clump = static_cast<std::uint8_t>(d.bits(0, 24, 8)),
                      .block_width = static_cast<std::uint8_t>(d.bits(0, 26, 3)),
                      .block_height = static_cast<std::uint8_t>(d.bits(0, 29, 3)),
                      .hdr = d.bit(0, 24),
                      .size = d.word(1),
                      .memory = d.address(2),
                      .row_stride = d.word(4),
                      .slice_stride = d.word(6)});
  }
  return planes;
}

}  // namespace warpjit::valhall
