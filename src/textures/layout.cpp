#include "textures/layout.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"

namespace warpjit::textures {

namespace {

// Bit n of `value` becomes bit 2n.
std::uint32_t spread(std::uint32_t value) {
  std::uint32_t result = 0;
  for (unsigned n = 0; n < 16; ++n) result |= (value >> n & 1) << 2 * n;
  return result;
}

}  // namespace

std::uint32_t element_offset(TextureLayout layout, std::uint32_t bytes, std::uint32_t tile_bits,
                             const Level& level, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  switch (layout) {
    case TextureLayout::linear:
      return z * level.slice_bytes + y * level.row_bytes + x * bytes;
    case TextureLayout::block_linear: {
      const std::uint32_t column = x * bytes;
      const unsigned height = level.block_height, depth = level.block_depth;
      return (z >> depth) * level.slice_bytes + (y >> (2 + height)) * level.row_bytes +
             (column >> 6 << (8 + height + depth)) + (bits(z, 0, depth) << (8 + height)) +
             (bits(y >> 2, 0, height) << 8) + ((y & 3) << 6) + (column & 63);
    }
    case TextureLayout::u_interleaved: {
      const std::uint32_t in_x = bits(x, 0, tile_bits), in_y = bits(y, 0, tile_bits);
      const std::uint32_t inside = spread(in_y) << 1 | spread(in_x ^ in_y);
      return z * level.slice_bytes + (y >> tile_bits) * level.row_bytes +
             ((x >> tile_bits << 2 * tile_bits) + inside) * bytes;
    }
    case TextureLayout::morton: {
      const unsigned k = level.square_bits;
      const std::uint32_t inside = spread(bits(y, 0, k)) | spread(bits(x, 0, k)) << 1;
      return z * level.slice_bytes + (inside + ((x >> k | y >> k) << 2 * k)) * bytes;
    }
  }
  return 0;
}

LevelSize measure_level(TextureLayout layout, std::uint32_t bytes, std::uint32_t tile_bits,
                        std::uint32_t width, std::uint32_t height, std::uint32_t depth, unsigned block_height,
                        unsigned block_depth) {
  LevelSize size;
  size.slices = depth;
  switch (layout) {
    case TextureLayout::linear:
      size.row_bytes = std::uint64_t{width} * bytes;
      size.rows = height;
      break;
    case TextureLayout::block_linear: {
      while (block_height > 0 && (4U << (block_height - 1)) >= height) --block_height;
      while (block_depth > 0 && (1U << (block_depth - 1)) >= depth) --block_depth;
      size.block_height = static_cast<std::uint8_t>(block_height);
      size.block_depth = static_cast<std::uint8_t>(block_depth);
      size.row_bytes = (std::uint64_t{width} * bytes + 63) / 64 << (8 + block_height + block_depth);
      size.rows = (height + (4U << block_height) - 1) / (4U << block_height);
      size.slices = (depth + (1U << block_depth) - 1) >> block_depth;
      break;
    }
    case TextureLayout::u_interleaved: {
      const std::uint32_t last = low_mask<std::uint32_t>(tile_bits);
      size.row_bytes = (std::uint64_t{(width + last) >> tile_bits} << 2 * tile_bits) * bytes;
      size.rows = (height + last) >> tile_bits;
      break;
    }
    case TextureLayout::morton: {
      const std::uint32_t columns = std::bit_ceil(width), rows = std::bit_ceil(height);
      size.square_bits = static_cast<std::uint8_t>(std::countr_zero(std::min(columns, rows)));
      size.slice_bytes = std::uint64_t{columns} * rows * bytes;
      return size;
    }
  }
  size.slice_bytes = size.row_bytes * size.rows;
  return size;
}

}  // namespace warpjit::textures
