// What a pixel kernel reads, written by the rasterizer. A group holds quads of one primitive. Lane 4q + n is
// pixel n of its quad q; bit 0 of n is the column, bit 1 the row. Kernels that do not tell may take covered
// pixels alone instead, one a lane, without their quads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpjit::pixels {

inline constexpr std::uint32_t kTileExtent = 64;  // pixels, both ways
inline constexpr std::uint32_t kTileQuads = kTileExtent / 2 * (kTileExtent / 2);
inline constexpr std::uint32_t kPlaneBytes = kTileQuads * 16;
inline constexpr std::uint32_t kMostQuadsPerGroup = 64;  // the rasterizer makes no larger groups
inline constexpr std::uint32_t kMostPixelsPerGroup = 4 * kMostQuadsPerGroup;

// The place of a quad in each plane of a tile is its Morton number: bits of the column (even), of the row
// (odd). A plane holds a word of each pixel, those of a quad together.
constexpr std::uint32_t morton(std::uint32_t column, std::uint32_t row) {  // in quads, below 32
  std::uint32_t number = 0;
  for (unsigned bit = 0; bit < 5; ++bit)
    number |= (column >> bit & 1) << (2 * bit) | (row >> bit & 1) << (2 * bit + 1);
  return number;
}

// Columns and rows of pixels of a tile, those at `right` and `bottom` outside. Columns are multiples of 4,
// rows of 2: pairs of quads. It is never empty.
struct TilePart {
  std::uint8_t left = 0, top = 0, right = kTileExtent, bottom = kTileExtent;
  constexpr std::uint32_t width() const { return static_cast<std::uint32_t>(right - left); }
  constexpr std::uint32_t height() const { return static_cast<std::uint32_t>(bottom - top); }
};

struct alignas(16) QuadRecord {
  float x, y;              // of its pixel 0, relative to the tile's origin
  std::uint32_t offset;    // of the quad in each plane of the tile: 16 * place
  std::uint32_t coverage;  // bit n: pixel n is covered; 0 fills groups up
};
static_assert(sizeof(QuadRecord) == 16);

// A pixel without its quad. Bits 0 to 5: its column, relative to the tile's origin; 8 to 13: its row; 15: it
// is covered, else it fills a group up and has the place of a pixel before it; 16 to 29: the offset of its
// word in each plane of the tile.
struct PixelRecord {
  static constexpr std::uint32_t kRowShift = 8, kOffsetShift = 16;
  static constexpr std::uint32_t kCoordinate = 63, kCovered = 1U << 15;
  std::uint32_t word;
};
static_assert(sizeof(PixelRecord) == sizeof(QuadRecord) / 4);

struct alignas(16) GroupRecord {
  const std::byte* primitive;  // of kHeaderRows + slots rows
  float x, y;                  // the tile's origin minus the primitive's
};
static_assert(sizeof(GroupRecord) == 16);

// A primitive: rows of 16 bytes. A row of a plane is {A, B, C, the provoking vertex's word}: the plane's
// value at the pixel (x, y) is (A + C * (y - origin y)) + B * (x - origin x).
struct alignas(16) PrimitiveHeader {
  std::uint32_t front_facing;  // all ones or 0
  std::uint32_t number;        // of the primitive in its draw, before clipping
  float origin_x, origin_y;    // even integers
};
static_assert(sizeof(PrimitiveHeader) == 16);
inline constexpr std::uint32_t kInverseWRow = 1, kDepthRow = 2, kHeaderRows = 3;  // slots follow
struct alignas(16) PlaneRow {
  float a, b, c;
  std::uint32_t flat;
};
static_assert(sizeof(PlaneRow) == 16);

// A slot that a fragment program reads, in the order of the rows.
struct SlotUse {
  std::uint8_t slot = 0;  // word of the vertex
  enum class Plane : std::uint8_t {
    none,
    linear,
    perspective
  } plane = Plane::none;  // perspective: of value / w
  // What a use with a plane reads on points in place of the slot: how far the pixel is from the left side of
  // the square, from its top, from its bottom, of 1; or a constant.
  enum class Sprite : std::uint8_t {
    none,
    from_left,
    from_top,
    from_bottom,
    zero,
    one
  } sprite = Sprite::none;
  // What a use with a plane reads of the word: an f32, or the f16 in one half. Flat uses give the whole word.
  enum class Part : std::uint8_t { word, low_half, high_half } part = Part::word;
  bool color = false;  // if the shade model is flat, all vertices have the provoking one's value
  bool operator==(const SlotUse&) const = default;
};

}  // namespace warpjit::pixels
