// Assembly, clipping, culling and planes: cases by hand, and pictures of clipped triangles against a plain
// evaluation in homogeneous coordinates. agreement_test.cpp compares all of it bit by bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "pixels/collect.h"
#include "support/share.h"

namespace warpjit::pixels {
namespace {

// A unit square of clip space is the target.
void use_clip_space(Scene& scene) {
  scene.state.viewport_scale = {0.5F * static_cast<float>(scene.width),
                                0.5F * static_cast<float>(scene.height), 0.5F};
  scene.state.viewport_translate = scene.state.viewport_scale;
}

std::set<std::uint32_t> numbers(const Picture& picture) {
  std::set<std::uint32_t> found;
  for (const auto& [pixel, covered] : picture)
    for (const Covered& one : covered) found.insert(one.number);
  return found;
}

TEST(Primitives, Count) {
  EXPECT_EQ(primitive_count(Topology::points, 7), 7U);
  EXPECT_EQ(primitive_count(Topology::lines, 7), 3U);
  EXPECT_EQ(primitive_count(Topology::line_strip, 7), 6U);
  EXPECT_EQ(primitive_count(Topology::triangles, 8), 2U);
  EXPECT_EQ(primitive_count(Topology::triangle_strip, 8), 6U);
  EXPECT_EQ(primitive_count(Topology::triangle_fan, 8), 6U);
  EXPECT_EQ(primitive_count(Topology::triangles, 2), 0U);
}

// Vertices around a circle, each with its number; for each primitive, the provoking vertex.
std::vector<std::uint32_t> provoking(Topology topology, bool last) {
  Scene scene;
  scene.use_pixels();
  scene.slots = 5;
  scene.uses = {{4, SlotUse::Plane::none}};
  scene.state.topology = topology;
  scene.state.provoking_last = last;
  scene.state.line_width = scene.state.point_size = 4;
  for (int i = 0; i < 6; ++i) {
    const double turn = i * 1.0;
    scene.vertex(
        {static_cast<float>(32 + 25 * std::cos(turn)), static_cast<float>(32 + 25 * std::sin(turn)), 0, 1});
    scene.words.back() = static_cast<std::uint32_t>(100 + i);
  }
  std::map<std::uint32_t, std::uint32_t> flat;
  for (const auto& [pixel, covered] : draw(scene))
    for (const Covered& one : covered) {
      EXPECT_TRUE(flat.try_emplace(one.number, one.flat[0]).first->second == one.flat[0]);
    }
  std::vector<std::uint32_t> result;
  for (const auto& [number, word] : flat) {
    EXPECT_EQ(number, result.size());
    result.push_back(word - 100);
  }
  return result;
}

TEST(Primitives, ProvokingVertices) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(provoking(Topology::points, true), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(provoking(Topology::lines, true), (Numbers{1, 3, 5}));
  EXPECT_EQ(provoking(Topology::lines, false), (Numbers{0, 2, 4}));
  EXPECT_EQ(provoking(Topology::line_strip, true), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(provoking(Topology::line_strip, false), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(provoking(Topology::triangles, true), (Numbers{2, 5}));
  EXPECT_EQ(provoking(Topology::triangles, false), (Numbers{0, 3}));
  EXPECT_EQ(provoking(Topology::triangle_strip, true), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(provoking(Topology::triangle_strip, false), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(provoking(Topology::triangle_fan, true), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(provoking(Topology::triangle_fan, false), (Numbers{1, 2, 3, 4}));
}

TEST(Primitives, TrianglesOfAStripFaceOneWay) {
  Scene scene;
  scene.use_pixels();
  scene.state.topology = Topology::triangle_strip;
  scene.state.positive_is_front = true;
  for (int i = 0; i < 8; ++i) scene.vertex({static_cast<float>(5 + 7 * i), i % 2 != 0 ? 10.0F : 40.0F, 0, 1});
  const Picture picture = draw(scene);
  EXPECT_EQ(numbers(picture).size(), 6U);
  for (const auto& [pixel, covered] : picture) EXPECT_TRUE(covered[0].front);
  // 0, 1, 2 go up, right and down: clockwise on the screen, area above zero.
  scene.state.positive_is_front = false;
  for (const auto& [pixel, covered] : draw(scene)) EXPECT_FALSE(covered[0].front);
  scene.state.cull_back = true;
  EXPECT_TRUE(draw(scene).empty());
  scene.state.cull_back = false;
  scene.state.cull_front = true;
  EXPECT_EQ(draw(scene).size(), picture.size());
}

TEST(Primitives, IndicesOutsideDropTheirPrimitive) {
  Scene scene;
  scene.use_pixels();
  scene.state.topology = Topology::triangle_strip;
  for (int i = 0; i < 4; ++i) scene.vertex({static_cast<float>(5 + 7 * i), i % 2 != 0 ? 10.0F : 40.0F, 0, 1});
  scene.indexed = true;
  scene.indices = {0, 1, 2, 4, 1, 2, 3, ~0U, 0, 1, 2};
  EXPECT_EQ(numbers(draw(scene)), (std::set<std::uint32_t>{0, 4, 8}));
}

// Clipping against the volume and the guard band must not show: a pixel is covered if its point of the
// triangle, found in homogeneous coordinates, is in front and between near and far.
TEST(Primitives, ClippedTrianglesCoverWhatProjectionSays) {
  Random random(7);
  std::size_t compared = 0, different = 0, clipped = 0;
  for (std::uint64_t round = 0; round < share(400); ++round) {
    Scene scene;
    scene.width = scene.height = 48;
    use_clip_space(scene);
    scene.slots = 5;
    scene.uses = {{4, SlotUse::Plane::perspective}};
    scene.state.depth_zero_to_one = random.one_in(2);
    std::array<std::array<double, 5>, 3> v;
    bool outside = false;
    for (auto& vertex : v) {
      for (double& x : vertex) x = static_cast<float>(random.below(1U << 20)) / (1U << 17) - 4;
      vertex[3] = vertex[3] * 0.5 + 0.5;
      outside = outside || vertex[3] <= 0 || std::abs(vertex[2]) > vertex[3];
      scene.vertex({static_cast<float>(vertex[0]), static_cast<float>(vertex[1]),
                    static_cast<float>(vertex[2]), static_cast<float>(vertex[3]),
                    static_cast<float>(vertex[4])});
      for (double& x : vertex) x = static_cast<float>(x);
    }
    clipped += outside ? 1 : 0;
    const Picture picture = draw(scene);
    for (std::uint32_t y = 0; y < 48; ++y)
      for (std::uint32_t x = 0; x < 48; ++x) {
        // The weights g of the vertices for which the sum of g * (x, y, w) is (X, Y, 1): solve by Cramer.
        const long double px = (x + 0.5L) / 24 - 1, py = (y + 0.5L) / 24 - 1;
        const auto determinant = [](const std::array<long double, 3>& a, const std::array<long double, 3>& b,
                                    const std::array<long double, 3>& c) {
          return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
                 c[0] * (a[1] * b[2] - a[2] * b[1]);
        };
        std::array<std::array<long double, 3>, 3> column;
        for (unsigned i = 0; i < 3; ++i) column[i] = {v[i][0], v[i][1], v[i][3]};
        const std::array<long double, 3> point{px, py, 1};
        const long double all = determinant(column[0], column[1], column[2]);
        const std::array<long double, 3> g{determinant(point, column[1], column[2]) / all,
                                           determinant(column[0], point, column[2]) / all,
                                           determinant(column[0], column[1], point) / all};
        // Depth over w of the point, whose w is 1 in this scale; so it is in front if all g are positive.
        const long double z = g[0] * v[0][2] + g[1] * v[1][2] + g[2] * v[2][2];
        const long double inverse_w = g[0] + g[1] + g[2];
        const long double nearest = scene.state.depth_zero_to_one ? 0 : -1;
        const bool expected = g[0] > 0 && g[1] > 0 && g[2] > 0 && z > nearest && z < 1;
        const auto found = picture.find({x, y});
        ++compared;
        if ((found != picture.end()) != expected) {
          ++different;
          continue;
        }
        if (!expected) continue;
        EXPECT_EQ(found->second.size(), 1U);
        const long double value = g[0] * v[0][4] + g[1] * v[1][4] + g[2] * v[2][4];
        const Covered& covered = found->second[0];
        // Snapping moves a point by up to 1/512 pixel; slivers, where that is much, are left out.
        if (all * all < 0.1L || inverse_w > 20) continue;
        EXPECT_NEAR(to_float(covered.inverse_w), static_cast<double>(inverse_w),
                    0.05 * (1 + static_cast<double>(inverse_w)))
            << round;
        EXPECT_NEAR(to_float(covered.values[0]), static_cast<double>(value),
                    0.15 * (1 + static_cast<double>(inverse_w)))
            << round;
      }
  }
  EXPECT_GT(clipped, share(300));
  EXPECT_LT(different * 2000, compared);  // along edges
}

TEST(Primitives, DistancesClipAndCull) {
  Scene scene;
  scene.width = scene.height = 32;
  use_clip_space(scene);
  scene.slots = 6;
  scene.state.distances = {4, 2, 1, 2};  // slot 4 clips, slot 5 culls
  // All of the target, with a distance that is zero in its middle.
  scene.vertex({-1, -1, 0, 1, -1, -1});
  scene.vertex({3, -1, 0, 1, 3, -1});
  scene.vertex({-1, 3, 0, 1, -1, 1});
  const Picture half = draw(scene);
  EXPECT_EQ(half.size(), 32U * 16);
  for (const auto& [pixel, covered] : half) EXPECT_GE(pixel.x, 16U);
  scene.words.back() = to_bits(-0.5F);
  EXPECT_TRUE(draw(scene).empty()) << "negative at all vertices";
  scene.words.back() = to_bits(std::nanf(""));
  EXPECT_TRUE(draw(scene).empty());
  scene.state.distances.cull = 0;
  EXPECT_EQ(draw(scene).size(), half.size());
}

TEST(Primitives, ValuesThatAreNotFiniteMakeThePlaneNaN) {
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    Scene scene;
    scene.use_pixels();
    scene.slots = 6;
    scene.uses = {{4, SlotUse::Plane::perspective}, {5, SlotUse::Plane::linear}, {4, SlotUse::Plane::none}};
    scene.vertex({0, 0, 0, 1, 1, 1});
    scene.vertex({9, 0, 0, 1, value, 1});
    scene.vertex({0, 9, 0, 1, 2, 1});
    for (const auto& [pixel, covered] : draw(scene)) {
      EXPECT_EQ(covered[0].values[0], 0x7fffffffU);
      EXPECT_EQ(covered[0].values[1], to_bits(1.0F));
      EXPECT_EQ(covered[0].flat[2], to_bits(2.0F));
    }
  }
}

// More primitives than a batch holds, over more tiles, in batches that are filled on two threads.
// The near plane meets an edge where w is 0, and the guard band cuts that vertex off again. A linear slot
// that is the same everywhere stays so.
TEST(Primitives, ClippingWhereWIsZero) {
  for (const Topology topology : {Topology::triangles, Topology::lines}) {
    Scene scene;
    scene.slots = 5;
    scene.state.topology = topology;
    scene.state.viewport_scale = {32, 32, 0.5F};
    scene.state.viewport_translate = {32, 32, 0.5F};
    scene.uses = {{4, SlotUse::Plane::linear}, {4, SlotUse::Plane::perspective}};
    scene.vertex({0, 0, 1, 1, 2.5F});
    scene.vertex({2, 0, -1, -1, 2.5F});
    if (topology == Topology::triangles) scene.vertex({0, 1, 1, 1, 2.5F});
    const Picture picture = draw(scene);
    EXPECT_GT(picture.size(), 30U);
    for (const auto& [pixel, covered] : picture) {
      EXPECT_EQ(covered[0].values[0], to_bits(2.5F)) << pixel.x << ", " << pixel.y;
      const float w = to_float(covered[0].inverse_w);
      EXPECT_NEAR(to_float(covered[0].values[1]), 2.5F * w, 1e-4F * w);
    }
  }
}

// Colours are those of the provoking vertex, where they have planes, too; other slots keep theirs.
TEST(Primitives, FlatShadeModel) {
  for (const bool last : {true, false})
    for (const float beside : {1.5F, 20.0F}) {  // the second one is clipped
      Scene scene;
      scene.slots = 5;
      scene.state.viewport_scale = {32, 32, 0.5F};
      scene.state.viewport_translate = {32, 32, 0.5F};
      scene.state.shade = ShadeModel::flat;
      scene.state.provoking_last = last;
      scene.uses = {{.slot = 4, .plane = SlotUse::Plane::linear, .color = true},
                    {.slot = 4, .plane = SlotUse::Plane::perspective, .color = true},
                    {.slot = 4, .plane = SlotUse::Plane::linear}};
      scene.vertex({-beside, -1, 0, 1, 1});
      scene.vertex({1, -1, 0, 1, 2});
      scene.vertex({-1, beside, 0, 1, 4});
      const Picture picture = draw(scene);
      EXPECT_GT(picture.size(), 1000U);
      std::set<std::uint32_t> others;
      for (const auto& [pixel, covered] : picture) {
        EXPECT_EQ(covered[0].values[0], to_bits(last ? 4.0F : 1.0F));
        EXPECT_EQ(covered[0].values[1], to_bits(last ? 4.0F : 1.0F));
        others.insert(covered[0].values[2]);
      }
      EXPECT_GT(others.size(), 100U);
    }
}

// Each primitive of which nothing is drawn is counted where it ended.
TEST(Primitives, Counts) {
  Scene scene;
  scene.state.viewport_scale = {32, 32, 0.5F};
  scene.state.viewport_translate = {32, 32, 0.5F};
  scene.state.scissor = {8, 8, 40, 40};
  scene.state.positive_is_front = true;
  scene.state.cull_back = true;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const float places[][2] = {{-1, -1},        {1, -1},         {-1, 1},        {3, 0},
                             {4, 0},          {3, 1},          {kNaN, 0},      {-0.99F, -0.99F},
                             {-0.9F, -0.99F}, {-0.99F, -0.9F}, {0.01F, 0.01F}, {0.011F, 0.01F}};
  for (const auto& place : places) scene.vertex({place[0], place[1], 0, 1});
  scene.vertex({0, 0, 2, 1});  // farther than the far plane
  scene.vertex({1, 0, 2, 1});
  scene.vertex({0, 1, 2, 1});
  scene.indexed = true;
  scene.indices = {0,  1,  2,                            // drawn
                   0,  2,  1,                            // shows its back
                   0,  1,  99, 0,  1,  100,              // no such vertices
                   0,  1,  6,                            // NaN
                   12, 13, 14, 12, 13, 14,  12, 13, 14,  // outside
                   0,  0,  1,                            // no area
                   7,  8,  9,  7,  8,  9};               // outside of the scissor
  DrawCounts counts;
  EXPECT_FALSE(draw(scene, &counts).empty());
  EXPECT_EQ(counts.primitives, 11U);
  EXPECT_EQ(counts.missing, 2U);
  EXPECT_EQ(counts.not_finite, 1U);
  EXPECT_EQ(counts.outside, 3U);
  EXPECT_EQ(counts.culled, 1U);
  EXPECT_EQ(counts.empty, 1U);
  EXPECT_EQ(counts.beside, 2U);
}

TEST(Primitives, BatchesOfADrawContinueEachOther) {
  Scene scene;
  scene.use_pixels();
  scene.width = 300;
  scene.height = 70;
  Random random(9);
  for (int i = 0; i < 40000; ++i) {
    const float x = static_cast<float>(random.below(300)), y = static_cast<float>(random.below(70));
    scene.vertex({x, y, 0, 1});
    scene.vertex({x + 2, y, 0, 1});
    scene.vertex({x, y + 2, 0, 1});
  }
  const Picture picture = draw(scene);
  EXPECT_EQ(*numbers(picture).rbegin(), 39999U);
  for (const auto& [pixel, covered] : picture)
    EXPECT_TRUE(std::is_sorted(covered.begin(), covered.end(),
                               [](const Covered& a, const Covered& b) { return a.number < b.number; }));

  std::vector<PrimitiveBatch> batches;
  for (int i = 0; i < 2; ++i) {
    auto batch = PrimitiveBatch::make(scene.state, scene.width, scene.height, scene.slots, scene.uses);
    ASSERT_TRUE(batch.ok());
    batch->clear();
    batches.push_back(std::move(*batch));
  }
  const auto fill = [&](std::uint32_t half) {
    Vertices part = scene.vertices();
    part.words += std::size_t{half} * 60000 * scene.slots;
    part.count = 60000;
    part.number = half * 20000;
    EXPECT_EQ(batches[half].add(part, 0), 20000U);
    batches[half].sort();
  };
  std::thread other(fill, 1);
  fill(0);
  other.join();
  Picture joined;
  for (std::uint32_t row = 2; row-- > 0;)
    for (std::uint32_t column = 5; column-- > 0;)
      for (const PrimitiveBatch& batch : batches) {
        Collector collector(joined, column, row, 4, scene.uses);
        EXPECT_TRUE(batch.rasterize(column, row, 4, collector));
      }
  EXPECT_TRUE(joined == picture);
}

TEST(Primitives, ASinkMayStop) {
  struct Stops : QuadSink {
    int calls = 0;
    bool run(const QuadRecord*, std::span<const GroupRecord>) override { return ++calls < 3; }
  } sink;
  Scene scene;
  scene.use_pixels();
  for (int i = 0; i < 20; ++i) {
    scene.vertex({0, 0, 0, 1});
    scene.vertex({200, 0, 0, 1});
    scene.vertex({0, 200, 0, 1});
  }
  auto batch = PrimitiveBatch::make(scene.state, 64, 64, 4, {});
  ASSERT_TRUE(batch.ok());
  batch->clear();
  batch->add(scene.vertices(), 0);
  batch->sort();
  EXPECT_FALSE(batch->rasterize(0, 0, 4, sink));
  EXPECT_EQ(sink.calls, 3);
}

TEST(Primitives, StateOutsideItsLimitsIsAnError) {
  const std::array<SlotUse, 1> use{{{5, SlotUse::Plane::linear}}};
  RasterState state;
  EXPECT_TRUE(PrimitiveBatch::make(state, 64, 64, 6, use).ok());
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, 64, 5, use).ok());
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, 64, 3, {}).ok());
  EXPECT_FALSE(PrimitiveBatch::make(state, kMaxTargetExtent + 1, 64, 4, {}).ok());
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, kMaxTargetExtent + 1, 4, {}).ok());
  EXPECT_TRUE(PrimitiveBatch::make(state, 0, 0, 4, {}).ok());
  state.point_size_slot = 4;
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, 64, 4, {}).ok());
  state.point_size_slot = 0;
  state.distances = {4, 3, 0, 0};
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, 64, 6, {}).ok());
  state.distances = {4, 9, 0, 0};
  EXPECT_FALSE(PrimitiveBatch::make(state, 64, 64, 60, {}).ok());
}

// The largest target: only tiles that something reaches are visited.
TEST(Primitives, LargeTargets) {
  Scene scene;
  scene.use_pixels();
  scene.width = scene.height = kMaxTargetExtent;
  scene.state.topology = Topology::points;
  scene.state.point_size = 2;
  scene.vertex({1, 1, 0, 1});
  scene.vertex({16383, 16383, 0, 1});
  const Picture picture = draw(scene);
  EXPECT_EQ(picture.size(), 8U);
  EXPECT_EQ(picture.rbegin()->first, (Pixel{16383, 16383}));
}

}  // namespace
}  // namespace warpjit::pixels
