// Textures as small pictures, which visitors of captures see.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/hash.h"

namespace warpjit::capture {

struct TexturePicture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::byte> rgba;
};
using TexelBytes = std::array<std::uint8_t, 4>;  // r, g, b, a

// At most `most` pixels a side; read(x, y) gives texels, the top row is 0. Large textures are read at up to 8 x 8
// places of a pixel, spread evenly.
template <class Read>
TexturePicture shrink_texture(std::uint32_t width, std::uint32_t height, std::uint32_t most,
                              const Read& read) {
  constexpr std::uint32_t kMostPlaces = 8;
  std::uint32_t step = 1;
  while (std::max(width, height) / step > most) step *= 2;
  const std::uint32_t hop = std::max(1U, step / kMostPlaces);
  TexturePicture picture{std::max(1U, width / step), std::max(1U, height / step), {}};
  picture.rgba.reserve(std::size_t{4} * picture.width * picture.height);
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      std::array<std::uint64_t, 4> sums{};
      std::uint64_t count = 0;
      for (std::uint32_t row = y * step; row < std::min((y + 1) * step, height); row += hop)
        for (std::uint32_t column = x * step; column < std::min((x + 1) * step, width); column += hop) {
          const TexelBytes texel = read(column, row);
          for (std::size_t n = 0; n < 4; ++n) sums[n] += texel[n];
          ++count;
        }
      for (const std::uint64_t sum : sums)
        picture.rgba.push_back(static_cast<std::byte>((sum + count / 2) / std::max<std::uint64_t>(1, count)));
    }
  return picture;
}

// Numbers of textures by what they hold.
class TextureNumbers {
 public:
  struct Number {
    std::size_t number = 0;
    bool is_new = false;
  };
  // `what`: all that tells textures of equal bytes from each other.
  Number of(std::span<const std::byte> bytes, std::span<const std::uint64_t> what) {
    const auto [found, is_new] =
        numbers_.try_emplace(hash_bytes(bytes, hash_bytes(std::as_bytes(what))), numbers_.size());
    return {found->second, is_new};
  }

 private:
  std::map<std::uint64_t, std::size_t> numbers_;
};

}  // namespace warpjit::capture
