// Tiles of a colour and a depth target that stay in word planes from draw to draw. Memory has what was drawn
// once somebody reads it: whoever reads or writes memory meanwhile tells reach().
//
//   kept.begin(color, depth);       // the targets of the draws that follow
//   kept.prepare();                 // before the tiles of a draw; then, on any thread, a tile on one at a time:
//     std::byte* planes = kept.planes(column, row);
//     kept.load(...); ... draw ...; kept.change(...);
//   kept.end();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pixels/blocks.h"

namespace warpjit::pixels {

class KeptTiles {
 public:
  enum Role : std::uint8_t { kColor, kDepth };
  static constexpr std::size_t kRoles = 2;

  // Both are in blocks and of one size and do not overlap; one without data is not drawn to. What is kept of
  // other targets is written to their memory.
  void begin(const TargetMemory& color, const TargetMemory& depth);
  // Errors: std::bad_alloc.
  void prepare();

  // Somebody reads these bytes, or writes them: memory has what was drawn there.
  void reach(const std::byte* data, std::size_t size, bool writes);
  // Memory has all that was drawn; it may change from now on.
  void end();
  // Something is kept.
  bool holds() const { return holds_; }
  // The targets of begin() have some of these bytes.
  bool overlaps(const std::byte* data, std::size_t size) const;

  // The plane of colour; that of depth follows.
  std::byte* planes(std::uint32_t column, std::uint32_t row) {
    return planes_[number(column, row)].bytes.data();
  }
  // What the part has is there, and is drawn to from now on.
  void load(Role role, std::uint32_t column, std::uint32_t row, const TilePart& part);
  // All of the part was drawn, or loaded before.
  void change(Role role, std::uint32_t column, std::uint32_t row, const TilePart& part);
  // Writes a tile to memory; it stays.
  void store(Role role, std::uint32_t column, std::uint32_t row);

 private:
  struct Tile {
    std::array<BlockMask, kRoles> present{}, changed{};  // changed ones are present
  };
  struct alignas(kSpareBytes) Planes {
    std::array<std::byte, kRoles * kPlaneBytes + kSpareBytes> bytes;
  };

  std::size_t number(std::uint32_t column, std::uint32_t row) const {
    return std::size_t{row} * columns_ + column;
  }
  std::byte* plane(Role role, std::size_t tile) {
    return planes_[tile].bytes.data() + role * std::size_t{kPlaneBytes};
  }
  void write_back();

  std::array<TargetMemory, kRoles> targets_{};
  std::uint32_t columns_ = 0;
  std::vector<Tile> tiles_;
  std::unique_ptr<Planes[]> planes_;  // of each tile
  std::size_t room_ = 0;              // tiles that planes_ has
  bool holds_ = false;                // some block may be present
  bool changed_ = false;              // or changed
};

}  // namespace warpjit::pixels
