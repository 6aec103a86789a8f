// Launches over pixels through the public API: what is refused and how, and input that is hostile or odd.
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "runtime/pixel_launch.h"

namespace warpjit::test {
namespace {

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
  EXPECT_ERROR(vertex.set_indices(words), kBad, message, where);
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
    EXPECT_TRUE(draw.launch.set_count(3));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "no vertices", "vertices");
    draw.everything();
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_TRUE(draw.launch.set_count(4));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "room for 3 vertices of 16 bytes", "vertices");
    EXPECT_TRUE(draw.launch.set_count(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_ERROR(engine.run(draw.launch, options), kBad, "room for 3 vertices", "vertices");
    EXPECT_TRUE(draw.launch.set_count(3));
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
    EXPECT_ERROR(draw.launch.set_allow_overlap(true), kBad, "this is a fragment program", "");
  }
}

TEST(PixelLaunch, MissingVertexSlots) {
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
    EXPECT_TRUE(draw.launch.set_indices({}));
    EXPECT_TRUE(engine.run(draw.launch, options)) << "no indices";
    EXPECT_EQ(draw.drawn(), 0U);
    draw.launch.unset_indices();
    EXPECT_TRUE(draw.launch.bind_color(0, {}));
    EXPECT_TRUE(engine.run(draw.launch, options)) << "no targets";
    EXPECT_TRUE(draw.launch.bind_color(0, draw.target()));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 64U);
  }
}

TEST(PixelLaunch, VerticesWithoutAPlace) {
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

// Cancels a run while it draws.
void expect_cancelled(const Engine& engine, const Draw& draw, RunOptions options) {
  std::atomic<std::uint32_t> cancel{0};
  options.cancel = &cancel;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancel = 1;
  });
  // Between two parts of the work, or within a program, which the error then names.
  const auto report = engine.run(draw.launch, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled) << to_string(report.error());
}

// 10^9 triangles out of one vertex: they cost no memory, and the run can be cancelled.
TEST(PixelLaunch, HugeDrawsCanBeCancelled) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    draw.vertex(1, 1);
    EXPECT_TRUE(draw.launch.bind_vertices({draw.vertices.data(), 16, 0, 4}));
    EXPECT_TRUE(draw.launch.set_count(3'000'000'000));
    expect_cancelled(engine, draw, options);
    EXPECT_EQ(draw.drawn(), 0U);
  }
}

// The same where each triangle covers all of the target.
TEST(PixelLaunch, LongDrawsCanBeCancelled) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red(), 256, 256);
    draw.everything();
    std::vector<std::uint32_t> indices(3 * 200'000);
    for (std::size_t n = 0; n < indices.size(); ++n) indices[n] = static_cast<std::uint32_t>(n % 3);
    EXPECT_TRUE(draw.launch.set_indices(indices));
    expect_cancelled(engine, draw, options);
  }
}

TEST(PixelLaunch, IndicesOutsideTheVertices) {
  const Engine engine;
  for (const RunOptions& options : engines()) {
    Draw draw(red());
    draw.everything();
    EXPECT_TRUE(draw.launch.set_indices(std::vector<std::uint32_t>{0, 1, 3, 0, ~0U, 2}));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 0U);
    EXPECT_TRUE(draw.launch.set_indices(std::vector<std::uint32_t>{0, 1, 3, 0, 1, 2}));
    EXPECT_TRUE(engine.run(draw.launch, options));
    EXPECT_EQ(draw.drawn(), 64U);
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

TEST(PixelLaunch, VertexStageWithoutPositionsOrWithTooManyVertices) {
  tesla::GraphicsState state;
  state.vertex_results = {0, 1, 2, 3};
  Launch vertex(tesla_program("exit nop\n", Stage::vertex, state));
  EXPECT_TRUE(vertex.set_count(std::uint64_t{1} << 40));
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
TEST(PixelLaunch, TrianglesOverWholeTiles) {
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
TEST(PixelLaunch, PerspectiveOnlyInTheLastBatch) {
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
    EXPECT_TRUE(draw.launch.set_count(draw.vertices.size() / 4));
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
