// Targets in blocks of 8 x 8 pixels (TargetBlocks) and their tiles in word planes.
#pragma once

#include "pixels/format.h"

namespace warpjit::pixels {

// Number of a pixel in the order of memory.
std::size_t block_place(const TargetBlocks& blocks, std::uint32_t width, std::uint32_t height,
                        std::uint32_t x, std::uint32_t y);

// Move all blocks of the target that the part of tile (column, row) touches. Others of the plane are left.
void load_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, const TilePart& part,
                 std::byte* plane);
void store_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, const TilePart& part,
                  const std::byte* plane);

}  // namespace warpjit::pixels
