// Launches over pixels through the public API: what is refused and how, and input that is hostile or odd.
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "frontend/tesla/assembly/assemble.h"
#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

Program tesla_program(const std::string& source, Stage stage, const tesla::GraphicsState& state = {}) {
  auto container = tesla::assemble(".type " + std::string(name(stage)) + "\n" + source, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  tesla::RawProgram raw;
  raw.code = container->programs.at(0).code;
  raw.registers = container->programs.at(0).registers;
  raw.stage = stage;
  raw.graphics = state;
  auto program = tesla::load_words(raw);
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}

constexpr const char* kRed =
    ".registers 4\nmov b32 $r0 1.0\nmov b32 $r1 0\nmov b32 $r2 0\nmov b32 $r3 1.0\nexit nop\n";
Program red() { return tesla_program(kRed, Stage::fragment); }

// v[0] is x of the pixel's centre.
tesla::GraphicsState reads_x() {
  tesla::GraphicsState state;
  state.interpolants = 0x1000400;
  return state;
}

// A draw in window coordinates over an rgba8 target.
struct Draw {
  std::uint32_t width = 8, height = 8;
  std::vector<float> vertices;
  std::vector<std::uint32_t> pixels;
  Launch launch;

  explicit Draw(const Program& program, std::uint32_t w = 8, std::uint32_t h = 8)
      : width(w), height(h), pixels(std::size_t{w} * h, 0x12345678), launch(program) {
    RasterState state;
    state.window_positions = true;
    EXPECT_TRUE(launch.set_raster_state(state));
    EXPECT_TRUE(launch.set_target_size(width, height));
    EXPECT_TRUE(launch.bind_color(0, target()));
  }
  TargetBuffer target() { return {pixels.data(), pixels.size() * 4, width * 4, PixelFormat::rgba8}; }
  void vertex(float x, float y, float z = 0, float inverse_w = 1) {
    vertices.insert(vertices.end(), {x, y, z, inverse_w});
    launch.set_count(vertices.size() / 4);
    EXPECT_TRUE(launch.bind_vertices({vertices.data(), vertices.size() * 4, 16, 4}));
  }
  void everything() {
    vertex(0, 0);
    vertex(static_cast<float>(2 * width), 0);
    vertex(0, static_cast<float>(2 * height));
  }
  std::size_t drawn() const { return static_cast<std::size_t>(std::ranges::count(pixels, 0xff0000ffU)); }
};

std::vector<RunOptions> engines() {
  std::vector<RunOptions> list(3);
  list[0].engine = EngineKind::guest;
  list[1].engine = EngineKind::ir;
  list[2].engine = EngineKind::jit;
  return list;
}

#define EXPECT_ERROR(call, wanted_code, wanted_message, wanted_where)                                    \
  do {                                                                                                   \
    const auto result = (call);                                                                          \
    ASSERT_FALSE(result.ok());                                                                           \
    EXPECT_EQ(result.error().code, wanted_code);                                                         \
    EXPECT_NE(result.error().message.find(wanted_message), std::string::npos) << result.error().message; \
    EXPECT_EQ(result.error().where, wanted_where) << result.error().message;                             \
  } while (false)

TEST(PixelLaunch, CallsAreForFragmentPrograms) {
  Launch vertex(tesla_program("exit nop\n", Stage::vertex, [] {
    tesla::GraphicsState state;
    state.vertex_results = {0, 1, 2, 3};
    return state;
  }()));
  constexpr auto kBad = ErrorCode::bad_input;
  const char* const message = "not a fragment program";
  const std::string where = vertex.program().source_name();
  std::array<std::uint32_t, 4> words{};
  EXPECT_ERROR(vertex.set_raster_state({}), kBad, message, where);
  EXPECT_ERROR(vertex.set_output_state({}), kBad, message, where);
  EXPECT_ERROR(vertex.set_target_size(1, 1), kBad, message, where);
  EXPECT_ERROR(vertex.bind_color(0, {}), kBad, message, where);
  EXPECT_ERROR(vertex.bind_depth({}), kBad, message, where);
  EXPECT_ERROR(vertex.bind_vertices({words.data(), 16, 16, 4}), kBad, message, where);
  EXPECT_ERROR(vertex.bind_indices(words), kBad, message, where);
  Draw draw(red());
  EXPECT_TRUE(draw.launch.set_vertex_stage(vertex));
  EXPECT_ERROR(draw.launch.set_vertex_stage(vertex, 1), kBad, "all slots", where);
  EXPECT_ERROR(draw.launch.set_vertex_stage(draw.launch), kBad, "a vertex stage is", where);
  EXPECT_FALSE(draw.launch.bind_constants("c16", words.data(), 16));
  EXPECT_FALSE(draw.launch.bind_constants("g0", words.data(), 16));
  EXPECT_ERROR(draw.launch.bind_constants("c0", nullptr, 16), kBad, "no data", "c0");
  std::vector<std::byte> many((1 << 16) + 1);
  EXPECT_ERROR(draw.launch.bind_constants("c0", many.data(), many.size()), kBad, "at most 65536", "c0");
  EXPECT_TRUE(draw.launch.bind_constants("c0", many.data(), many.size() - 1));
}

TEST(PixelLaunch, StateOutsideItsLimits) {
  Draw draw(red());
  constexpr auto kBad = ErrorCode::bad_input;
  for (const auto& [width, height] :
       {std::pair{100'000U, 100'000U}, {0U, 1U}, {1U, 0U}, {kMaxTargetExtent + 1, 1U}, {1U, ~0U}})
    EXPECT_ERROR(draw.launch.set_target_size(width, height), kBad, std::to_string(width), "target size");
  RasterState raster;
  raster.topology = static_cast<Topology>(6);
  EXPECT_ERROR(draw.launch.set_raster_state(raster), kBad, "topology", "raster state");
  raster = {};
  raster.shade = static_cast<ShadeModel>(2);
  EXPECT_ERROR(draw.launch.set_raster_state(raster), kBad, "shade model", "raster state");
  const auto refused = [&](auto change, const char* message) {
    OutputState output;
    change(output);
    EXPECT_ERROR(draw.launch.set_output_state(output), kBad, message, "output state");
  };
  refused([](OutputState& s) { s.depth.compare = static_cast<Compare>(8); }, "depths");
  refused([](OutputState& s) { s.alpha_compare = static_cast<Compare>(8); }, "alpha");
  refused([](OutputState& s) { s.stencil.back.compare = static_cast<Compare>(8); }, "stencils");
  refused([](OutputState& s) { s.stencil.front.depth_fail = static_cast<StencilOp>(8); }, "stencils");
  refused([](OutputState& s) { s.blend[7].source_alpha = static_cast<BlendFactor>(16); }, "factor");
  refused([](OutputState& s) { s.blend[3].op_alpha = static_cast<BlendOp>(5); }, "operation");
  EXPECT_TRUE(draw.launch.set_output_state({}));

  TargetBuffer target = draw.target();
  EXPECT_ERROR(draw.launch.bind_color(8, target), kBad, "8 colour targets", "colour target 8");
  for (const auto format : {PixelFormat::none, PixelFormat::d32f, static_cast<PixelFormat>(99)}) {
    target.format = format;
    EXPECT_ERROR(draw.launch.bind_color(1, target), kBad, "format of a colour", "colour target 1");
  }
  for (const auto format : {PixelFormat::none, PixelFormat::rgba8, static_cast<PixelFormat>(99)}) {
    target.format = format;
    EXPECT_ERROR(draw.launch.bind_depth(target), kBad, "format of depth", "depth target");
  }
  std::array<std::uint32_t, 200> words{};
  for (const VertexBuffer& vertices :
       {VertexBuffer{words.data(), 800, 16, 3}, VertexBuffer{words.data(), 800, 16, 129},
        VertexBuffer{words.data(), 800, 18, 4}, VertexBuffer{words.data(), 800, (1 << 20) + 4, 4},
        VertexBuffer{reinterpret_cast<std::byte*>(words.data()) + 2, 790, 16, 4}})
    EXPECT_ERROR(draw.launch.bind_vertices(vertices), kBad, "4 to 128 words", "vertices");
}

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

// Of primitives that cover a pixel, the last one's store stays.
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

TEST(PixelLaunch, GroupsWiderThanTheRasterizerMakes) {
  Draw draw(red());
  draw.everything();
  Engine engine;
  engine.state().set_hooks({.parts = 128});  // 512 lanes with NEON
  RunOptions options;
  options.engine = EngineKind::jit;
  const auto report = engine.run(draw.launch, options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->engine, EngineKind::guest) << "no code can be made for them";
  EXPECT_EQ(draw.drawn(), 64u);
}

TEST(PixelLaunch, BuffersThatDoNotHoldWhatIsDrawn) {
  const Engine engine;
  constexpr auto kBad = ErrorCode::bad_input;
  for (const RunOptions& options : engines()) {
    Launch bare(red());
    EXPECT_ERROR(engine.run(bare, options), kBad, "size of the targets is not set", "target size");
    Draw draw(red());
    draw.launch.set_count(3);
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "no vertices", "vertices");
    draw.everything();
    EXPECT_TRUE(engine.run(draw.launch, options));
    draw.launch.set_count(4);
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "room for 3 vertices of 16 bytes", "vertices");
    draw.launch.set_count(std::numeric_limits<std::uint64_t>::max());
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "room for 3 vertices", "vertices");
    draw.launch.set_count(3);
    EXPECT_TRUE(draw.launch.bind_vertices({draw.vertices.data(), 48, 12, 4}));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "are 12 bytes from each other", "vertices");
    EXPECT_TRUE(draw.launch.bind_vertices({draw.vertices.data(), 48, 16, 4}));

    TargetBuffer target = draw.target();
    target.pitch -= 4;
    EXPECT_TRUE(draw.launch.bind_color(0, target));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "32 bytes, more than the pitch, 28",
                 "colour target 0");
    target = draw.target();
    --target.size;
    EXPECT_TRUE(draw.launch.bind_color(0, target));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "needs 256 bytes and has 255", "colour target 0");
    // Sizes that only the claim knows: nothing is allocated for them.
    EXPECT_TRUE(draw.launch.set_target_size(kMaxTargetExtent, kMaxTargetExtent));
    EXPECT_TRUE(draw.launch.bind_color(0, draw.target()));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "65536 bytes", "colour target 0");
    EXPECT_TRUE(draw.launch.set_target_size(8, 8));
    target = draw.target();
    target.format = PixelFormat::d32f;
    EXPECT_TRUE(draw.launch.bind_depth(target));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "overlaps that of colour target 0", "depth target");
    EXPECT_TRUE(draw.launch.bind_depth({}));
    EXPECT_TRUE(engine.run(draw.launch, options));
    draw.launch.set_allow_overlap(true);
    EXPECT_FALSE(engine.run(draw.launch, options));
  }
}

TEST(PixelLaunch, SlotsThatVerticesDoNotHave) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    draw.everything();
    RasterState state;
    state.point_size_slot = 4;
    EXPECT_TRUE(draw.launch.set_raster_state(state));
    EXPECT_FALSE(engine.run(draw.launch, options));
    state.point_size_slot = 0;
    state.distances = {2, 3, 1, 1};
    EXPECT_TRUE(draw.launch.set_raster_state(state));
    EXPECT_FALSE(engine.run(draw.launch, options));
    tesla::GraphicsState reads;
    reads.interpolants = 0x8010401;  // slot 4
    Draw other(tesla_program(kRed, Stage::fragment, reads));
    other.everything();
    EXPECT_FALSE(engine.run(other.launch, options));
  }
}

// The largest size draws where the buffers are that large; here they are one row that all rows share.
TEST(PixelLaunch, TargetsWithoutRowsOfTheirOwn) {
  Draw draw(red());
  TargetBuffer target = draw.target();
  target.pitch = 0;
  EXPECT_TRUE(draw.launch.bind_color(0, target));
  draw.everything();
  const Engine engine;
  EXPECT_ERROR(engine.run(draw.launch), ErrorCode::bad_input, "more than the pitch, 0", "colour target 0");
}

TEST(PixelLaunch, NothingToDraw) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    EXPECT_TRUE(engine.run(draw.launch, options)) << "no vertices";
    draw.everything();
    EXPECT_TRUE(draw.launch.bind_indices({}));
    EXPECT_TRUE(engine.run(draw.launch, options)) << "no indices";
    EXPECT_EQ(draw.drawn(), 0U);
    draw.launch.unbind_indices();
    EXPECT_TRUE(draw.launch.bind_color(0, {}));
    EXPECT_TRUE(engine.run(draw.launch, options)) << "no targets";
    EXPECT_TRUE(draw.launch.bind_color(0, draw.target()));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 64U);
  }
}

TEST(PixelLaunch, VerticesThatAreNoPlaces) {
  const Engine engine;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  for (const RunOptions& options : engines())
    for (const float odd : {kNan, kInf, -kInf, 0.0F, -0.0F, -1.0F, 1e-45F, 3e38F})
      for (unsigned coordinate = 0; coordinate < 4; ++coordinate)
        for (const bool window : {false, true}) {
          Draw draw(red());
          draw.everything();
          draw.vertices[4 + coordinate] = odd;
          RasterState state;
          state.window_positions = window;
          state.viewport_scale = state.viewport_translate = {4, 4, 0.5F};
          EXPECT_TRUE(draw.launch.set_raster_state(state));
          EXPECT_TRUE(engine.run(draw.launch, options));
          if (std::isnan(odd) || (std::isinf(odd) && coordinate != 3)) {
            EXPECT_EQ(draw.drawn(), 0U) << odd << ' ' << coordinate;
          }
        }
}

// 10^9 triangles out of one vertex: they cost no memory, and the run can be cancelled.
TEST(PixelLaunch, HugeDrawsCanBeCancelled) {
  const Engine engine;
  for (RunOptions options : engines()) {
    Draw draw(red());
    draw.vertex(1, 1);
    EXPECT_TRUE(draw.launch.bind_vertices({draw.vertices.data(), 16, 0, 4}));
    draw.launch.set_count(3'000'000'000);
    std::atomic<std::uint32_t> cancel{0};
    options.cancel = &cancel;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      cancel = 1;
    });
    EXPECT_ERROR(engine.run(draw.launch, options), ErrorCode::cancelled, "cancelled", "");
    later.join();
    EXPECT_EQ(draw.drawn(), 0U);
  }
}

// The same where each triangle covers all of the target.
TEST(PixelLaunch, LongDrawsCanBeCancelled) {
  const Engine engine;
  for (RunOptions options : engines()) {
    Draw draw(red(), 256, 256);
    draw.everything();
    std::vector<std::uint32_t> indices(3 * 200'000);
    for (std::size_t n = 0; n < indices.size(); ++n) indices[n] = static_cast<std::uint32_t>(n % 3);
    EXPECT_TRUE(draw.launch.bind_indices(indices));
    std::atomic<std::uint32_t> cancel{0};
    options.cancel = &cancel;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      cancel = 1;
    });
    EXPECT_ERROR(engine.run(draw.launch, options), ErrorCode::cancelled, "cancelled", "");
    later.join();
  }
}

TEST(PixelLaunch, IndicesOutsideTheVertices) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    draw.everything();
    EXPECT_TRUE(draw.launch.bind_indices(std::vector<std::uint32_t>{0, 1, 3, 0, ~0U, 2}));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 0U);
    EXPECT_TRUE(draw.launch.bind_indices(std::vector<std::uint32_t>{0, 1, 3, 0, 1, 2}));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 64U);
  }
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

// Registers that no program writes are 0; so are the colours.
TEST(PixelLaunch, ResultsThatAreNeverWritten) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(tesla_program(".registers 2\nexit nop\n", Stage::fragment));
    draw.everything();
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(std::ranges::count(draw.pixels, 0U), 64);
  }
}

TEST(PixelLaunch, AVertexStageWithoutPositionsOrWithTooManyVertices) {
  tesla::GraphicsState state;
  state.vertex_results = {0, 1, 2, 3};
  Launch vertex(tesla_program("exit nop\n", Stage::vertex, state));
  vertex.set_count(std::uint64_t{1} << 40);
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    EXPECT_TRUE(draw.launch.set_vertex_stage(vertex));
    const auto report = engine.run(draw.launch, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::resource_limit);
  }
}

// A triangle over whole tiles, once with results that replace all there was, and with masks, blending, tests
// and discards that keep some of it.
TEST(PixelLaunch, WhatATriangleOverAllOfATileLeaves) {
  const std::string discard =
      ".registers 4\ninterp $r2 v[0x0]\nmov b32 $r0 40.0\nset $c0 # l f32 $r2 $r0\nmov b32 $r0 1.0\nmov b32 "
      "$r1 0\n"
      "(lg $c0) discard\nmov b32 $r2 0\nmov b32 $r3 1.0\nexit nop\n";
  const Program programs[] = {red(), tesla_program(discard, Stage::fragment, reads_x())};
  for (const Program& program : programs)
    for (unsigned kind = 0; kind < 4; ++kind) {
      std::vector<std::uint32_t> expected;
      for (const RunOptions& options : engines()) {
        Draw draw(program, 150, 140);
        OutputState state;
        if (kind == 1) state.blend[0].write_mask = 0b1001;
        if (kind == 2) {
          state.blend[0].enabled = true;
          state.blend[0].target = BlendFactor::one;
        }
        if (kind == 3) {
          state.alpha_test = true;
          state.alpha_compare = Compare::less;
        }
        EXPECT_TRUE(draw.launch.set_output_state(state));
        draw.everything();
        const Engine engine;
        const auto report = engine.run(draw.launch, options);
        ASSERT_TRUE(report) << to_string(report.error());
        if (expected.empty()) {
          expected = draw.pixels;
          if (kind == 0 && &program == &programs[0]) {
            EXPECT_EQ(draw.drawn(), draw.pixels.size());
          }
        }
        EXPECT_TRUE(draw.pixels == expected) << kind << ' ' << static_cast<int>(options.engine);
      }
    }
}

// More primitives than a batch holds; those in the last one alone have a 1/w other than 1.
TEST(PixelLaunch, PerspectiveThatBeginsLate) {
  tesla::GraphicsState state;
  state.interpolants = 0x8000400;
  const Program program = tesla_program(
      ".registers 4\ninterp $r0 v[0x0]\nmov b32 $r1 0\nmov b32 $r2 0\nmov b32 $r3 1.0\nexit nop\n",
      Stage::fragment, state);
  std::vector<std::uint32_t> expected;
  for (const RunOptions& options : engines()) {
    Draw draw(program);
    constexpr std::uint32_t kSmall = 40000;
    const float corners[6][2] = {{0, 0}, {2, 0}, {0, 2}, {2, 2}, {30, 2}, {2, 30}};
    for (std::uint32_t n = 0; n < 3 * (kSmall + 1); ++n) {
      const auto& corner = corners[n < 3 * kSmall ? n % 3 : 3 + n % 3];
      draw.vertices.insert(draw.vertices.end(), {corner[0], corner[1], 0, n < 3 * kSmall ? 1.0F : 0.5F});
    }
    draw.launch.set_count(draw.vertices.size() / 4);
    ASSERT_TRUE(draw.launch.bind_vertices({draw.vertices.data(), draw.vertices.size() * 4, 16, 4}));
    const Engine engine;
    const auto report = engine.run(draw.launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    if (expected.empty()) expected = draw.pixels;
    EXPECT_TRUE(draw.pixels == expected) << static_cast<int>(options.engine);
  }
  EXPECT_EQ(expected[0], 0xff0000ffU);
  EXPECT_EQ(expected[5 * 8 + 5], 0xff000080U);
}

}  // namespace
}  // namespace warpjit::test
