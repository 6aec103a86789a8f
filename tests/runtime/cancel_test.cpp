// RunOptions::cancel ends what would go on for hours, on every engine: within loops, and between pieces of work
// without any.
#include "runtime/every_work.h"
#include "support/canceller.h"
#include "support/engine_ways.h"

namespace warpjit::test {
namespace {

void expect_cancelled(const Engine& engine, const Launch& launch, RunOptions options) {
  ASSERT_TRUE(engine.compile(launch, options));
  Canceller canceller;
  options.cancel = &canceller.flag;
  options.fuel = ~std::uint64_t{0};
  const auto report = engine.run(launch, options);
  canceller.expect_soon();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled) << to_string(report.error());
}

TEST(Cancel, EndsLoopsOfEveryWork) {
  const Engine engine;
  for (const WorkKind& kind : every_kind_of_work()) {
    const auto ends = kind.make(1), endless = kind.make(0);
    for (const EngineWay& way : engine_ways(engine)) {
      SCOPED_TRACE(kind.name + ", " + way.name);
      const auto report = engine.run(ends->launch, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_EQ(report->engine, way.options.engine) << report->interpreted_because;
      EXPECT_FALSE(report->fault);
      for (const unsigned threads : {1U, 2U}) {
        RunOptions options = way.options;
        options.threads = threads;
        expect_cancelled(engine, endless->launch, options);
      }
    }
  }
}

TEST(Cancel, EndsRunsInTheBackground) {
  const Engine engine;
  RunOptions options;
  options.background = true;
  for (const WorkKind& kind : every_kind_of_work()) {
    SCOPED_TRACE(kind.name);
    const auto endless = kind.make(0);
    Canceller canceller;
    options.cancel = &canceller.flag;
    options.fuel = ~std::uint64_t{0};
    engine.clear_cache();
    const auto report = engine.run(endless->launch, options);
    canceller.expect_soon();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::cancelled) << to_string(report.error());
    engine.wait_for_compilations();
  }
}

TEST(Cancel, EndsPreparedRuns) {
  const Engine engine;
  for (const WorkKind& kind : every_kind_of_work()) {
    const auto endless = kind.make(0);
    for (const EngineWay& way : engine_ways(engine)) {
      SCOPED_TRACE(kind.name + ", " + way.name);
      RunOptions options = way.options;
      options.fuel = ~std::uint64_t{0};
      Canceller canceller(std::chrono::milliseconds(100));
      options.cancel = &canceller.flag;
      auto prepared = engine.prepare(endless->launch, options);
      if (!prepared) break;  // it is no work over rows
      const Status status = prepared->run();
      canceller.expect_soon();
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, ErrorCode::cancelled);
    }
  }
}

TEST(Cancel, EndsProfiles) {
  const Engine engine;
  const auto endless = every_work::tesla_grid(0, true);
  Canceller canceller;
  RunOptions options;
  options.cancel = &canceller.flag;
  options.fuel = ~std::uint64_t{0};
  Profile profile;
  const auto report = engine.profile(endless->launch, profile, options);
  canceller.expect_soon();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled) << to_string(report.error());
  EXPECT_FALSE(profile.instructions.empty());
}

// A kernel of blocks of 512 threads, each of which stores a word.
struct LargeGrid {
  LargeGrid(const std::string& code, std::uint32_t width, std::uint32_t height)
      : memory(512), launch(every_work::tesla_kernel(code)) {
    EXPECT_TRUE(launch.set_grid(width, height));
    EXPECT_TRUE(launch.set_block(512));
    constexpr std::array kParameters{0x1000U};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(kParameters))));
    EXPECT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), 4 * memory.size()));
  }

  std::vector<std::uint32_t> memory;
  Launch launch;
};

// As many blocks as a launch may have, without a loop.
TEST(Cancel, EndsTheLargestGrids) {
  const Engine engine;
  const LargeGrid grid(
      ".kernel k\n.registers 4\n.shared 0x20\nshl b32 $r0 $r0 0x2\nadd b32 $r0 b32 s[0x10] $r0\n"
      "ld b32 $r1 g14[$r0]\nexit nop\n",  // a store would be a race of the guest's
      65535, 65535);
  for (const EngineWay& way : engine_ways(engine)) {
    SCOPED_TRACE(way.name);
    expect_cancelled(engine, grid.launch, way.options);
  }
}

// Long code without a loop, in blocks that are as large as they may be.
TEST(Cancel, EndsLongStraightCode) {
  const Engine engine;
  std::string code = ".kernel k\n.registers 32\n.shared 0x20\ncvt rn f32 $r1 u32 $r0\n";
  for (int n = 2; n < 25; ++n) code += "mov b32 $r" + std::to_string(n) + " $r1\n";
  for (int n = 0; n < 1500; ++n) {
    const std::string other = " $r" + std::to_string(2 + n % 23);
    code += "mul rn f32" + other + other + " $r1\nadd rn f32 $r1 $r1" + other + "\n";
  }
  const LargeGrid grid(code +
                           "shl b32 $r0 $r0 0x2\nand b32 $r0 $r0 0x3fc\nadd b32 $r0 b32 s[0x10] $r0\n"
                           "st b32 g14[$r0] $r1\nexit nop\n",
                       60000, 1);
  for (const EngineWay& way : engine_ways(engine)) {
    SCOPED_TRACE(way.name);
    RunOptions options = way.options;
    options.threads = 1;
    expect_cancelled(engine, grid.launch, options);
  }
}

// 28 functions that each call the next one twice.
TEST(Cancel, EndsNestedCalls) {
  const Engine engine;
  std::string code = ".kernel k\n.registers 4\n.shared 0x20\ncall #f0\nexit nop\n";
  constexpr int kFunctions = 28;
  for (int n = 0; n < kFunctions; ++n) {
    const std::string next = n + 1 < kFunctions ? "call #f" + std::to_string(n + 1) + "\n" : "";
    code += "f" + std::to_string(n) + ":\n" + next + "add b32 $r1 $r1 $r0\n" + next + "ret\n";
  }
  Launch launch(every_work::tesla_kernel(code));
  EXPECT_TRUE(launch.set_block(32));
  for (const EngineWay& way : engine_ways(engine)) {
    SCOPED_TRACE(way.name);
    expect_cancelled(engine, launch, way.options);
  }
}

// A picture that is as large as it may be, which the primitive crosses as a thin line: nothing of it is covered
// in most rows.
TEST(Cancel, EndsLargeDraws) {
  const Engine engine;
  constexpr std::uint32_t kSide = 4096;
  auto draw = every_work::tesla_pixels(1);
  std::vector<std::uint32_t> pixels(std::size_t{kSide} * kSide);
  EXPECT_TRUE(draw->launch.set_target_size(kSide, kSide));
  EXPECT_TRUE(draw->launch.bind_color(0, {pixels.data(), pixels.size() * 4, kSide * 4, PixelFormat::r32f}));
  EXPECT_TRUE(draw->launch.set_indices([] {
    std::vector<std::uint32_t> indices;
    for (int n = 0; n < 3000; ++n) indices.push_back(static_cast<std::uint32_t>(n % 3));
    return indices;
  }()));
  RasterState raster;
  raster.viewport_scale = {kSide / 2.0F, kSide / 2.0F, 0.5F};
  raster.viewport_translate = {kSide / 2.0F, kSide / 2.0F, 0.5F};
  EXPECT_TRUE(draw->launch.set_raster_state(raster));
  for (const EngineWay& way : engine_ways(engine))
    for (const unsigned threads : {1U, 2U}) {
      SCOPED_TRACE(way.name);
      RunOptions options = way.options;
      options.threads = threads;
      expect_cancelled(engine, draw->launch, options);
    }
}

}  // namespace
}  // namespace warpjit::test
