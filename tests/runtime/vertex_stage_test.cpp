// What a launch over pixels keeps of its vertex stage from run to run, and when it is made anew.
#include <algorithm>
#include <atomic>
#include <bit>

#include "runtime/point_draw.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

// The guest interpreter stands in for the kernels of both stages, which take over in the middle.
TEST(PixelDraws, KernelsTakeOverInTheMiddle) {
  Engine engine;
  if (!engine.info().jit) GTEST_SKIP() << engine.info().no_jit_reason;
  constexpr std::uint32_t kVertices = 500, kInstances = 3, kPoints = kVertices * kInstances;
  PointDraw draw;
  draw.place(kVertices, kInstances, 1);
  EXPECT_TRUE(draw.launch.set_instances(kInstances));
  std::vector<Pixel> expected(draw.pixels.size());
  for (std::uint32_t i = 0; i < kInstances; ++i)
    for (std::uint32_t n = 0; n < kVertices; ++n) expected[i * kSide + n % kSide] = {n, i, n, 1};
  RunOptions background;
  background.background = true;
  for (const unsigned threads : {1U, 2U})
    for (const std::uint64_t asks : {0, 1, 2, 5, 9, 100, 499, 500, 501, 1300, 1499, 100000}) {
      engine.state().set_hooks({.asks = asks});
      engine.clear_cache();
      background.threads = threads;
      const auto report = draw.run(engine, background);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_TRUE(draw.pixels == expected) << asks << " asks, threads " << threads;
      // It asks before each point, and once more.
      EXPECT_EQ(report->interpreted, std::min<std::uint64_t>(asks, kPoints)) << asks;
      EXPECT_EQ(report->engine, asks < kPoints ? EngineKind::jit : EngineKind::guest) << asks;
      EXPECT_FALSE(report->cache_hit) << asks;
      engine.wait_for_compilations();
    }
  const auto report = draw.run(engine, background);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->interpreted, 0U);
  EXPECT_TRUE(report->cache_hit);
}

// The engine requests the kernel for few vertices after that for the pixels; without compile threads it
// compiles both in the run.
TEST(PixelDraws, KernelsForFewVerticesAreRequested) {
  if (!Engine().info().jit) GTEST_SKIP() << Engine().info().no_jit_reason;
  RunOptions background;
  background.background = true;
  PointDraw draw;
  draw.place(10, 1, 1);
  for (const unsigned threads : {0U, 1U}) {
    EngineOptions options;
    options.compile_threads = threads;
    const Engine engine(options);
    ASSERT_TRUE(draw.run(engine, background));
    engine.wait_for_compilations();
    const EngineStatistics first = engine.statistics();
    EXPECT_EQ(first.interpreted_runs, threads == 0 ? 0U : 2U);  // vertices and pixels
    const auto report = draw.run(engine, background);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_TRUE(report->cache_hit);
    EXPECT_EQ(report->interpreted, 0U);
    EXPECT_EQ(engine.statistics().interpreted_runs, first.interpreted_runs);
    EXPECT_EQ(engine.statistics().compiles, first.compiles);
  }
}

// Runs of a launch go on with what the first one prepared for its vertex stage: they see what lies in its
// buffers now, how many instances there are now, and another stage.
TEST(PixelDraws, RunsSeeWhatTheStageReadsNow) {
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    PointDraw draw;
    draw.place(3, 2, 1);
    const auto expect = [&](std::initializer_list<std::pair<std::uint32_t, Pixel>> points) {
      const auto report = draw.run(engine, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      std::vector<Pixel> expected(draw.pixels.size());
      for (const auto& [place, pixel] : points) expected[place] = pixel;
      EXPECT_TRUE(draw.pixels == expected) << way.name;
    };
    expect({{0, {0, 0, 0, 1}}, {1, {1, 0, 1, 1}}, {2, {2, 0, 2, 1}}});
    draw.places[2] = center(6);  // of vertex 1
    expect({{0, {0, 0, 0, 1}}, {6, {1, 0, 1, 1}}, {2, {2, 0, 2, 1}}});
    EXPECT_TRUE(draw.launch.set_instances(2));
    draw.offsets[3] = 0.5F;  // of instance 1
    for (int n = 0; n < 2; ++n)
      expect({{0, {0, 0, 0, 1}},
              {6, {1, 0, 1, 1}},
              {2, {2, 0, 2, 1}},
              {32, {0, 1, 0, 1}},
              {38, {1, 1, 1, 1}},
              {34, {2, 1, 2, 1}}});
    EXPECT_TRUE(draw.launch.set_instances(1));
    draw.places[0] = center(7);
    expect({{7, {0, 0, 0, 1}}, {6, {1, 0, 1, 1}}, {2, {2, 0, 2, 1}}});
    EXPECT_TRUE(draw.vertex.set_count(2));
    EXPECT_TRUE(draw.launch.set_vertex_stage(draw.vertex));
    for (int n = 0; n < 2; ++n) expect({{7, {0, 0, 0, 1}}, {6, {1, 0, 1, 1}}});
    const std::vector<Pixel> before = draw.pixels;
    const Launch copy = draw.launch;  // has nothing of it yet
    std::ranges::fill(draw.pixels, Pixel{});
    const auto report = engine.run(copy, way.options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_TRUE(draw.pixels == before) << way.name;
  }
}

// A kept stage works whichever engine ran before, in the background or not, and whether that went well.
TEST(PixelDraws, OneStageForAllEngines) {
  PointDraw draw;
  draw.place(3, 2, 1);
  std::vector<Pixel> expected(draw.pixels.size());
  for (std::uint32_t n = 0; n < 3; ++n) expected[n] = {n, 0, n, 1};
  for (int round = 0; round < 3; ++round) {
    Engine engine;
    for (const Way& way : all_ways(engine)) {
      for (const bool background : {true, false, true}) {
        RunOptions options = way.options;
        options.background = background;
        const auto report = draw.run(engine, options);
        ASSERT_TRUE(report) << to_string(report.error());
        EXPECT_TRUE(draw.pixels == expected) << way.name << ", round " << round;
        engine.wait_for_compilations();
      }
      std::atomic<std::uint32_t> cancel{1};
      RunOptions cancelled = way.options;
      cancelled.cancel = &cancel;
      EXPECT_FALSE(draw.run(engine, cancelled));
      if (round == 1) engine.clear_cache();
    }
  }
}

// A stage of more than is kept.
TEST(PixelDraws, LargeStagesAreRebuilt) {
  const Engine engine;
  PointDraw draw;
  draw.place(20000, 1, 1);
  for (int n = 0; n < 2; ++n) {
    ASSERT_TRUE(draw.run(engine, {}));
    EXPECT_EQ(draw.launch.state().take_vertices(), nullptr);
    EXPECT_EQ(draw.pixels[7], (Pixel{19999, 0, 19999, 1}));
  }
}

// The same object of a small stage serves run after run, until something of it changes.
TEST(PixelDraws, SmallStagesAreKept) {
  const Engine engine;
  PointDraw draw;
  draw.place(3, 1, 1);
  const auto kept = [&] {
    EXPECT_TRUE(draw.run(engine, {}));
    std::shared_ptr<runtime::VertexRun> run = draw.launch.state().take_vertices();
    draw.launch.state().keep_vertices(run);
    return run;
  };
  const std::shared_ptr<runtime::VertexRun> first = kept();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(kept(), first);
  EXPECT_TRUE(draw.launch.set_instances(1));  // as before
  EXPECT_EQ(kept(), first);
  EXPECT_TRUE(draw.launch.set_vertex_stage(draw.vertex));
  EXPECT_NE(kept(), first);
  const std::shared_ptr<runtime::VertexRun> second = kept();
  EXPECT_EQ(kept(), second);

  // Vertices in place of the stage.
  const std::array<std::uint32_t, 8> vertex{std::bit_cast<std::uint32_t>(center(5)),
                                            std::bit_cast<std::uint32_t>(center(2)),
                                            0,
                                            0x3f800000,
                                            70,
                                            0,
                                            0,
                                            0};
  EXPECT_TRUE(draw.launch.bind_vertices({vertex.data(), sizeof vertex, 32, 8}));
  EXPECT_TRUE(draw.launch.set_count(1));
  EXPECT_TRUE(draw.run(engine, {}));
  std::vector<Pixel> expected(draw.pixels.size());
  expected[2 * kSide + 5] = {70, 0, 0, 1};
  EXPECT_TRUE(draw.pixels == expected);
}

// Code that only an interpreter runs is refused where a target is named, also after runs without one.
TEST(PixelDraws, NamedTargetsAreNotInterpretedLater) {
  if (share(2) != 2) GTEST_SKIP() << "compiles for seconds";
  const Engine engine;
  if (!engine.info().jit) GTEST_SKIP() << engine.info().no_jit_reason;
  std::string much;  // more than a million instructions of the host
  for (int n = 0; n < 20000; ++n)
    much += "presin f32 $r6 $r0\nsin f32 $r6 $r6\nadd rn f32 $r7 $r7 $r6\nadd rn f32 $r0 $r0 $r1\n";
  tesla::GraphicsState state;
  state.attributes = {0x33, 0};
  state.builtin_attributes = 0x11;
  state.vertex_results = {0, 1, 0x40, 0x41, 4, 5, 0x40};
  PointDraw draw;
  draw.vertex = Launch(graphics_program("vertex",
                                        "ld b32 $r0 a[0x0]\nld b32 $r1 a[0x4]\nst b32 o[0x0] $r0\n"
                                        "st b32 o[0x4] $r1\nmov b32 $r7 0x0\n" +
                                            much + "st b32 o[0x14] $r7\nexit nop\n",
                                        state));
  draw.place(3, 2, 1);
  RunOptions named;
  named.target = engine.info().best;
  const auto automatic = draw.run(engine, {});
  ASSERT_TRUE(automatic) << to_string(automatic.error());
  for (int n = 0; n < 2; ++n) {
    const auto refused = draw.run(engine, named);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::resource_limit);
    EXPECT_TRUE(draw.run(engine, {}));
  }
}

}  // namespace
}  // namespace warpjit::test
