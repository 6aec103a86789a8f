// Compressed blocks whose texels can be worked out by hand.
#include "textures/decode.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

#include "textures/format.h"
#include "textures/view.h"

namespace warpjit::textures {
namespace {

using BlockBytes = std::vector<unsigned>;

// The texels, row by row, of the decoded format's bytes.
BlockBytes decode_block_of(std::string_view name, const BlockBytes& block) {
  const auto format = parse_texture_format(name);
  EXPECT_TRUE(format && format->bytes == block.size()) << name;
  std::vector<std::byte> bytes;
  for (unsigned byte : block) bytes.push_back(static_cast<std::byte>(byte));
  std::array<std::byte, 4 * kMaxBlockTexels> texels{};
  find_block_decoder(format->compression)(*format, bytes.data(), texels.data());
  BlockBytes result;
  const unsigned count = format->block_width * format->block_height * decoded_format(*format).bytes;
  for (unsigned n = 0; n < count; ++n) result.push_back(std::to_integer<unsigned>(texels[n]));
  return result;
}
BlockBytes texel_of(const BlockBytes& texels, unsigned n, unsigned size = 4) {
  return {texels.begin() + n * size, texels.begin() + (n + 1) * size};
}

TEST(TextureBlocks, Bc1) {
  // White and black; indices 0, 1, 2, 3 in the first row.
  const BlockBytes four = decode_block_of("bc1", {0xff, 0xff, 0, 0, 0xe4, 0, 0, 0});
  EXPECT_EQ(texel_of(four, 0), (BlockBytes{255, 255, 255, 255}));
  EXPECT_EQ(texel_of(four, 1), (BlockBytes{0, 0, 0, 255}));
  EXPECT_EQ(texel_of(four, 2), (BlockBytes{170, 170, 170, 255}));
  EXPECT_EQ(texel_of(four, 3), (BlockBytes{85, 85, 85, 255}));
  const BlockBytes three = decode_block_of("bc1", {0, 0, 0xff, 0xff, 0xe4, 0, 0, 0});
  EXPECT_EQ(texel_of(three, 2), (BlockBytes{127, 127, 127, 255}));
  EXPECT_EQ(texel_of(three, 3), (BlockBytes{0, 0, 0, 0}));
  // 5 and 6 bits: the upper ones again below.
  EXPECT_EQ(texel_of(decode_block_of("bc1", {0x30, 0x8a, 0, 0, 0, 0, 0, 0}), 0),
            (BlockBytes{0x8c, 0x45, 0x84, 255}));
}

TEST(TextureBlocks, Bc2AndBc3) {
  const BlockBytes bc2 = decode_block_of("bc2", {0xf1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xe4, 0, 0, 0});
  EXPECT_EQ(texel_of(bc2, 0), (BlockBytes{0, 0, 0, 17}));
  EXPECT_EQ(texel_of(bc2, 1), (BlockBytes{255, 255, 255, 255}));
  EXPECT_EQ(texel_of(bc2, 2), (BlockBytes{85, 85, 85, 0}));  // four colours although the ends ascend
  // Alpha from 255 to 0, indices 0, 1, 2, 7: 255, 0, (6 * 255 + 3) / 7, (255 + 3) / 7.
  const BlockBytes bc3 = decode_block_of("bc3", {255, 0, 0x88, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(bc3[3], 255u);
  EXPECT_EQ(bc3[7], 0u);
  EXPECT_EQ(bc3[11], 219u);
  EXPECT_EQ(bc3[15], 36u);
  // From 0 to 255: (255 + 2) / 5 and the ends themselves.
  const BlockBytes six = decode_block_of("bc3", {0, 255, 0x82, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(six[3], 51u);
  EXPECT_EQ(six[7], 0u);
  EXPECT_EQ(six[15], 255u);
}

TEST(TextureBlocks, Bc4AndBc5) {
  const BlockBytes bc4 = decode_block_of("bc4", {255, 0, 0x82, 0, 0, 0, 0, 0});
  EXPECT_EQ(bc4[0], 218u);  // 1530 / 7, down
  EXPECT_EQ(bc4[1], 255u);
  EXPECT_EQ(bc4[3], 255u);
  // 127 and -128, which counts as -127: index 5 is (3 * 127 - 4 * 127) / 7, down.
  const BlockBytes snorm = decode_block_of("bc4-snorm", {127, 0x80, 0x0d, 0, 0, 0, 0, 0});
  EXPECT_EQ(snorm[0], 0xedu);  // -19
  EXPECT_EQ(snorm[1], 0x81u);
  const BlockBytes bc5 = decode_block_of("bc5", {10, 10, 0, 0, 0, 0, 0, 0, 20, 20, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(texel_of(bc5, 5, 2), (BlockBytes{10, 20}));
}

TEST(TextureBlocks, Etc1) {
  // Individual colours (15, 0, 1) and (0, 15, 1), side by side; tables 0 and 7; the first column has indices
  // 0 to 3.
  const BlockBytes sides = decode_block_of("etc1", {0xf0, 0x0f, 0x11, 0x1c, 0, 0x0c, 0, 0x0a});
  EXPECT_EQ(texel_of(sides, 0), (BlockBytes{255, 2, 19, 255}));
  EXPECT_EQ(texel_of(sides, 4), (BlockBytes{255, 8, 25, 255}));
  EXPECT_EQ(texel_of(sides, 8), (BlockBytes{253, 0, 15, 255}));
  EXPECT_EQ(texel_of(sides, 12), (BlockBytes{247, 0, 9, 255}));
  EXPECT_EQ(texel_of(sides, 2), (BlockBytes{47, 255, 64, 255}));
  // The same above each other.
  const BlockBytes rows = decode_block_of("etc1", {0xf0, 0x0f, 0x11, 0x1d, 0, 0, 0, 0});
  EXPECT_EQ(texel_of(rows, 3), (BlockBytes{255, 2, 19, 255}));
  EXPECT_EQ(texel_of(rows, 8), (BlockBytes{47, 255, 64, 255}));
  // A difference: red 16 and 16 - 1.
  const BlockBytes difference = decode_block_of("etc2", {0x87, 0, 0, 0x02, 0, 0, 0, 0});
  EXPECT_EQ(texel_of(difference, 0), (BlockBytes{0x84 + 2, 2, 2, 255}));
  EXPECT_EQ(texel_of(difference, 2), (BlockBytes{0x7b + 2, 2, 2, 255}));
}

TEST(TextureBlocks, Etc2Modes) {
  const BlockBytes t = decode_block_of("etc2", {0xfb, 0, 0x0f, 0x02, 0, 0x0c, 0, 0x0a});
  EXPECT_EQ(texel_of(t, 0), (BlockBytes{255, 0, 0, 255}));
  EXPECT_EQ(texel_of(t, 4), (BlockBytes{3, 255, 3, 255}));
  EXPECT_EQ(texel_of(t, 8), (BlockBytes{0, 255, 0, 255}));
  EXPECT_EQ(texel_of(t, 12), (BlockBytes{0, 252, 0, 255}));
  const BlockBytes h = decode_block_of("etc2", {0, 0xfb, 0x80, 0x02, 0, 0x0c, 0, 0x0a});
  EXPECT_EQ(texel_of(h, 0), (BlockBytes{6, 23, 255, 255}));
  EXPECT_EQ(texel_of(h, 4), (BlockBytes{0, 11, 249, 255}));
  EXPECT_EQ(texel_of(h, 8), (BlockBytes{6, 6, 6, 255}));
  EXPECT_EQ(texel_of(h, 12), (BlockBytes{0, 0, 0, 255}));
  // Red 63 at the origin and to the right, 0 below.
  const BlockBytes planar = decode_block_of("etc2", {0xfe, 0, 0x04, 0x7f, 0, 0, 0, 0});
  EXPECT_EQ(texel_of(planar, 3), (BlockBytes{255, 0, 0, 255}));
  EXPECT_EQ(texel_of(planar, 4), (BlockBytes{191, 0, 0, 255}));
  EXPECT_EQ(texel_of(planar, 8), (BlockBytes{128, 0, 0, 255}));
  EXPECT_EQ(texel_of(planar, 15), (BlockBytes{64, 0, 0, 255}));
}

TEST(TextureBlocks, Etc2Alpha) {
  // Not opaque: index 2 is nothing, index 0 has no distance.
  const BlockBytes holes = decode_block_of("etc2-a1", {0x80, 0, 0, 0x00, 0, 0x0c, 0, 0x0a});
  EXPECT_EQ(texel_of(holes, 0), (BlockBytes{0x84, 0, 0, 255}));
  EXPECT_EQ(texel_of(holes, 4), (BlockBytes{0x84 + 8, 8, 8, 255}));
  EXPECT_EQ(texel_of(holes, 8), (BlockBytes{0, 0, 0, 0}));
  EXPECT_EQ(texel_of(holes, 12), (BlockBytes{0x84 - 8, 0, 0, 255}));
  const BlockBytes opaque = decode_block_of("etc2-a1", {0x80, 0, 0, 0x02, 0, 0x0c, 0, 0x0a});
  EXPECT_EQ(texel_of(opaque, 8), (BlockBytes{0x84 - 2, 0, 0, 255}));
  // 100 + 2 * steps of table 0; the first texel has index 0, the one below it 7.
  const BlockBytes alpha =
      decode_block_of("etc2-a8", {100, 0x20, 0x1c, 0, 0, 0, 0, 0, 0x80, 0, 0, 0x02, 0, 0, 0, 0});
  EXPECT_EQ(alpha[3], 94u);
  EXPECT_EQ(alpha[4 * 4 + 3], 128u);
}

// A value of 11 bits, in two bytes.
unsigned eac_of(const BlockBytes& texels, unsigned n, unsigned channels = 1, unsigned channel = 0) {
  const unsigned at = 2 * (channels * n + channel);
  return texels[at] | texels[at + 1] << 8;
}

// Steps of table 13: -1, -2, -3, -10, 0, 1, 2, 9. Indices go down the columns, 3 bits each from the top.
TEST(TextureBlocks, EacUnsigned) {
  // 8 base + 4 + 8 factor * step: indices 0, 3, 4, 7 in the first column.
  const BlockBytes some = decode_block_of("eac-r11", {100, 0x2d, 0x0e, 0x70, 0, 0, 0, 0});
  EXPECT_EQ(eac_of(some, 0), 804u - 16);
  EXPECT_EQ(eac_of(some, 4), 804u - 160);
  EXPECT_EQ(eac_of(some, 8), 804u);
  EXPECT_EQ(eac_of(some, 12), 804u - 16 + 160);
  // A factor of 0 is an eighth.
  const BlockBytes fine = decode_block_of("eac-r11", {100, 0x0d, 0x0e, 0x70, 0, 0, 0, 0});
  EXPECT_EQ(eac_of(fine, 0), 803u);
  EXPECT_EQ(eac_of(fine, 4), 794u);
  EXPECT_EQ(eac_of(fine, 12), 813u);
  // Both ends.
  EXPECT_EQ(eac_of(decode_block_of("eac-r11", {255, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), 5), 2047u);
  EXPECT_EQ(eac_of(decode_block_of("eac-r11", {0, 0xfd, 0x6d, 0xb6, 0xdb, 0x6d, 0xb6, 0xdb}), 5), 0u);
  EXPECT_EQ(eac_of(decode_block_of("eac-r11", {255, 0x0d, 0x92, 0x49, 0x24, 0x92, 0x49, 0x24}), 9), 2044u);
  EXPECT_EQ(eac_of(decode_block_of("eac-r11", {255, 0x0d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), 9), 2047u);
}

TEST(TextureBlocks, EacSigned) {
  // No 4 is added; a base of -128 counts as -127.
  const BlockBytes least = decode_block_of("eac-r11-snorm", {0x80, 0x0d, 0x92, 0x49, 0x24, 0x92, 0x49, 0x24});
  EXPECT_EQ(eac_of(least, 0), (2048u - 1016) & 0x7ff);
  const BlockBytes below = decode_block_of("eac-r11-snorm", {0x80, 0x1d, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(eac_of(below, 15), 2048u - 1023);
  const BlockBytes above = decode_block_of("eac-r11-snorm", {0x7f, 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  EXPECT_EQ(eac_of(above, 15), 1023u);
  const BlockBytes zero = decode_block_of("eac-r11-snorm", {0, 0x0d, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(eac_of(zero, 15), 2047u);  // -1
}

TEST(TextureBlocks, EacOfTwoChannels) {
  const BlockBytes both = decode_block_of(
      "eac-rg11", {100, 0x2d, 0x0e, 0x70, 0, 0, 0, 0, 50, 0x0d, 0x92, 0x49, 0x24, 0x92, 0x49, 0x24});
  ASSERT_EQ(both.size(), 64u);
  EXPECT_EQ(eac_of(both, 4, 2, 0), 644u);
  EXPECT_EQ(eac_of(both, 4, 2, 1), 404u);
  const TextureFormat decoded = decoded_format(*parse_texture_format("eac-rg11-snorm"));
  EXPECT_EQ(decoded.bytes, 4);
  EXPECT_EQ(decoded.components[1], (TexelComponent{TexelType::snorm, 16, 11}));
  // The greatest numbers, 2047 and 1023.
  const auto number = [](TexelType type, std::uint32_t raw) {
    return std::bit_cast<float>(decode_component(type, 11, raw));
  };
  EXPECT_EQ(number(TexelType::unorm, 2047), 1.0F);
  EXPECT_EQ(number(TexelType::unorm, 804), 804.0F / 2047);
  EXPECT_EQ(number(TexelType::snorm, 1023), 1.0F);
  EXPECT_EQ(number(TexelType::snorm, 2048 - 1023), -1.0F);
  EXPECT_EQ(number(TexelType::snorm, 2047), -1.0F / 1023);
}

TEST(TextureBlocks, AstcVoidExtent) {
  const BlockBytes block{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                         0x34, 0x12, 0xff, 0xff, 0,    0x80, 0xff, 0x7f};
  const BlockBytes texels = decode_block_of("astc-12x10", block);
  EXPECT_EQ(texel_of(texels, 0), (BlockBytes{0x12, 0xff, 0x80, 0x7f}));
  EXPECT_EQ(texel_of(texels, 119), (BlockBytes{0x12, 0xff, 0x80, 0x7f}));
  BlockBytes hdr = block;
  hdr[1] = 0xff;
  EXPECT_EQ(texel_of(decode_block_of("astc-4x4", hdr), 3), (BlockBytes{255, 0, 255, 255}));
}

TEST(TextureBlocks, AstcWeights) {
  // A grid of 4 x 4 weights of 2 bits, luminance from 0 to 255: bits 17 to 24 and 25 to 32. The last bits of
  // the block are the first weights, upside down: 0, 1, 2, 3, then zeros.
  BlockBytes block(16);
  block[0] = 0x42;
  block[3] = 0xfe;
  block[4] = 0x01;
  block[15] = 0b00'10'01'11;  // weights 0, 1, 2, 3, each with its lowest bit first
  const BlockBytes texels = decode_block_of("astc-4x4", block);
  EXPECT_EQ(texel_of(texels, 0), (BlockBytes{0, 0, 0, 255}));
  EXPECT_EQ(texel_of(texels, 1), (BlockBytes{84, 84, 84, 255}));
  EXPECT_EQ(texel_of(texels, 2), (BlockBytes{171, 171, 171, 255}));
  EXPECT_EQ(texel_of(texels, 3), (BlockBytes{255, 255, 255, 255}));
  EXPECT_EQ(texel_of(texels, 4), (BlockBytes{0, 0, 0, 255}));
  // In 8 x 8 texels the same grid is stretched: the last texel of a row has the last weight.
  const BlockBytes wide = decode_block_of("astc-8x8", block);
  EXPECT_EQ(wide[4 * 7], 255u);
  EXPECT_EQ(wide[0], 0u);
  // Reserved: a block of zeros is none.
  EXPECT_EQ(texel_of(decode_block_of("astc-6x5", BlockBytes(16)), 29), (BlockBytes{255, 0, 255, 255}));
}

// The edges of a texture are parts of blocks; rows are filled up to words.
TEST(TextureBlocks, Textures) {
  std::vector<std::byte> blocks(6 * 8);
  for (unsigned n = 0; n < 6; ++n)
    blocks[8 * n] = blocks[8 * n + 1] = static_cast<std::byte>(40 * n);  // flat
  Texture texture;
  texture.format = *parse_texture_format("bc4");
  texture.width = 6;
  texture.height = 5;
  texture.levels = 3;  // 2 x 2 blocks, one, one
  texture.data = blocks.data();
  texture.size = blocks.size();
  const auto view = make_view(texture, "texture 0");
  ASSERT_TRUE(view) << to_string(view.error());
  EXPECT_EQ(view->levels[0].row_bytes, 8u);
  const auto at = [&](unsigned level, unsigned x, unsigned y) {
    return std::to_integer<unsigned>(view->base[view->texel_offset(level, 0, x, y, 0)]);
  };
  EXPECT_EQ(at(0, 3, 3), 0u);
  EXPECT_EQ(at(0, 5, 0), 40u);
  EXPECT_EQ(at(0, 0, 4), 80u);
  EXPECT_EQ(at(0, 5, 4), 120u);
  EXPECT_EQ(at(1, 2, 1), 160u);
  EXPECT_EQ(at(2, 0, 0), 200u);
  texture.size = 47;
  EXPECT_FALSE(make_view(texture, "texture 0"));
  texture.size = blocks.size();
  texture.width = texture.height = 16384;
  texture.array = true;
  texture.levels = 1;
  texture.layers = 3;
  texture.size = std::size_t{1} << 40;  // not read: more texels than are decoded
  const auto large = make_view(texture, "texture 7");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::resource_limit);
}

}  // namespace
}  // namespace warpjit::textures
