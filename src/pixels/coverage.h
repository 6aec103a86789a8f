// Which quads of a tile a shape covers, and their way to the sink (docs/pixels.md, 6 and 8).
#pragma once

#include <array>
#include <cstdint>

#include "pixels/batch.h"
#include "pixels/records.h"
#include "pixels/setup.h"

namespace warpjit::pixels {

enum class TileCoverage : std::uint8_t { none, some, all };
// What the shape covers at most of the tile whose first pixel is (x, y). `some` may yet be nothing.
TileCoverage tile_coverage(const Shape& shape, std::int64_t x, std::int64_t y);

// Collects the quads of a tile's primitives, fills groups up and hands them to the sink in batches.
class QuadWriter {
 public:
  QuadWriter(std::uint32_t quads_per_group, QuadSink& sink) : per_group_(quads_per_group), sink_(&sink) {}

  // Of one primitive: all of it, or the quads of a shape in the tile whose first pixel is (x, y). False: the
  // sink wants no more.
  bool all(const GroupRecord& group);
  bool some(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y);
  bool flush();

 private:
  static constexpr std::uint32_t kBlockQuads = 16;  // 8 x 8 pixels
  static constexpr std::uint32_t kCapacity = 1024;

  struct TileRectangle {  // pixels of the tile; the last ones are inside
    std::int64_t left, top, right, bottom;
    std::uint64_t pixels(std::int64_t block_x, std::int64_t block_y) const;
  };
  // Append the quads of a shape in these blocks.
  void small_shape(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y,
                   const TileRectangle& rectangle, std::uint64_t blocks);
  void large_shape(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y,
                   const TileRectangle& rectangle, std::uint64_t blocks);
  bool end_primitive(const GroupRecord& group);
  void append(unsigned block, std::uint64_t pixels, const GroupRecord& group);
  void make_room(const GroupRecord& group);

  std::uint32_t per_group_;
  bool stopped_ = false;
  QuadSink* sink_;
  std::uint32_t quad_count_ = 0, group_count_ = 0;
  std::uint32_t first_ = 0;  // quad of the current primitive that is in no group yet
  std::array<QuadRecord, kCapacity + kMostQuadsPerGroup> quads_;
  std::array<GroupRecord, kCapacity + kMostQuadsPerGroup> groups_;
};

}  // namespace warpjit::pixels
