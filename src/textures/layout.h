// Where texels are: the offset of a texel in a level, and how large levels are.
// docs/textures.md has the rules.
#pragma once

#include <cstdint>

#include "warpjit/textures.hpp"

namespace warpjit::textures {

// A level in memory. Extents and coordinates are texels, or blocks of a compressed format: elements.
struct Level {
  std::uint32_t width = 1, height = 1, depth = 1;
  std::uint32_t offset = 0;  // bytes from the base, of layer 0
  // Bytes to the next row, of what the layout has rows of: elements (linear), tiles (u_interleaved), blocks
  // of 64 bytes by 4 << block_height rows (block_linear). morton: 0.
  std::uint32_t row_bytes = 0;
  // Bytes to the next slice; block_linear: to the next slice of blocks, 1 << block_depth slices.
  std::uint32_t slice_bytes = 0;
  std::uint8_t block_height = 0, block_depth = 0;  // block_linear, log2, of this level
  std::uint8_t square_bits = 0;  // morton: log2 of the shorter side of the level as it is stored
};

// Bytes from the level's start to element (x, y, z), which the level has. `tile_bits`: log2 of the side of a
// tile of u_interleaved, tile_bits_of().
//   linear         z slice + y row + x bytes
//   block_linear   xb = x bytes: (z >> bd) slice + (y >> 2 + bh) row + (xb >> 6 << 8 + bh + bd)
//                  + ((z & low bd bits) << 8 + bh) + ((y >> 2 & low bh bits) << 8) + ((y & 3) << 6) + (xb &
//                  63)
//   u_interleaved  z slice + (y >> t) row + ((x >> t << 2t) + I) bytes; of I bit 2n + 1 is bit n of y, bit 2n
//   is
//                  bit n of x ^ y, n below t
//   morton         z slice + (M + ((x >> k | y >> k) << 2k)) bytes; of M bit 2n is bit n of y, bit 2n + 1 is
//   bit
//                  n of x, n below k = square_bits
std::uint32_t element_offset(TextureLayout layout, std::uint32_t bytes, std::uint32_t tile_bits,
                             const Level& level, std::uint32_t x, std::uint32_t y, std::uint32_t z);
// u_interleaved has tiles of 16 x 16 texels, or 4 x 4 blocks of a compressed format.
constexpr std::uint32_t tile_bits_of(bool compressed) { return compressed ? 2 : 4; }

// A level's rows and slices without padding, from extents, and for block_linear from the block's at level 0,
// which shrinks. Sizes of 64 bits: they may be too large for Level.
struct LevelSize {
  std::uint64_t row_bytes = 0, slice_bytes = 0;
  std::uint64_t rows = 0;    // of row_bytes in a slice; morton: 0
  std::uint64_t slices = 0;  // of slice_bytes in the level
  std::uint8_t block_height = 0, block_depth = 0, square_bits = 0;
};
LevelSize measure_level(TextureLayout layout, std::uint32_t bytes, std::uint32_t tile_bits,
                        std::uint32_t width, std::uint32_t height, std::uint32_t depth, unsigned block_height,
                        unsigned block_depth);

}  // namespace warpjit::textures
