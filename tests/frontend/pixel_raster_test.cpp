// The scalar oracle of work over pixels, up to the fragment program: assembly, clipping, coverage, planes,
// quads (docs/pixels.md 1 to 8). Expected pictures and numbers are worked out by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/pixel_scene.h"

namespace warpjit::interpret {
namespace {

using Plane = pixels::SlotUse::Plane;
using Rows = std::vector<std::string>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// --- Coverage ----------------------------------------------------------------------------------------------

// Corners in the centres of pixels, so that edges go through centres.
TEST(PixelCoverage, TopLeftRule) {
  Scene upper(4, 4);
  upper.vertex(0.5F, 0.5F).vertex(3.5F, 0.5F).vertex(0.5F, 3.5F);
  const Rows expected_upper = {"111.", "11..", "1...", "...."};
  EXPECT_EQ(upper.coverage(), expected_upper);
  Scene lower(4, 4);
  lower.vertex(3.5F, 3.5F).vertex(0.5F, 3.5F).vertex(3.5F, 0.5F);
  const Rows expected_lower = {"....", "..1.", ".11.", "...."};
  EXPECT_EQ(lower.coverage(), expected_lower);
}

TEST(PixelCoverage, DoesNotDependOnTheOrderOfVertices) {
  Scene scene(4, 4);
  scene.vertex(0.5F, 0.5F).vertex(0.5F, 3.5F).vertex(3.5F, 0.5F);
  const Rows expected = {"111.", "11..", "1...", "...."};
  EXPECT_EQ(scene.coverage(), expected);
}

TEST(PixelCoverage, NeighboursShareNoPixelAndMissNone) {
  // A fan around a pixel's centre.
  Scene scene(8, 8);
  scene.work.raster.topology = Topology::triangle_fan;
  scene.vertex(4.5F, 3.5F);
  for (const auto& [x, y] : {std::pair{0.0F, 0.0F},
                             {4.5F, 0.0F},
                             {8.0F, 0.0F},
                             {8.0F, 3.5F},
                             {8.0F, 8.0F},
                             {3.25F, 8.0F},
                             {0.0F, 8.0F},
                             {0.0F, 4.75F},
                             {0.0F, 0.0F}})
    scene.vertex(x, y);
  EXPECT_EQ(scene.coverage(), Rows(8, "11111111"));
}

TEST(PixelCoverage, SubpixelsRoundToEven) {
  // The left edge at a half and a half of a subpixel: 128.5 becomes 128, which is the centre; 129.5 becomes
  // 130.
  for (const auto& [offset, first] : {std::pair{1.0F, '1'}, {2.0F, '.'}, {3.0F, '.'}, {-1.0F, '1'}}) {
    Scene scene(2, 1);
    const float left = 0.5F + offset / 512;
    scene.vertex(left, -1).vertex(left, 3).vertex(8, 1);
    EXPECT_EQ(scene.coverage(), (Rows{{first, '1'}})) << offset;
  }
}

TEST(PixelCoverage, NothingOutsideOfTargetAndScissor) {
  Scene all(3, 3);
  all.vertex(-8, -8).vertex(20, -8).vertex(-8, 20);
  EXPECT_EQ(all.coverage(), Rows(3, "111"));
  all.work.raster.scissor = {1, 2, 1, ~0U};
  const Rows expected = {"...", "...", ".1."};
  EXPECT_EQ(all.coverage(), expected);
  all.work.raster.scissor = {1, 0, ~0U, 1};
  const Rows expected_row = {".11", "...", "..."};
  EXPECT_EQ(all.coverage(), expected_row);
  all.work.raster.scissor = {7, 7, ~0U, ~0U};
  EXPECT_EQ(all.coverage(), Rows(3, "..."));
  all.work.raster.scissor = {0, 0, 0, 3};
  EXPECT_EQ(all.coverage(), Rows(3, "..."));
}

TEST(PixelCoverage, Points) {
  const auto draw = [](float x, float y, float size) {
    Scene scene(6, 4);
    scene.work.raster.topology = Topology::points;
    scene.work.raster.point_size = size;
    return scene.vertex(x, y).coverage();
  };
  EXPECT_EQ(draw(2.5F, 1.5F, 3), (Rows{".111..", ".111..", ".111..", "......"}));
  // From the centre at the left border on, up to the one at the right.
  EXPECT_EQ(draw(2, 2, 1), (Rows{"......", ".1....", "......", "......"}));
  EXPECT_EQ(draw(2.25F, 1.5F, 1), (Rows{"......", "..1...", "......", "......"}));
  // 2 h is even: sizes are multiples of 1/128, ties to even.
  EXPECT_EQ(draw(2.5F, 1.5F, 1.0F / 256), (Rows{"......", "......", "......", "......"}));
  EXPECT_EQ(draw(2.5F, 1.5F, 3.0F / 256), (Rows{"......", "..1...", "......", "......"}));
  for (const float nothing : {0.0F, -4.0F, kNan, -kInfinity})
    EXPECT_EQ(draw(3, 2, nothing), Rows(4, "......"));
  EXPECT_EQ(draw(3, 2, kInfinity), Rows(4, "111111"));
}

TEST(PixelCoverage, PointSizeOfTheVertex) {
  Scene scene(6, 2);
  scene.work.raster.topology = Topology::points;
  scene.work.raster.point_size = 100;
  scene.work.raster.point_size_slot = 5;
  scene.vertex(1, 1, 1, {0, 2}).vertex(4.5F, 0.5F, 1, {0, 1});
  EXPECT_EQ(scene.coverage(), (Rows{"11..1.", "11...."}));
}

TEST(PixelCoverage, PointsWithTheirCentreOutside) {
  const auto draw = [](float x, float y, float z, float w) {
    Scene scene(2, 2);
    scene.work.raster.topology = Topology::points;
    scene.work.raster.point_size = 100;
    return scene.clip_vertex(x, y, z, w).coverage()[0] == "11";
  };
  EXPECT_TRUE(draw(1, -1, 1, 1));
  EXPECT_TRUE(draw(-1, 1, -1, 1));
  const float beyond = std::nextafter(1.0F, 2.0F);
  EXPECT_FALSE(draw(beyond, 0, 0, 1));
  EXPECT_FALSE(draw(-beyond, 0, 0, 1));
  EXPECT_FALSE(draw(0, beyond, 0, 1));
  EXPECT_FALSE(draw(0, -beyond, 0, 1));
  EXPECT_FALSE(draw(0, 0, beyond, 1));
  EXPECT_FALSE(draw(0, 0, -beyond, 1));
  EXPECT_FALSE(draw(0, 0, 0, 0));
  EXPECT_FALSE(draw(0, 0, 0, -1));
  EXPECT_FALSE(draw(kNan, 0, 0, 1));
}

TEST(PixelCoverage, Lines) {
  const auto draw = [](std::vector<std::pair<float, float>> places, float width, Topology topology) {
    Scene scene(6, 4);
    scene.work.raster.topology = topology;
    scene.work.raster.line_width = width;
    for (const auto& [x, y] : places) scene.vertex(x, y);
    return scene.coverage();
  };
  const auto one = [&](float x0, float y0, float x1, float y1, float width = 1) {
    return draw({{x0, y0}, {x1, y1}}, width, Topology::lines);
  };
  EXPECT_EQ(one(1, 1.5F, 4, 1.5F), (Rows{"......", ".111..", "......", "......"}));
  EXPECT_EQ(one(4, 1.5F, 1, 1.5F), (Rows{"......", ".111..", "......", "......"}));
  EXPECT_EQ(one(2.5F, 0, 2.5F, 3), (Rows{"..1...", "..1...", "..1...", "......"}));
  EXPECT_EQ(one(0, 0, 4, 4), (Rows{"1.....", ".1....", "..1...", "...1.."}));
  EXPECT_EQ(one(1, 2, 4, 2, 2), (Rows{"......", ".111..", ".111..", "......"}));
  EXPECT_EQ(one(2, 2, 2, 2), Rows(4, "......"));
  EXPECT_EQ(one(1, 1, 4, 1, kNan), Rows(4, "......"));
  // One after the other covers nothing twice.
  EXPECT_EQ(draw({{0, 1.5F}, {2.5F, 1.5F}, {5, 1.5F}}, 1, Topology::line_strip),
            (Rows{"......", "11111.", "......", "......"}));
  EXPECT_EQ(draw({{0, 0.5F}, {2, 0.5F}, {5, 3.5F}, {1, 3.5F}, {3, 1.5F}}, 1, Topology::lines),
            (Rows{"11....", "......", "......", ".1111."}));
}

// --- Assembly ----------------------------------------------------------------------------------------------

// Every primitive as "number: flat words of slot 4, facing, pixels".
struct Seen {
  std::uint32_t flat;
  bool front;
  friend bool operator==(const Seen&, const Seen&) = default;
};
std::map<std::uint32_t, Seen> primitives(Scene& scene) {
  std::map<std::uint32_t, Seen> seen;
  const Status status = scene.draw([&](const Lane& lane, Fragment&) {
    seen[lane.primitive.number()] = {lane.primitive.flat(0), lane.primitive.front_facing()};
  });
  EXPECT_TRUE(status.ok());
  return seen;
}
// Vertices of a zigzag; slot 4 has the vertex's number.
Scene zigzag(Topology topology, std::uint32_t vertices) {
  Scene scene(16, 4);
  scene.work.raster.topology = topology;
  scene.work.raster.positive_is_front = true;
  scene.use(4, Plane::none);
  for (std::uint32_t n = 0; n < vertices; ++n)
    scene.vertex(2 * static_cast<float>(n), n % 2 == 0 ? 0 : 4, 1, {to_float(n)});
  return scene;
}

TEST(PixelAssembly, Strip) {
  for (const bool last : {true, false}) {
    Scene scene = zigzag(Topology::triangle_strip, 5);
    scene.work.raster.provoking_last = last;
    // Going down comes second: the first turns left, and so do all, as every second swaps its first two.
    const std::uint32_t offset = last ? 2 : 0;
    const std::map<std::uint32_t, Seen> expected = {
        {0, {offset, false}}, {1, {1 + offset, false}}, {2, {2 + offset, false}}};
    EXPECT_EQ(primitives(scene), expected) << last;
  }
}

TEST(PixelAssembly, TrianglesAndIncompleteOnes) {
  for (const bool last : {true, false}) {
    Scene scene = zigzag(Topology::triangles, 8);
    scene.work.raster.provoking_last = last;
    const std::map<std::uint32_t, Seen> expected = {{0, {last ? 2U : 0U, false}},
                                                    {1, {last ? 5U : 3U, true}}};
    EXPECT_EQ(primitives(scene), expected) << last;
  }
}

TEST(PixelAssembly, FanAndLinesAndPoints) {
  for (const bool last : {true, false}) {
    Scene fan(8, 8);
    fan.work.raster.topology = Topology::triangle_fan;
    fan.work.raster.positive_is_front = true;
    fan.work.raster.provoking_last = last;
    fan.use(4, Plane::none);
    std::uint32_t number = 0;
    for (const auto& [x, y] : {std::pair{0.0F, 0.0F}, {8.0F, 0.0F}, {8.0F, 8.0F}, {0.0F, 8.0F}})
      fan.vertex(x, y, 1, {to_float(number++)});
    const std::uint32_t offset = last ? 2 : 1;
    const std::map<std::uint32_t, Seen> expected = {{0, {offset, true}}, {1, {1 + offset, true}}};
    EXPECT_EQ(primitives(fan), expected);

    Scene lines = zigzag(Topology::lines, 5);
    lines.work.raster.provoking_last = last;
    const std::map<std::uint32_t, Seen> expected_lines = {{0, {last ? 1U : 0U, true}},
                                                          {1, {last ? 3U : 2U, true}}};
    EXPECT_EQ(primitives(lines), expected_lines);
    Scene strip = zigzag(Topology::line_strip, 3);
    strip.work.raster.provoking_last = last;
    const std::map<std::uint32_t, Seen> expected_strip = {{0, {last ? 1U : 0U, true}},
                                                          {1, {last ? 2U : 1U, true}}};
    EXPECT_EQ(primitives(strip), expected_strip);
  }
  Scene points = zigzag(Topology::points, 3);
  points.work.raster.point_size = 2;
  const std::map<std::uint32_t, Seen> expected = {{0, {0, true}}, {1, {1, true}}, {2, {2, true}}};
  EXPECT_EQ(primitives(points), expected);
}

TEST(PixelAssembly, IndicesThatNameNoVertexDropTheirPrimitive) {
  Scene scene = zigzag(Topology::triangles, 4);
  const std::vector<std::uint32_t> indices = {0, 1, 2, 0, 1, 4, 0, ~0U, 2, 1, 2, 3};
  scene.work.indices = indices;
  scene.work.indexed = true;
  const std::map<std::uint32_t, Seen> expected = {{0, {2, false}}, {3, {3, true}}};
  EXPECT_EQ(primitives(scene), expected);
  // Neither do counts beyond the words.
  Scene more = zigzag(Topology::triangles, 5);
  more.work.vertex_count = ~std::uint64_t{0};
  EXPECT_EQ(primitives(more).size(), 1U);
}

TEST(PixelAssembly, CullingByFace) {
  for (const bool positive_is_front : {true, false}) {
    for (const bool cull_front : {true, false}) {
      Scene scene = zigzag(Topology::triangles, 6);
      scene.work.raster.positive_is_front = positive_is_front;
      (cull_front ? scene.work.raster.cull_front : scene.work.raster.cull_back) = true;
      const auto seen = primitives(scene);
      // Primitive 0 has a negative area, 1 a positive one.
      const std::uint32_t left = positive_is_front == cull_front ? 0 : 1;
      ASSERT_EQ(seen.size(), 1U);
      EXPECT_EQ(seen.begin()->first, left);
      EXPECT_EQ(seen.begin()->second.front, !cull_front);
    }
  }
  Scene lines = zigzag(Topology::lines, 4);
  lines.work.raster.cull_front = lines.work.raster.cull_back = true;
  EXPECT_EQ(primitives(lines).size(), 2U);
}

// --- Planes ------------------------------------------------------------------------------------------------

struct Values {
  std::uint32_t inverse_w, depth, first;
};
// At each pixel that runs, covered or not.
std::map<std::pair<int, int>, Values> values(Scene& scene) {
  std::map<std::pair<int, int>, Values> result;
  const Status status = scene.draw([&](const Lane& lane, Fragment&) {
    result[{lane.x, lane.y}] = {lane.primitive.inverse_w(lane.x, lane.y),
                                lane.primitive.depth(lane.x, lane.y),
                                lane.primitive.value(0, lane.x, lane.y)};
  });
  EXPECT_TRUE(status.ok());
  return result;
}

TEST(PixelPlane, LinearAndPerspective) {
  // 1/w is 1, 1/2, 1/4 at the corners; the value is 3, 5, 6.
  for (const Plane plane : {Plane::linear, Plane::perspective}) {
    Scene scene;
    scene.vertex(0, 0, 1, {3}, -1).vertex(8, 0, 2, {5}, 0).vertex(0, 8, 4, {6}, 1).use(4, plane);
    const auto seen = values(scene);
    ASSERT_EQ(seen.size(), 40U);  // helpers beside the diagonal too
    for (const auto& [place, value] : seen) {
      const double x = place.first + 0.5, y = place.second + 0.5;
      EXPECT_EQ(value.inverse_w, to_bits(static_cast<float>(1 - x / 16 - y * 3 / 32)));
      EXPECT_EQ(value.depth, to_bits(static_cast<float>(std::min(x / 16 + y / 8, 1.0))));
      const double expected = plane == Plane::linear ? 3 + x / 4 + y * 3 / 8 : 3 - x / 16 - y * 3 / 16;
      EXPECT_EQ(value.first, to_bits(static_cast<float>(expected)));
    }
  }
}

// The near plane meets an edge where w is 0, and the guard band cuts that vertex off again. What is the same
// at all vertices stays so.
TEST(PixelPlane, ClippedWhereWIsZero) {
  for (const Topology topology : {Topology::triangles, Topology::lines}) {
    Scene scene(64, 64);
    scene.work.raster.topology = topology;
    scene.clip_vertex(0, 0, 1, 1, {2.5F}).clip_vertex(2, 0, -1, -1, {2.5F});
    if (topology == Topology::triangles) scene.clip_vertex(0, 1, 1, 1, {2.5F});
    scene.use(4, Plane::linear);
    const auto seen = values(scene);
    EXPECT_GT(seen.size(), 30U);
    for (const auto& [place, value] : seen) EXPECT_EQ(value.first, to_bits(2.5F));
  }
}

TEST(PixelPlane, FlatShadeModelTakesTheProvokingColors) {
  for (const Topology topology : {Topology::triangles, Topology::lines, Topology::points})
    for (const bool last : {true, false}) {
      Scene scene(16, 16);
      scene.work.raster.topology = topology;
      scene.work.raster.provoking_last = last;
      scene.work.raster.shade = ShadeModel::flat;
      scene.work.raster.point_size = 4;
      scene.vertex(2, 2, 1, {1}).vertex(200, 2, 1, {2});
      if (topology == Topology::triangles) scene.vertex(2, 200, 1, {4});
      scene.work.uses.push_back({.slot = 4, .plane = Plane::perspective, .color = true});
      const auto seen = values(scene);
      EXPECT_GT(seen.size(), 10U);
      const float expected = topology == Topology::points  ? 1.0F
                             : !last                       ? 1.0F
                             : topology == Topology::lines ? 2.0F
                                                           : 4.0F;
      for (const auto& [place, value] : seen) EXPECT_EQ(value.first, to_bits(expected));
    }
}

// What became of primitives and pixels.
TEST(PixelCoverage, Counts) {
  Scene scene(4, 4);
  scene.depth(PixelFormat::d32f, 4);
  scene.work.output.depth = {.test = true, .write = true, .compare = Compare::greater};
  scene.work.output.alpha_test = true;
  scene.work.output.alpha_compare = Compare::greater;
  DrawCounts counts;
  scene.work.counts = &counts;
  scene.vertex(0, 0).vertex(8, 0).vertex(0, 8);               // all pixels
  scene.vertex(-9, 0, -1).vertex(0, 8, -1).vertex(8, 0, -1);  // w is negative
  scene.vertex(0, 0).vertex(4, 4).vertex(8, 8);               // no area
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment& fragment) {
                    fragment.live = lane.x != 0;
                    set_color(fragment, {0, 0, 0, lane.y == 0 ? 0.0F : 1.0F});
                    // The depth of the plane is 0.5, above the 0 that is there; a second time it is not.
                  })
                  .ok());
  EXPECT_EQ(counts.primitives, 3U);
  EXPECT_EQ(counts.outside, 1U);
  EXPECT_EQ(counts.empty, 1U);
  EXPECT_EQ(counts.covered, 16U);
  EXPECT_EQ(counts.discarded, 4U);
  EXPECT_EQ(counts.alpha_failed, 3U);
  EXPECT_EQ(counts.depth_failed, 0U);
  ASSERT_TRUE(scene.draw([](const Lane&, Fragment& fragment) { set_color(fragment, {0, 0, 0, 1}); }).ok());
  EXPECT_EQ(counts.discarded + counts.alpha_failed, 0U);
  EXPECT_EQ(counts.depth_failed, 9U);
  scene.work.output.early_tests = true;
  ASSERT_TRUE(scene.draw([](const Lane&, Fragment& fragment) { set_color(fragment, {0, 0, 0, 1}); }).ok());
  EXPECT_EQ(counts.covered, 16U);
  EXPECT_EQ(counts.depth_failed, 16U);
}

TEST(PixelPlane, OneValueForEachUseOfASlot) {
  Scene scene;
  scene.vertex(0, 0, 1, {4}).vertex(8, 0, 2, {4}).vertex(0, 8, 4, {4});
  scene.use(4, Plane::perspective).use(4, Plane::none).use(4, Plane::linear);
  std::uint32_t perspective = 0, flat = 0, linear = 0;
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment&) {
                    if (lane.x != 2 || lane.y != 1) return;
                    perspective = lane.primitive.value(0, 2, 1);
                    flat = lane.primitive.flat(1);
                    linear = lane.primitive.value(2, 2, 1);
                  })
                  .ok());
  EXPECT_EQ(perspective, to_bits(4 * (1 - 2.5F / 16 - 1.5F * 3 / 32)));
  EXPECT_EQ(flat, to_bits(4.0F));
  EXPECT_EQ(linear, to_bits(4.0F));
}

// Numbers that round everywhere. Made by an independent program from the text.
TEST(PixelPlane, RoundingOfEachStep) {
  Scene scene(64, 64);
  scene.use(4, Plane::perspective).use(4, Plane::linear);
  scene.clip_vertex(-0.3F, -0.71F, 0.1F, 1.3F, {0.7F});
  scene.clip_vertex(1.9F, -0.2F, 0.9F, 2.7F, {-1.1F});
  scene.clip_vertex(0.1F, 0.55F, -0.33F, 0.9F, {12.3F});
  const std::pair<int, int> places[] = {{24, 15}, {25, 15}, {37, 29}, {50, 30}, {63, 63}};
  const std::vector<std::array<std::uint32_t, 4>> expected = {
      {0x3f496da8, 0x3f0774cc, 0x3f7c3198, 0x3f8e1612}, {0x3f4402f1, 0x3f09a81d, 0x3f3cca11, 0x3f5a722d},
      {0x3f3a7f0c, 0x3f057f4e, 0x40702d0a, 0x404e0c5f}, {0x3ef014be, 0x3f1feb89, 0x3f75ee10, 0x3e8ab570},
      {0x3f34698c, 0x3ee8f5cf, 0x413da9fe, 0x411c5dce},
  };
  std::vector<std::array<std::uint32_t, 4>> seen(std::size(places));
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment&) {
                    for (std::size_t n = 0; n < seen.size(); ++n) {
                      const auto [x, y] = places[n];
                      const Primitive& p = lane.primitive;
                      seen[n] = {p.inverse_w(x, y), p.depth(x, y), p.value(0, x, y), p.value(1, x, y)};
                    }
                  })
                  .ok());
  EXPECT_EQ(seen, expected);
}

TEST(PixelPlane, WithoutAFiniteValue) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Scene scene;
    scene.vertex(0, 0, 1, {1}).vertex(8, 0, 1, {bad}).vertex(0, 8, 1, {1}).use(4, Plane::perspective);
    const auto seen = values(scene);
    ASSERT_FALSE(seen.empty());
    for (const auto& [place, value] : seen) {
      EXPECT_EQ(value.first, 0x7fffffffU);
      EXPECT_EQ(value.inverse_w, 0x3f800000U);
    }
    Scene point;
    point.work.raster.topology = Topology::points;
    point.vertex(4, 4, 1, {bad}).use(4, Plane::linear);
    EXPECT_EQ(values(point).begin()->second.first, 0x7fffffffU);
  }
}

TEST(PixelPlane, OperationsFlush) {
  // The value is below the normal numbers in between and above at the ends.
  Scene scene;
  const float tiny = 0x1.8p-126F;
  scene.vertex(0, 0, 1, {tiny}).vertex(8, 0, 1, {-tiny}).vertex(0, 8, 1, {tiny}).use(4, Plane::linear);
  const auto seen = values(scene);
  EXPECT_EQ(seen.at({0, 0}).first, to_bits(0x1.5p-126F));  // A alone: B is denormal, hence 0
  EXPECT_EQ(seen.at({7, 0}).first, to_bits(0x1.5p-126F));
}

TEST(PixelPlane, Points) {
  Scene scene;
  scene.work.raster.topology = Topology::points;
  scene.work.raster.point_size = 3;
  scene.vertex(4, 4, 3, {5}, 0.5F).use(4, Plane::perspective).use(4, Plane::linear);
  const auto seen = values(scene);
  ASSERT_EQ(seen.size(), 16U);
  for (const auto& [place, value] : seen) {
    EXPECT_EQ(value.inverse_w, to_bits(1 / 3.0F));
    EXPECT_EQ(value.depth, to_bits(0.75F));
    EXPECT_EQ(value.first, to_bits(static_cast<float>(5 * (1 / 3.0))));
  }
}

TEST(PixelPlane, LinesVaryAlong) {
  Scene scene;
  scene.work.raster.topology = Topology::lines;
  scene.work.raster.line_width = 2;
  scene.vertex(0, 4, 1, {0}).vertex(8, 4, 1, {16}).use(4, Plane::linear);
  const auto seen = values(scene);
  ASSERT_EQ(seen.size(), 32U);
  for (const auto& [place, value] : seen)
    EXPECT_EQ(value.first, to_bits(1 + 2 * static_cast<float>(place.first))) << place.first;
}

// --- Clipping ----------------------------------------------------------------------------------------------

// A sign for each triangle of the clipped polygon, in their order: a, b, ...
Rows pieces(Scene& scene) {
  Rows rows(scene.work.height, std::string(scene.work.width, '.'));
  std::size_t calls = 0;
  FunctionProgram program([&](const Lane& lane, Fragment&) {
    if (lane.covered)
      rows[static_cast<std::size_t>(lane.y)][static_cast<std::size_t>(lane.x)] =
          static_cast<char>('a' + calls - 1);
  });
  program.quads_a_call = ~0U;  // so that each triangle is a call
  program.before = [&] { ++calls; };
  EXPECT_TRUE(scene.draw(program).ok());
  return rows;
}

TEST(PixelClip, PolygonAndItsFan) {
  // Cut by a distance, in the middle of two edges. What is left of the corners depends on which is cut off.
  const auto draw = [](std::array<float, 3> distances) {
    Scene scene;
    scene.work.raster.distances = {4, 1, 1, 0};
    scene.vertex(0, 0, 1, {distances[0]}).vertex(8, 0, 1, {distances[1]}).vertex(0, 8, 1, {distances[2]});
    return pieces(scene);
  };
  EXPECT_EQ(draw({-1, 1, 1}), (Rows{"...baaa.", "..baaa..", ".bbaa...", "bbaa....", "bba.....", "ba......",
                                    "b.......", "........"}));
  // (0,0) (4,0) (4,4) (0,8)
  EXPECT_EQ(draw({1, -1, 1}), (Rows{"aaaa....", "baaa....", "bbaa....", "bbba....", "bbb.....", "bb......",
                                    "b.......", "........"}));
  // (0,0) (8,0) (4,4) (0,4)
  EXPECT_EQ(draw({1, 1, -1}), (Rows{"aaaaaaa.", "baaaaa..", "bbaaa...", "bbba....", "........", "........",
                                    "........", "........"}));
  // (4,4) (0,8) (0,4)
  EXPECT_EQ(draw({-1, -1, 1}), (Rows{"........", "........", "........", "........", "aaa.....", "aa......",
                                     "a.......", "........"}));
  EXPECT_EQ(draw({-1, -1, -1}), Rows(8, "........"));
  EXPECT_EQ(draw({-0.0F, 0, -1}), Rows(8, "........"));  // no area
  EXPECT_EQ(draw({0, 0, 0})[0], "aaaaaaa.");
}

TEST(PixelClip, NumbersOfCrossings) {
  Scene scene(64, 64);
  scene.use(4, Plane::perspective).use(4, Plane::linear).use(4, Plane::none);
  scene.work.raster.provoking_last = false;
  scene.clip_vertex(-0.9F, -0.8F, -1.75F, 1, {0.3F});  // before the near plane
  scene.clip_vertex(2.3F, -1.1F, 0.4F, 2.5F, {4.7F});
  scene.clip_vertex(0.2F, 0.6F, 0.1F, 0.7F, {-2.9F});
  // Made by an independent program from the text, for each of the two triangles.
  const std::vector<std::array<std::uint32_t, 4>> expected = {
      {0x3f788391, 0x3ec1113e, 0xbf8787ca, 0x3efab880},
      {0x3f788492, 0x3ec110aa, 0xbf878a74, 0x3efaa9a8},
  };
  std::vector<std::array<std::uint32_t, 4>> seen;
  FunctionProgram program([&](const Lane& lane, Fragment&) {
    const Primitive& p = lane.primitive;
    const std::array<std::uint32_t, 4> numbers = {p.inverse_w(40, 33), p.depth(40, 33), p.value(0, 40, 33),
                                                  p.value(1, 40, 33)};
    if (seen.empty() || seen.back() != numbers) seen.push_back(numbers);
    EXPECT_EQ(p.flat(2), to_bits(0.3F));  // of the vertex that is cut off
  });
  ASSERT_TRUE(scene.draw(program).ok());
  EXPECT_EQ(seen, expected);
}

TEST(PixelClip, DepthRange) {
  // Depth is z, from left to right 16 times the range.
  const auto draw = [](bool zero_to_one, bool near, bool far) {
    Scene scene(16, 1);
    scene.work.raster.depth_zero_to_one = zero_to_one;
    scene.work.raster.clip_near = near;
    scene.work.raster.clip_far = far;
    scene.vertex(0, -1, 1, {}, -4).vertex(32, -1, 1, {}, 12).vertex(0, 3, 1, {}, -4);
    return scene.coverage()[0];
  };
  EXPECT_EQ(draw(false, true, true), "......1111......");
  EXPECT_EQ(draw(true, true, true), "........11......");
  EXPECT_EQ(draw(false, false, true), "1111111111......");
  EXPECT_EQ(draw(false, true, false), "......1111111111");
  EXPECT_EQ(draw(true, false, false), "1111111111111111");
}

TEST(PixelClip, GuardBandAndBehindTheEye) {
  // Further out than subpixels go, without the band.
  Scene scene(4, 4);
  scene.clip_vertex(-1e6F, -1e6F, 0, 1).clip_vertex(1e6F, -1e6F, 0, 1).clip_vertex(0, 1e6F, 0, 1);
  EXPECT_EQ(scene.coverage(), Rows(4, "1111"));
  // One corner behind the eye: the part before it fills one side.
  Scene behind(4, 4);
  behind.work.raster.clip_near = behind.work.raster.clip_far = false;
  behind.clip_vertex(-1, -1, 0, 1).clip_vertex(-1, 1, 0, 1).clip_vertex(3, 0, 0, -1);
  const Rows rows = behind.coverage();
  for (const std::string& row : rows) EXPECT_EQ(row, "1111");
}

TEST(PixelClip, VerticesThatAreNoPlaces) {
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (std::size_t n = 0; n < 4; ++n) {
      Scene scene;
      scene.use(4, Plane::none);
      scene.vertex(0, 0, 1, {0}).vertex(8, 0, 1, {0}).vertex(0, 8, 1, {0});
      scene.vertex(0, 0, 1, {0}).vertex(8, 0, 1, {0}).vertex(0, 8, 1, {0});
      scene.words[5 + n] = to_bits(bad);
      scene.work.raster.clip_near = scene.work.raster.clip_far = false;
      const auto seen = primitives(scene);
      ASSERT_EQ(seen.size(), 1U);
      EXPECT_EQ(seen.begin()->first, 1U);  // the first was counted
    }
  }
  for (const float w : {0.0F, -0.0F, -1.0F}) {
    Scene scene;
    scene.work.raster.clip_near = scene.work.raster.clip_far = false;
    scene.clip_vertex(0, 0, 0, w).clip_vertex(0, 0, 0, w).clip_vertex(1, 0, 0, 1).clip_vertex(0, 0, 0, w);
    EXPECT_EQ(scene.coverage(), Rows(8, "........")) << w;
  }
}

TEST(PixelClip, CullDistances) {
  const auto draws = [](std::array<float, 3> first, std::array<float, 3> second) {
    Scene scene;
    scene.work.raster.distances = {4, 2, 0, 3};
    scene.vertex(0, 0, 1, {first[0], second[0]}).vertex(8, 0, 1, {first[1], second[1]});
    scene.vertex(0, 8, 1, {first[2], second[2]});
    return scene.coverage()[0] == "1111111.";
  };
  EXPECT_TRUE(draws({-1, -1, 0}, {-1, 0, -1}));  // and nothing is clipped
  EXPECT_FALSE(draws({-1, -1, -1}, {1, 1, 1}));
  EXPECT_FALSE(draws({1, 1, 1}, {-1, kNan, -1}));
  EXPECT_FALSE(draws({1, 1, 1}, {kNan, kNan, kNan}));
}

TEST(PixelClip, NanDistancesAreOutside) {
  Scene scene;
  scene.work.raster.distances = {4, 1, 1, 0};
  scene.vertex(0, 0, 1, {1}).vertex(8, 0, 1, {kNan}).vertex(0, 8, 1, {1});
  EXPECT_EQ(scene.coverage(), Rows(8, "........"));  // the crossings are nowhere
}

TEST(PixelClip, Lines) {
  for (const bool first_outside : {true, false}) {
    Scene scene(8, 1);
    scene.work.raster.topology = Topology::lines;
    scene.work.raster.distances = {4, 1, 1, 0};
    scene.use(5, Plane::linear);
    const float distance = first_outside ? -1 : 1;
    scene.vertex(0, 0.5F, 1, {distance, 0}).vertex(8, 0.5F, 1, {-distance, 16});
    EXPECT_EQ(scene.coverage()[0], first_outside ? "....1111" : "1111....");
    EXPECT_EQ(values(scene).begin()->second.first, to_bits(first_outside ? 9.0F : 1.0F));
  }
}

// --- Window positions --------------------------------------------------------------------------------------

TEST(PixelWindow, PositionsComeWithOneOverW) {
  Scene scene;
  scene.work.raster.window_positions = true;
  scene.work.raster.viewport_scale = {kNan, kNan, kNan};
  // 1/w is 1, 1/4, 1/4.
  scene.clip_vertex(0, 0, 0, 1, {4}).clip_vertex(8, 0, 0.5F, 0.25F, {8}).clip_vertex(0, 8, 1, 0.25F, {0});
  scene.use(4, Plane::perspective);
  const auto seen = values(scene);
  ASSERT_EQ(seen.size(), 40U);
  for (const auto& [place, value] : seen) {
    const double x = place.first + 0.5, y = place.second + 0.5;
    EXPECT_EQ(value.inverse_w, to_bits(static_cast<float>(1 - (x + y) * 3 / 32)));
    EXPECT_EQ(value.depth, to_bits(static_cast<float>(std::min(x / 16 + y / 8, 1.0))));
    EXPECT_EQ(value.first, to_bits(static_cast<float>(4 - x / 4 - y / 2)));
  }
}

TEST(PixelWindow, Clipped) {
  // z goes from -1 to 3 along x, with 1/w = 1/2: a quarter is before the near plane, half behind the far one.
  Scene scene(16, 1);
  scene.work.raster.window_positions = true;
  scene.clip_vertex(0, -1, -1, 0.5F).clip_vertex(32, -1, 7, 0.5F).clip_vertex(0, 3, -1, 0.5F);
  EXPECT_EQ(scene.coverage()[0], "....1111........");
  Scene far_away(4, 4);
  far_away.work.raster.window_positions = true;
  far_away.clip_vertex(-1e6F, -1e6F, 0, 1).clip_vertex(1e6F, -1e6F, 0, 1).clip_vertex(0, 1e6F, 0, 1);
  EXPECT_EQ(far_away.coverage(), Rows(4, "1111"));
  for (const float bad : {0.0F, -1.0F, kNan, kInfinity}) {
    Scene none(4, 4);
    none.work.raster.window_positions = true;
    none.clip_vertex(0, 0, 0, bad).clip_vertex(8, 0, 0, bad).clip_vertex(0, 8, 0, bad);
    EXPECT_EQ(none.coverage(), Rows(4, "....")) << bad;
  }
}

// --- Quads -------------------------------------------------------------------------------------------------

TEST(PixelQuads, OrderCoverageAndPieces) {
  Scene scene(5, 3);
  scene.vertex(-1, -1).vertex(11, -1).vertex(-1, 11);  // all
  scene.vertex(2.5F, 0.5F).vertex(4.5F, 0.5F).vertex(2.5F, 2.5F);
  FunctionProgram program([](const Lane&, Fragment&) {});
  program.quads_a_call = 4;
  ASSERT_TRUE(scene.draw(program).ok());
  const auto shape = [](const Quad& quad) { return std::array<int, 3>{quad.x, quad.y, quad.coverage}; };
  std::vector<std::vector<std::array<int, 3>>> calls;
  for (const auto& call : program.calls) {
    calls.emplace_back();
    for (const Quad& quad : call) calls.back().push_back(shape(quad));
  }
  const std::vector<std::vector<std::array<int, 3>>> expected = {
      {{0, 0, 15}, {2, 0, 15}, {4, 0, 5}, {0, 2, 3}},  // a full call, and the rest
      {{2, 2, 3}, {4, 2, 1}},
      {{2, 0, 7}},  // (2,0), (3,0), (2,1)
  };
  EXPECT_EQ(calls, expected);
}

// --- What is not drawn -------------------------------------------------------------------------------------

TEST(PixelDraw, PlacesBeyondTheSubpixels) {
  for (const float scale : {kNan, kInfinity, 1e30F, 0x1p19F}) {
    Scene scene;
    scene.vertex(0, 0).vertex(8, 0).vertex(0, 8);
    scene.work.raster.viewport_scale[0] = scale;
    EXPECT_EQ(scene.coverage(), Rows(8, "........")) << scale;
  }
  // The last place that counts is 2^18 pixels away.
  for (const float x : {1.0F, std::nextafter(1.0F, 2.0F)}) {
    Scene scene(8, 1);
    scene.work.raster.viewport_scale = {0x1p18F, 1, 1};
    scene.work.raster.viewport_translate = {0, 0, 0};
    scene.clip_vertex(0, 0, 0, 1).clip_vertex(x, 0, 0, 1).clip_vertex(0, 8, 0, 1);
    EXPECT_EQ(scene.coverage()[0], x == 1 ? "11111111" : "........");
  }
}

TEST(PixelDraw, RefusesWhatItCannotDraw) {
  const auto refused = [](const std::function<void(Scene&)>& change) {
    Scene scene;
    scene.vertex(0, 0).vertex(8, 0).vertex(0, 8);
    change(scene);
    const Status status = scene.draw([](const Lane&, Fragment&) {});
    return !status.ok() && status.error().code == ErrorCode::bad_input;
  };
  EXPECT_FALSE(refused([](Scene&) {}));
  EXPECT_TRUE(refused([](Scene& s) { s.work.width = kMaxTargetExtent + 1; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.height = kMaxTargetExtent + 1; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.slots = 3; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.stride = 3; }));
  EXPECT_TRUE(refused([](Scene& s) { s.use(4, Plane::linear); }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.raster.point_size_slot = 4; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.raster.distances = {0, 9, 0, 0}; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.raster.distances = {3, 2, 0, 0}; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.output.colors[7] = PixelFormat::d32f; }));
  EXPECT_TRUE(refused([](Scene& s) { s.work.output.depth_format = PixelFormat::r32f; }));
}

TEST(PixelDraw, ErrorsOfTheProgramEndIt) {
  Scene scene;
  for (int n = 0; n < 2; ++n) scene.vertex(0, 0).vertex(8, 0).vertex(0, 8);
  FunctionProgram program([](const Lane&, Fragment&) {});
  program.error = Error{ErrorCode::out_of_fuel, "enough", {}};
  const Status status = scene.draw(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::out_of_fuel);
  EXPECT_EQ(program.calls.size(), 1U);
}

}  // namespace
}  // namespace warpjit::interpret
