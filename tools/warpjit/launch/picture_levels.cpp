#include <algorithm>
#include <array>
#include <bit>

#include "base/srgb.h"
#include "launch/texture_fields.h"

namespace warpjit::tool {

std::uint32_t full_levels(std::uint32_t width, std::uint32_t height) {
  return static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
}

namespace {

std::uint8_t encode_srgb(float linear) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(linear);
  return static_cast<std::uint8_t>(
      std::upper_bound(std::begin(kSrgbThresholds), std::end(kSrgbThresholds), word) -
      std::begin(kSrgbThresholds));
}

// The mean of four bytes, of colours along the curve if they are encoded by it.
std::uint8_t mean(const std::array<std::uint8_t, 4>& bytes, bool srgb) {
  if (!srgb) return static_cast<std::uint8_t>((bytes[0] + bytes[1] + bytes[2] + bytes[3] + 2) / 4);
  float sum = 0;
  for (const std::uint8_t byte : bytes) sum += std::bit_cast<float>(kSrgbDecoded[byte]);
  return encode_srgb(sum / 4);
}

Image half_of(const Image& image, bool srgb) {
  Image half{std::max(1U, image.width / 2), std::max(1U, image.height / 2), {}};
  half.rgba.resize(std::size_t{4} * half.width * half.height);
  for (std::uint32_t y = 0; y < half.height; ++y)
    for (std::uint32_t x = 0; x < half.width; ++x)
      for (unsigned c = 0; c < 4; ++c) {
        std::array<std::uint8_t, 4> four{};
        for (unsigned n = 0; n < 4; ++n) {
          const std::uint32_t column = std::min(2 * x + (n & 1), image.width - 1);
          const std::uint32_t row = std::min(2 * y + (n >> 1), image.height - 1);
          four[n] = image.rgba[std::size_t{4} * (std::size_t{row} * image.width + column) + c];
        }
        half.rgba[std::size_t{4} * (std::size_t{y} * half.width + x) + c] = mean(four, srgb && c < 3);
      }
  return half;
}

}  // namespace

std::vector<std::byte> picture_levels(const Image& image, bool srgb, std::uint32_t levels) {
  std::vector<std::byte> bytes;
  Image level = image;
  for (std::uint32_t n = 0; n < levels; ++n) {
    if (n != 0) level = half_of(level, srgb);
    const auto* begin = reinterpret_cast<const std::byte*>(level.rgba.data());
    bytes.insert(bytes.end(), begin, begin + level.rgba.size());
  }
  return bytes;
}

}  // namespace warpjit::tool
