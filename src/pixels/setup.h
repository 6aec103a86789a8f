// Set-up of triangles and points: planes in records, edges in shapes (docs/pixels.md, 5 to 7).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "base/small_vector.h"
#include "base/vector.h"
#include "pixels/batch.h"
#include "pixels/records.h"
#include "pixels/vertex.h"
#include "warpjit/pixels.hpp"

namespace warpjit::pixels {

// Which pixels of the target a primitive covers: those in the rectangle that are inside of all edges. Pixel
// (x, y) is inside of edge k if c[k] + dx(k) * y - dy(k) * x >= 0. That is E of docs/pixels.md, less 1 where
// the top-left rule excludes zero, over 256 rounded down: exact, as E changes in steps of 256.
struct alignas(64) Shape {
  std::array<std::int64_t, 3> c;
  std::array<std::int32_t, 2> edge_x, edge_y;  // of edges 0 and 1; all three together are zero
  std::uint16_t left, top, right, bottom;      // the last ones are inside
  float origin_x, origin_y;                    // of its planes
  std::uint32_t record;                        // its row in the records
  bool small;                                  // edges are shorter than kSmallExtent, both ways
  bool bounded;                                // pixels inside of all edges lie in the rectangle, too

  // The sum of the two magnitudes is below 2^28 * 1.1.
  std::int32_t dx(unsigned k) const { return k < 2 ? edge_x[k] : -edge_x[0] - edge_x[1]; }
  std::int32_t dy(unsigned k) const { return k < 2 ? edge_y[k] : -edge_y[0] - edge_y[1]; }
};
static_assert(sizeof(Shape) == 64);
inline constexpr std::int32_t kSmallExtent = 1 << 15;  // 128 pixels

// A row of 16 bytes of a record.
struct alignas(16) RecordRow {
  std::array<std::byte, 16> bytes;
};

// Rows that grow without being zeroed first.
class RecordRows {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  // Rows at the end, after which `spare` more may be written.
  RecordRow* append(std::size_t rows, std::size_t spare);
  void reserve(std::size_t rows);
  const RecordRow* data() const { return rows_.get(); }

 private:
  std::unique_ptr<RecordRow[]> rows_;
  std::size_t size_ = 0, capacity_ = 0;
};

struct PixelRectangle {  // the last ones are inside; empty if left > right or top > bottom
  std::int64_t left, top, right, bottom;
};

struct PrimitiveFacts {
  std::uint32_t number = 0;
  bool front_facing = true;
  const std::uint32_t* provoking = nullptr;  // the words that are flat
};

struct PlaneFrame;

// Those of a triangle in the window.
using Corners = std::array<const WindowVertex*, 3>;

class Setup {
 public:
  Setup(std::span<const SlotUse> uses, const PixelRectangle& bounds);

  // How far depths of triangles are moved from now on, for a target of that format.
  void set_depth_bias(const RasterState::DepthBias& bias, PixelFormat depth_format);

  // Where in a pixel its samples lie (RasterState::sample_point); the centre unless this is called.
  void set_sample_point(const std::array<std::uint8_t, 2>& point) {
    to_center_ = {128 - std::int32_t{point[0]}, 128 - std::int32_t{point[1]}};
    off_center_ = to_center_[0] != 0 || to_center_[1] != 0;
  }

  std::span<const SlotUse> interpolated() const { return {interpolated_.data(), interpolated_.size()}; }
  std::size_t record_rows() const { return kHeaderRows + use_count_; }
  // Rows after a record that write() needs room for.
  static constexpr std::size_t kSpareRows = 3;

  // The values of vertex n (0 to 2) for the next triangle or point: from its words, or one for each
  // interpolated use.
  void set_values(unsigned n, const WindowVertex& vertex, const std::uint32_t* words);
  void set_values(unsigned n, const WindowVertex& vertex, const float* values);

  // Whether all vertices of a triangle have the provoking one's colours from now on.
  void set_flat_colors(bool flat) { flat_colors_ = flat; }

  // Twice the area, in 1/256 pixels.
  static std::int64_t area(const WindowVertex& v0, const WindowVertex& v1, const WindowVertex& v2) {
    return std::int64_t{v1.x - v0.x} * (v2.y - v0.y) - std::int64_t{v2.x - v0.x} * (v1.y - v0.y);
  }

  // The shape of a triangle whose area is not 0. False: it covers no pixel of the bounds.
  bool shape(const Corners& v, std::int64_t area, Shape& shape) const;
  bool point_shape(const WindowVertex& v, std::int32_t half, Shape& shape) const;

  // Writes the record of a triangle or point whose values are set. Triangles of lines have no depth bias.
  void write(const Corners& v, std::int64_t area, const Shape& shape, const PrimitiveFacts& facts,
             bool of_line, RecordRow* record);
  // The same with the values of the vertices' words.
  void write(const Corners& v, const std::array<const std::uint32_t*, 3>& words, std::int64_t area,
             const Shape& shape, const PrimitiveFacts& facts, RecordRow* record);
  void write_point(const WindowVertex& v, std::int32_t half, const Shape& shape, const PrimitiveFacts& facts,
                   RecordRow* record);

 private:
  // Planes to compute: 1/w, depth, then the interpolated uses; four at once.
  static constexpr std::size_t kMostPlanes = (2 + kMostUses + 3) / 4 * 4;

  // The row that a plane has, and the slot of its flat word; planes that fill up four have the rows after the record.
  struct PlaneRowUse {
    std::uint32_t row, slot;
  };

  // `least_x`, `least_y`: the primitive's in 1/256 pixels, which say where the origin is.
  bool limit(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
             std::int64_t least_x, std::int64_t least_y, Shape& shape) const;
  double depth_bias(const Corners& v, double b, double c) const;

  // Uses with a plane, two by two, from kFirstUse on; others fill up the planes.
  struct TwoUses {
    std::array<SlotUse, 2> uses;
    bool together;                   // their words lie side by side, and both are f32
    Vector<std::int64_t, 2> linear;  // all ones where the value is not over w
  };

  static Vector<std::uint32_t, 4> flat_words(const PlaneRowUse* rows, const std::uint32_t* provoking) {
    return Vector<std::uint32_t, 4>{provoking[rows[0].slot], provoking[rows[1].slot], provoking[rows[2].slot],
                                    provoking[rows[3].slot]};
  }
  static void put_rows(const std::array<Vector<float, 4>, 4>& values, const PlaneRowUse* rows,
                       RecordRow* record) {
    for (std::size_t n = 0; n < 4; ++n) std::memcpy(record + rows[n].row, &values[n], sizeof values[n]);
  }
  void flatten_colors(const std::uint32_t* provoking);
  PlaneFrame frame_of(const Corners& v, std::int64_t area, const Shape& shape) const;
  // Rows of the planes of a triangle whose values are set.
  void write_planes(const PlaneFrame& frame, const PrimitiveFacts& facts, RecordRow* record) const;
  // The same from the vertices' words, for processors with AVX2.
  void write_planes_v3(const PlaneFrame& frame, const Corners& v,
                       const std::array<const std::uint32_t*, 3>& words, const PrimitiveFacts& facts,
                       RecordRow* record) const;
  // All rows that are no planes, and the depth's where that is another.
  void write_rest(const PlaneFrame& frame, const Corners& v, const Shape& shape, const PrimitiveFacts& facts,
                  bool of_line, RecordRow* record) const;
  // Rows of the record that are no planes of a triangle.
  void write_header(const Shape& shape, const PrimitiveFacts& facts, RecordRow* record) const;
  void write_flat(const PrimitiveFacts& facts, RecordRow* record) const;

  static constexpr std::uint32_t kFewUses = 24;  // without memory of their own
  std::uint32_t use_count_;
  SmallVector<SlotUse, kFewUses> interpolated_;
  SmallVector<TwoUses, kFewUses / 2 + 1> two_uses_;
  SmallVector<PlaneRowUse, kFewUses + 4> rows_;   // of planes_
  SmallVector<PlaneRowUse, kFewUses> flat_rows_;  // of uses without a plane
  std::size_t planes_;                            // a multiple of 4
  PixelRectangle bounds_;
  RasterState::DepthBias bias_;
  double smallest_step_ = 0;  // of the depth format; d32f: of depths below 2
  bool step_follows_depth_ = false;
  bool biased_ = false, off_center_ = false, flat_colors_ = false;
  std::array<std::int32_t, 2> to_center_{};  // from samples, 1/256 pixels
  // Those up to planes_ have values.
  alignas(16) std::array<std::array<double, kMostPlanes>, 3> values_;
};

}  // namespace warpjit::pixels
