// Which quads or pixels of a tile a shape covers, and their way to the sink (docs/pixels.md, 6 and 8).
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "pixels/batch.h"
#include "pixels/records.h"
#include "pixels/setup.h"

namespace warpjit::pixels {

struct TileRectangle;

enum class TileCoverage : std::uint8_t { none, some, all };
// What the shape covers at most of the tile whose first pixel is (x, y). `some` may yet be nothing.
TileCoverage tile_coverage(const Shape& shape, std::int64_t x, std::int64_t y);

// Collects the records of a tile's primitives, fills groups up and hands them to the sink in batches.
template <class Record>
class GroupWriter {
 public:
  GroupWriter(std::uint32_t per_group, GroupSink<Record>& sink) : per_group_(per_group), sink_(&sink) {
    assert(per_group >= 1 && per_group <= kMostPerGroup);
  }

  // Adds pixels of one primitive: all of the tile, or those that a shape covers in the tile whose first pixel
  // is (x, y). False: the sink wants no more.
  bool all(const GroupRecord& group);
  bool some(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y);
  bool flush();

 private:
  static constexpr std::uint32_t kOfQuad = sizeof(QuadRecord) / sizeof(Record);
  static constexpr std::uint32_t kOfBlock = 16 * kOfQuad;  // 8 x 8 pixels
  static constexpr std::uint32_t kOfTile = kTileQuads * kOfQuad;
  static constexpr std::uint32_t kMostPerGroup = kMostQuadsPerGroup * kOfQuad;
  static constexpr std::uint32_t kCapacity = 1024 * kOfQuad;

  // Append what a shape covers in the rectangle: a small one cell by cell, each of 4 x 4 pixels, of which the
  // rectangle touches at most kFewCells both ways; a large one block by block. Quads ascend, as kernels need it.
  static constexpr std::int64_t kFewCells = 4;
  void small_shape(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y,
                   const TileRectangle& rectangle);
  void large_shape(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y,
                   const TileRectangle& rectangle);
  bool end_primitive(const GroupRecord& group);
  void append(unsigned block, std::uint64_t pixels, const GroupRecord& group);
  void make_room(const GroupRecord& group);

  std::uint32_t per_group_;
  bool stopped_ = false;
  GroupSink<Record>* sink_;
  std::uint32_t count_ = 0, group_count_ = 0;
  std::uint32_t first_ = 0;  // record of the current primitive that is in no group yet
  std::array<Record, kCapacity + kMostPerGroup + 4> records_;
  std::array<GroupRecord, kCapacity + kMostPerGroup + 4> groups_;
};

extern template class GroupWriter<QuadRecord>;
extern template class GroupWriter<PixelRecord>;

}  // namespace warpjit::pixels
