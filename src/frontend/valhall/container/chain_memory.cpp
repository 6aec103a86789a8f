#include "frontend/valhall/container/chain_memory.h"

#include <algorithm>
#include <cstring>

namespace warpjit::valhall {
namespace {

// Parts of this size that are equal are found at once.
constexpr std::size_t kPart = 4096;

// Pieces of a memory by rising addresses.
class Cursor {
 public:
  explicit Cursor(const ChainMemory& memory) : memory_(memory) {}

  // Bytes of a range that no end of a piece divides; empty: they are 0.
  std::span<const std::byte> bytes(const MemoryRange& range) {
    while (next_ < memory_.pieces.size() &&
           memory_.pieces[next_].address + memory_.pieces[next_].size <= range.address)
      ++next_;
    if (next_ == memory_.pieces.size() || memory_.pieces[next_].address > range.address) return {};
    const MemoryPiece& piece = memory_.pieces[next_];
    const std::span<const std::byte> all = memory_.bytes_of(piece);
    return all.empty() ? all
                       : all.subspan(static_cast<std::size_t>(range.address - piece.address),
                                     static_cast<std::size_t>(range.size));
  }

 private:
  const ChainMemory& memory_;
  std::size_t next_ = 0;
};

// Both may be empty for zeros.
void change_part(std::span<const std::byte> before, std::span<const std::byte> after,
                 const MemoryRange& range, Image& image,
                 const std::function<void(const MemoryRange&)>& changed) {
  const auto place = image.find_writable(range.address, range.size);
  if (!place) return;
  for (std::size_t begin = 0; begin < place->size(); begin += kPart) {
    const std::size_t end = std::min(place->size(), begin + kPart);
    if (!before.empty() && !after.empty() && std::memcmp(&before[begin], &after[begin], end - begin) == 0)
      continue;
    std::size_t first = end, last = begin;
    for (std::size_t k = begin; k < end; ++k) {
      const std::byte old = before.empty() ? std::byte{0} : before[k],
                      now = after.empty() ? std::byte{0} : after[k];
      if (old == now) continue;
      (*place)[k] = now;
      first = std::min(first, k);
      last = k;
    }
    if (first < end && changed) changed({range.address + first, last + 1 - first});
  }
}

}  // namespace

Result<Image> image_of(const ChainMemory& memory, std::string name, const ImageLimits& limits) {
  std::vector<ImagePiece> pieces;
  pieces.reserve(memory.pieces.size());
  for (const MemoryPiece& piece : memory.pieces)
    pieces.push_back(
        {.address = piece.address, .size = piece.size, .bytes = memory.bytes_of(piece), .at = 0});
  return Image::make(std::move(pieces), std::move(name), limits);
}

Result<Image> empty_image(std::span<const ChainMemory> memories, std::span<const MemoryRange> more,
                          std::string name, const ImageLimits& limits) {
  std::vector<MemoryRange> ranges(more.begin(), more.end());
  for (const ChainMemory& memory : memories) {
    // Pieces of a buffer follow each other.
    for (const MemoryPiece& piece : memory.pieces)
      if (!ranges.empty() && ranges.back().address + ranges.back().size == piece.address)
        ranges.back().size += piece.size;
      else
        ranges.push_back({piece.address, piece.size});
  }
  std::ranges::sort(ranges, {}, &MemoryRange::address);
  std::vector<ImagePiece> pieces;
  for (const MemoryRange& range : ranges) {
    if (!pieces.empty() && range.address <= pieces.back().address + pieces.back().size)
      pieces.back().size = std::max(pieces.back().size, range.address + range.size - pieces.back().address);
    else
      pieces.push_back({.address = range.address, .size = range.size, .bytes = {}, .at = 0});
  }
  return Image::make(std::move(pieces), std::move(name), limits);
}

namespace {

// Calls `visit` with the ranges that nothing divides and the bytes of both there, if any are not 0.
template <class Visit>
void for_each_part(const ChainMemory& before, const ChainMemory& after, std::span<const MemoryRange> kept,
                   const Visit& visit) {
  // Where anything begins or ends; windows of the image do at multiples of 4 GiB.
  std::vector<std::uint64_t> cuts;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    cuts.insert(cuts.end(), {begin, end});
    if (const std::uint64_t line = end >> 32 << 32; begin < line && line < end) cuts.push_back(line);
  };
  for (const ChainMemory* memory : {&before, &after})
    for (const MemoryPiece& piece : memory->pieces) add(piece.address, piece.address + piece.size);
  std::vector<MemoryRange> left_alone(kept.begin(), kept.end());
  std::ranges::sort(left_alone, {}, &MemoryRange::address);
  for (const MemoryRange& range : left_alone) add(range.address, range.address + range.size);
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  Cursor old(before), now(after);
  std::size_t next = 0;
  std::uint64_t kept_to = 0;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const MemoryRange range{cuts[k], cuts[k + 1] - cuts[k]};
    for (; next < left_alone.size() && left_alone[next].address <= range.address; ++next)
      kept_to = std::max(kept_to, left_alone[next].address + left_alone[next].size);
    const std::span<const std::byte> from = old.bytes(range), to = now.bytes(range);
    if (range.address < kept_to || (from.empty() && to.empty())) continue;
    visit(range, from, to);
  }
}

}  // namespace

void change_memory(const ChainMemory& before, const ChainMemory& after, std::span<const MemoryRange> kept,
                   Image& image, const std::function<void(const MemoryRange&)>& changed) {
  for_each_part(before, after, kept,
                [&](const MemoryRange& range, std::span<const std::byte> from,
                    std::span<const std::byte> to) { change_part(from, to, range, image, changed); });
  for (const MemoryPiece& piece : after.pieces) {
    if (!piece.fresh) continue;
    // There are two windows at a multiple of 4 GiB.
    const std::uint64_t end = piece.address + piece.size, line = end >> 32 << 32;
    const std::uint64_t middle = piece.address < line && line < end ? line : end;
    for (const MemoryRange& range :
         {MemoryRange{piece.address, middle - piece.address}, MemoryRange{middle, end - middle}}) {
      const auto place = image.find_writable(range.address, range.size);
      if (range.size == 0 || !place) continue;
      if (piece.zero)
        std::ranges::fill(*place, std::byte{0});
      else
        std::ranges::copy(after.bytes_of(piece).subspan(
                              static_cast<std::size_t>(range.address - piece.address), place->size()),
                          place->begin());
      if (changed) changed(range);
    }
  }
}

std::optional<std::uint64_t> first_overwritten(const ChainMemory& before, const ChainMemory& after) {
  std::optional<std::uint64_t> found;
  for_each_part(
      before, after, {},
      [&](const MemoryRange& range, std::span<const std::byte> from, std::span<const std::byte> to) {
        for (std::size_t k = 0; k < from.size() && !found; ++k)
          if (from[k] != std::byte{0} && (to.empty() || to[k] != from[k])) found = range.address + k;
      });
  return found;
}

}  // namespace warpjit::valhall
