// What binding a texture checks, and where its levels and layers are.
#include "textures/view.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace warpjit::textures {
namespace {

alignas(16) const std::array<std::byte, 8192> kMemory{};

Texture texture(std::string_view format = "rgba8") {
  Texture t;
  t.format = *parse_texture_format(format);
  t.data = kMemory.data();
  t.size = kMemory.size();
  t.width = t.height = 8;
  return t;
}

TEST(TextureViews, Chain) {
  Texture t = texture();
  t.levels = 4;
  t.array = true;
  t.layers = 2;
  const auto view = make_view(t, "texture 0");
  ASSERT_TRUE(view) << to_string(view.error());
  EXPECT_EQ(view->levels[1].offset, 256u);
  EXPECT_EQ(view->levels[2].offset, 320u);
  EXPECT_EQ(view->levels[3].offset, 336u);
  EXPECT_EQ(view->layer_bytes, 340u);
  EXPECT_EQ(view->size, 680u);
  EXPECT_EQ(view->last_level, 3u);
  EXPECT_EQ(view->base, kMemory.data());
  EXPECT_EQ(view->texel_offset(1, 1, 2, 3, 0), 340u + 256 + 3 * 16 + 2 * 4);
}

TEST(TextureViews, LayersOfBlocks) {
  Texture t = texture();
  t.layout = TextureLayout::block_linear;
  t.width = 20;  // two columns of blocks
  t.levels = 2;
  t.block_height = 1;
  t.dimension = TextureDimension::d2;
  t.array = true;
  t.layers = 3;
  const auto view = make_view(t, "texture 0");
  ASSERT_TRUE(view) << to_string(view.error());
  // Level 0: 2 blocks of 512; level 1, 10 x 4: one of 256. A layer is a multiple of 512.
  EXPECT_EQ(view->levels[1].offset, 1024u);
  EXPECT_EQ(view->levels[1].block_height, 0);
  EXPECT_EQ(view->layer_bytes, 1536u);
}

TEST(TextureViews, LevelsAtChosenPlaces) {
  Texture t = texture();
  t.levels = 2;
  const TextureLevelPlace places[] = {{64, 40, 0}, {0, 16, 0}};
  t.level_places = places;
  const auto view = make_view(t, "texture 0");
  ASSERT_TRUE(view) << to_string(view.error());
  EXPECT_EQ(view->texel_offset(0, 0, 1, 1, 0), 64u + 40 + 4);
  EXPECT_EQ(view->texel_offset(1, 0, 1, 1, 0), 16u + 4);
}

// Memory that ends within a word, or begins within one, is copied; other memory is not.
TEST(TextureViews, Copies) {
  std::vector<std::byte> memory(64, std::byte{5});
  Texture t = texture("r8");
  t.width = t.height = 3;
  t.data = memory.data();
  t.size = 9;
  auto view = make_view(t, "texture 0");
  ASSERT_TRUE(view);
  EXPECT_NE(view->base, memory.data());
  EXPECT_EQ(view->size, 12u);
  EXPECT_EQ(view->base[8], std::byte{5});
  EXPECT_EQ(view->base[9], std::byte{0});
  t.size = 12;
  view = make_view(t, "texture 0");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->base, memory.data());
  t.data = memory.data() + 1;
  view = make_view(t, "texture 0");
  ASSERT_TRUE(view);
  EXPECT_NE(view->base, memory.data() + 1);
  EXPECT_EQ(view->bound, memory.data() + 1);
}

TEST(TextureViews, InvalidTextures) {
  struct Case {
    std::function<void(Texture&)> change;
    std::string message;
  };
  static const TextureLevelPlace one[1] = {};
  const Case cases[] = {
      {[](Texture& t) { t.width = 0; }, "width is 0"},
      {[](Texture& t) { t.height = 0; }, "height is 0"},
      {[](Texture& t) { t.depth_extent = 0; }, "depth is 0"},
      {[](Texture& t) { t.depth_extent = 2; }, "depth is 2; at most 1"},
      {[](Texture& t) { t.layers = 0; }, "layers is 0"},
      {[](Texture& t) { t.layers = 2; }, "layers is 2; at most 1"},
      {[](Texture& t) { t.width = 16385; }, "width is 16385; at most 16384"},
      {[](Texture& t) { t.levels = 0; }, "levels is 0"},
      {[](Texture& t) { t.levels = 5; }, "levels is 5; the extents allow 4"},
      {[](Texture& t) { t.first_level = 1; }, "first_level is a level that the texture does not have"},
      {[](Texture& t) {
         t.levels = 4;
         t.first_level = 2;
         t.last_level = 1;
       },
       "last_level is before the first level"},
      {[](Texture& t) { t.format = {}; }, "format is not set"},
      {[](Texture& t) { t.data = nullptr; }, "data is null"},
      {[](Texture& t) { t.size = 255; }, "data has 255 bytes; the levels and layers end at byte 256"},
      {[](Texture& t) {
         t.levels = 4;
         t.size = 339;
       },
       "data has 339 bytes; the levels and layers end at byte 340"},
      {[](Texture& t) { t.row_bytes = 28; }, "row_bytes is 28; less than the 32 it has"},
      {[](Texture& t) { t.row_bytes = 33; }, "row_bytes is no multiple of 4"},
      {[](Texture& t) { t.row_bytes = ~std::uint64_t{0}; },
       "row_bytes is 18446744073709551615; too many bytes"},
      {[](Texture& t) { t.slice_bytes = 255; }, "slice_bytes is 255; less than the 256 it has"},
      {[](Texture& t) {
         t.array = true;
         t.layers = 2;
         t.layer_bytes = 252;
       },
       "layer_bytes is 252; less than the 256 it has"},
      {[](Texture& t) {
         t.array = true;
         t.layers = 2;
         t.layer_bytes = 0x7ffffffc;
       },
       "width, height, depth, layers, levels are of more than 2147483648 bytes"},
      {[](Texture& t) { t.width = t.height = 16384, t.array = true, t.layers = 16384; },
       "width, height, depth, layers, levels are of more than 2147483648 bytes"},
      {[](Texture& t) { t.dimension = TextureDimension::d3, t.array = true; },
       "array is set, but the dimension has no arrays"},
      {[](Texture& t) { t.dimension = TextureDimension::cube, t.height = 4; },
       "height of a cube is not its width"},
      {[](Texture& t) { t.dimension = static_cast<TextureDimension>(9); }, "dimension 9 is not known"},
      {[](Texture& t) { t.layout = static_cast<TextureLayout>(9); }, "layout 9 is not known"},
      {[](Texture& t) { t.swizzle[2] = static_cast<TexelSource>(9); }, "swizzle 9 is not known"},
      {[](Texture& t) { t.layout = TextureLayout::morton, t.row_bytes = 32; },
       "row_bytes is set, but the layout has no rows to set"},
      {[](Texture& t) { t.levels = 2, t.level_places = one; }, "level_places are not as many as levels"},
      {[](Texture& t) { t.block_height = 6; }, "block_height is above 5"},
      {[](Texture& t) { t.lod_bias = 1 << 16; }, "lod_bias is beyond 128 levels"},
      {[](Texture& t) {
         t.dimension = TextureDimension::buffer, t.height = 1, t.layout = TextureLayout::morton;
       },
       "layout of a buffer is not linear"},
  };
  ASSERT_TRUE(make_view(texture(), "texture 3"));
  for (const Case& c : cases) {
    Texture t = texture();
    c.change(t);
    const auto view = make_view(t, "texture 3");
    ASSERT_FALSE(view) << c.message;
    EXPECT_EQ(view.error().message, c.message);
    EXPECT_EQ(view.error().where, "texture 3");
  }
}

TEST(TextureViews, Samplers) {
  Sampler sampler;
  EXPECT_TRUE(check_sampler(sampler, "sampler 1"));
  sampler.wrap[2] = static_cast<Wrap>(8);
  EXPECT_EQ(to_string(check_sampler(sampler, "sampler 1").error()), "sampler 1: wrap 8 is not known");
  sampler = {};
  sampler.max_lod = 1 << 20;
  EXPECT_EQ(check_sampler(sampler, "sampler 1").error().message, "max_lod is beyond 128 levels");

  sampler = {};
  sampler.minify = Filter::linear;
  auto view = make_view(texture("rg16ui"), "texture 2");
  ASSERT_TRUE(view);
  EXPECT_FALSE(check_pair(*view, sampler, "texture 2"));
  // Stencil that no result selects does not matter.
  Texture depth = texture("d24s8");
  depth.swizzle = {TexelSource::red, TexelSource::red, TexelSource::red, TexelSource::one};
  view = make_view(depth, "texture 2");
  ASSERT_TRUE(view);
  EXPECT_TRUE(check_pair(*view, sampler, "texture 2"));
}

}  // namespace
}  // namespace warpjit::textures
