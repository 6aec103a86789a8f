#include "frontend/textures/facts.h"

#include <algorithm>
#include <bit>

namespace warpjit::frontend {

ir::SampleKey sample_key(const textures::TextureView& texture, const Sampler& sampler) {
  ir::SampleKey key;
  key.dimension = texture.dimension;
  key.array = texture.array;
  key.format = texture.format;
  key.layout = texture.layout;
  key.swizzle = texture.swizzle;
  key.normalized = texture.normalized;
  key.four_pairs = texture.four_pairs;
  key.one_level = texture.first_level == texture.last_level;
  key.wrap = sampler.wrap;
  key.magnify = sampler.magnify;
  key.minify = sampler.minify;
  key.mip = sampler.mip;
  key.compare = sampler.compare;
  key.compare_op = sampler.compare_op;
  key.decode_srgb = sampler.decode_srgb;
  key.seamless = sampler.seamless;
  // What makes no difference is the same for all.
  if (!key.compare) key.compare_op = Compare::less_equal;
  if (!key.format.srgb) key.decode_srgb = true;
  if (!key.is_cube()) key.seamless = false;
  // A level mixed with itself is the same if the sums are exact, those of at most 16 bits.
  const bool exact =
      ir::filter_path(key).integers && (key.axes() == 1 || !key.linear()) && !ir::has_border(key);
  if (key.one_level && (key.mip == MipFilter::nearest || exact)) key.mip = MipFilter::none;
  for (unsigned axis = key.axes(); axis < 3; ++axis) key.wrap[axis] = Wrap::repeat;
  return key;
}

void fill_sample_words(const textures::TextureView& texture, const Sampler& sampler,
                       std::span<std::uint32_t> words) {
  using namespace ir::sample_words;
  const auto set = [&](std::uint32_t byte, std::uint32_t value) { words[byte / 4] = value; };
  const auto set_signed = [&](std::uint32_t byte, std::int32_t value) {
    set(byte, static_cast<std::uint32_t>(value));
  };
  std::ranges::fill(words.first(kBytes / 4), 0U);
  // Limited by the sampler, then from below by the texture.
  set_signed(kLodBias, texture.lod_bias + sampler.lod_bias);
  set_signed(kLeastLod, std::max(sampler.min_lod, texture.min_lod));
  set_signed(kGreatestLod, std::max(sampler.max_lod, texture.min_lod));
  set(kLastLevel, texture.last_level - texture.first_level);
  const bool cube = texture.dimension == TextureDimension::cube;
  set(kLastLayer, texture.layers / (cube ? 6 : 1) - 1);
  set(kLayerBytes, texture.layer_bytes);
  const textures::Level& largest = texture.levels[0];
  const float half_width = static_cast<float>(largest.width) * 0.5F;
  const float sizes[] = {static_cast<float>(largest.width), static_cast<float>(largest.height),
                         static_cast<float>(largest.depth)};
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    const float size = !texture.normalized ? 1.0F : cube ? half_width : sizes[axis];
    set(kLodSize + 4 * axis, std::bit_cast<std::uint32_t>(size));
  }
  const auto border = textures::border_of(texture, sampler);
  for (std::uint32_t k = 0; k < 4; ++k) set(kBorder + 4 * k, border[k]);
  for (std::uint32_t level = texture.first_level; level <= texture.last_level; ++level) {
    const textures::Level& from = texture.levels[level];
    const std::uint32_t number = level - texture.first_level;
    const std::uint32_t shifts = pack_shifts(from.block_height, from.block_depth, from.square_bits);
    const std::uint32_t of_level[kLevelWords] = {from.width,     from.height,      from.depth, from.offset,
                                                 from.row_bytes, from.slice_bytes, shifts};
    for (std::uint32_t k = 0; k < kLevelWords; ++k) {
      if (number == 0) set(kFirstLevel + 4 * k, of_level[k]);
      set(kLevels + k * kOfLevels + 4 * number, of_level[k]);
    }
  }
}

ir::TexelView texel_view(const textures::TextureView& texture) {
  return {texture.base, texture.size - 4, texture.size < 8 ? 0 : texture.size - 8};
}

void fill_samples(const Sampling& sampling, const BoundTextures& bound, const SampleTable& table,
                  std::span<std::uint32_t> words) {
  std::size_t number = 0;
  each_sample(
      sampling, bound, [&](const TextureUse&, const textures::TextureView* texture, const Sampler* sampler) {
        const std::uint32_t place = table.words(number++);
        if (texture != nullptr)
          fill_sample_words(*texture, sampler != nullptr ? *sampler : Sampler{}, words.subspan(place / 4));
      });
}

void append_key(std::span<const ir::SampleKey> samples, std::vector<std::byte>& key) {
  key.push_back(static_cast<std::byte>(samples.size()));
  for (const ir::SampleKey& sample : samples)
    ir::each_field(sample, [&](auto value, unsigned) { key.push_back(static_cast<std::byte>(value)); });
}

}  // namespace warpjit::frontend
