// The scalar oracle of work over pixels, after the fragment program: tests of depth, stencil and alpha, and
// which pixels are written (docs/pixels.md 9 and 10). Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"
#include "frontend/pixel_words.h"

namespace warpjit::interpret {
namespace {

TEST(PixelDepth, Comparisons) {
  struct Row {
    Compare compare;
    bool less, equal, greater, nan;
  };
  const Row rows[] = {
      {Compare::never, false, false, false, false},       {Compare::less, true, false, false, false},
      {Compare::equal, false, true, false, false},        {Compare::less_equal, true, true, false, false},
      {Compare::greater, false, false, true, false},      {Compare::not_equal, true, false, true, true},
      {Compare::greater_equal, false, true, true, false}, {Compare::always, true, true, true, true},
  };
  for (const Row& row : rows) {
    const auto passes = [&](PixelFormat format, float fragment, std::uint32_t stored) {
      const Tested tested = depth_test(format, stored, fragment, [&](Scene& scene) {
        scene.work.output.depth = {true, false, row.compare};
      });
      EXPECT_EQ(tested.word, stored);  // writes are off
      return tested.passed;
    };
    for (const auto& [format, half] : {std::pair{PixelFormat::d16, 0x8000U},
                                       {PixelFormat::d24s8, 0x55800000U},
                                       {PixelFormat::d32f, 0x3f000000U}}) {
      EXPECT_EQ(passes(format, 0.25F, half), row.less);
      EXPECT_EQ(passes(format, 0.5F, half), row.equal);
      EXPECT_EQ(passes(format, 0.75F, half), row.greater);
    }
    EXPECT_EQ(passes(PixelFormat::d32f, 0.5F, to_bits(kNotANumber)), row.nan);
  }
}

TEST(PixelDepth, Conversions) {
  const auto stored = [](PixelFormat format, float exported) {
    return depth_test(format, 0, exported,
                      [](Scene& scene) {
                        scene.work.output.depth = {true, true, Compare::always};
                      })
        .word;
  };
  for (const float zero : {0.0F, -0.0F, -1.0F, kNotANumber, -kInf}) {
    EXPECT_EQ(stored(PixelFormat::d16, zero), 0U);
    EXPECT_EQ(stored(PixelFormat::d24s8, zero), 0U);
    EXPECT_EQ(stored(PixelFormat::d32f, zero), 0U);
  }
  for (const float one : {1.0F, 1.5F, kInf}) {
    EXPECT_EQ(stored(PixelFormat::d16, one), 0xffffU);
    EXPECT_EQ(stored(PixelFormat::d24s8, one), 0xffffffU);
    EXPECT_EQ(stored(PixelFormat::d32f, one), 0x3f800000U);
  }
  EXPECT_EQ(stored(PixelFormat::d16, 0.5F), 0x8000U);      // 32767.5
  EXPECT_EQ(stored(PixelFormat::d24s8, 0.5F), 0x800000U);  // 8388607.5 fits into 24 bits
  // 1 - 2^-24 times 2^24 - 1 is 2^24 - 2 + 2^-24.
  EXPECT_EQ(stored(PixelFormat::d24s8, 0x1.fffffep-1F), 0xfffffeU);
  EXPECT_EQ(stored(PixelFormat::d32f, 0x1p-149F), 0U);  // a denormal counts as zero
  EXPECT_EQ(stored(PixelFormat::d32f, 0.3F), to_bits(0.3F));
}

TEST(PixelDepth, PlaneDepthIsLimited) {
  Scene scene(4, 1);
  scene.work.raster.clip_near = scene.work.raster.clip_far = false;
  scene.vertex(0, -1, 1, {}, -3).vertex(8, -1, 1, {}, 5).vertex(0, 3, 1, {}, -3);  // depth (x - 2) / 2
  GuardedBytes& depths = scene.depth(PixelFormat::d32f, 4);
  scene.work.output.depth = {true, true, Compare::always};
  ASSERT_TRUE(scene.draw([](const Lane&, Fragment& fragment) { fragment.depth = to_bits(0.3F); }).ok());
  std::array<float, 4> stored{};
  std::memcpy(stored.data(), depths.data(), sizeof stored);
  EXPECT_EQ(stored, (std::array{0.0F, 0.0F, 0.25F, 0.75F}));
}

TEST(PixelDepth, WritesNeedTheTest) {
  const auto word = [](DepthState state) {
    return depth_test(PixelFormat::d32f, 0x3f000000, 0.25F,
                      [&](Scene& scene) { scene.work.output.depth = state; });
  };
  EXPECT_EQ(word({false, true, Compare::less}), (Tested{0x3f000000, true}));
  EXPECT_EQ(word({true, true, Compare::less}), (Tested{0x3e800000, true}));
  EXPECT_EQ(word({true, true, Compare::greater}), (Tested{0x3f000000, false}));
  // Without a target a test passes.
  const Tested unbound = depth_test(PixelFormat::d32f, 0x3f000000, 0.25F, [](Scene& scene) {
    scene.work.output.depth = {true, true, Compare::never};
    scene.work.depth = {};
  });
  EXPECT_EQ(unbound, (Tested{0x3f000000, true}));
}

TEST(PixelStencil, Operations) {
  struct Row {
    StencilOp op;
    std::uint32_t of_0, of_255, of_0x5a;
  };
  const Row rows[] = {
      {StencilOp::keep, 0, 255, 0x5a},
      {StencilOp::zero, 0, 0, 0},
      {StencilOp::replace, 0x33, 0x33, 0x33},
      {StencilOp::increment_clamp, 1, 255, 0x5b},
      {StencilOp::decrement_clamp, 0, 254, 0x59},
      {StencilOp::invert, 255, 0, 0xa5},
      {StencilOp::increment_wrap, 1, 0, 0x5b},
      {StencilOp::decrement_wrap, 255, 254, 0x59},
  };
  const auto after = [](std::uint32_t before, const std::function<void(StencilFace&)>& change,
                        bool depth_passes) {
    return depth_test(PixelFormat::d24s8, before << 24 | 0x123456, 0, [&](Scene& scene) {
      scene.work.output.stencil.test = true;
      StencilFace& face = scene.work.output.stencil.front;
      face.reference = 0x33;
      change(face);
      scene.work.output.depth = {true, false, depth_passes ? Compare::always : Compare::never};
    });
  };
  for (const Row& row : rows) {
    for (const auto& [before, expected] :
         {std::pair{0U, row.of_0}, {255U, row.of_255}, {0x5aU, row.of_0x5a}}) {
      const std::uint32_t word = expected << 24 | 0x123456;
      EXPECT_EQ(after(
                    before, [&](StencilFace& face) { face.pass = row.op; }, true),
                (Tested{word, true}));
      EXPECT_EQ(after(
                    before, [&](StencilFace& face) { face.depth_fail = row.op; }, false),
                (Tested{word, false}));
      const auto fail = [&](StencilFace& face) {
        face.compare = Compare::never;
        face.fail = row.op;
      };
      EXPECT_EQ(after(before, fail, true), (Tested{word, false}));
    }
  }
}

TEST(PixelStencil, MasksFacesAndOrder) {
  const auto run = [](std::uint32_t before, const StencilFace& front, const StencilFace& back,
                      bool is_front) {
    return depth_test(
        PixelFormat::d24s8, before, 0.5F,
        [&](Scene& scene) {
          scene.work.output.stencil = {true, front, back};
          scene.work.output.depth = {true, true, Compare::less};
        },
        is_front);
  };
  StencilFace masked;
  masked.compare = Compare::less;  // 1 < stored & 3
  masked.reference = 0xf1;
  masked.read_mask = 0x03;
  masked.pass = StencilOp::replace;
  masked.write_mask = 0x3c;
  EXPECT_EQ(run(0x02ffffff, masked, {}, true), (Tested{0x32800000, true}));
  EXPECT_EQ(run(0x01ffffff, masked, {}, true), (Tested{0x01ffffff, false}));
  // Depth fails after the stencil test has passed.
  masked.depth_fail = StencilOp::invert;
  EXPECT_EQ(run(0x02000000, masked, {}, true), (Tested{0x3e000000, false}));
  // The other face.
  EXPECT_EQ(run(0x01ffffff, masked, {}, false), (Tested{0x01800000, true}));
  EXPECT_EQ(run(0x01ffffff, {}, masked, false), (Tested{0x01ffffff, false}));
  // Without depth test the stencil still changes.
  const Tested alone = depth_test(PixelFormat::d24s8, 0x02123456, 0.5F, [&](Scene& scene) {
    scene.work.output.stencil = {true, masked, masked};
  });
  EXPECT_EQ(alone, (Tested{0x32123456, true}));
  // Formats without stencil have no test.
  StencilFace never;
  never.compare = Compare::never;
  const Tested none = depth_test(PixelFormat::d32f, 0, 0.5F, [&](Scene& scene) {
    scene.work.output.stencil = {true, never, never};
  });
  EXPECT_TRUE(none.passed);
}

TEST(PixelAlpha, Test) {
  const auto passes = [](Compare compare, float alpha, PixelFormat format = PixelFormat::rgba32f) {
    const Shaded after = shade(format, color(1, 1, 1, alpha), {}, [&](OutputState& state) {
      state.alpha_test = true;
      state.alpha_compare = compare;
      state.alpha_reference = 0.5F;
    });
    return after.words[0] != 0;
  };
  EXPECT_TRUE(passes(Compare::greater, 0.75F));
  EXPECT_FALSE(passes(Compare::greater, 0.5F));
  EXPECT_TRUE(passes(Compare::greater_equal, 0.5F));
  EXPECT_FALSE(passes(Compare::greater_equal, kNotANumber));
  EXPECT_TRUE(passes(Compare::not_equal, kNotANumber));
  EXPECT_FALSE(passes(Compare::never, 1));
  EXPECT_TRUE(passes(Compare::never, 1, PixelFormat::rgba32i));  // integers have none
  // It comes before depth and stencil.
  const Tested tested = depth_test(PixelFormat::d24s8, 0x00ffffff, 0.5F, [](Scene& scene) {
    scene.work.output.alpha_test = true;
    scene.work.output.alpha_compare = Compare::less;
    scene.work.output.alpha_reference = 0.5F;
    scene.work.output.stencil.test = true;
    scene.work.output.stencil.front.fail = scene.work.output.stencil.front.pass = StencilOp::invert;
    scene.work.output.depth = {true, true, Compare::always};
  });
  EXPECT_EQ(tested, (Tested{0x00ffffff, false}));
}

TEST(PixelOutput, HelpersAndDiscardedPixelsWriteNothing) {
  Scene scene(3, 3);
  scene.vertex(0, 0).vertex(4, 0).vertex(0, 4);
  GuardedBytes& colors = scene.color(PixelFormat::r32ui, 4, 0, 0xff);
  scene.depth(PixelFormat::d16, 2, 0xff);
  scene.work.output.depth.test = true;
  int runs = 0;
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment& fragment) {
                    ++runs;
                    fragment.colors[0][0] = static_cast<std::uint32_t>(10 * lane.y + lane.x);
                    fragment.live = lane.x != 1;
                  })
                  .ok());
  EXPECT_EQ(runs, 12);  // quads at (0,0), (2,0), (0,2)
  std::array<std::uint32_t, 9> words{};
  std::memcpy(words.data(), colors.data(), sizeof words);
  const std::uint32_t no = ~0U;
  EXPECT_EQ(words, (std::array{0U, no, 2U, 10U, no, no, 20U, no, no}));
}

TEST(PixelOutput, TargetsHaveColorsOfTheirOwn) {
  Scene scene(2, 2);
  scene.work.raster.topology = Topology::points;
  scene.work.raster.point_size = 2;
  scene.vertex(1, 1);
  GuardedBytes& first = scene.color(PixelFormat::r32ui, 4, 1);
  GuardedBytes& second = scene.color(PixelFormat::rgba8ui, 4, 6);
  scene.work.output.colors[2] = PixelFormat::rgba32f;  // not bound
  // Rows from the bottom of the memory up.
  scene.work.colors[6].data += 8;
  scene.work.colors[6].pitch = -8;
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment& fragment) {
                    const auto place = static_cast<std::uint32_t>(2 * lane.y + lane.x);
                    fragment.colors[1][0] = 1 + place;
                    fragment.colors[6][0] = 11 + place;
                  })
                  .ok());
  const auto read = [](const GuardedBytes& bytes) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), bytes.data(), sizeof words);
    return words;
  };
  EXPECT_EQ(read(first), (std::array{1U, 2U, 3U, 4U}));
  EXPECT_EQ(read(second), (std::array{13U, 14U, 11U, 12U}));
}

// Later primitives see what earlier ones stored.
TEST(PixelOutput, PrimitivesInOrder) {
  Scene scene(1, 1);
  scene.work.raster.topology = Topology::points;
  for (int n = 0; n < 5; ++n) scene.vertex(0.5F, 0.5F);
  GuardedBytes& colors = scene.color(PixelFormat::rgba32f, 16);
  scene.work.output.blend[0].enabled = true;
  scene.work.output.blend[0].target = BlendFactor::constant_alpha;
  scene.work.output.blend_constant = {0, 0, 0, 10};
  ASSERT_TRUE(scene
                  .draw([](const Lane& lane, Fragment& fragment) {
                    set_color(fragment, {static_cast<float>(lane.primitive.number())});
                  })
                  .ok());
  float red = 0;
  std::memcpy(&red, colors.data(), 4);
  EXPECT_EQ(red, 1234);
}

}  // namespace
}  // namespace warpjit::interpret
