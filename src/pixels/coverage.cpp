#include "pixels/coverage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/vector.h"

#if WARPJIT_HOST_X64
#include <emmintrin.h>
#endif

namespace warpjit::pixels {

namespace {

constexpr std::int64_t kBlockExtent = 8;
constexpr std::uint32_t kCellExtent = 4;
constexpr std::uint32_t kBlocksAcross = 8;

// All records of a tile, covered; after them those that fill up the last group.
constexpr std::array<QuadRecord, kTileQuads + kMostQuadsPerGroup> kFullTileOfQuads = [] {
  std::array<QuadRecord, kTileQuads + kMostQuadsPerGroup> quads{};
  for (std::uint32_t row = 0; row < kTileExtent / 2; ++row)
    for (std::uint32_t column = 0; column < kTileExtent / 2; ++column) {
      const std::uint32_t place = morton(column, row);
      quads[place] = {2.0F * static_cast<float>(column), 2.0F * static_cast<float>(row), 16 * place, 15};
    }
  return quads;
}();
constexpr std::uint32_t pixel_word(std::uint32_t column, std::uint32_t row, std::uint32_t place) {
  return column | row << PixelRecord::kRowShift | 4 * place << PixelRecord::kOffsetShift;
}
constexpr std::array<PixelRecord, 4 * kTileQuads + kMostPixelsPerGroup> kFullTileOfPixels = [] {
  std::array<PixelRecord, 4 * kTileQuads + kMostPixelsPerGroup> pixels{};
  for (std::uint32_t row = 0; row < kTileExtent; ++row)
    for (std::uint32_t column = 0; column < kTileExtent; ++column) {
      const std::uint32_t place = 4 * morton(column / 2, row / 2) + 2 * (row & 1) + (column & 1);
      pixels[place].word = PixelRecord::kCovered | pixel_word(column, row, place);
    }
  return pixels;
}();
template <class Record>
constexpr const auto& kFullTile = kFullTileOfQuads;
template <>
constexpr const auto& kFullTile<PixelRecord> = kFullTileOfPixels;

// Masks with a bit for each part of a square of 8 x 8 in Morton order: of those in columns, or rows, below n.
// They serve for the pixels of a block and for the blocks of a tile.
constexpr std::array<std::uint64_t, 9> below(bool rows) {
  std::array<std::uint64_t, 9> masks{};
  for (std::uint32_t n = 0; n <= 8; ++n)
    for (std::uint32_t along = 0; along < 8; ++along)
      for (std::uint32_t i = 0; i < n; ++i)
        masks[n] |= std::uint64_t{1} << (rows ? morton(along, i) : morton(i, along));
  return masks;
}
constexpr std::array<std::uint64_t, 9> kColumnsBelow = below(false), kRowsBelow = below(true);
constexpr std::uint64_t between(const std::array<std::uint64_t, 9>& masks, std::int64_t first,
                                std::int64_t last) {
  return masks[static_cast<std::size_t>(last + 1)] & ~masks[static_cast<std::size_t>(first)];
}

// The same of a cell's 4 x 4 pixels: of those in columns, or rows, from `first` to `last`.
constexpr std::array<std::array<std::uint16_t, 4>, 4> of_cell(bool rows) {
  std::array<std::array<std::uint16_t, 4>, 4> masks{};
  for (std::uint32_t first = 0; first < 4; ++first)
    for (std::uint32_t last = first; last < 4; ++last)
      for (std::uint32_t along = 0; along < 4; ++along)
        for (std::uint32_t i = first; i <= last; ++i)
          masks[first][last] |=
              static_cast<std::uint16_t>(1U << (rows ? morton(along, i) : morton(i, along)));
  return masks;
}
constexpr std::array<std::array<std::uint16_t, 4>, 4> kCellColumns = of_cell(false),
                                                      kCellRows = of_cell(true);
// That of a cell of which the pixels from `first` to `last` of the tile count.
std::uint32_t part_of_cell(const std::array<std::array<std::uint16_t, 4>, 4>& masks, std::uint32_t cell,
                           std::int64_t first, std::int64_t last) {
  const std::int64_t corner = std::int64_t{kCellExtent} * cell;
  return masks[static_cast<std::size_t>(std::max<std::int64_t>(first - corner, 0))]
              [static_cast<std::size_t>(std::min<std::int64_t>(last - corner, kCellExtent - 1))];
}

constexpr std::array<std::array<std::uint8_t, 2>, kBlocksAcross* kBlocksAcross> kBlockCorner = [] {
  std::array<std::array<std::uint8_t, 2>, kBlocksAcross * kBlocksAcross> corners{};
  for (std::uint32_t row = 0; row < kBlocksAcross; ++row)
    for (std::uint32_t column = 0; column < kBlocksAcross; ++column)
      corners[morton(column, row)] = {static_cast<std::uint8_t>(column * kBlockExtent),
                                      static_cast<std::uint8_t>(row * kBlockExtent)};
  return corners;
}();

using Lanes = Vector<std::uint32_t, 4>;

// By coverage of a quad: what its covered pixels add to its first one's word, and how many there are.
struct PixelsOfQuad {
  alignas(16) std::array<std::uint32_t, 4> words;
  std::uint32_t count;
};
constexpr std::array<PixelsOfQuad, 16> kPixelsOfQuad = [] {
  std::array<PixelsOfQuad, 16> all{};
  for (std::uint32_t coverage = 0; coverage < 16; ++coverage) {
    PixelsOfQuad& pixels = all[coverage];
    for (std::uint32_t n = 0; n < 4; ++n)
      if ((coverage >> n & 1) != 0) pixels.words[pixels.count++] = pixel_word(n & 1, n >> 1, n);
  }
  return all;
}();

// The covered pixels of a quad; `full` is its record when all are. Gives how many records there are. May write
// four pixels.
std::uint32_t put(QuadRecord* out, const QuadRecord* full, std::uint32_t coverage) {
  *out = *full;
  out->coverage = coverage;
  return coverage != 0 ? 1 : 0;
}
std::uint32_t put(PixelRecord* out, const PixelRecord* full, std::uint32_t coverage) {
  const PixelsOfQuad& covered = kPixelsOfQuad[coverage];
  const Lanes words = std::bit_cast<Lanes>(covered.words) + full->word;
  std::memcpy(out, &words, sizeof words);
  return covered.count;
}

// Fills up a group after a record.
QuadRecord filler(QuadRecord quad) {
  quad.coverage = 0;
  return quad;
}
PixelRecord filler(PixelRecord pixel) { return {pixel.word & ~PixelRecord::kCovered}; }

// Bit 4j + n: lane n of vector j is negative.
std::uint32_t sign_bits(Lanes v0, Lanes v1, Lanes v2, Lanes v3) {
#if WARPJIT_GNU && WARPJIT_HOST_X64
  const auto low = _mm_packs_epi32(std::bit_cast<__m128i>(v0), std::bit_cast<__m128i>(v1));
  const auto high = _mm_packs_epi32(std::bit_cast<__m128i>(v2), std::bit_cast<__m128i>(v3));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  constexpr Lanes kWeights{1, 2, 4, 8};
  const Lanes sum = (v0 >> 31) * kWeights + (v1 >> 31) * (kWeights << 4) + (v2 >> 31) * (kWeights << 8) +
                    (v3 >> 31) * (kWeights << 12);
  return sum[0] + sum[1] + sum[2] + sum[3];
#endif
}

// An edge's values in the 16 pixels of four quads, relative to the first one.
struct FourQuads {
  std::array<Lanes, 4> quads;
  FourQuads(std::uint32_t down, std::uint32_t right) {
    const Lanes quad{0, right, down, down + right};
    quads = {quad, quad + 2 * right, quad + 2 * down, quad + 2 * (down + right)};
  }
};

// The pixels of a block that are outside of an edge, in Morton order; `at_corner` is the edge's value at the
// block's first pixel.
std::uint64_t outside_pixels(std::uint32_t at_corner, std::uint32_t down, std::uint32_t right) {
  const FourQuads four(down, right);
  std::uint64_t pixels = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t at = at_corner + ((i & 1) != 0 ? 4 * right : 0) + ((i & 2) != 0 ? 4 * down : 0);
    pixels |= std::uint64_t{sign_bits(four.quads[0] + at, four.quads[1] + at, four.quads[2] + at,
                                      four.quads[3] + at)}
              << (16 * i);
  }
  return pixels;
}

// An edge's value at a pixel.
std::int64_t edge_at(const Shape& shape, unsigned k, std::int64_t x, std::int64_t y) {
  return shape.c[k] + shape.dx(k) * y - shape.dy(k) * x;
}

// How far an edge's value goes below and above that of the first pixel, in a square of that many pixels.
struct Range {
  std::int64_t below, above;
};
Range range(const Shape& shape, unsigned edge, std::int64_t extent) {
  const std::int64_t down = shape.dx(edge), right = -std::int64_t{shape.dy(edge)};
  return {(extent - 1) * (std::min<std::int64_t>(down, 0) + std::min<std::int64_t>(right, 0)),
          (extent - 1) * (std::max<std::int64_t>(down, 0) + std::max<std::int64_t>(right, 0))};
}

// An edge of a large shape in a tile.
struct TileEdge {
  std::int64_t at_corner, down, right;
  Range reach;
};

// The three edges of a small shape in a tile: all pixels of a cell at once, without branches. Near the shape its
// edges have values of less than 31 bits.
class SmallEdges {
 public:
  SmallEdges(const Shape& shape, std::int64_t x, std::int64_t y)
      : edges_{Edge(shape, 0, x, y), Edge(shape, 1, x, y), Edge(shape, 2, x, y)} {}

  // Covered pixels of the cell whose first pixel is at (x, y) of the tile, in Morton order.
  std::uint32_t inside(std::uint32_t x, std::uint32_t y) const {
    std::array<Lanes, 4> lanes{};
    for (const Edge& edge : edges_) {
      const std::uint32_t at = edge.at_corner + edge.down * y + edge.right * x;
      for (unsigned j = 0; j < 4; ++j) lanes[j] |= edge.four.quads[j] + at;
    }
    return ~sign_bits(lanes[0], lanes[1], lanes[2], lanes[3]) & 0xFFFF;
  }

 private:
  struct Edge {
    Edge(const Shape& shape, unsigned k, std::int64_t x, std::int64_t y)
        : at_corner(static_cast<std::uint32_t>(edge_at(shape, k, x, y))),
          down(static_cast<std::uint32_t>(shape.dx(k))),
          right(0 - static_cast<std::uint32_t>(shape.dy(k))),
          four(down, right) {}
    std::uint32_t at_corner, down, right;
    FourQuads four;
  };
  std::array<Edge, 3> edges_;
};

}  // namespace

// Its pixels in a block, in Morton order.
template <class Record>
std::uint64_t GroupWriter<Record>::TileRectangle::pixels(std::int64_t block_x, std::int64_t block_y) const {
  return between(kColumnsBelow, std::max<std::int64_t>(left - block_x, 0),
                 std::min<std::int64_t>(right - block_x, kBlockExtent - 1)) &
         between(kRowsBelow, std::max<std::int64_t>(top - block_y, 0),
                 std::min<std::int64_t>(bottom - block_y, kBlockExtent - 1));
}

// The blocks that it touches, in Morton order.
template <class Record>
std::uint64_t GroupWriter<Record>::TileRectangle::blocks() const {
  return between(kColumnsBelow, left / kBlockExtent, right / kBlockExtent) &
         between(kRowsBelow, top / kBlockExtent, bottom / kBlockExtent);
}

TileCoverage tile_coverage(const Shape& shape, std::int64_t x, std::int64_t y) {
  bool all = shape.left <= x && shape.top <= y && shape.right >= x + (kTileExtent - 1) &&
             shape.bottom >= y + (kTileExtent - 1);
  for (unsigned k = 0; k < 3; ++k) {
    const std::int64_t at_corner = edge_at(shape, k, x, y);
    const Range reach = range(shape, k, kTileExtent);
    if (at_corner + reach.above < 0) return TileCoverage::none;
    all = all && at_corner + reach.below >= 0;
  }
  return all ? TileCoverage::all : TileCoverage::some;
}

template <class Record>
bool GroupWriter<Record>::all(const GroupRecord& group) {
  if (!flush()) return false;
  const std::uint32_t count = (kOfTile + per_group_ - 1) / per_group_;
  std::fill_n(groups_.begin(), count, group);
  stopped_ = !sink_->run(kFullTile<Record>.data(), {groups_.data(), count});
  return !stopped_;
}

template <class Record>
bool GroupWriter<Record>::flush() {
  if (group_count_ != 0) stopped_ = stopped_ || !sink_->run(records_.data(), {groups_.data(), group_count_});
  count_ = group_count_ = first_ = 0;
  return !stopped_;
}

// For another block in the midst of a primitive: whole groups go, the rest moves to the front.
template <class Record>
void GroupWriter<Record>::make_room(const GroupRecord& group) {
  const std::uint32_t whole = (count_ - first_) / per_group_;
  std::fill_n(groups_.begin() + group_count_, whole, group);
  group_count_ += whole;
  const std::uint32_t rest = first_ + whole * per_group_, count = count_ - rest;
  flush();
  std::copy_n(records_.begin() + rest, count, records_.begin());
  count_ = count;
}

template <class Record>
void GroupWriter<Record>::append(unsigned block, std::uint64_t pixels, const GroupRecord& group) {
  if (count_ + kOfBlock > kCapacity) make_room(group);
  const Record* const full = &kFullTile<Record>[block * kOfBlock];
  Record* out = &records_[count_];
  if (pixels == ~std::uint64_t{0}) {
    std::memcpy(out, full, kOfBlock * sizeof(Record));
    count_ += kOfBlock;
    return;
  }
  std::uint64_t covered = pixels | pixels >> 1;
  covered = (covered | covered >> 2) & 0x1111111111111111;
  for (; covered != 0; covered &= covered - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(covered));
    out += put(out, &full[bit / 4 * kOfQuad], static_cast<std::uint32_t>(pixels >> bit & 15));
  }
  count_ = static_cast<std::uint32_t>(out - records_.data());
}

template <class Record>
bool GroupWriter<Record>::some(const GroupRecord& group, const Shape& shape, std::int64_t x, std::int64_t y) {
  // The rectangle within the tile.
  const TileRectangle rectangle{std::max<std::int64_t>(shape.left - x, 0),
                                std::max<std::int64_t>(shape.top - y, 0),
                                std::min<std::int64_t>(shape.right - x, kTileExtent - 1),
                                std::min<std::int64_t>(shape.bottom - y, kTileExtent - 1)};
  if (rectangle.left > rectangle.right || rectangle.top > rectangle.bottom) return true;
  if (shape.small && rectangle.right / kCellExtent - rectangle.left / kCellExtent < kFewCells &&
      rectangle.bottom / kCellExtent - rectangle.top / kCellExtent < kFewCells)
    small_shape(group, shape, x, y, rectangle);
  else
    large_shape(group, shape, x, y, rectangle);
  return end_primitive(group);
}

template <class Record>
void GroupWriter<Record>::small_shape(const GroupRecord& group, const Shape& shape, std::int64_t x,
                                      std::int64_t y, const TileRectangle& rectangle) {
  static_assert(kFewCells * kFewCells * 4 <= 64);
  if (count_ + 4 * kOfBlock > kCapacity) make_room(group);
  const SmallEdges edges(shape, x, y);
  Record* out = &records_[count_];
  const auto put_cell = [&](const SmallEdges& edges, std::uint32_t column, std::uint32_t row) {
    const std::uint32_t pixels = edges.inside(kCellExtent * column, kCellExtent * row) &
                                 part_of_cell(kCellColumns, column, rectangle.left, rectangle.right) &
                                 part_of_cell(kCellRows, row, rectangle.top, rectangle.bottom);
    const Record* const full = &kFullTile<Record>[morton(column, row) * 4 * kOfQuad];
    // Whether a quad is covered cannot be predicted.
    for (unsigned quad = 0; quad < 4; ++quad) out += put(out, &full[quad * kOfQuad], pixels >> 4 * quad & 15);
  };
  const auto first_column = static_cast<std::uint32_t>(rectangle.left) / kCellExtent,
             last_column = static_cast<std::uint32_t>(rectangle.right) / kCellExtent,
             first_row = static_cast<std::uint32_t>(rectangle.top) / kCellExtent,
             last_row = static_cast<std::uint32_t>(rectangle.bottom) / kCellExtent;
  if constexpr (std::is_same_v<Record, PixelRecord>) {
    for (std::uint32_t row = first_row; row <= last_row; ++row)
      for (std::uint32_t column = first_column; column <= last_column; ++column) put_cell(edges, column, row);
  } else {
    for (std::uint64_t blocks = rectangle.blocks(); blocks != 0; blocks &= blocks - 1) {
      const auto [block_x, block_y] = kBlockCorner[static_cast<unsigned>(std::countr_zero(blocks))];
      for (unsigned cell = 0; cell < 4; ++cell) {
        const std::uint32_t column = block_x / kCellExtent + (cell & 1),
                            row = block_y / kCellExtent + (cell >> 1);
        if (first_column <= column && column <= last_column && first_row <= row && row <= last_row)
          put_cell(edges, column, row);
      }
    }
  }
  count_ = static_cast<std::uint32_t>(out - records_.data());
}

template <class Record>
void GroupWriter<Record>::large_shape(const GroupRecord& group, const Shape& shape, std::int64_t x,
                                      std::int64_t y, const TileRectangle& rectangle) {
  std::array<TileEdge, 3> edges;  // that pass through the tile
  unsigned edge_count = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const std::int64_t at_corner = edge_at(shape, k, x, y);
    if (at_corner + range(shape, k, kTileExtent).below >= 0) continue;
    edges[edge_count++] = {at_corner, shape.dx(k), -std::int64_t{shape.dy(k)}, range(shape, k, kBlockExtent)};
  }
  for (std::uint64_t blocks = rectangle.blocks(); blocks != 0; blocks &= blocks - 1) {
    const auto block = static_cast<unsigned>(std::countr_zero(blocks));
    const auto [block_x, block_y] = kBlockCorner[block];
    std::uint64_t pixels = rectangle.pixels(block_x, block_y);
    for (unsigned k = 0; k < edge_count && pixels != 0; ++k) {
      const TileEdge& edge = edges[k];
      const std::int64_t at_corner = edge.at_corner + edge.down * block_y + edge.right * block_x;
      if (at_corner + edge.reach.above < 0) pixels = 0;
      // An edge through the block has values of less than 31 bits in it.
      else if (at_corner + edge.reach.below < 0)
        pixels &=
            ~outside_pixels(static_cast<std::uint32_t>(at_corner), static_cast<std::uint32_t>(edge.down),
                            static_cast<std::uint32_t>(edge.right));
    }
    if (pixels != 0) append(block, pixels, group);
  }
}

// May write some elements more than that: loops of few rounds cost more than the rounds.
template <class Iterator, class Value>
void fill_up(Iterator from, Iterator to, const Value& value) {
  constexpr std::ptrdiff_t kFew = 4;
  do {
    std::fill_n(from, kFew, value);
    from += kFew;
  } while (from < to);
}

// The last group is filled up with what lies where its last record does.
template <class Record>
bool GroupWriter<Record>::end_primitive(const GroupRecord& group) {
  if (count_ == first_) return !stopped_;
  const std::uint32_t count = (count_ - first_ + per_group_ - 1) / per_group_;
  const std::uint32_t end = first_ + count * per_group_;
  fill_up(records_.begin() + count_, records_.begin() + end, filler(records_[count_ - 1]));
  fill_up(groups_.begin() + group_count_, groups_.begin() + group_count_ + count, group);
  count_ = first_ = end;
  group_count_ += count;
  return count_ < kCapacity || flush();
}

template class GroupWriter<QuadRecord>;
template class GroupWriter<PixelRecord>;

}  // namespace warpjit::pixels
