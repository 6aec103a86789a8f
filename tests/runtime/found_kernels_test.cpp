// What Engine::compile and warm() make is what the run then uses: for every kind of work, with its stages.
#include "runtime/every_work.h"
#include "support/engine_ways.h"

namespace warpjit::test {
namespace {

std::vector<WorkKind> kinds() {
  using namespace every_work;
  std::vector<WorkKind> kinds = every_kind_of_work();
  // Primitives with perspective, small ones, none, and several instances.
  kinds.push_back({"perspective", [](std::uint32_t) {
                     auto work = tesla_pixels(1);
                     const WorkLaunch::Words& vertices = triangle(*work, 5, 2);
                     EXPECT_TRUE(work->launch.bind_vertices({vertices.data(), bytes(vertices), 20, 5}));
                     return work;
                   }});
  kinds.push_back({"small primitives", [](std::uint32_t) {
                     auto work = tesla_pixels(1);
                     RasterState raster;
                     raster.viewport_scale = {2, 2, 0.5F};
                     raster.viewport_translate = {9, 9, 0.5F};
                     EXPECT_TRUE(work->launch.set_raster_state(raster));
                     return work;
                   }});
  kinds.push_back({"no primitives", [](std::uint32_t) {
                     auto work = tesla_pixels(1);
                     EXPECT_TRUE(work->launch.set_count(2));
                     return work;
                   }});
  kinds.push_back({"instances", [](std::uint32_t) {
                     auto work = tesla_staged_pixels(1, 1);
                     EXPECT_TRUE(work->launch.set_instances(3));
                     return work;
                   }});
  kinds.push_back({"many rows", [](std::uint32_t) {
                     auto work = pica_rows(1);
                     constexpr std::size_t kCount = 40000;
                     WorkLaunch::Words &in = work->input(numbers(4 * kCount)),
                                       &out = work->result(4 * kCount);
                     EXPECT_TRUE(work->launch.bind_input("v0", {in.data(), bytes(in), 16, f32x4}));
                     EXPECT_TRUE(work->launch.bind_output("o0", {out.data(), bytes(out), 16, f32x4}));
                     EXPECT_TRUE(work->launch.set_count(kCount));
                     return work;
                   }});
  return kinds;
}

void expect_found(const Engine& engine, const WorkLaunch& work, RunOptions options) {
  const std::uint64_t misses = engine.statistics().misses;
  for (const bool background : {false, true}) {
    options.background = background;
    const auto report = engine.run(work.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_TRUE(report->cache_hit);
    EXPECT_EQ(report->engine, options.engine);
    EXPECT_EQ(report->interpreted, 0U);
    EXPECT_EQ(engine.statistics().misses, misses);
  }
}

TEST(FoundKernels, AfterCompile) {
  for (const WorkKind& kind : kinds())
    for (const EngineWay& way : engine_ways(Engine())) {
      SCOPED_TRACE(kind.name + ", " + way.name);
      const Engine engine;
      const auto work = kind.make(1);
      const auto report = engine.compile(work->launch, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_EQ(report->engine, way.options.engine);
      EXPECT_FALSE(report->cache_hit);
      const auto again = engine.compile(work->launch, way.options);
      ASSERT_TRUE(again);
      EXPECT_TRUE(again->cache_hit);
      expect_found(engine, *work, way.options);
    }
}

TEST(FoundKernels, AfterWarm) {
  for (const WorkKind& kind : kinds())
    for (const EngineWay& way : engine_ways(Engine())) {
      SCOPED_TRACE(kind.name + ", " + way.name);
      EngineOptions options;
      options.compile_threads = 2;
      const Engine engine(options);
      const auto work = kind.make(1);
      const auto compilation = engine.warm(work->launch, way.options);
      ASSERT_TRUE(compilation) << to_string(compilation.error());
      const auto report = compilation->wait();
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_EQ(report->engine, way.options.engine);
      expect_found(engine, *work, way.options);
      EXPECT_EQ(engine.warm(work->launch, way.options)->state(), Compilation::State::done);
    }
}

// The first one is there, the stages' are not; and the other way round.
TEST(FoundKernels, AfterWarmOfARest) {
  const Engine engine;
  const auto whole = every_work::tesla_staged_pixels(1, 1), alone = every_work::tesla_rows(1);
  for (const WorkLaunch* first : {alone.get(), whole.get()}) {
    engine.clear_cache();
    ASSERT_TRUE(engine.run(first->launch));
    const auto compilation = engine.warm(whole->launch);
    ASSERT_TRUE(compilation) << to_string(compilation.error());
    ASSERT_TRUE(compilation->wait());
    expect_found(engine, *whole, {});
  }
}

}  // namespace
}  // namespace warpjit::test
