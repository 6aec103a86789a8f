// Draws of points whose targets say which vertex, instance and primitive each pixel is of.
#pragma once

#include <algorithm>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/shader.h"
#include "runtime/shaders.h"

namespace warpjit::test {

inline constexpr std::uint32_t kSide = 8;

inline Program graphics_program(const std::string& type, const std::string& source,
                                const tesla::GraphicsState& state) {
  auto container = tesla::assemble(".type " + type + "\n" + source, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  container->programs[0].graphics = state;
  auto shader = tesla::Shader::make(std::move(container->programs[0]));
  EXPECT_TRUE(shader) << to_string(shader.error());
  return Program(*shader);
}

// The pixel of a point, its centre in clip coordinates.
inline float center(std::uint32_t pixel) { return (static_cast<float>(pixel) + 0.5F) / kSide; }

using Pixel = std::array<std::uint32_t, 4>;

// Points at a0 + a1; slots 4 and 5 are the ids of vertex and instance, which the targets get with the number
// of the primitive.
struct PointDraw {
  std::vector<float> places, offsets;
  std::vector<Pixel> pixels = std::vector<Pixel>(kSide * kSide);
  Launch vertex, launch;

  PointDraw() : vertex(vertex_program()), launch(fragment_program()) {
    EXPECT_TRUE(launch.set_target_size(kSide, kSide));
    EXPECT_TRUE(launch.bind_color(
        0, {pixels.data(), pixels.size() * sizeof(Pixel), kSide * sizeof(Pixel), PixelFormat::rgba32ui}));
    RasterState raster;
    raster.topology = Topology::points;
    raster.viewport_scale = {kSide, kSide, 0.5F};
    raster.viewport_translate = {0, 0, 0.5F};
    EXPECT_TRUE(launch.set_raster_state(raster));
  }

  static Program vertex_program() {
    tesla::GraphicsState state;
    state.attributes = {0x33, 0};
    state.builtin_attributes = 0x11;
    state.vertex_results = {0, 1, 0x40, 0x41, 4, 5, 0x40};
    return graphics_program(
        "vertex",
        "ld b32 $r0 a[0x0]\nld b32 $r1 a[0x4]\nld b32 $r2 a[0x8]\nld b32 $r3 a[0xc]\n"
        "add rn f32 $r0 $r0 $r2\nadd rn f32 $r1 $r1 $r3\nst b32 o[0x0] $r0\nst b32 o[0x4] $r1\n"
        "ld b32 $r4 a[0x10]\nld b32 $r5 a[0x14]\nst b32 o[0x10] $r4\nst b32 o[0x14] $r5\n"
        "exit nop\n",
        state);
  }
  static Program fragment_program() {
    tesla::GraphicsState state;
    state.interpolants = 0x8000403;
    state.primitive_id_slot = 6;
    return graphics_program("fragment",
                            "interp $r0 flat v[0x4]\ninterp $r1 flat v[0x8]\ninterp $r2 flat v[0xc]\n"
                            "mov b32 $r3 0x1\nexit nop\n",
                            state);
  }

  // Vertex n in column n % 8 of row 0; offset m goes to row m % 8.
  void place(std::uint32_t vertices, std::uint32_t rows, std::uint32_t divisor) {
    for (std::uint32_t n = 0; n < vertices; ++n) places.insert(places.end(), {center(n % kSide), center(0)});
    for (std::uint32_t m = 0; m < rows; ++m)
      offsets.insert(offsets.end(), {0, static_cast<float>(m % kSide) / kSide});
    EXPECT_TRUE(vertex.bind_input("a0", {places.data(), places.size() * 4, 8, f32x2}));
    EXPECT_TRUE(vertex.bind_input("a1", {offsets.data(), offsets.size() * 4, 8, f32x2, divisor}));
    EXPECT_TRUE(vertex.set_count(vertices));
    EXPECT_TRUE(launch.set_vertex_stage(vertex));
  }

  Result<Report> run(const Engine& engine, const RunOptions& options) {
    std::ranges::fill(pixels, Pixel{});
    return engine.run(launch, options);
  }
};

}  // namespace warpjit::test
