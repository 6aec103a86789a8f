// A pixel of a colour target in the guest's memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/interpret/fragment/texture.h"

namespace warpjit::pica200::fragment {

inline std::byte low_byte(std::uint32_t value) { return static_cast<std::byte>(value & 255); }

struct PixelChannel {
  unsigned low, width;
};
// Of red, green, blue and alpha in the words of 16 bits; no alpha has width 0.
inline constexpr std::array<std::array<PixelChannel, 4>, 5> kPixelChannels = {
    {{},
     {},
     {{{11, 5}, {6, 5}, {1, 5}, {0, 1}}},
     {{{11, 5}, {5, 6}, {0, 5}, {0, 0}}},
     {{{12, 4}, {8, 4}, {4, 4}, {0, 4}}}}};

inline Bytes4 read_pixel(ColorFormat format, const std::byte* pixel) {
  if (format == ColorFormat::rgba8)
    return {static_cast<std::uint8_t>(pixel[3]), static_cast<std::uint8_t>(pixel[2]),
            static_cast<std::uint8_t>(pixel[1]), static_cast<std::uint8_t>(pixel[0])};
  if (format == ColorFormat::rgb8)
    return {static_cast<std::uint8_t>(pixel[2]), static_cast<std::uint8_t>(pixel[1]),
            static_cast<std::uint8_t>(pixel[0]), 255};
  const std::uint32_t word = byte_at(pixel, 0) | byte_at(pixel, 1) << 8;
  Bytes4 color{};
  for (std::size_t n = 0; n < 4; ++n) {
    const auto [low, width] = kPixelChannels[static_cast<std::size_t>(format)][n];
    const std::uint32_t most = (1u << width) - 1, value = word >> low & most;
    // Replicated from the highest bits down.
    color[n] = width == 0   ? std::uint8_t{255}
               : width == 1 ? static_cast<std::uint8_t>(value * 255)
               : width == 4 ? static_cast<std::uint8_t>(value * 17)
                            : static_cast<std::uint8_t>(value << (8 - width) | value >> (2 * width - 8));
  }
  return color;
}

// Components whose bit of `mask` is clear keep their bits.
inline void write_pixel(ColorFormat format, std::byte* pixel, const Bytes4& color, unsigned mask) {
  const bool words = format != ColorFormat::rgba8 && format != ColorFormat::rgb8;
  if (!words) {
    const std::size_t last = format == ColorFormat::rgba8 ? 3 : 2;
    for (std::size_t n = 0; n <= last; ++n)
      if ((mask >> n & 1) != 0) pixel[last - n] = low_byte(color[n]);
    return;
  }
  std::uint32_t word = byte_at(pixel, 0) | byte_at(pixel, 1) << 8;
  for (std::size_t n = 0; n < 4; ++n) {
    const auto [low, width] = kPixelChannels[static_cast<std::size_t>(format)][n];
    if ((mask >> n & 1) == 0 || width == 0) continue;
    const std::uint32_t most = (1u << width) - 1;
    word = (word & ~(most << low)) | static_cast<std::uint32_t>(color[n]) >> (8 - width) << low;
  }
  pixel[0] = low_byte(word);
  pixel[1] = low_byte(word >> 8);
}

}  // namespace warpjit::pica200::fragment
