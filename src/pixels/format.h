// Targets in memory and their tiles in word planes of quads (docs/pixels.md, 10 and 11).
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/records.h"
#include "warpjit/pixels.hpp"

namespace warpjit::pixels {

// Word planes of a tile: 1 for formats of up to 32 bits, 2 for 64, 4 for 128. none: 0.
std::uint32_t tile_planes(PixelFormat format);

// Targets whose pixels lie in blocks of 8 x 8, row by row of blocks, each in Morton order, bits of the column at
// even places. Blocks are whole: memory has more rows than the target where the height is no multiple of 8.
struct TargetBlocks {
  std::uint8_t bytes = 0;   // of a pixel, 2 to 4; 0: there are no blocks
  bool last_first = false;  // memory begins with the last row
  bool operator==(const TargetBlocks&) const = default;
};

struct TargetMemory {
  std::byte* data = nullptr;  // of row 0, of blocks: the first byte; needs no alignment
  std::ptrdiff_t pitch = 0;   // bytes from a row to the next
  std::uint32_t width = 0, height = 0;
  TargetBlocks blocks{};  // then pitch and format do not count
};

// After the last plane of a tile, where lanes write that store nothing.
inline constexpr std::uint32_t kSpareBytes = 64;

// Moves the pixels of a part of tile (column, row) between the target and planes, which have kPlaneBytes each
// and are aligned to 16 bytes. Pixels of the part that the target does not have become 0 in the planes.
// With blocks they are left, and what is moved are all blocks that the part touches.
void load_tile(PixelFormat format, const TargetMemory& target, std::uint32_t column, std::uint32_t row,
               const TilePart& part, std::byte* planes);
void store_tile(PixelFormat format, const TargetMemory& target, std::uint32_t column, std::uint32_t row,
                const TilePart& part, const std::byte* planes);

}  // namespace warpjit::pixels
