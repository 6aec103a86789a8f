#include "pixels/blocks.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/vector.h"

namespace warpjit::pixels {

namespace {

constexpr std::uint32_t kExtent = 8, kPixels = kExtent * kExtent;  // of a block
constexpr std::uint32_t kRowBits = 0b101010;                       // of a pixel's number in a block

constexpr std::uint32_t pixel_number(std::uint32_t column, std::uint32_t row) {  // in a block
  return 4 * morton(column / 2, row / 2) + 2 * (row & 1) + (column & 1);
}

using Words = Vector<std::uint32_t, 4>;

// A block in memory and in a plane, where its words lie together. With `turned`, the last row is the first in
// memory: four words that follow each other are the two pairs of a quad, which change places.
template <std::size_t Bytes>
void load_block(const std::byte* from, bool turned, std::byte* to) {
  for (std::uint32_t n = 0; n < kPixels; n += 4) {
    const std::byte* const pixels = from + Bytes * (turned ? n ^ (kRowBits & ~3U) : n);
    std::array<std::uint32_t, 4> words{};
    for (std::size_t k = 0; k < 4; ++k) std::memcpy(&words[k], pixels + Bytes * k, Bytes);
    Words quad;
    std::memcpy(&quad, words.data(), sizeof quad);
    if (turned) quad = WARPJIT_SHUFFLE(quad, quad, 2, 3, 0, 1);
    std::memcpy(to + 4 * n, &quad, sizeof quad);
  }
}
template <std::size_t Bytes>
void store_block(std::byte* to, bool turned, const std::byte* from) {
  for (std::uint32_t n = 0; n < kPixels; n += 4) {
    Words quad;
    std::memcpy(&quad, from + 4 * n, sizeof quad);
    if (turned) quad = WARPJIT_SHUFFLE(quad, quad, 2, 3, 0, 1);
    std::array<std::uint32_t, 4> words;
    std::memcpy(words.data(), &quad, sizeof quad);
    std::byte* const pixels = to + Bytes * (turned ? n ^ (kRowBits & ~3U) : n);
    for (std::size_t k = 0; k < 4; ++k) std::memcpy(pixels + Bytes * k, &words[k], Bytes);
  }
}

// Calls whole(memory, plane) for blocks that lie in memory as in the plane, or turned; one(memory, plane) for
// each pixel where rows of blocks in memory are others than those of the plane. Both are offsets in bytes.
template <class Whole, class One>
void each_block(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
                Whole whole, One one) {
  constexpr std::uint32_t kTileBlocks = kTileExtent / kExtent;
  const std::uint32_t bytes = target.blocks.bytes, across = target.width / kExtent;
  const std::uint32_t down = (target.height + kExtent - 1) / kExtent;
  const bool aligned = !target.blocks.last_first || target.height % kExtent == 0;
  for (; blocks != 0; blocks &= blocks - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(blocks));
    const std::uint32_t tile_x = number % kTileBlocks, tile_y = number / kTileBlocks;
    const std::uint32_t x = column * kTileBlocks + tile_x, y = row * kTileBlocks + tile_y;
    if (x >= across || y >= down) continue;
    const std::size_t plane = std::size_t{4} * kPixels * morton(tile_x, tile_y);
    if (aligned) {
      const std::uint32_t memory_row = target.blocks.last_first ? down - 1 - y : y;
      whole((std::size_t{memory_row} * across + x) * kPixels * bytes, plane);
      continue;
    }
    for (std::uint32_t k = 0; k < kExtent && kExtent * y + k < target.height; ++k) {
      const std::uint32_t memory_row = target.height - 1 - (kExtent * y + k);
      const std::size_t block = (std::size_t{memory_row / kExtent} * across + x) * kPixels;
      for (std::uint32_t i = 0; i < kExtent; ++i)
        one((block + pixel_number(i, memory_row % kExtent)) * bytes, plane + 4 * pixel_number(i, k));
    }
  }
}

template <std::size_t Bytes>
void load_all(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
              std::byte* plane) {
  each_block(
      target, column, row, blocks,
      [&](std::size_t memory, std::size_t place) {
        load_block<Bytes>(target.data + memory, target.blocks.last_first, plane + place);
      },
      [&](std::size_t memory, std::size_t place) {
        std::uint32_t word = 0;
        std::memcpy(&word, target.data + memory, Bytes);
        std::memcpy(plane + place, &word, sizeof word);
      });
}
template <std::size_t Bytes>
void store_all(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
               const std::byte* plane) {
  each_block(
      target, column, row, blocks,
      [&](std::size_t memory, std::size_t place) {
        store_block<Bytes>(target.data + memory, target.blocks.last_first, plane + place);
      },
      [&](std::size_t memory, std::size_t place) {
        std::memcpy(target.data + memory, plane + place, Bytes);
      });
}

}  // namespace

std::size_t block_place(const TargetBlocks& blocks, std::uint32_t width, std::uint32_t height,
                        std::uint32_t x, std::uint32_t y) {
  const std::uint32_t row = blocks.last_first ? height - 1 - y : y;
  return (std::size_t{row / kExtent} * (width / kExtent) + x / kExtent) * kPixels +
         pixel_number(x % kExtent, row % kExtent);
}

std::size_t block_bytes(const TargetMemory& target) {
  return std::size_t{target.width} * ((target.height + kExtent - 1) / kExtent * kExtent) *
         target.blocks.bytes;
}

void load_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
                 std::byte* plane) {
  const std::uint8_t bytes = target.blocks.bytes;
  return bytes == 2   ? load_all<2>(target, column, row, blocks, plane)
         : bytes == 3 ? load_all<3>(target, column, row, blocks, plane)
                      : load_all<4>(target, column, row, blocks, plane);
}
void store_blocks(const TargetMemory& target, std::uint32_t column, std::uint32_t row, BlockMask blocks,
                  const std::byte* plane) {
  const std::uint8_t bytes = target.blocks.bytes;
  return bytes == 2   ? store_all<2>(target, column, row, blocks, plane)
         : bytes == 3 ? store_all<3>(target, column, row, blocks, plane)
                      : store_all<4>(target, column, row, blocks, plane);
}

}  // namespace warpjit::pixels
