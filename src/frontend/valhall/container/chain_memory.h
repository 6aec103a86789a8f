// Memory as each of several chains of jobs has it: addresses are used again from one to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/valhall/container/image.h"

namespace warpjit::valhall {

struct MemoryRange {
  std::uint64_t address = 0, size = 0;
};

// Bytes at an address, or zeros, which are not kept. None ends at the end of all addresses.
struct MemoryPiece {
  std::uint64_t address = 0, size = 0;
  std::size_t from = 0;  // place in ChainMemory::bytes
  bool zero = false;
  bool fresh = false;  // of a buffer that the chain before does not have: nothing of what was there stays
};
// What no piece has is not known, and reads 0.
struct ChainMemory {
  std::vector<MemoryPiece> pieces;  // by their addresses; none overlap
  std::vector<std::byte> bytes;

  std::span<const std::byte> bytes_of(const MemoryPiece& piece) const {
    return piece.zero ? std::span<const std::byte>()
                      : std::span(bytes).subspan(piece.from, static_cast<std::size_t>(piece.size));
  }
};

Result<Image> image_of(const ChainMemory& memory, std::string name, const ImageLimits& limits = {});
// An image with the addresses of all, and of `more`, that reads 0. `more` may overlap anything.
Result<Image> empty_image(std::span<const std::shared_ptr<const ChainMemory>> memories,
                          std::span<const MemoryRange> more, std::string name,
                          const ImageLimits& limits = {});

// What lies somewhere from now on.
struct MemoryChange {
  std::uint64_t address = 0, size = 0;
  std::span<const std::byte> bytes;  // empty: zeros
};
// What is written before a chain runs, in this order.
struct ChainChanges {
  std::vector<MemoryChange> list;
  std::shared_ptr<const void> owner{};  // of the bytes
};
inline constexpr std::size_t kMaxChanges = std::size_t{1} << 22;

// The bytes that `after` has otherwise than `before`, and its fresh pieces, and no others: an image keeps what
// its jobs have stored elsewhere. Errors: more than `most` of them (resource_limit).
Result<ChainChanges> changes_between(const ChainMemory& before, std::shared_ptr<const ChainMemory> after,
                                     std::size_t most = kMaxChanges);
// How many bytes of a range were not 0, how many of these are others now, and how many of the others are not 0
// now.
struct ChangedBytes {
  std::uint64_t were = 0, changed = 0, appeared = 0;
};
// For each of some ranges, ascending.
std::vector<ChangedBytes> count_changes(const ChainMemory& before, const ChainMemory& after,
                                        std::span<const MemoryRange> ranges);
// Writes what lies in the image. Tells the ranges.
void apply_changes(const ChainChanges& changes, Image& image,
                   const std::function<void(const MemoryRange&)>& changed = {});

}  // namespace warpjit::valhall
