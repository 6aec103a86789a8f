// Pixels of colour surfaces in memory and in the target that is drawn to.
#include "device/usse/surface.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/same_bytes.h"

namespace warpjit::usse {
namespace {

// One channel of a target's pixel, in bits.
std::uint32_t target_channel(PixelFormat format, const std::byte* pixel, unsigned channel) {
  std::uint64_t words[2] = {};
  std::memcpy(words, pixel, pixel_size(format));
  const auto field = [&](unsigned first, unsigned bits) {
    return static_cast<std::uint32_t>(words[first / 64] >> first % 64 & ((std::uint64_t{1} << bits) - 1));
  };
  switch (format) {
    case PixelFormat::rgb565:
      return channel == 3 ? 0 : field(channel == 0 ? 0 : channel == 1 ? 5 : 11, channel == 1 ? 6 : 5);
    case PixelFormat::rgb5a1:
      return field(5 * channel, channel == 3 ? 1 : 5);
    case PixelFormat::rgba4:
      return field(4 * channel, 4);
    case PixelFormat::rgb10a2:
      return field(10 * channel, channel == 3 ? 2 : 10);
    case PixelFormat::rgba16f:
      return field(16 * channel, 16);
    case PixelFormat::r32f:
      return channel == 0 ? field(0, 32) : 0;
    case PixelFormat::rgba32f:
      return field(32 * channel, 32);
    default:
      return field(8 * channel, 8);
  }
}

TEST(UsseSurface, EveryFormatAndOrderOfPixels) {
  constexpr std::uint32_t kBases[] = {0x00000000, 0x10000000, 0x30000000, 0x40000000, 0x50000000,
                                      0x60800000, 0x80800000, 0xb0800000, 0xf0000000, 0x00800000,
                                      0x01000000, 0x10800000, 0x11000000};
  std::mt19937 random(7);
  std::size_t surfaces = 0;
  for (const std::uint32_t base : kBases)
    for (std::uint32_t swizzle = 0; swizzle < 4; ++swizzle) {
      const auto format = find_surface_format(base | swizzle << 20);
      if (!format) continue;
      for (const std::uint32_t type : {0u, 0x04000000u, 0x08000000u})
        for (const auto& [width, height] : {std::pair{64u, 16u}, std::pair{16u, 64u}, std::pair{37u, 35u}}) {
          if (type == 0x08000000 && width == 37) continue;
          SCOPED_TRACE(std::string(format->name) + " " + std::to_string(swizzle) + " " +
                       std::to_string(type));
          std::vector<std::byte> memory(64 * 64 * 8);
          for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
          const auto surface = Surface::open(
              {base | swizzle << 20, type, width, height, width + 3, memory.data(), memory.size()});
          ASSERT_TRUE(surface.ok()) << to_string(surface.error());
          std::vector<std::byte> pixels;
          surface->load(pixels);
          const std::size_t bytes = pixel_size(format->target);
          ASSERT_EQ(pixels.size(), bytes * width * height);
          for (std::uint32_t y = 0; y < height; ++y)
            for (std::uint32_t x = 0; x < width; ++x) {
              const auto fields = surface->fields_at(memory, x, y);
              std::set<unsigned> given;
              for (unsigned n = 0; n < format->fields; ++n) {
                const unsigned channel = format->channels[n];
                given.insert(channel);
                ASSERT_EQ(target_channel(format->target, &pixels[(y * width + x) * bytes], channel),
                          fields[n])
                    << x << "," << y << " channel " << channel;
              }
              for (unsigned channel = 0; channel < 4; ++channel) {
                const std::uint32_t one = format->target == PixelFormat::rgba16f   ? 0x3c00
                                          : format->target == PixelFormat::rgba32f ? 0x3f800000
                                                                                   : 0xff;
                const bool has_alpha =
                    format->target != PixelFormat::rgb565 && format->target != PixelFormat::r32f;
                if (!given.contains(channel)) {
                  ASSERT_EQ(target_channel(format->target, &pixels[(y * width + x) * bytes], channel),
                            channel == 3 && has_alpha ? one : 0);
                }
              }
            }
          // A byte of each pixel leads back to it; what is stored is what was loaded.
          std::set<std::size_t> reached;
          for (std::size_t byte = 0; byte < surface->extent(); ++byte)
            if (const auto at = surface->pixel_of(byte)) {
              reached.insert(*at);
              const auto x = static_cast<std::uint32_t>(*at / bytes % width),
                         y = static_cast<std::uint32_t>(*at / bytes / width);
              if (byte % 61 == 0) {
                std::vector<std::byte> changed = memory;
                changed[byte] ^= std::byte{0xff};
                ASSERT_NE(surface->fields_at(changed, x, y), surface->fields_at(memory, x, y)) << byte;
              }
            }
          EXPECT_EQ(reached.size(), std::size_t{width} * height);
          const std::vector<std::byte> before = memory;
          surface->store(pixels);
          EXPECT_EQ(tests::first_difference(memory, before), memory.size());
          ++surfaces;
        }
    }
  EXPECT_GT(surfaces, 200u);
}

}  // namespace
}  // namespace warpjit::usse
