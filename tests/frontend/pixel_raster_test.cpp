// The scalar oracle of work over pixels, up to the fragment program: assembly, coverage, quads, what is
// refused (docs/pixels.md 1 to 8). Expected pictures and numbers are worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "frontend/pixel_primitives.h"

namespace warpjit::interpret {
namespace {

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

// --- Assembly ----------------------------------------------------------------------------------------------

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
