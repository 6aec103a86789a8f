// Texture instructions run over fragments: a texture whose texels say where they are, and a fixture.
#pragma once

#include "frontend/valhall/facts/launch.h"
#include "valhall/run_fragments.h"

namespace warpjit::valhall {

// 4 x 4 texels, rgba8ui: the level's number, x, y and the layer; levels of 4, 2 and 1.
struct NumberedTexels {
  std::vector<std::uint32_t> words;
  Texture texture;

  explicit NumberedTexels(TextureDimension dimension = TextureDimension::d2, std::uint32_t layers = 1) {
    const std::uint32_t faces = dimension == TextureDimension::cube ? 6 : 1;
    const std::uint32_t slices = dimension == TextureDimension::d3 ? 4 : 1;
    const std::uint32_t rows = dimension == TextureDimension::d1 ? 1 : 4;
    for (std::uint32_t layer = 0; layer < layers * faces; ++layer)
      for (std::uint32_t level = 0; level < 3; ++level)
        for (std::uint32_t z = 0; z < std::max(1U, slices >> level); ++z)
          for (std::uint32_t y = 0; y < std::max(1U, rows >> level); ++y)
            for (std::uint32_t x = 0; x < 4U >> level; ++x)
              words.push_back(level | x << 8 | y << 16 | (layer + z) << 24);
    texture.dimension = dimension;
    texture.format = *parse_texture_format("rgba8ui");
    texture.width = 4;
    texture.height = rows;
    texture.depth_extent = slices;
    texture.levels = 3;
    texture.array = layers > 1;
    texture.layers = layers;
    texture.data = words.data();
    texture.size = 4 * words.size();
  }
};

class ValhallRunTexture : public testing::Test {
 protected:
  void bind(unsigned slot, const Texture& texture) { options_.textures[slot] = texture; }
  void bind(unsigned slot, const Sampler& sampler) { options_.samplers[slot] = sampler; }

  // Binds texture 1, 2 x 2 depths, and sampler 0, which compares for less; gives the sampler.
  Sampler bind_depths() {
    Texture texture;
    texture.format = *parse_texture_format("r32f");
    texture.width = texture.height = 2;
    texture.data = kDepths;
    texture.size = sizeof kDepths;
    bind(1, texture);
    Sampler sampler;
    sampler.compare = true;
    sampler.compare_op = Compare::less;
    bind(0, sampler);
    return sampler;
  }

  static std::string set(unsigned reg, std::uint32_t word) {
    char text[64];
    std::snprintf(text, sizeof text, "IADD_IMM.i32 r%u, 0x0, #0x%X\n", reg, word);
    return text;
  }
  static std::string set(unsigned reg, float number) { return set(reg, bits_of(number)); }

  // r0 to r3 of pixel (2, 1), with r40 and r41 as the handle of texture 1 and sampler 0.
  std::array<std::uint32_t, 4> run(const std::string& body) {
    const FinishedFragments pixels =
        pixels_of(set(40, kHandle) + set(0, 0U) + set(1, 0U) + set(2, 0U) + set(3, 0U) + body, options_);
    if (!pixels.status) return {};
    return {pixels.word(2, 1), pixels.word(2, 1, 1), pixels.word(2, 1, 2), pixels.word(2, 1, 3)};
  }

  // That r0 to r3 are 0 in all pixels, after a fault of this word, in every engine.
  void fails(const std::string& body, std::uint32_t word) {
    const FinishedFragments pixels = run_fragments(set(40, kHandle) + set(0, 7U) + body + kEmit, options_);
    ASSERT_TRUE(pixels.status) << to_string(pixels.status.error());
    ASSERT_TRUE(pixels.report.first_fault) << body;
    const ir::MemoryFault& access = pixels.report.first_fault->access;
    EXPECT_EQ(access.address, word) << body;
    EXPECT_EQ(access.index, kTextureSpace);
    EXPECT_EQ(pixels.colors[0], std::vector<std::uint32_t>(pixels.colors[0].size())) << body;
  }

  using Words = std::array<std::uint32_t, 4>;
  static constexpr float kDepths[] = {0.25F, 0.5F, 0.75F, 1.0F};
  static constexpr std::uint32_t kHandle = 0x20011800;
  FragmentOptions options_;
};

}  // namespace warpjit::valhall
