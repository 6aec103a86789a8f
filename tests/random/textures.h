// Random textures and samplers, for differential tests and fuzzing: valid ones of all formats, layouts and
// states, small, over memory that all of them share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "textures/view.h"

namespace warpjit::random {

inline std::span<const std::byte> texels() {
  static const std::vector<std::byte> kTexels = [] {
    std::vector<std::byte> bytes(std::size_t{1} << 20);
    Random random(7);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    return bytes;
  }();
  return kTexels;
}

// Nothing if the choices do not go together.
inline std::optional<Texture> texture(Random& random) {
  constexpr std::uint32_t kExtents[] = {1, 2, 3, 4, 5, 8, 17, 33, 64};
  const auto extent = [&] { return kExtents[random.below(static_cast<unsigned>(std::size(kExtents)))]; };
  Texture made;
  const auto names = list_texture_formats();
  const std::string_view name =
      random.one_in(3) ? "rgba8" : names[random.below(static_cast<unsigned>(names.size()))];
  made.format = *parse_texture_format(name);
  made.dimension = static_cast<TextureDimension>(random.below(4));
  made.width = extent();
  if (made.dimension != TextureDimension::d1) made.height = extent();
  // Thin ones often: there both texels along the axis are one.
  if (made.dimension == TextureDimension::d3)
    made.depth_extent = random.one_in(3) ? 1 + random.below(2) : 1 + random.below(9);
  if (made.dimension == TextureDimension::cube) made.height = made.width;
  made.array = made.dimension != TextureDimension::d3 && random.one_in(3);
  made.layers = made.array ? 1 + random.below(3) : 1;
  unsigned most = 1;
  while (std::max({made.width, made.height, made.depth_extent}) >> most != 0) ++most;
  made.levels = 1 + random.below(most);
  if (random.one_in(5)) made.first_level = random.below(made.levels);
  made.layout = static_cast<TextureLayout>(random.below(4));
  if (made.layout == TextureLayout::block_linear) {
    made.block_height = static_cast<std::uint8_t>(random.below(4));
    if (made.dimension == TextureDimension::d3) made.block_depth = static_cast<std::uint8_t>(random.below(3));
  }
  const bool integers = textures::has_integers(made.format);
  for (TexelSource& source : made.swizzle)
    if (random.one_in(5)) source = static_cast<TexelSource>(random.below(integers ? 7 : 6));
  made.normalized = made.dimension == TextureDimension::cube || !random.one_in(8);
  made.four_pairs = !random.one_in(4);
  made.depth = random.one_in(8);
  if (random.one_in(5)) made.min_lod = static_cast<std::int32_t>(random.below(600));
  if (random.one_in(5)) made.lod_bias = static_cast<std::int32_t>(random.below(600)) - 300;
  // One width of nine, so that it takes no draw: channels are their integers as floats.
  if (made.width == 17 && made.format.compression == BlockCompression::none && !made.format.srgb)
    for (TexelComponent& component : made.format.components) {
      if (component.type == TexelType::unorm) component.type = TexelType::uscaled;
      if (component.type == TexelType::snorm) component.type = TexelType::sscaled;
    }
  made.data = texels().data();
  made.size = texels().size();
  if (!textures::make_view(made, "texture")) return {};
  return made;
}

inline Sampler sampler(Random& random, bool may_be_linear) {
  constexpr std::uint32_t kBorders[] = {0x3f800000, 0, 0x3e99999a, 0xbf000000, 0x7fffffff};
  Sampler made;
  for (Wrap& wrap : made.wrap) wrap = static_cast<Wrap>(random.below(8));
  if (random.one_in(2)) made.wrap.fill(random.one_in(2) ? Wrap::repeat : Wrap::clamp_to_edge);
  const auto filter = [&] { return may_be_linear && !random.one_in(3) ? Filter::linear : Filter::nearest; };
  made.magnify = filter();
  made.minify = random.one_in(3) ? filter() : made.magnify;
  made.mip = static_cast<MipFilter>(random.below(may_be_linear ? 3 : 2));
  made.compare = random.one_in(5);
  made.compare_op = static_cast<Compare>(random.below(8));
  made.decode_srgb = !random.one_in(4);
  made.seamless = random.one_in(2);
  made.lod_bias = static_cast<std::int32_t>(random.below(400)) - 200;
  made.min_lod = random.one_in(3) ? static_cast<std::int32_t>(random.below(300)) : 0;
  made.max_lod = static_cast<std::int32_t>(random.below(2000));
  for (std::uint32_t& word : made.border)
    word = kBorders[random.below(static_cast<unsigned>(std::size(kBorders)))];
  return made;
}

// Sets textures and samplers 0, 1, ... of a launch that go together: either integers, or linear filters.
template <class Launch>
Status set_textures(Launch& launch, Random& random, unsigned texture_count, unsigned sampler_count) {
  const bool integers = random.one_in(6);
  for (unsigned slot = 0; slot < texture_count;) {
    const std::optional<Texture> made = texture(random);
    if (!made || (!integers && textures::has_integers(made->format))) continue;
    if (Status status = launch.set_texture(slot++, *made); !status) return status;
  }
  for (unsigned slot = 0; slot < sampler_count; ++slot) {
    Sampler made = sampler(random, !integers);
    made.compare = made.compare && !integers && random.one_in(8);  // integers are not compared
    if (Status status = launch.set_sampler(slot, made); !status) return status;
  }
  return {};
}

}  // namespace warpjit::random
