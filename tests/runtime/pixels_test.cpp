// Draws whose targets say which vertex, instance and primitive each pixel is of, on every engine.
#include <algorithm>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/shader.h"
#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

constexpr std::uint32_t kSide = 8;

Program graphics_program(const std::string& type, const std::string& source,
                         const tesla::GraphicsState& state) {
  auto container = tesla::assemble(".type " + type + "\n" + source, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  container->programs[0].graphics = state;
  auto shader = tesla::Shader::make(std::move(container->programs[0]));
  EXPECT_TRUE(shader) << to_string(shader.error());
  return Program(*shader);
}

// The pixel of a point, its centre in clip coordinates.
float center(std::uint32_t pixel) { return (static_cast<float>(pixel) + 0.5F) / kSide; }

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
    vertex.set_count(vertices);
    EXPECT_TRUE(launch.set_vertex_stage(vertex));
  }

  Result<Report> run(const Engine& engine, const RunOptions& options) {
    std::ranges::fill(pixels, Pixel{});
    return engine.run(launch, options);
  }
};

TEST(PixelDraws, InstancesAreDrawnInOrder) {
  const Engine engine;
  struct Case {
    std::uint32_t vertices, instances, divisor;
    bool indexed = false, with_ids = false;
  };
  for (const Case& c : {Case{3, 5, 2}, Case{3, 5, 2, true}, Case{3, 7, 1, false, true}, Case{1, 1, 3},
                        Case{60, 1200, 200}, Case{40000, 3, 2}, Case{3, 0, 1}, Case{2, 1, 1, false, true}}) {
    PointDraw draw;
    const std::uint32_t rows = c.instances == 0 ? 1 : (c.instances - 1) / c.divisor + 1;
    std::vector<std::array<std::uint32_t, 2>> ids;
    if (c.with_ids)
      for (std::uint32_t n = 0; n < c.vertices; ++n) ids.push_back({100 + n, 7});
    if (c.with_ids) EXPECT_TRUE(draw.vertex.bind_input("id", {ids.data(), ids.size() * 8, 8, f32x2}));
    draw.place(c.vertices, rows, c.divisor);
    EXPECT_TRUE(draw.launch.set_instances(c.instances));
    std::vector<std::uint32_t> order;
    for (std::uint32_t n = 0; n < c.vertices; ++n) order.push_back(c.indexed ? c.vertices - 1 - n : n);
    if (c.indexed) EXPECT_TRUE(draw.launch.bind_indices(order));

    std::vector<Pixel> expected(draw.pixels.size());
    for (std::uint32_t i = 0; i < c.instances; ++i)
      for (std::uint32_t n = 0; n < c.vertices; ++n)
        expected[i / c.divisor % kSide * kSide + order[n] % kSide] = {order[n] + (c.with_ids ? 100 : 0),
                                                                      i + (c.with_ids ? 7 : 0), n, 1};
    for (const Way& way : all_ways(engine)) {
      const auto report = draw.run(engine, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_TRUE(draw.pixels == expected) << way.name << ": " << c.vertices << " x " << c.instances;
    }
  }
}

TEST(PixelDraws, RowsOfInstancesLieInTheirBuffer) {
  const Engine engine;
  PointDraw draw;
  draw.place(4, 2, 3);
  EXPECT_TRUE(draw.launch.set_instances(6));
  EXPECT_TRUE(draw.run(engine, {}));
  EXPECT_TRUE(draw.launch.set_instances(7));
  const auto report = draw.run(engine, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::bad_input);
  EXPECT_EQ(report.error().where, "input a1");
  EXPECT_FALSE(draw.vertex.set_instances(2));
}

// A launch over rows is instance 0.
TEST(PixelDraws, WithoutADrawThereIsOneInstance) {
  const Engine engine;
  PointDraw draw;
  draw.place(5, 1, 1);
  std::vector<std::array<std::uint32_t, 4>> slots(5);
  EXPECT_TRUE(draw.vertex.bind_output("slots1", {slots.data(), slots.size() * 16, 16, f32x4}));
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(draw.vertex, way.options);
    ASSERT_TRUE(report) << to_string(report.error());
  }
}

}  // namespace
}  // namespace warpjit::test
