// Formats and their tiles.
#include "pixels/format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/share.h"

namespace warpjit::pixels {
namespace {

constexpr auto kLast = static_cast<unsigned>(kLastPixelFormat);

TEST(Formats, NamesAndSizes) {
  for (unsigned i = 0; i <= kLast; ++i) {
    const auto format = static_cast<PixelFormat>(i);
    EXPECT_EQ(parse_pixel_format(name(format)), format);
    EXPECT_EQ(tile_planes(format), (pixel_size(format) + 3) / 4);
  }
  EXPECT_FALSE(parse_pixel_format("rgb9").has_value());
  EXPECT_FALSE(parse_pixel_format("").has_value());
  EXPECT_EQ(std::string(name(PixelFormat::rgb10a2)), "rgb10a2");
  EXPECT_EQ(pixel_size(PixelFormat::none), 0U);
  EXPECT_EQ(pixel_size(PixelFormat::rgb565), 2U);
  EXPECT_EQ(pixel_size(PixelFormat::d24s8), 4U);
  EXPECT_EQ(pixel_size(PixelFormat::rgba16f), 8U);
  EXPECT_EQ(pixel_size(PixelFormat::rgba32ui), 16U);
  EXPECT_TRUE(is_depth(PixelFormat::d16));
  EXPECT_FALSE(is_depth(PixelFormat::r32f));
  EXPECT_EQ(std::string(name(PixelFormat::rg8_snorm)), "rg8-snorm");
  EXPECT_EQ(pixel_size(PixelFormat::r8i), 1U);
  EXPECT_EQ(pixel_size(PixelFormat::r11g11b10f), 4U);
  EXPECT_TRUE(is_integer(PixelFormat::rgb10a2ui) && is_integer(PixelFormat::rgba32i));
  EXPECT_FALSE(is_integer(PixelFormat::rgba16) || is_integer(PixelFormat::d24s8) ||
               is_integer(PixelFormat::none));
  EXPECT_EQ(pixel_size(static_cast<PixelFormat>(200)), 0U);
}

// A target of odd extent at an odd address, rows upside down, in a buffer whose other bytes must not change.
TEST(Formats, TilesHoldTheWordsOfPixels) {
  Random random(1);
  for (unsigned i = 1; i <= kLast; ++i) {
    const auto format = static_cast<PixelFormat>(i);
    const std::size_t size = pixel_size(format);
    for (const auto& [columns, rows] :
         {std::pair{64U, 64U}, {1U, 1U}, {65U, 3U}, {131U, 67U}, {128U, 129U}}) {
      const unsigned width = columns, height = rows;  // what lambdas may name
      const std::size_t pitch = width * size + 3;
      std::vector<std::byte> memory(1 + pitch * height + 16);
      for (std::byte& byte : memory) byte = static_cast<std::byte>(random.next());
      const std::vector<std::byte> before = memory;
      const TargetMemory target{memory.data() + 1 + pitch * (height - 1), -static_cast<std::ptrdiff_t>(pitch),
                                width, height};
      const auto pixel = [&](std::vector<std::byte>& bytes, std::uint32_t x, std::uint32_t y) {
        return bytes.data() + 1 + pitch * (height - 1 - y) + x * size;
      };
      struct alignas(16) Planes {
        std::byte bytes[4 * kPlaneBytes];
      };
      auto planes = std::make_unique<Planes>();
      for (std::uint32_t row = 0; row < (height + 63) / 64; ++row)
        for (std::uint32_t column = 0; column < (width + 63) / 64; ++column) {
          std::memset(planes->bytes, 0xcd, sizeof planes->bytes);
          load_tile(format, target, column, row, {}, planes->bytes);
          for (std::uint32_t y = 0; y < 64; ++y)
            for (std::uint32_t x = 0; x < 64; ++x)
              for (std::uint32_t plane = 0; plane < tile_planes(format); ++plane) {
                const std::uint32_t target_x = 64 * column + x, target_y = 64 * row + y;
                std::uint32_t expected = 0, found;  // 0 outside of the target
                if (target_x < width && target_y < height)
                  std::memcpy(&expected, pixel(memory, target_x, target_y) + 4 * plane,
                              std::min<std::size_t>(size, 4));
                std::byte* const word = planes->bytes + plane * kPlaneBytes + 16 * morton(x / 2, y / 2) +
                                        8 * (y & 1) + 4 * (x & 1);
                std::memcpy(&found, word, 4);
                ASSERT_EQ(found, expected) << name(format) << ' ' << x << ' ' << y << ' ' << plane;
                found = ~found;
                std::memcpy(word, &found, 4);
              }
          store_tile(format, target, column, row, {}, planes->bytes);
        }
      // Every byte of a pixel is inverted, every other byte as it was.
      std::vector<std::byte> expected = before;
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
          for (std::size_t byte = 0; byte < size; ++byte) {
            std::byte& b = pixel(expected, x, y)[byte];
            b = ~b;
          }
      ASSERT_TRUE(memory == expected) << name(format) << ' ' << width << " x " << height;
      // A tile that the target does not have.
      load_tile(format, target, 5, 0, {}, planes->bytes);
      store_tile(format, target, 0, 5, {}, planes->bytes);
      ASSERT_TRUE(memory == expected);
    }
  }
}

// Nothing beside a part of a tile is read or written; what the target lacks of it becomes 0.
TEST(Formats, PartsOfTilesMoveAlone) {
  Random random(2);
  for (unsigned n = 0; n < share(40 * kLast); ++n) {
    const auto format = static_cast<PixelFormat>(1 + n % kLast);
    const std::size_t size = pixel_size(format);
    const std::uint32_t width = 64 + random.below(100), height = 64 + random.below(100);
    std::vector<std::byte> memory(width * size * height);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random.next());
    const std::vector<std::byte> before = memory;
    const TargetMemory target{memory.data(), static_cast<std::ptrdiff_t>(width * size), width, height};
    const std::uint32_t column = random.below((width + 63) / 64), row = random.below((height + 63) / 64);
    TilePart part;
    part.left = static_cast<std::uint8_t>(4 * random.below(16));
    part.top = static_cast<std::uint8_t>(2 * random.below(32));
    part.right = static_cast<std::uint8_t>(part.left + 4 * (1 + random.below((64U - part.left) / 4)));
    part.bottom = static_cast<std::uint8_t>(part.top + 2 * (1 + random.below((64U - part.top) / 2)));
    struct alignas(16) Planes {
      std::byte bytes[4 * kPlaneBytes];
    };
    auto planes = std::make_unique<Planes>();
    std::memset(planes->bytes, 0xcd, sizeof planes->bytes);
    load_tile(format, target, column, row, part, planes->bytes);
    std::vector<std::byte> expected = before;
    for (std::uint32_t y = 0; y < 64; ++y)
      for (std::uint32_t x = 0; x < 64; ++x) {
        const bool inside = part.left <= x && x < part.right && part.top <= y && y < part.bottom;
        const std::uint32_t target_x = 64 * column + x, target_y = 64 * row + y;
        const bool there = target_x < width && target_y < height;
        const std::size_t place = (std::size_t{target_y} * width + target_x) * size;
        for (std::uint32_t plane = 0; plane < tile_planes(format); ++plane) {
          std::uint32_t word = inside ? 0 : 0xcdcdcdcd, found;
          if (inside && there)
            std::memcpy(&word, before.data() + place + 4 * plane, std::min<std::size_t>(size, 4));
          std::byte* const at =
              planes->bytes + plane * kPlaneBytes + 16 * morton(x / 2, y / 2) + 8 * (y & 1) + 4 * (x & 1);
          std::memcpy(&found, at, 4);
          ASSERT_EQ(found, word) << name(format) << ' ' << x << ' ' << y << ' ' << plane;
          found = ~found;
          std::memcpy(at, &found, 4);
        }
        for (std::size_t byte = 0; inside && there && byte < size; ++byte)
          expected[place + byte] = ~expected[place + byte];
      }
    store_tile(format, target, column, row, part, planes->bytes);
    ASSERT_TRUE(memory == expected) << name(format) << ' ' << width << " x " << height;
  }
}

}  // namespace
}  // namespace warpjit::pixels
