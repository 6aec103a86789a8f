// Draws in window coordinates by fragment programs of a few lines, and the engines that run them.
#pragma once

#include "frontend/tesla/assembly/assemble.h"
#include "runtime/shaders.h"

namespace warpjit::test {

inline Program tesla_program(const std::string& source, Stage stage, const tesla::GraphicsState& state = {}) {
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

inline constexpr const char* kRed =
    ".registers 4\nmov b32 $r0 1.0\nmov b32 $r1 0\nmov b32 $r2 0\nmov b32 $r3 1.0\nexit nop\n";
inline Program red() { return tesla_program(kRed, Stage::fragment); }

// v[0] is x of the pixel's centre.
inline tesla::GraphicsState reads_x() {
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
    EXPECT_TRUE(launch.set_count(vertices.size() / 4));
    EXPECT_TRUE(launch.bind_vertices({vertices.data(), vertices.size() * 4, 16, 4}));
  }
  void everything() {
    vertex(0, 0);
    vertex(static_cast<float>(2 * width), 0);
    vertex(0, static_cast<float>(2 * height));
  }
  std::size_t drawn() const { return static_cast<std::size_t>(std::ranges::count(pixels, 0xff0000ffU)); }
};

inline std::vector<RunOptions> engines() {
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

}  // namespace warpjit::test
