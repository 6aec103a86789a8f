// Places of texels: hand-made offsets, and that no two elements of a level share bytes.
#include "textures/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpjit::textures {
namespace {

Level place(TextureLayout layout, std::uint32_t bytes, std::uint32_t width, std::uint32_t height,
            std::uint32_t depth = 1, unsigned block_height = 0, unsigned block_depth = 0) {
  const LevelSize size = measure_level(layout, bytes, 4, width, height, depth, block_height, block_depth);
  return {width,
          height,
          depth,
          0,
          static_cast<std::uint32_t>(size.row_bytes),
          static_cast<std::uint32_t>(size.slice_bytes),
          size.block_height,
          size.block_depth,
          size.square_bits};
}

TEST(TextureLayouts, BlockLinear) {
  // 40 texels of 4 bytes: 160 bytes, three columns of 64. 20 rows: blocks of 8 rows (block height 1) would do
  // with 3, of 16 rows with 2.
  const Level level = place(TextureLayout::block_linear, 4, 40, 20, 1, 1);
  EXPECT_EQ(level.block_height, 1);
  EXPECT_EQ(level.row_bytes, 3 * 512u);
  EXPECT_EQ(level.slice_bytes, 3 * 3 * 512u);
  const auto offset = [&](std::uint32_t x, std::uint32_t y) {
    return element_offset(TextureLayout::block_linear, 4, 4, level, x, y, 0);
  };
  EXPECT_EQ(offset(1, 0), 4u);
  EXPECT_EQ(offset(0, 1), 64u);
  EXPECT_EQ(offset(0, 4), 256u);
  EXPECT_EQ(offset(16, 0), 512u);
  EXPECT_EQ(offset(0, 8), 1536u);
  EXPECT_EQ(offset(17, 13), 1536u + 512 + 256 + 64 + 4);
  // Blocks shrink to what the level has: 3 rows need one row of 4, 5 rows need two.
  EXPECT_EQ(place(TextureLayout::block_linear, 4, 8, 4, 1, 4).block_height, 0);
  EXPECT_EQ(place(TextureLayout::block_linear, 4, 8, 5, 1, 4).block_height, 1);
  EXPECT_EQ(place(TextureLayout::block_linear, 4, 8, 8, 3, 4, 5).block_depth, 2);
}

TEST(TextureLayouts, Tiles) {
  const Level level = place(TextureLayout::u_interleaved, 2, 40, 20);
  EXPECT_EQ(level.row_bytes, 3 * 512u);
  const auto offset = [&](std::uint32_t x, std::uint32_t y) {
    return element_offset(TextureLayout::u_interleaved, 2, 4, level, x, y, 0);
  };
  // A U of four: (0,0) (1,0) (1,1) (0,1).
  EXPECT_EQ(offset(1, 0), 2u * 1);
  EXPECT_EQ(offset(1, 1), 2u * 2);
  EXPECT_EQ(offset(0, 1), 2u * 3);
  EXPECT_EQ(offset(2, 0), 2u * 4);
  EXPECT_EQ(offset(16, 0), 2u * 256);
  EXPECT_EQ(offset(0, 16), 3u * 512);
  // Compressed formats: tiles of 4 x 4.
  EXPECT_EQ(element_offset(TextureLayout::u_interleaved, 8, 2, {.row_bytes = 1000}, 4, 4, 0), 1000u + 16 * 8);
}

TEST(TextureLayouts, Morton) {
  const Level level = place(TextureLayout::morton, 1, 7, 4);  // stored as 8 x 4
  EXPECT_EQ(level.square_bits, 2);
  EXPECT_EQ(level.slice_bytes, 32u);
  const auto offset = [&](std::uint32_t x, std::uint32_t y) {
    return element_offset(TextureLayout::morton, 1, 4, level, x, y, 0);
  };
  EXPECT_EQ(offset(0, 1), 1u);
  EXPECT_EQ(offset(1, 0), 2u);
  EXPECT_EQ(offset(3, 2), 0b1110u);
  EXPECT_EQ(offset(4, 0), 16u);
}

TEST(TextureLayouts, ElementsDoNotOverlap) {
  for (auto layout : {TextureLayout::linear, TextureLayout::block_linear, TextureLayout::u_interleaved,
                      TextureLayout::morton})
    for (std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
      for (std::uint32_t width : {1u, 3u, 16u, 37u})
        for (std::uint32_t height : {1u, 5u, 33u})
          for (std::uint32_t depth : {1u, 3u}) {
            const Level level = place(layout, bytes, width, height, depth, 2, 1);
            const LevelSize size = measure_level(layout, bytes, 4, width, height, depth, 2, 1);
            std::vector<bool> taken(static_cast<std::size_t>(size.slice_bytes * size.slices));
            for (std::uint32_t z = 0; z < depth; ++z)
              for (std::uint32_t y = 0; y < height; ++y)
                for (std::uint32_t x = 0; x < width; ++x) {
                  const std::uint32_t offset = element_offset(layout, bytes, 4, level, x, y, z);
                  ASSERT_LE(offset + bytes, taken.size());
                  ASSERT_EQ(offset % bytes, 0u);
                  ASSERT_FALSE(taken[offset]) << x << ' ' << y << ' ' << z;
                  taken[offset] = true;
                }
          }
}

}  // namespace
}  // namespace warpjit::textures
