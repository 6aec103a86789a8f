// The windows of machine code into the memory of a block.
#include <algorithm>
#include <array>
#include <cstring>

#include "backend/target.h"

namespace warpjit::backend {
namespace {

// An empty window. Code may read it, and its margins, for lanes that take no part.
alignas(64) constexpr std::byte kNowhere[2 * kSharedMargin + 64] = {};

// Offsets are signed 32-bit indices of the host, also of the interleaved words of local memory.
constexpr std::uint32_t kMostBytes = 0x7ffffff0;

constexpr MemoryWindow kEmpty = {kNowhere + kSharedMargin, 0, {}, {}};
// Copied for each run, small draws too: that is quicker than to fill.
constexpr auto kAllEmpty = [] {
  std::array<MemoryWindow, MemoryWindows::kCount + MemoryWindows::kMostPointers> all{};
  all.fill(kEmpty);
  return all;
}();

MemoryWindow window(const std::byte* bytes, std::uint32_t address, std::uint64_t size) {
  MemoryWindow made = kEmpty;
  made.address = address;
  if (size == 0) return made;
  made.bytes = bytes;
  const auto bytes_seen = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kMostBytes));
  for (std::uint32_t k = 0; k < 5; ++k) {
    const std::uint32_t extent = 1u << k;
    made.limits[k] = bytes_seen >= extent ? bytes_seen - extent + 1 : 0;
    made.counts[k] = bytes_seen >> k;
  }
  return made;
}

MemoryWindow largest(std::span<const ir::MemoryRange> ranges, bool from_zero) {
  const ir::MemoryRange* best = nullptr;
  for (const ir::MemoryRange& range : ranges)
    if ((best == nullptr || range.size > best->size) &&
        (from_zero ? range.address == 0 : range.address % kWindowAlignment == 0))
      best = &range;
  return best == nullptr ? window(nullptr, 0, 0) : window(best->bytes, best->address, best->size);
}

}  // namespace

std::size_t MemoryWindows::number(ir::Space space, std::uint8_t index) {
  switch (space) {
    case ir::Space::constant:
      return index;
    case ir::Space::global:
      return ir::kMaxSpaces + std::size_t{index};
    case ir::Space::shared:
      return 2 * ir::kMaxSpaces;
    case ir::Space::local:
      break;
  }
  return 2 * ir::kMaxSpaces + 1;
}

MemoryWindows::MemoryWindows() : windows_(kAllEmpty) {}

void MemoryWindows::set(const ir::BlockMemory& memory) {
  // Most spaces have nothing, and had nothing before.
  const auto set = [&](std::size_t number, std::span<const ir::MemoryRange> ranges, bool from_zero) {
    if (!ranges.empty() || set_[number]) windows_[number] = largest(ranges, from_zero);
    set_[number] = !ranges.empty();
  };
  for (std::uint8_t k = 0; k < ir::kMaxSpaces; ++k) {
    set(number(ir::Space::constant, k), memory.constants[k], true);
    set(number(ir::Space::global, k), memory.globals[k], false);
  }
  windows_[number(ir::Space::shared, 0)] =
      window(memory.shared.data(), 0, std::min<std::size_t>(memory.shared.size(), kMostSharedSeen));
  windows_[kLocks] = window(std::as_bytes(memory.locks).data(), 0, memory.locks.size());
  const std::uint32_t local = std::min(memory.local_bytes, kMostBytes / std::max(memory.lanes, 1u));
  windows_[number(ir::Space::local, 0)] = window(memory.local, 0, memory.local == nullptr ? 0 : local);
  windows_[number(ir::Space::local, 0)].address =
      ir::BlockMemory::local_words(memory.local_bytes) * 4 * memory.lanes;
}

void MemoryWindows::aim(std::span<const PointerPlace> pointers, const ir::BlockMemory& memory,
                        const std::uint32_t* table) {
  const auto holds = [](const ir::MemoryRange& range, std::uint32_t address, std::uint32_t size) {
    return std::uint64_t{address - range.address} + size <= range.size;
  };
  for (std::size_t n = 0; n < pointers.size(); ++n) {
    const PointerPlace& place = pointers[n];
    std::uint32_t pointer = 0;
    if (place.in_table) {
      pointer = table[place.address / 4];
    } else if (const ir::MemoryRange range = memory.piece(place.access, place.address);
               holds(range, place.address, sizeof pointer)) {
      std::memcpy(&pointer, range.bytes + (place.address - range.address), sizeof pointer);
    }
    const ir::MemoryAccess into{.space = ir::Space::global, .index = place.into};
    const ir::MemoryRange range = memory.piece(into, pointer);
    windows_[kCount + n] = holds(range, pointer, 1) && range.address % kWindowAlignment == 0
                               ? window(range.bytes, range.address, range.size)
                               : windows_[number(ir::Space::global, place.into)];
  }
}

}  // namespace warpjit::backend
