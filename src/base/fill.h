// Memory filled with a pattern.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace warpjit {

// The pattern, of 1 to 16 bytes, over and over; the last one may be cut.
inline void fill_pattern(std::span<std::byte> to, std::span<const std::byte> pattern) {
  const std::size_t width = pattern.size(), piece = 4096 / width * width;  // the caches keep it
  const std::size_t first = std::min(to.size(), piece);
  for (std::size_t n = 0; n < first; ++n) to[n] = n < width ? pattern[n] : to[n - width];
  for (std::size_t done = first; done < to.size(); done += std::min(piece, to.size() - done))
    std::memcpy(to.data() + done, to.data(), std::min(piece, to.size() - done));
}
// The lowest `width` bytes of a word, lowest first.
inline void fill_pattern(std::span<std::byte> to, std::uint32_t word, std::size_t width) {
  std::array<std::byte, 4> bytes{};
  for (std::size_t n = 0; n < width; ++n) bytes[n] = static_cast<std::byte>(word >> 8 * n);
  fill_pattern(to, std::span(bytes).first(width));
}

}  // namespace warpjit
