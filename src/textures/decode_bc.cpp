// BC1 to BC5: blocks of 4 x 4 texels, each a place between two ends.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "textures/decode_blocks.h"

namespace warpjit::textures {

namespace {

using Rgba = std::array<std::uint8_t, 4>;

Rgba expand_565(std::uint32_t word) {
  const std::uint32_t r = bits(word, 11, 5), g = bits(word, 5, 6), b = bits(word, 0, 5);
  return {static_cast<std::uint8_t>(r << 3 | r >> 2), static_cast<std::uint8_t>(g << 2 | g >> 4),
          static_cast<std::uint8_t>(b << 3 | b >> 2), 255};
}

// Ends and 2-bit indices. `transparent`: ends in ascending order mean three colours and none.
void decode_colors(const std::byte* block, bool transparent, std::byte* texels) {
  const auto ends = static_cast<std::uint32_t>(little_endian(block, 4));
  const auto indices = static_cast<std::uint32_t>(little_endian(block + 4, 4));
  std::array<Rgba, 4> colors{expand_565(ends & 0xffff), expand_565(ends >> 16)};
  if (!transparent || (ends & 0xffff) > ends >> 16) {
    for (unsigned c = 0; c < 4; ++c) {
      colors[2][c] = static_cast<std::uint8_t>((2 * colors[0][c] + colors[1][c] + 1) / 3);
      colors[3][c] = static_cast<std::uint8_t>((colors[0][c] + 2 * colors[1][c] + 1) / 3);
    }
  } else {
    for (unsigned c = 0; c < 4; ++c)
      colors[2][c] = static_cast<std::uint8_t>((colors[0][c] + colors[1][c]) / 2);
    colors[3] = {};
  }
  for (unsigned n = 0; n < 16; ++n) std::memcpy(texels + 4 * n, colors[indices >> 2 * n & 3].data(), 4);
}

// The eight values of two ends; `round` is added before the division.
std::array<int, 8> values_between(int a, int b, bool eight, int lowest, int highest, bool round) {
  const int steps = eight ? 7 : 5;
  const int half = round ? steps / 2 : 0;
  std::array<int, 8> values{a, b};
  for (int k = 1; k < steps; ++k) {
    const int sum = (steps - k) * a + k * b + half;
    values[static_cast<std::size_t>(k) + 1] = (sum - (sum < 0 ? steps - 1 : 0)) / steps;  // rounded down
  }
  if (!eight) {
    values[6] = lowest;
    values[7] = highest;
  }
  return values;
}

}  // namespace

void decode_channel(const std::byte* block, bool is_signed, bool round, unsigned stride, std::byte* texels) {
  std::array<int, 2> ends{std::to_integer<int>(block[0]), std::to_integer<int>(block[1])};
  if (is_signed)
    for (int& end : ends) end = static_cast<std::int8_t>(end);
  const bool eight = ends[0] > ends[1];
  if (is_signed)
    for (int& end : ends) end = std::max(end, -127);
  const std::array<int, 8> values =
      values_between(ends[0], ends[1], eight, is_signed ? -127 : 0, is_signed ? 127 : 255, round);
  const std::uint64_t indices = little_endian(block + 2, 6);
  for (unsigned n = 0; n < 16; ++n)
    texels[std::size_t{n} * stride] = static_cast<std::byte>(values[indices >> 3 * n & 7]);
}

void decode_bc1(const TextureFormat&, const std::byte* block, std::byte* texels) {
  decode_colors(block, true, texels);
}
void decode_bc2(const TextureFormat&, const std::byte* block, std::byte* texels) {
  decode_colors(block + 8, false, texels);
  const std::uint64_t alphas = little_endian(block, 8);
  for (unsigned n = 0; n < 16; ++n) texels[4 * n + 3] = static_cast<std::byte>((alphas >> 4 * n & 15) * 17);
}
void decode_bc3(const TextureFormat&, const std::byte* block, std::byte* texels) {
  decode_colors(block + 8, false, texels);
  decode_channel(block, false, true, 4, texels + 3);
}
void decode_bc4(const TextureFormat& format, const std::byte* block, std::byte* texels) {
  decode_channel(block, format.components[0].type == TexelType::snorm, false, 1, texels);
}
void decode_bc5(const TextureFormat& format, const std::byte* block, std::byte* texels) {
  const bool is_signed = format.components[0].type == TexelType::snorm;
  decode_channel(block, is_signed, false, 2, texels);
  decode_channel(block + 8, is_signed, false, 2, texels + 1);
}

}  // namespace warpjit::textures
