// Formats of texels: the table of names, and what texels decode to.
#include "textures/format.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/bits.h"

namespace warpjit::textures {
namespace {

Texel decode(std::string_view format, std::vector<unsigned> bytes) {
  std::vector<std::byte> texel;
  for (unsigned byte : bytes) texel.push_back(static_cast<std::byte>(byte));
  const auto parsed = parse_texture_format(format);
  EXPECT_TRUE(parsed.has_value()) << format;
  EXPECT_EQ(parsed->bytes, texel.size()) << format;
  return decode_texel(*parsed, texel.data());
}
Texel floats(float r, float g, float b, float a) { return {to_bits(r), to_bits(g), to_bits(b), to_bits(a)}; }

TEST(TextureFormats, NamesRoundTrip) {
  for (std::string_view text : list_texture_formats()) {
    const auto format = parse_texture_format(text);
    ASSERT_TRUE(format.has_value()) << text;
    EXPECT_TRUE(check_format(*format)) << text;
    EXPECT_EQ(parse_texture_format(name(*format).value_or("")), format) << text;  // d16 is also r16
  }
  EXPECT_FALSE(parse_texture_format("rgba9").has_value());
  EXPECT_FALSE(name(TextureFormat()).has_value());
}

TEST(TextureFormats, NormalizedNumbers) {
  EXPECT_EQ(decode("rgba8", {0, 255, 51, 128}), floats(0, 1, 51 * (1.0f / 255), 128 * (1.0f / 255)));
  EXPECT_EQ(decode("rgba8-snorm", {0x80, 0x81, 0x7f, 1}), floats(-1, -1, 1, 1.0f / 127));
  EXPECT_EQ(decode("rg16", {0xff, 0xff, 1, 0}), floats(1, 1.0f / 65535, 0, 1));
  EXPECT_EQ(decode("r16-snorm", {0, 0x80}), floats(-1, 0, 0, 1));
  EXPECT_EQ(decode("rgb565", {0x1f, 0xf8}), floats(1, 0, 1, 1));
  EXPECT_EQ(decode("rgba4", {0xf0, 0x0f}), floats(0, 1, 1, 0));
  EXPECT_EQ(decode("rgb5a1", {0xe0, 0x83}), floats(0, 1, 0, 1));
  EXPECT_EQ(decode("rgb10a2", {0xff, 3, 0, 0x40}), floats(1, 0, 0, 1.0f / 3));
  EXPECT_EQ(decode("d24s8", {0xff, 0xff, 0xff, 7}), (Texel{to_bits(1.0f), 7, 0, to_bits(1.0f)}));
  EXPECT_EQ(decode("s8d24", {7, 1, 0, 0}), (Texel{to_bits(1.0f / 16777215), 7, 0, to_bits(1.0f)}));
  EXPECT_EQ(decode("srgb8", {255, 0, 188, 128})[0], to_bits(1.0f));
  EXPECT_NEAR(to_float(decode("srgb8", {255, 0, 188, 128})[2]), std::pow((188 / 255.0 + 0.055) / 1.055, 2.4),
              1e-7);
  EXPECT_EQ(decode("srgb8", {255, 0, 188, 128})[3], to_bits(128 * (1.0f / 255)));
}

TEST(TextureFormats, Floats) {
  EXPECT_EQ(decode("rg16f", {0, 0x3c, 0, 0xc0}), floats(1, -2, 0, 1));
  EXPECT_EQ(decode("rg16f", {1, 0, 1, 0x80}), floats(0x1p-24f, -0x1p-24f, 0, 1));  // denormals
  EXPECT_EQ(decode("rg16f", {0, 0xfc, 1, 0x7c}), (Texel{0xff800000, 0x7fffffff, 0, to_bits(1.0f)}));
  EXPECT_EQ(decode("r32f", {1, 0, 0x80, 0x7f}), (Texel{0x7f800001, 0, 0, to_bits(1.0f)}));  // as it is
  // 1, 2 and 1/2: exponents 15, 16 and 14.
  const std::uint32_t packed = 15u << 6 | 16u << 17 | 14u << 27;
  EXPECT_EQ(decode("r11g11b10f", {packed & 255, packed >> 8 & 255, packed >> 16 & 255, packed >> 24}),
            floats(1, 2, 0.5f, 1));
  EXPECT_EQ(decode("r11g11b10f", {1, 0, 0, 0}), floats(0x1p-20f, 0, 0, 1));
  // 3 * 2^(16 - 24), 0, 511 * 2^-8.
  const std::uint32_t shared = 3u | 511u << 18 | 16u << 27;
  EXPECT_EQ(decode("rgb9e5", {shared & 255, shared >> 8 & 255, shared >> 16 & 255, shared >> 24}),
            floats(3.0f / 256, 0, 511.0f / 256, 1));
}

TEST(TextureFormats, Integers) {
  EXPECT_EQ(decode("rgba8i", {0xff, 0x80, 0x7f, 0}), (Texel{0xffffffff, 0xffffff80, 127, 0}));
  EXPECT_EQ(decode("rg16ui", {0xff, 0xff, 1, 2}), (Texel{65535, 513, 0, 1}));
  EXPECT_EQ(decode("rgb32i", {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0}), (Texel{1, 0xffffffff, 3, 1}));
  EXPECT_EQ(decode("rgb8ui", {1, 2, 3}), (Texel{1, 2, 3, 1}));
}

TEST(TextureFormats, IntegersAsFloats) {
  TextureFormat format = *parse_texture_format("rgb10a2");
  for (TexelComponent& component : format.components) component.type = TexelType::uscaled;
  EXPECT_TRUE(check_format(format).ok());
  const std::array<std::byte, 4> texel{std::byte{0xff}, std::byte{0x0b}, std::byte{0x20}, std::byte{0x80}};
  EXPECT_EQ(decode_texel(format, texel.data()), floats(1023, 2, 2, 2));
  for (TexelComponent& component : format.components) component.type = TexelType::sscaled;
  EXPECT_TRUE(check_format(format).ok());
  EXPECT_EQ(decode_texel(format, texel.data()), floats(-1, 2, 2, -2));
  EXPECT_FALSE(has_integers(format));
  EXPECT_EQ(decode_component(TexelType::uscaled, 24, 0xffffff), 0x4b7fffffU);
  EXPECT_EQ(decode_component(TexelType::sscaled, 8, 0x80), 0xc3000000U);
  format = *parse_texture_format("r32ui");
  format.components[0].type = TexelType::uscaled;  // a float would not be exact
  EXPECT_FALSE(check_format(format).ok());
}

TEST(TextureFormats, InvalidFormats) {
  const auto broken = [](auto change) {
    TextureFormat format = *parse_texture_format("rgba8");
    change(format);
    const Status status = check_format(format);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(broken([](TextureFormat&) {}), "");
  EXPECT_EQ(broken([](TextureFormat& f) { f = {}; }), "is not set");
  EXPECT_EQ(broken([](TextureFormat& f) { f.bytes = 5; }), "has texels of 5 bytes");
  EXPECT_EQ(broken([](TextureFormat& f) { f.bytes = 3; }), "has component a outside of the texel");
  EXPECT_EQ(broken([](TextureFormat& f) { f.components[1].bits = 0; }),
            "has component g of 0 bits of type unorm, which do not go together");
  EXPECT_EQ(broken([](TextureFormat& f) {
              f.bytes = 8;
              f.components[2].first_bit = 28;
            }),
            "has component b in two words of the texel");
  EXPECT_EQ(broken([](TextureFormat& f) { f.block_width = 4; }), "has blocks without compression");
  EXPECT_EQ(broken([](TextureFormat& f) { f.components = {}; }), "has no components");
  EXPECT_EQ(broken([](TextureFormat& f) {
              f.srgb = true;
              f.components[0].bits = 7;
            }),
            "has component r in sRGB, but not of 8 bits unorm");
  EXPECT_EQ(broken([](TextureFormat& f) { f.compression = static_cast<BlockCompression>(99); }),
            "has no such compression");
  EXPECT_EQ(broken([](TextureFormat& f) { f.compression = BlockCompression::bc1; }),
            "has another number of bytes in a block");
  EXPECT_EQ(broken([](TextureFormat& f) {
              f = *parse_texture_format("astc-4x4");
              f.block_width = 7;
            }),
            "has blocks or components that its compression does not have");
}

}  // namespace
}  // namespace warpjit::textures
