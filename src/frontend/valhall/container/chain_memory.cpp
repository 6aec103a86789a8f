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

}  // namespace

Result<Image> image_of(const ChainMemory& memory, std::string name, const ImageLimits& limits) {
  std::vector<ImagePiece> pieces;
  pieces.reserve(memory.pieces.size());
  for (const MemoryPiece& piece : memory.pieces)
    pieces.push_back(
        {.address = piece.address, .size = piece.size, .bytes = memory.bytes_of(piece), .at = 0});
  return Image::make(std::move(pieces), std::move(name), limits);
}

Result<Image> empty_image(std::span<const std::shared_ptr<const ChainMemory>> memories,
                          std::span<const MemoryRange> more, std::string name, const ImageLimits& limits) {
  std::vector<MemoryRange> ranges(more.begin(), more.end());
  for (const auto& memory : memories) {
    // Pieces of a buffer follow each other.
    for (const MemoryPiece& piece : memory->pieces)
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

// Calls `visit` with the ranges that nothing divides and the bytes of both there, if any are not 0. False ends it.
template <class Visit>
bool each_part(const ChainMemory& before, const ChainMemory& after, const Visit& visit) {
  // Where anything begins or ends.
  std::vector<std::uint64_t> cuts;
  for (const ChainMemory* memory : {&before, &after})
    for (const MemoryPiece& piece : memory->pieces)
      cuts.insert(cuts.end(), {piece.address, piece.address + piece.size});
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Cursor old(before), now(after);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const MemoryRange range{cuts[k], cuts[k + 1] - cuts[k]};
    const std::span<const std::byte> from = old.bytes(range), to = now.bytes(range);
    if ((!from.empty() || !to.empty()) && !visit(range, from, to)) return false;
  }
  return true;
}

// Runs of bytes that differ; both may be empty for zeros. False: they are more than `most`.
bool add_differences(const MemoryRange& range, std::span<const std::byte> from, std::span<const std::byte> to,
                     std::size_t most, std::vector<MemoryChange>& list) {
  const std::size_t size = from.empty() ? to.size() : from.size();
  const auto differ = [&](std::size_t k) {
    return (from.empty() ? std::byte{0} : from[k]) != (to.empty() ? std::byte{0} : to[k]);
  };
  for (std::size_t at = 0; at < size;) {
    const std::size_t part = std::min(kPart, size - at);
    if (!from.empty() && !to.empty() && std::memcmp(&from[at], &to[at], part) == 0) {
      at += part;
      continue;
    }
    for (const std::size_t end = at + part; at < end;) {
      if (!differ(at)) {
        ++at;
        continue;
      }
      const std::size_t first = at;
      while (at < size && differ(at)) ++at;
      if (list.size() == most) return false;
      list.push_back({range.address + first, at - first,
                      to.empty() ? std::span<const std::byte>() : to.subspan(first, at - first)});
    }
  }
  return true;
}

}  // namespace

Result<ChainChanges> changes_between(const ChainMemory& before, std::shared_ptr<const ChainMemory> after,
                                     std::size_t most) {
  ChainChanges changes;
  bool fits = each_part(
      before, *after,
      [&](const MemoryRange& range, std::span<const std::byte> from, std::span<const std::byte> to) {
        return add_differences(range, from, to, most, changes.list);
      });
  for (const MemoryPiece& piece : after->pieces) {
    if (!piece.fresh) continue;
    fits = fits && changes.list.size() < most;
    if (fits) changes.list.push_back({piece.address, piece.size, after->bytes_of(piece)});
  }
  if (!fits)
    return Error{
        ErrorCode::resource_limit,
        "memory changes in more than " + std::to_string(kMaxChanges) + " places between chains of jobs", ""};
  changes.owner = std::move(after);
  return changes;
}

std::vector<ChangedBytes> count_changes(const ChainMemory& before, const ChainMemory& after,
                                        std::span<const MemoryRange> ranges) {
  std::vector<ChangedBytes> counts(ranges.size());
  std::size_t next = 0;
  each_part(before, after,
            [&](const MemoryRange& part, std::span<const std::byte> from, std::span<const std::byte> to) {
              while (next < ranges.size() && ranges[next].address + ranges[next].size <= part.address) ++next;
              if (next == ranges.size()) return false;
              if (part.address < ranges[next].address) return true;
              ChangedBytes& count = counts[next];
              for (std::size_t k = 0; k < static_cast<std::size_t>(part.size); ++k) {
                const std::byte old = from.empty() ? std::byte{0} : from[k],
                                now = to.empty() ? std::byte{0} : to[k];
                count.were += old != std::byte{0} ? 1 : 0;
                count.changed += old != std::byte{0} && old != now ? 1 : 0;
                count.appeared += old == std::byte{0} && now != std::byte{0} ? 1 : 0;
              }
              return true;
            });
  return counts;
}

void apply_changes(const ChainChanges& changes, Image& image,
                   const std::function<void(const MemoryRange&)>& changed) {
  for (const MemoryChange& change : changes.list) {
    // There are two windows at a multiple of 4 GiB.
    for (std::uint64_t at = 0; at < change.size;) {
      const std::uint64_t begin = change.address + at, left = (std::uint64_t{1} << 32) - (begin & 0xffffffff);
      const MemoryRange range{begin, std::min(left, change.size - at)};
      at += range.size;
      const auto place = image.find_writable(range.address, range.size);
      if (!place) continue;
      if (change.bytes.empty())
        std::ranges::fill(*place, std::byte{0});
      else
        std::ranges::copy(change.bytes.subspan(static_cast<std::size_t>(at - range.size), place->size()),
                          place->begin());
      if (changed) changed(range);
    }
  }
}

}  // namespace warpjit::valhall
