// Runs the rasterizer and collects what kernels would see, checking the form of what it hands out.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "base/random.h"
#include "pixels/batch.h"

namespace warpjit::pixels {

struct Pixel {
  std::uint32_t x, y;
  auto operator<=>(const Pixel&) const = default;
};

// A covered pixel, as its program sees it.
struct Covered {
  std::uint32_t number;  // of the primitive
  bool front;
  std::uint32_t inverse_w, depth;     // as bits; depth is not limited
  std::vector<std::uint32_t> values;  // of the planes of the uses; 0 where it has none
  std::vector<std::uint32_t> flat;    // their words
  bool operator==(const Covered&) const = default;
};

// All pixels, each with what covers it in order.
using Picture = std::map<Pixel, std::vector<Covered>>;

// What the f32 operations of docs/pixels.md make of a result.
inline float finish(float x) {
  if (x != x) return to_float(0x7fffffff);
  return (to_bits(x) & 0x7f800000) == 0 ? to_float(to_bits(x) & 0x80000000) : x;
}
inline std::uint32_t plane_value(const PlaneRow& row, float dx, float dy) {
  const float along_rows = finish(row.a + finish(row.c * dy));
  return to_bits(finish(along_rows + finish(row.b * dx)));
}

class Collector : public QuadSink {
 public:
  Collector(Picture& picture, std::uint32_t column, std::uint32_t row, std::uint32_t per_group,
            const std::vector<SlotUse>& uses)
      : picture_(&picture), x_(64 * column), y_(64 * row), per_group_(per_group), uses_(&uses) {}

  bool run(const QuadRecord* quads, std::span<const GroupRecord> groups) override {
    for (const GroupRecord& group : groups) {
      const std::byte* const record = group.primitive;
      if (record != record_) seen_.clear();
      record_ = record;
      PrimitiveHeader header;
      std::memcpy(&header, record, sizeof header);
      EXPECT_EQ(group.x + header.origin_x, static_cast<float>(x_));
      EXPECT_EQ(group.y + header.origin_y, static_cast<float>(y_));
      EXPECT_NE(quads->coverage, 0U) << "a group starts with a covered quad";
      bool filling = false;
      for (std::uint32_t q = 0; q < per_group_; ++q, ++quads) {
        EXPECT_LE(quads->coverage, 15U);
        EXPECT_LT(quads->offset, kPlaneBytes);
        const auto column = static_cast<std::uint32_t>(quads->x) / 2,
                   row = static_cast<std::uint32_t>(quads->y) / 2;
        EXPECT_EQ(quads->offset, 16 * morton(column, row));
        EXPECT_EQ(quads->x, 2.0F * static_cast<float>(column));
        EXPECT_EQ(quads->y, 2.0F * static_cast<float>(row));
        EXPECT_TRUE(part.left <= 2 * column && 2 * column < part.right && part.top <= 2 * row &&
                    2 * row < part.bottom)
            << "quads are in the tile's part";
        if (quads->coverage == 0) {
          filling = true;
          continue;
        }
        EXPECT_FALSE(filling) << "quads that fill up come last";
        EXPECT_TRUE(seen_.empty() || *seen_.rbegin() < quads->offset) << "Morton order";
        seen_.insert(quads->offset);
        for (std::uint32_t n = 0; n < 4; ++n)
          if ((quads->coverage >> n & 1) != 0) cover(*quads, n, group, header);
      }
    }
    return true;
  }

  TilePart part;  // that quads may be in

 private:
  void cover(const QuadRecord& quad, std::uint32_t n, const GroupRecord& group,
             const PrimitiveHeader& header) {
    const float in_x = quad.x + static_cast<float>(n & 1), in_y = quad.y + static_cast<float>(n >> 1);
    const float dx = in_x + group.x, dy = in_y + group.y;
    const auto row_of = [&](std::size_t row) {
      PlaneRow values;
      std::memcpy(&values, group.primitive + 16 * row, sizeof values);
      return values;
    };
    Covered covered{header.number,
                    header.front_facing != 0,
                    plane_value(row_of(kInverseWRow), dx, dy),
                    plane_value(row_of(kDepthRow), dx, dy),
                    {},
                    {}};
    for (std::size_t use = 0; use < uses_->size(); ++use) {
      const PlaneRow row = row_of(kHeaderRows + use);
      const bool plane = (*uses_)[use].plane != SlotUse::Plane::none;
      covered.values.push_back(plane ? plane_value(row, dx, dy) : 0);
      covered.flat.push_back(row.flat);
    }
    (*picture_)[{x_ + static_cast<std::uint32_t>(in_x), y_ + static_cast<std::uint32_t>(in_y)}].push_back(
        covered);
  }

  Picture* picture_;
  std::uint32_t x_, y_, per_group_;
  const std::vector<SlotUse>* uses_;
  const std::byte* record_ = nullptr;
  std::set<std::uint32_t> seen_;
};

struct Scene {
  RasterState state;
  std::uint32_t width = 64, height = 64, slots = 4;
  std::vector<SlotUse> uses;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> indices;
  bool indexed = false;
  PixelFormat depth_format = PixelFormat::none;
  std::uint32_t per_group = 4;

  void vertex(std::initializer_list<float> values) {
    for (const float value : values) words.push_back(to_bits(value));
    words.resize((words.size() + slots - 1) / slots * slots);
  }
  // Positions are then pixels, depth and 1/w.
  void use_pixels() {
    state.viewport_scale = {1, 1, 1};
    state.viewport_translate = {0, 0, 0};
    state.window_positions = true;
  }
  Vertices vertices() const { return {words.data(), slots, words.size() / slots, indexed, indices, 0}; }
};

// `counts`, unless null: what became of the primitives.
inline Picture draw(const Scene& scene, DrawCounts* counts = nullptr) {
  Picture picture;
  auto batch = PrimitiveBatch::make(scene.state, scene.width, scene.height, scene.slots, scene.uses,
                                    scene.depth_format);
  EXPECT_TRUE(batch.ok());
  if (!batch) return picture;
  const Vertices vertices = scene.vertices();
  const std::uint64_t count = vertices.primitives(scene.state.topology);
  for (std::uint64_t next = 0; next < count;) {
    batch->clear();
    next = batch->add(vertices, next);
    batch->sort();
    for (const auto& tile : batch->tiles()) {
      Collector collector(picture, tile.column, tile.row, scene.per_group, scene.uses);
      collector.part = tile.part;
      EXPECT_TRUE(batch->rasterize(tile.column, tile.row, scene.per_group, collector));
    }
  }
  if (counts != nullptr) *counts = batch->counts();
  return picture;
}

}  // namespace warpjit::pixels
