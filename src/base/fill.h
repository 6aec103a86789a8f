// Memory filled with a pattern.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpjit {

// `size` bytes of `value`'s lowest `width` ones (1 to 4), lowest first, over and over.
inline void fill_pattern(std::byte* to, std::size_t size, std::uint32_t value, std::size_t width) {
  constexpr std::size_t kPiece = 3072;  // a multiple of all widths that the caches keep
  const std::size_t piece = std::min(size, kPiece);
  for (std::size_t n = 0; n < piece; ++n)
    to[n] = n < width ? static_cast<std::byte>(value >> 8 * n) : to[n - width];
  for (std::size_t done = piece; done < size; done += std::min(kPiece, size - done))
    std::memcpy(to + done, to, std::min(kPiece, size - done));
}

}  // namespace warpjit
