// Conversion between rows as callers have them (any Format, any stride, no alignment) and the rows of four
// 32-bit words, 16 bytes apart, that kernels read and write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpjit/warpjit.hpp"

namespace warpjit::runtime {

inline constexpr std::size_t kRowBytes = 16;

// Reads `count` rows at data + n * stride; writes count * 4 words. Missing components become 0, 0, 0, 1.
// unorm is value / maximum, snorm max(value / maximum, -1), each rounded once.
using LoadRows = void (*)(const std::byte* data, std::ptrdiff_t stride, std::size_t count, std::byte* rows);
// The other way, for formats of 32-bit components: the first words of each row, bit for bit.
using StoreRows = void (*)(const std::byte* rows, std::byte* data, std::ptrdiff_t stride, std::size_t count);

// Null if the format cannot be used that way, or has not 1 to 4 components.
LoadRows load_rows(Format format);
StoreRows store_rows(Format format);

}  // namespace warpjit::runtime
