// The scalar oracle of work over pixels, up to the fragment program: planes, clipping, window positions
// (docs/pixels.md 1 to 8). Expected pictures and numbers are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/pixel_primitives.h"

namespace warpjit::interpret {
namespace {

// --- Planes ------------------------------------------------------------------------------------------------

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

TEST(PixelPlane, PlanesWithoutAFiniteValue) {
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
  // One corner has a negative w: the part with a positive one fills one side.
  Scene behind(4, 4);
  behind.work.raster.clip_near = behind.work.raster.clip_far = false;
  behind.clip_vertex(-1, -1, 0, 1).clip_vertex(-1, 1, 0, 1).clip_vertex(3, 0, 0, -1);
  const Rows rows = behind.coverage();
  for (const std::string& row : rows) EXPECT_EQ(row, "1111");
}

TEST(PixelClip, VerticesWithoutAPlace) {
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
  // z goes from -1 to 3 along x, with 1/w = 1/2: a quarter is before the near plane, half beyond the far one.
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

}  // namespace
}  // namespace warpjit::interpret
