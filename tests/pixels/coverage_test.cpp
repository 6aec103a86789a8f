// Coverage of triangles, points and lines against the written rules, pixel by pixel.
#include <algorithm>
#include <array>
#include <cmath>

#include "pixels/collect.h"
#include "support/share.h"

namespace warpjit::pixels {
namespace {

struct Corner {
  std::int64_t x, y;  // 1/256 pixels
};

bool covers(std::array<Corner, 3> v, std::uint32_t x, std::uint32_t y) {
  const std::int64_t area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
  if (area == 0) return false;
  if (area < 0) std::swap(v[1], v[2]);
  for (unsigned k = 0; k < 3; ++k) {
    const Corner from = v[k], to = v[(k + 1) % 3];
    const std::int64_t dx = to.x - from.x, dy = to.y - from.y;
    const std::int64_t e =
        dx * (256 * std::int64_t{y} + 128 - from.y) - dy * (256 * std::int64_t{x} + 128 - from.x);
    if (e < 0 || (e == 0 && !(dy < 0 || (dy == 0 && dx > 0)))) return false;
  }
  return true;
}

void add(Scene& scene, Corner corner) {
  scene.vertex({static_cast<float>(corner.x) / 256, static_cast<float>(corner.y) / 256, 0.5F, 1});
}

std::set<Pixel> pixels_of(const Picture& picture) {
  std::set<Pixel> pixels;
  for (const auto& [pixel, covered] : picture) pixels.insert(pixel);
  return pixels;
}

// Triangles of all sizes, one at a time, so that a difference names its triangle.
TEST(Coverage, EqualsTheRuleInEachPixel) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = 1 + random.below(200);
    scene.height = 1 + random.below(200);
    scene.per_group = 1 + random.below(16);
    RasterState::Rectangle& scissor = scene.state.scissor;
    if (random.one_in(3))
      scissor = {random.below(scene.width), random.below(scene.height), random.below(100), random.below(100)};
    const unsigned size = 1U << (4 + random.below(15));
    const std::int64_t x = 256 * std::int64_t{random.below(200)}, y = 256 * std::int64_t{random.below(200)};
    std::array<Corner, 3> corners;
    for (Corner& corner : corners) {
      corner = {x + random.below(size) - size / 2, y + random.below(size) - size / 2};
      if (random.one_in(3)) corner.x = (corner.x & ~255) + 128;  // through centres
      if (random.one_in(3)) corner.y = (corner.y & ~255) + 128;
      add(scene, corner);
    }
    std::set<Pixel> expected;
    for (std::uint32_t row = 0; row < scene.height; ++row)
      for (std::uint32_t column = 0; column < scene.width; ++column)
        if (column >= scissor.x && row >= scissor.y && column - scissor.x < scissor.width &&
            row - scissor.y < scissor.height && covers(corners, column, row))
          expected.insert({column, row});
    ASSERT_EQ(pixels_of(draw(scene)), expected) << "round " << round;
  }
}

TEST(Coverage, EqualsTheRuleForTheLargestTriangles) {
  Random random(2);
  for (std::uint64_t round = 0; round < share(60); ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = scene.height = 128;
    std::array<Corner, 3> corners;
    for (Corner& corner : corners) {
      // Floats with 24 bits: at this size a multiple of 1/256.
      corner = {static_cast<std::int64_t>(random.next() & 0xffffff) - 0x800000,
                static_cast<std::int64_t>(random.next() & 0xffffff) - 0x800000};
      add(scene, corner);
    }
    std::set<Pixel> expected;
    for (std::uint32_t row = 0; row < 128; ++row)
      for (std::uint32_t column = 0; column < 128; ++column)
        if (covers(corners, column, row)) expected.insert({column, row});
    ASSERT_EQ(pixels_of(draw(scene)), expected) << "round " << round;
  }
}

TEST(Coverage, EdgesThroughCentres) {
  // A square from centre to centre: its left and upper edges are inside, right and lower ones are not.
  Scene scene;
  scene.use_pixels();
  add(scene, {10 * 256 + 128, 20 * 256 + 128});
  add(scene, {14 * 256 + 128, 20 * 256 + 128});
  add(scene, {10 * 256 + 128, 24 * 256 + 128});
  add(scene, {14 * 256 + 128, 24 * 256 + 128});
  scene.state.topology = Topology::triangle_strip;
  const Picture picture = draw(scene);
  EXPECT_EQ(picture.size(), 16U);
  for (const auto& [pixel, covered] : picture) {
    EXPECT_TRUE(pixel.x >= 10 && pixel.x < 14 && pixel.y >= 20 && pixel.y < 24);
    EXPECT_EQ(covered.size(), 1U);
    // The diagonal's centres belong to the triangle that has it at its left.
    const bool second = pixel.x - 10 + pixel.y - 20 >= 4;
    EXPECT_EQ(covered[0].number, second ? 1U : 0U) << pixel.x << ' ' << pixel.y;
  }
}

// A grid whose inner points are moved at random, each cell two triangles by a random diagonal in a random
// direction: every pixel is covered exactly once.
TEST(Coverage, MeshesHaveNoGapsAndNoOverlaps) {
  Random random(3);
  for (std::uint64_t round = 0; round < share(40); ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = scene.height = 150;
    scene.indexed = true;
    const unsigned cells = 3 + random.below(30);
    const unsigned pitch = 160 * 256 / cells;
    for (unsigned row = 0; row <= cells; ++row)
      for (unsigned column = 0; column <= cells; ++column) {
        const bool inner = row != 0 && column != 0 && row != cells && column != cells;
        Corner corner{column * pitch, row * pitch};
        if (inner)
          corner = {corner.x + random.below(pitch / 2) - pitch / 4,
                    corner.y + random.below(pitch / 2) - pitch / 4};
        if (inner && random.one_in(4)) corner = {(corner.x & ~255) + 128, (corner.y & ~255) + 128};
        add(scene, corner);
      }
    const auto at = [&](unsigned column, unsigned row) { return row * (cells + 1) + column; };
    for (unsigned row = 0; row < cells; ++row)
      for (unsigned column = 0; column < cells; ++column) {
        std::array<unsigned, 4> corners{at(column, row), at(column + 1, row), at(column + 1, row + 1),
                                        at(column, row + 1)};
        if (random.one_in(2)) std::rotate(corners.begin(), corners.begin() + 1, corners.end());
        for (std::array<unsigned, 3> triangle : {std::array{corners[0], corners[1], corners[2]},
                                                 std::array{corners[0], corners[2], corners[3]}}) {
          if (random.one_in(2)) std::swap(triangle[0], triangle[1]);
          scene.indices.insert(scene.indices.end(), triangle.begin(), triangle.end());
        }
      }
    const Picture picture = draw(scene);
    std::size_t once = 0;
    for (const auto& [pixel, covered] : picture) once += covered.size() == 1 ? 1 : 0;
    ASSERT_EQ(once, picture.size()) << "round " << round;
    ASSERT_EQ(once, std::size_t{150} * 150) << "round " << round;
  }
}

// Quads and single pixels: the covered pixels by primitive, as its record, column, row and offset.
struct InOrder {
  using Pixels = std::vector<std::array<std::uint64_t, 4>>;
  // Primitives stay in their order; that of the pixels of one does not count.
  static void sort_each(Pixels& all) {
    for (auto first = all.begin(); first != all.end();) {
      const auto last =
          std::find_if(first, all.end(), [&](const auto& pixel) { return pixel[0] != (*first)[0]; });
      std::sort(first, last);
      first = last;
    }
  }
  static void add(const GroupRecord& group, std::uint32_t x, std::uint32_t y, std::uint32_t offset,
                  Pixels& all) {
    all.push_back({reinterpret_cast<std::uintptr_t>(group.primitive), x, y, offset});
  }
  struct OfQuads : QuadSink {
    std::uint32_t per_group = 1;
    Pixels pixels;
    bool run(const QuadRecord* quads, std::span<const GroupRecord> groups) override {
      for (const GroupRecord& group : groups)
        for (std::uint32_t q = 0; q < per_group; ++q, ++quads)
          for (std::uint32_t n = 0; n < 4; ++n)
            if ((quads->coverage >> n & 1) != 0)
              add(group, static_cast<std::uint32_t>(quads->x) + n % 2,
                  static_cast<std::uint32_t>(quads->y) + n / 2, quads->offset + 4 * n, pixels);
      return true;
    }
  };
  struct OfPixels : PixelSink {
    std::uint32_t per_group = 1;
    Pixels pixels;
    bool run(const PixelRecord* records, std::span<const GroupRecord> groups) override {
      for (const GroupRecord& group : groups) {
        bool filling = false;
        for (std::uint32_t n = 0; n < per_group; ++n, ++records) {
          const std::uint32_t word = records->word;
          const bool covered = (word & PixelRecord::kCovered) != 0;
          EXPECT_TRUE(n != 0 || covered) << "a group starts with a covered pixel";
          EXPECT_FALSE(filling && covered) << "pixels that fill up come last";
          EXPECT_LT(word >> PixelRecord::kOffsetShift, kPlaneBytes);
          filling = !covered;
          if (covered)
            add(group, word & PixelRecord::kCoordinate,
                word >> PixelRecord::kRowShift & PixelRecord::kCoordinate, word >> PixelRecord::kOffsetShift,
                pixels);
        }
      }
      return true;
    }
  };
};

TEST(Coverage, SinglePixelsAreThoseOfQuads) {
  Random random(5);
  for (std::uint64_t round = 0; round < share(200); ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = 1 + random.below(200);
    scene.height = 1 + random.below(200);
    const unsigned size = 1U << (8 + random.below(9));
    for (int corner = 0; corner < 90; ++corner)
      add(scene, {random.below(size) + 256 * std::int64_t{random.below(100)},
                  random.below(size) + 256 * std::int64_t{random.below(100)}});
    if (random.one_in(3)) {  // one that covers whole tiles
      add(scene, {-1000, -1000});
      add(scene, {150000, -1000});
      add(scene, {-1000, 150000});
    }
    auto batch = PrimitiveBatch::make(scene.state, scene.width, scene.height, scene.slots, scene.uses);
    ASSERT_TRUE(batch.ok());
    batch->clear();
    batch->add(scene.vertices(), 0);
    batch->sort();
    for (const auto& tile : batch->tiles()) {
      InOrder::OfQuads quads;
      InOrder::OfPixels pixels;
      quads.per_group = 1 + random.below(kMostQuadsPerGroup);
      pixels.per_group = 1 + random.below(random.one_in(2) ? 16 : kMostPixelsPerGroup);
      EXPECT_TRUE(batch->rasterize(tile.column, tile.row, quads.per_group, quads));
      EXPECT_TRUE(batch->rasterize(tile.column, tile.row, pixels.per_group, pixels));
      InOrder::sort_each(quads.pixels);
      InOrder::sort_each(pixels.pixels);
      ASSERT_TRUE(pixels.pixels == quads.pixels) << "round " << round;
    }
  }
}

TEST(Coverage, Points) {
  Random random(4);
  for (std::uint64_t round = 0; round < share(200); ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = scene.height = 130;
    scene.slots = 5;
    scene.state.topology = Topology::points;
    const float size = static_cast<float>(random.below(4096)) / (random.one_in(2) ? 64.0F : 1024.0F);
    const bool from_slot = random.one_in(2);
    scene.state.point_size = from_slot ? 99 : size;
    scene.state.point_size_slot = from_slot ? 4 : 0;
    Corner corner{random.below(130 * 256), random.below(130 * 256)};
    if (random.one_in(2)) corner = {(corner.x & ~127), (corner.y & ~127)};
    scene.vertex({static_cast<float>(corner.x) / 256, static_cast<float>(corner.y) / 256, 0, 1, size});
    const auto half = static_cast<std::int64_t>(std::nearbyint(size * 128));
    std::set<Pixel> expected;
    for (std::uint32_t y = 0; y < 130; ++y)
      for (std::uint32_t x = 0; x < 130; ++x) {
        const std::int64_t px = 256 * x + 128, py = 256 * y + 128;
        if (corner.x - half <= px && px < corner.x + half && corner.y - half <= py && py < corner.y + half)
          expected.insert({x, y});
      }
    ASSERT_EQ(pixels_of(draw(scene)), expected) << "round " << round;
  }
}

TEST(Coverage, LinesOfWidthOneHaveOnePixelInEachColumnOrRow) {
  Random random(5);
  for (std::uint64_t round = 0; round < share(200); ++round) {
    Scene scene;
    scene.use_pixels();
    scene.width = scene.height = 100;
    scene.state.topology = Topology::lines;
    const Corner from{random.below(90 * 256) + 1280, random.below(90 * 256) + 1280};
    const Corner to{random.below(90 * 256) + 1280, random.below(90 * 256) + 1280};
    add(scene, from);
    add(scene, to);
    const bool level = std::abs(to.x - from.x) >= std::abs(to.y - from.y);
    std::map<std::uint32_t, int> counts;
    for (const auto& [pixel, covered] : draw(scene)) {
      EXPECT_EQ(covered.size(), 1U);
      EXPECT_TRUE(covered[0].front);
      ++counts[level ? pixel.x : pixel.y];
    }
    const std::int64_t low = level ? std::min(from.x, to.x) : std::min(from.y, to.y);
    const std::int64_t high = level ? std::max(from.x, to.x) : std::max(from.y, to.y);
    for (std::uint32_t i = 0; i < 100; ++i) {
      const std::int64_t centre = 256 * i + 128;
      ASSERT_EQ(counts[i], low <= centre && centre < high ? 1 : 0) << "round " << round << ", " << i;
    }
  }
}

TEST(Coverage, WideLinesAreParallelograms) {
  Scene scene;
  scene.use_pixels();
  scene.state.topology = Topology::line_strip;
  scene.state.line_width = 4;
  add(scene, {10 * 256, 20 * 256});
  add(scene, {30 * 256, 20 * 256});
  add(scene, {30 * 256, 50 * 256});
  std::array<std::set<Pixel>, 2> lines;
  for (const auto& [pixel, covered] : draw(scene))
    for (const Covered& one : covered) lines.at(one.number).insert(pixel);
  EXPECT_EQ(lines[0].size(), 80U);
  EXPECT_EQ(*lines[0].begin(), (Pixel{10, 18}));
  EXPECT_EQ(*lines[0].rbegin(), (Pixel{29, 21}));
  EXPECT_EQ(lines[1].size(), 120U);
  EXPECT_EQ(*lines[1].begin(), (Pixel{28, 20}));
  EXPECT_EQ(*lines[1].rbegin(), (Pixel{31, 49}));
}

TEST(Coverage, SizesOfPointsAndLinesThatAreNoSizes) {
  for (const float size : {0.0F, -1.0F, NAN, -INFINITY}) {
    Scene scene;
    scene.use_pixels();
    scene.state.topology = Topology::points;
    scene.state.point_size = scene.state.line_width = size;
    add(scene, {2560, 2560});
    add(scene, {5120, 2560});
    EXPECT_TRUE(draw(scene).empty());
    scene.state.topology = Topology::lines;
    EXPECT_TRUE(draw(scene).empty());
  }
  Scene scene;
  scene.use_pixels();
  scene.state.topology = Topology::points;
  scene.state.point_size = INFINITY;
  add(scene, {2560, 2560});
  EXPECT_EQ(draw(scene).size(), 4096U);
}

}  // namespace
}  // namespace warpjit::pixels
