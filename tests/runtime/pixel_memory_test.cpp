// Fragment programs through the public API: what they load and store, their faults, their fuel.
#include "runtime/pixel_launch.h"

namespace warpjit::test {
namespace {

// The 8 x 8 pixels of `Draw`, at 16 bytes each: a store by all of them, a sum by those that are not
// discarded.
Program stores_and_counts(const std::string& at_first = "") {
  tesla::GraphicsState state;
  state.interpolants = 0x3000400;  // x and y of the pixel's centre
  return tesla_program(
      ".registers 8\n" + at_first +
          "interp $r0 v[0x0]\ninterp $r1 v[0x4]\ncvt rzi u32 $r0 f32 $r0\ncvt rzi u32 $r1 f32 $r1\n"
          "shl b32 $r2 $r1 0x3\nadd b32 $r2 $r2 $r0\nshl b32 $r2 $r2 0x4\n"  // address
          "ld b32 $r3 g0[$r2]\nadd b32 $r4 $r2 $r3\nst b32 g1[$r2] $r4\n"
          "mov b32 $r5 0x4\nset $c0 # ge u32 $r0 $r5\n(lg $c0) discard\n"  // the right half
          "mov b32 $r6 0\nred add u32 g2[$r6] $r2\n"
          "ld add u32 $r7 g2[$r2] $r0\nst b128 g3[$r2] $r4q\nexit nop\n",
      Stage::fragment, state);
}

struct PixelMemory {
  alignas(8) std::array<std::uint32_t, 256> loaded{}, stored{}, counted{}, wide{};
  PixelMemory() {
    for (std::uint32_t k = 0; k < loaded.size(); ++k) loaded[k] = 7 * k;
  }
  void map(Launch& launch) {
    EXPECT_TRUE(launch.map_memory("g0", 0, loaded.data(), sizeof loaded));
    EXPECT_TRUE(launch.map_memory("g1", 0, stored.data(), sizeof stored));
    EXPECT_TRUE(launch.map_memory("g2", 0, counted.data(), sizeof counted));
    EXPECT_TRUE(launch.map_memory("g3", 0, wide.data(), sizeof wide));
  }
  bool operator==(const PixelMemory&) const = default;
};

TEST(PixelLaunch, MemoryOfFragmentPrograms) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    SCOPED_TRACE(name(options.engine));
    Draw draw(stores_and_counts());
    PixelMemory memory;
    memory.map(draw.launch);
    draw.vertex(0, 0);
    draw.vertex(5, 0);  // its border leaves helper lanes
    draw.vertex(0, 8);
    const auto report = engine.run(draw.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->engine, options.engine);
    EXPECT_FALSE(report->fault);
    std::uint32_t sum = 0;
    for (std::uint32_t y = 0; y < 8; ++y)
      for (std::uint32_t x = 0; x < 8; ++x) {
        SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
        const bool covered = (static_cast<float>(x) + 0.5F) / 5 + (static_cast<float>(y) + 0.5F) / 8 < 1;
        const bool live = covered && x < 4;
        const std::uint32_t at = (8 * y + x) * 4, value = 4 * at + 7 * at;
        sum += live ? 4 * at : 0;
        EXPECT_EQ(memory.stored[at], covered ? value : 0);
        EXPECT_EQ(memory.wide[at], live ? value : 0);
        if (at != 0) {
          EXPECT_EQ(memory.counted[at], live ? x : 0);
        }
      }
    EXPECT_EQ(memory.counted[0], sum);
  }
}

TEST(PixelLaunch, FaultsOfFragmentPrograms) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(stores_and_counts());
    PixelMemory memory;
    draw.everything();
    auto report = engine.run(draw.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    ASSERT_TRUE(report->fault);
    EXPECT_TRUE(report->fault->what.starts_with("load from g0[0x")) << report->fault->what;
    EXPECT_FALSE(report->fault->where.empty());
    memory.map(draw.launch);
    EXPECT_FALSE(engine.run(draw.launch, options)->fault);
    EXPECT_NE(memory.stored[0] | memory.stored[4], 0U);
    EXPECT_TRUE(draw.launch.map_memory("g4", 4, memory.wide.data(), 8));
    EXPECT_ERROR(engine.run(draw.launch, options), ErrorCode::bad_input, "not aligned to 8 bytes", "launch");
    draw.launch.unmap_memory();
    EXPECT_TRUE(engine.run(draw.launch, options)->fault);
  }
}

// Groups are filled with quads that have no pixels; what would be theirs is not mapped here.
TEST(PixelLaunch, QuadsThatFillGroupsDoNotLoad) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(stores_and_counts("quadop f32 add add add add $r7 dx $r0 $r0\n"));
    PixelMemory memory;
    constexpr std::uint32_t kFirst = 512;
    EXPECT_TRUE(draw.launch.map_memory("g0", kFirst, memory.loaded.data(), kFirst));
    EXPECT_TRUE(draw.launch.map_memory("g1", kFirst, memory.stored.data(), kFirst));
    EXPECT_TRUE(draw.launch.map_memory("g2", 0, memory.counted.data(), sizeof memory.counted));
    EXPECT_TRUE(draw.launch.map_memory("g3", kFirst, memory.wide.data(), kFirst));
    draw.vertex(4, 4);
    draw.vertex(12, 4);
    draw.vertex(4, 12);
    const auto report = engine.run(draw.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->engine, options.engine);
    EXPECT_FALSE(report->fault) << report->fault->what;
    EXPECT_NE(memory.stored[16], 0U);
  }
}

// The store of the last primitive that covers a pixel stays.
TEST(PixelLaunch, StoresOfPrimitivesInOrder) {
  tesla::GraphicsState state;
  state.interpolants = 0x7000400;  // x, y and depth
  const Program program = tesla_program(
      ".registers 8\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\ncvt rzi u32 $r0 f32 $r0\n"
      "cvt rzi u32 $r1 f32 $r1\nshl b32 $r2 $r1 0x3\nadd b32 $r2 $r2 $r0\nshl b32 $r2 $r2 0x2\n"
      "interp $r3 v[0x8]\nst b32 g1[$r2] $r3\nexit nop\n",
      Stage::fragment, state);
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(program);
    PixelMemory memory;
    memory.map(draw.launch);
    for (const float depth : {0.5F, 0.25F, 0.75F, 0.125F}) {
      draw.vertex(0, 0, depth);
      draw.vertex(16, 0, depth);
      draw.vertex(0, 16, depth);
    }
    const auto report = engine.run(draw.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    for (std::uint32_t k = 0; k < 64; ++k) EXPECT_EQ(memory.stored[k], 0x3e000000U) << k;
  }
}

TEST(PixelLaunch, MemoryOfOtherGraphicsPrograms) {
  tesla::GraphicsState state;
  state.vertex_results = {0, 1, 2, 3};
  Launch vertex(tesla_program("exit nop\n", Stage::vertex, state));
  std::array<std::uint32_t, 4> words{};
  EXPECT_ERROR(vertex.map_memory("g0", 0, words.data(), sizeof(words)), ErrorCode::unsupported,
               "constants alone", "g0");
}

// A point of one pixel has three helper lanes; lanes of column 1 never leave the loop.
Program endless_in_column_1(const std::string& in_loop) {
  return tesla_program(".registers 4\ninterp $r0 v[0x0]\nmov b32 $r1 1.0\nbreakaddr #done\nagain:\n" +
                           in_loop + "set $c0 # l f32 $r0 $r1\n(lg $c0) break\nbra #again\ndone:\nexit nop\n",
                       Stage::fragment, reads_x());
}

Program discarded_before_a_loop(const std::string& discard) {
  return tesla_program(".registers 4\nmov b32 $r1 1.0\nset $c0 # ge f32 $r1 $r63\n" + discard +
                           "\nagain:\nbra #again\nexit nop\n",
                       Stage::fragment, reads_x());
}

Result<Report> run_in_column(const Program& program, const RunOptions& options, float column) {
  Draw draw(program);
  RasterState state;
  state.window_positions = true;
  state.topology = Topology::points;
  EXPECT_TRUE(draw.launch.set_raster_state(state));
  draw.vertex(column, 0.5F);
  draw.launch.set_fuel(1000);
  return Engine().run(draw.launch, options);
}

void expect_fuel_runs_out(const Program& program, const RunOptions& options, float column) {
  const auto report = run_in_column(program, options, column);
  ASSERT_FALSE(report) << name(options.engine) << ' ' << column;
  EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel);
  EXPECT_NE(report.error().where.find("byte 0x"), std::string::npos) << report.error().where;
}

TEST(PixelLaunch, EndlessLoopsUseUpTheFuel) {
  const Program alone = endless_in_column_1("");
  const Program watched = endless_in_column_1("quadop f32 sub subr sub subr $r2 dx $r0 $r0\n");
  for (const RunOptions& options : engines()) {
    expect_fuel_runs_out(alone, options, 1.5F);
    expect_fuel_runs_out(watched, options, 1.5F);
    // Only helper lanes stay in the loop. Where no neighbour could read them, they do not run.
    expect_fuel_runs_out(watched, options, 0.5F);
    EXPECT_TRUE(run_in_column(alone, options, 0.5F)) << name(options.engine);
    // Nor do discarded ones, whichever way they are discarded.
    for (const char* discard : {"(lg $c0) discard", "discard"})
      EXPECT_TRUE(run_in_column(discarded_before_a_loop(discard), options, 1.5F)) << name(options.engine);
  }
}

}  // namespace
}  // namespace warpjit::test
