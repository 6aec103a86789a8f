#include "pixels/coverage.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/cpu.h"
#include "base/vector.h"

#if WARPJIT_HOST_X64
#include <immintrin.h>
#endif

namespace warpjit::pixels {

namespace {

constexpr std::int64_t kBlockExtent = 8;
constexpr std::uint32_t kCellExtent = 4, kCellsAcross = 16;
constexpr std::uint32_t kBlocksAcross = 8;

// All records of a tile, covered; after them those that fill up the last group.
alignas(32) constexpr std::array<QuadRecord, kTileQuads + kMostQuadsPerGroup> kFullTileOfQuads = [] {
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
alignas(32) constexpr std::array<PixelRecord, 4 * kTileQuads + kMostPixelsPerGroup> kFullTileOfPixels = [] {
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

// The same of a square of 4 x 4: of those in columns, or rows, from `first` to `last`. They serve for the pixels of a
// cell and for the cells of a square.
constexpr std::array<std::array<std::uint16_t, 4>, 4> of_square(bool rows) {
  std::array<std::array<std::uint16_t, 4>, 4> masks{};
  for (std::uint32_t first = 0; first < 4; ++first)
    for (std::uint32_t last = first; last < 4; ++last)
      for (std::uint32_t along = 0; along < 4; ++along)
        for (std::uint32_t i = first; i <= last; ++i)
          masks[first][last] |=
              static_cast<std::uint16_t>(1U << (rows ? morton(along, i) : morton(i, along)));
  return masks;
}
using SquareMasks = std::array<std::array<std::uint16_t, 4>, 4>;
constexpr SquareMasks kSquareColumns = of_square(false), kSquareRows = of_square(true);
// The pixels of a cell that are from `first` to `last` of the tile, some of which are in it. `corner`: the cell's first.
std::uint32_t part_of_cell(const SquareMasks& masks, std::uint32_t corner, std::int64_t first,
                           std::int64_t last) {
  return masks[static_cast<std::size_t>(std::max<std::int64_t>(first - corner, 0))]
              [static_cast<std::size_t>(std::min<std::int64_t>(last - corner, kCellExtent - 1))];
}

// The first pixel of each cell of a tile, in Morton order.
struct Corner {
  std::uint16_t x, y;
};
constexpr std::array<Corner, kCellsAcross* kCellsAcross> kCellCorner = [] {
  std::array<Corner, kCellsAcross * kCellsAcross> corners{};
  for (std::uint32_t row = 0; row < kCellsAcross; ++row)
    for (std::uint32_t column = 0; column < kCellsAcross; ++column)
      corners[morton(column, row)] = {static_cast<std::uint16_t>(column * kCellExtent),
                                      static_cast<std::uint16_t>(row * kCellExtent)};
  return corners;
}();

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

}  // namespace

// Pixels of a tile; the last ones are inside.
struct TileRectangle {
  std::int64_t left, top, right, bottom;

  // Its pixels in a block, in Morton order.
  std::uint64_t pixels(std::int64_t block_x, std::int64_t block_y) const {
    return between(kColumnsBelow, std::max<std::int64_t>(left - block_x, 0),
                   std::min<std::int64_t>(right - block_x, kBlockExtent - 1)) &
           between(kRowsBelow, std::max<std::int64_t>(top - block_y, 0),
                   std::min<std::int64_t>(bottom - block_y, kBlockExtent - 1));
  }
  // The blocks that it touches, in Morton order.
  std::uint64_t blocks() const {
    return between(kColumnsBelow, left / kBlockExtent, right / kBlockExtent) &
           between(kRowsBelow, top / kBlockExtent, bottom / kBlockExtent);
  }
  // Its pixels in a cell that it touches, in Morton order.
  std::uint32_t pixels(Corner cell) const {
    return part_of_cell(kSquareColumns, cell.x, left, right) & part_of_cell(kSquareRows, cell.y, top, bottom);
  }
};

namespace {

// The cells that a rectangle touches, at most four both ways, in Morton order: bit 16s + n is cell n of square s, each
// of 4 x 4 cells.
struct FewCells {
  std::uint64_t set;
  std::array<std::uint32_t, 4> first;  // the Morton number of each square's first cell

  explicit FewCells(const TileRectangle& r) {
    constexpr std::array<std::uint8_t, 4> kSpread{0, 1, 4, 5};
    const auto left = static_cast<std::uint32_t>(r.left) / kCellExtent,
               right = static_cast<std::uint32_t>(r.right) / kCellExtent,
               top = static_cast<std::uint32_t>(r.top) / kCellExtent,
               bottom = static_cast<std::uint32_t>(r.bottom) / kCellExtent;
    const std::uint32_t column = left / 4, next_column = right / 4, row = top / 4, next_row = bottom / 4;
    const std::uint64_t columns = kSquareColumns[left % 4][std::min(right - 4 * column, 3U)],
                        rows = kSquareRows[top % 4][std::min(bottom - 4 * row, 3U)],
                        next_columns = column != next_column ? kSquareColumns[0][right % 4] : 0,
                        next_rows = row != next_row ? kSquareRows[0][bottom % 4] : 0;
    // What is beside comes before what is below, unless its number has a higher bit.
    const bool below_first = (column ^ next_column) > (row ^ next_row);
    const std::uint32_t at_column = 16U * kSpread[column], at_next_column = 16U * kSpread[next_column],
                        at_row = 32U * kSpread[row], at_next_row = 32U * kSpread[next_row];
    const std::uint64_t beside = next_columns & rows, below = columns & next_rows;
    set = (columns & rows) | (below_first ? below : beside) << 16 | (below_first ? beside : below) << 32 |
          (next_columns & next_rows) << 48;
    const std::uint32_t at_beside = at_next_column | at_row, at_below = at_column | at_next_row;
    first = {at_column | at_row, below_first ? at_below : at_beside, below_first ? at_beside : at_below,
             at_next_column | at_next_row};
  }
  std::uint32_t number(unsigned bit) const { return first[bit / 16] + bit % 16; }
};

// The values of a small shape's edges at the first pixel of a tile, and how these change from row to row and from column
// to column. Near the shape they have less than 31 bits.
struct EdgeValues {
  std::array<std::uint32_t, 3> at_corner, down, right;
  EdgeValues(const Shape& shape, std::int64_t x, std::int64_t y) {
    for (unsigned k = 0; k < 3; ++k) {
      at_corner[k] = static_cast<std::uint32_t>(edge_at(shape, k, x, y));
      down[k] = static_cast<std::uint32_t>(shape.dx(k));
      right[k] = 0 - static_cast<std::uint32_t>(shape.dy(k));
    }
  }
};

// Appends what a small shape covers of the cells, in the rectangle if there is one, and gives where it ends. All pixels
// of a cell at once, without branches: whether a quad is covered cannot be predicted.
template <class Record>
Record* put_cells(Record* out, const EdgeValues& edges, const FewCells& cells,
                  const TileRectangle* rectangle) {
  const std::array<FourQuads, 3> quads{FourQuads(edges.down[0], edges.right[0]),
                                       FourQuads(edges.down[1], edges.right[1]),
                                       FourQuads(edges.down[2], edges.right[2])};
  for (std::uint64_t set = cells.set; set != 0; set &= set - 1) {
    const std::uint32_t cell = cells.number(static_cast<unsigned>(std::countr_zero(set)));
    const Corner corner = kCellCorner[cell];
    std::array<Lanes, 4> lanes{};
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint32_t at = edges.at_corner[k] + edges.down[k] * corner.y + edges.right[k] * corner.x;
      for (unsigned j = 0; j < 4; ++j) lanes[j] |= quads[k].quads[j] + at;
    }
    std::uint32_t pixels = ~sign_bits(lanes[0], lanes[1], lanes[2], lanes[3]) & 0xFFFF;
    if (rectangle != nullptr) pixels &= rectangle->pixels(corner);
    constexpr std::uint32_t kOfQuad = sizeof(QuadRecord) / sizeof(Record);
    const Record* const full = &kFullTile<Record>[4 * kOfQuad * cell];
    for (unsigned quad = 0; quad < 4; ++quad) out += put(out, &full[quad * kOfQuad], pixels >> 4 * quad & 15);
  }
  return out;
}

#if WARPJIT_HAS_TARGETS
#define WARPJIT_V3 WARPJIT_TARGET("avx2,bmi,bmi2,popcnt")

bool has_v3() {
  using enum cpu::Feature;
  static const bool kHas = cpu::has({avx2, bmi, bmi2});
  return kHas;
}

// By a set of eight: the numbers of its members, ascending.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kMembers = [] {
  std::array<std::array<std::uint8_t, 8>, 256> all{};
  for (std::uint32_t set = 0; set < 256; ++set)
    for (std::uint8_t n = 0, count = 0; n < 8; ++n)
      if ((set >> n & 1) != 0) all[set][count++] = n;
  return all;
}();
// Appends the covered pixels of a cell, of which `full` has all. May write eight pixels or one quad more.
WARPJIT_V3 inline PixelRecord* put_cell_v3(PixelRecord* out, const PixelRecord* full, std::uint32_t pixels) {
  for (unsigned half = 0; half < 2; ++half) {
    const std::uint32_t set = pixels >> 8 * half & 255;
    const __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(full + 8 * half));
    const __m256i members =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kMembers[set].data())));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(words, members));
    out += std::popcount(set);
  }
  return out;
}
// By coverage: what remains of a full record.
constexpr std::array<std::array<std::uint32_t, 4>, 16> kRemains = [] {
  std::array<std::array<std::uint32_t, 4>, 16> all{};
  for (std::uint32_t coverage = 0; coverage < 16; ++coverage) all[coverage] = {~0U, ~0U, ~0U, coverage};
  return all;
}();
WARPJIT_V3 inline QuadRecord* put_cell_v3(QuadRecord* out, const QuadRecord* full, std::uint32_t pixels) {
  for (unsigned quad = 0; quad < 4; ++quad) {
    const std::uint32_t coverage = pixels >> 4 * quad & 15;
    const __m128i record = _mm_load_si128(reinterpret_cast<const __m128i*>(full + quad));
    const __m128i remains = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRemains[coverage].data()));
    _mm_store_si128(reinterpret_cast<__m128i*>(out), _mm_and_si128(record, remains));
    out += coverage != 0 ? 1 : 0;
  }
  return out;
}

// As put_cells(). Steps from pixel to pixel are less than 16 bits with their sign.
template <class Record>
WARPJIT_V3 Record* put_cells_v3(Record* out, const EdgeValues& edges, const FewCells& cells,
                                const TileRectangle* rectangle) {
  static_assert(kSmallExtent == 1 << 15);
  // Two steps in a word, right and down, so that one instruction multiplies them with two coordinates and adds.
  std::array<int, 3> steps;
  for (unsigned k = 0; k < 3; ++k)
    steps[k] = static_cast<int>((edges.right[k] & 0xFFFF) | edges.down[k] << 16);
  constexpr int kRight = 1, kDown = 1 << 16;
  const __m256i upper = _mm256_setr_epi32(0, kRight, kDown, kRight + kDown, 2 * kRight, 3 * kRight,
                                          2 * kRight + kDown, 3 * kRight + kDown),
                lower = _mm256_add_epi16(upper, _mm256_set1_epi32(2 * kDown));
  const __m256i step0 = _mm256_set1_epi32(steps[0]), step1 = _mm256_set1_epi32(steps[1]),
                step2 = _mm256_set1_epi32(steps[2]);
  // The edges' values in the tile's first cell.
  const __m256i corner0 = _mm256_set1_epi32(static_cast<int>(edges.at_corner[0])),
                corner1 = _mm256_set1_epi32(static_cast<int>(edges.at_corner[1])),
                corner2 = _mm256_set1_epi32(static_cast<int>(edges.at_corner[2]));
  const __m256i upper0 = _mm256_add_epi32(corner0, _mm256_madd_epi16(upper, step0)),
                lower0 = _mm256_add_epi32(corner0, _mm256_madd_epi16(lower, step0)),
                upper1 = _mm256_add_epi32(corner1, _mm256_madd_epi16(upper, step1)),
                lower1 = _mm256_add_epi32(corner1, _mm256_madd_epi16(lower, step1)),
                upper2 = _mm256_add_epi32(corner2, _mm256_madd_epi16(upper, step2)),
                lower2 = _mm256_add_epi32(corner2, _mm256_madd_epi16(lower, step2));
  for (std::uint64_t set = cells.set; set != 0; set &= set - 1) {
    const std::uint32_t cell = cells.number(static_cast<unsigned>(std::countr_zero(set)));
    const Corner corner = kCellCorner[cell];
    const __m256i place = _mm256_set1_epi32(std::bit_cast<int>(corner));
    const __m256i at0 = _mm256_madd_epi16(place, step0), at1 = _mm256_madd_epi16(place, step1),
                  at2 = _mm256_madd_epi16(place, step2);
    const __m256i outside_upper =
        _mm256_or_si256(_mm256_or_si256(_mm256_add_epi32(at0, upper0), _mm256_add_epi32(at1, upper1)),
                        _mm256_add_epi32(at2, upper2));
    const __m256i outside_lower =
        _mm256_or_si256(_mm256_or_si256(_mm256_add_epi32(at0, lower0), _mm256_add_epi32(at1, lower1)),
                        _mm256_add_epi32(at2, lower2));
    const auto outside =
        static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(outside_upper)) |
                                   _mm256_movemask_ps(_mm256_castsi256_ps(outside_lower)) << 8);
    std::uint32_t pixels = ~outside & 0xFFFF;
    if (rectangle != nullptr) pixels &= rectangle->pixels(corner);
    constexpr std::uint32_t kOfQuad = sizeof(QuadRecord) / sizeof(Record);
    out = put_cell_v3(out, &kFullTile<Record>[4 * kOfQuad * cell], pixels);
  }
  return out;
}
#undef WARPJIT_V3
#endif

}  // namespace

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
  const EdgeValues edges(shape, x, y);
  const FewCells cells(rectangle);
  const TileRectangle* const limit = shape.bounded ? nullptr : &rectangle;
  Record* const out = &records_[count_];
#if WARPJIT_HAS_TARGETS
  const Record* const end =
      has_v3() ? put_cells_v3(out, edges, cells, limit) : put_cells(out, edges, cells, limit);
#else
  const Record* const end = put_cells(out, edges, cells, limit);
#endif
  count_ = static_cast<std::uint32_t>(end - records_.data());
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
