#include "pixels/kept_tiles.h"

#include <algorithm>
#include <cstring>

namespace warpjit::pixels {

namespace {

bool same(const TargetMemory& a, const TargetMemory& b) {
  return a.data == b.data && a.width == b.width && a.height == b.height && a.blocks == b.blocks;
}
bool overlap(const TargetMemory& target, const std::byte* data, std::size_t size) {
  return target.data != nullptr && data < target.data + block_bytes(target) && target.data < data + size;
}

}  // namespace

void KeptTiles::begin(const TargetMemory& color, const TargetMemory& depth) {
  const std::array<const TargetMemory*, kRoles> given = {&color, &depth};
  const TargetMemory& any = color.data != nullptr ? color : depth;
  if (any.data == nullptr) return;
  bool goes_on = true;
  for (std::size_t role = 0; role < kRoles; ++role) {
    const TargetMemory &next = *given[role], &other = targets_[1 - role];
    if (next.data == nullptr || same(next, targets_[role])) continue;
    // One that is new may join the other one.
    goes_on = goes_on && targets_[role].data == nullptr && next.width == other.width &&
              next.height == other.height && !overlap(other, next.data, block_bytes(next));
  }
  if (!goes_on) {
    end();
    targets_ = {};
    const auto tiles = [](std::uint32_t pixels) { return (pixels + kTileExtent - 1) / kTileExtent; };
    columns_ = tiles(any.width);
    tiles_.assign(std::size_t{columns_} * tiles(any.height), {});
  }
  for (std::size_t role = 0; role < kRoles; ++role)
    if (given[role]->data != nullptr) targets_[role] = *given[role];
}

void KeptTiles::prepare() {
  if (tiles_.size() > room_) {
    room_ = 0;
    planes_.reset(new Planes[tiles_.size()]);
    room_ = tiles_.size();
  }
#if defined(WARPJIT_CHECKS)
  // What is not loaded must not be seen: here it would be.
  if (!holds_) std::memset(planes_[0].bytes.data(), 0xa5, tiles_.size() * sizeof(Planes));
#endif
  holds_ = changed_ = true;
}

bool KeptTiles::overlaps(const std::byte* data, std::size_t size) const {
  return std::ranges::any_of(targets_,
                             [&](const TargetMemory& target) { return overlap(target, data, size); });
}

void KeptTiles::reach(const std::byte* data, std::size_t size, bool writes) {
  if (!holds_ || !overlaps(data, size)) return;
  if (writes)
    end();
  else
    write_back();
}

void KeptTiles::write_back() {
  if (!changed_) return;
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
    for (const Role role : {kColor, kDepth})
      store(role, static_cast<std::uint32_t>(tile % columns_), static_cast<std::uint32_t>(tile / columns_));
  changed_ = false;
}

void KeptTiles::end() {
  if (!holds_) return;
  write_back();
  std::ranges::fill(tiles_, Tile());
  holds_ = false;
}

void KeptTiles::load(Role role, std::uint32_t column, std::uint32_t row, const TilePart& part) {
  Tile& tile = tiles_[number(column, row)];
  const BlockMask blocks = blocks_of(part), missing = blocks & ~tile.present[role];
  if (missing != 0) load_blocks(targets_[role], column, row, missing, plane(role, number(column, row)));
  tile.present[role] |= blocks;
  tile.changed[role] |= blocks;
}

void KeptTiles::change(Role role, std::uint32_t column, std::uint32_t row, const TilePart& part) {
  Tile& tile = tiles_[number(column, row)];
  const BlockMask blocks = blocks_of(part);
  tile.present[role] |= blocks;
  tile.changed[role] |= blocks;
}

void KeptTiles::store(Role role, std::uint32_t column, std::uint32_t row) {
  BlockMask& changed = tiles_[number(column, row)].changed[role];
  if (changed == 0) return;
  store_blocks(targets_[role], column, row, changed, plane(role, number(column, row)));
  changed = 0;
}

}  // namespace warpjit::pixels
