// Targets in blocks of 8 x 8 pixels (TargetBlocks) and their tiles in word planes.
#pragma once

#include "pixels/format.h"

namespace warpjit::pixels {

// Number of a pixel in the order of memory.
std::size_t block_place(const TargetBlocks& blocks, std::uint32_t width, std::uint32_t height,
                        std::uint32_t x, std::uint32_t y);

// Bytes of the target, whole rows of blocks.
std::size_t block_bytes(const TargetMemory& target);

// Blocks of a tile: bit 8 * row + column.
using BlockMask = std::uint64_t;
// Those that a part touches.
constexpr BlockMask blocks_of(const TilePart& part) {
  constexpr BlockMask kColumn = 0x0101010101010101;
  const auto below = [](unsigned end) { return (1U << end) - 1; };
  const BlockMask columns = kColumn * (below((part.right + 7U) / 8) & ~below(part.left / 8U));
  const unsigned top = part.top / 8U, bottom = (part.bottom + 7U) / 8;
  return columns & (~BlockMask{0} << 8 * top) & (~BlockMask{0} >> 8 * (8 - bottom));
}

// Move these blocks of tile (column, row), of those that the target has. Others of the plane are left.
void load_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
                 std::byte* plane);
void store_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
                  const std::byte* plane);

}  // namespace warpjit::pixels
