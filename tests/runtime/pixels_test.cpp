// Draws whose targets say which vertex, instance and primitive each pixel is of, on every engine.
#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "runtime/point_draw.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

TEST(PixelDraws, InstancesAreDrawnInOrder) {
  const Engine engine;
  struct Case {
    std::uint32_t vertices, instances, divisor;
    bool indexed = false, with_ids = false;
  };
  for (const Case& c : {Case{3, 5, 2}, Case{3, 5, 2, true}, Case{3, 7, 1, false, true}, Case{1, 1, 3},
                        Case{60, 1200, 200}, Case{40000, 3, 2}, Case{3, 0, 1}, Case{2, 1, 1, false, true}}) {
    if (std::uint64_t{c.vertices} * c.instances > share(1'000'000)) continue;
    PointDraw draw;
    const std::uint32_t rows = c.instances == 0 ? 1 : (c.instances - 1) / c.divisor + 1;
    std::vector<std::array<std::uint32_t, 2>> ids;
    if (c.with_ids)
      for (std::uint32_t n = 0; n < c.vertices; ++n) ids.push_back({100 + n, 7});
    if (c.with_ids) {
      EXPECT_TRUE(draw.vertex.bind_input("id", {ids.data(), ids.size() * 8, 8, f32x2}));
    }
    draw.place(c.vertices, rows, c.divisor);
    EXPECT_TRUE(draw.launch.set_instances(c.instances));
    std::vector<std::uint32_t> order;
    for (std::uint32_t n = 0; n < c.vertices; ++n) order.push_back(c.indexed ? c.vertices - 1 - n : n);
    if (c.indexed) {
      EXPECT_TRUE(draw.launch.set_indices(order));
    }

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

// Input primitives with vertex ids i, j, k: points at vertex n's place, row n, for the vertices in the order
// of the primitive. Slot 4 is the vertex, 5 what a[0x18] says, 6 the primitive number as the rasterizer knows
// it.
constexpr char kToPoints[] =
    "ld b32 $r5 a[0x18]\nst b32 o[0x14] $r5\nmov b32 $r3 0x3f800000\nmov b32 $r2 0x0\n"
    "st b32 o[0x8] $r2\nst b32 o[0xc] $r3\n"
    "shl $a1 a[0x0] 0x0\nmov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\nmov b32 o[0x10] "
    "p[$a1+0x10]\nemit\n"
    "shl $a1 a[0x4] 0x0\nmov b32 $r1 p[$a1+0x4]\nmov b32 $r6 0x3e000000\nadd rn f32 $r1 $r1 $r6\n"
    "mov b32 o[0x0] p[$a1]\nst b32 o[0x4] $r1\nmov b32 o[0x10] p[$a1+0x10]\nemit\n"
    "shl $a1 a[0x8] 0x0\nmov b32 $r1 p[$a1+0x4]\nmov b32 $r6 0x3e800000\nadd rn f32 $r1 $r1 $r6\n"
    "mov b32 o[0x0] p[$a1]\nst b32 o[0x4] $r1\nmov b32 o[0x10] p[$a1+0x10]\nemit\nexit nop\n";

Launch points_of_triangles() {
  tesla::GraphicsState state;
  state.geometry_results = {0, 1, 2, 3, 4, 5, 0x80};
  state.geometry_output = 1;
  state.geometry_vertices = 3;
  return Launch(graphics_program("geometry", kToPoints, state));
}

TEST(PixelDraws, GeometryProgramsSeePrimitivesInOrder) {
  const Engine engine;
  PointDraw draw;
  draw.place(6, 2, 1);
  EXPECT_TRUE(draw.launch.set_geometry_stage(points_of_triangles()));
  EXPECT_TRUE(draw.launch.set_instances(2));
  const std::vector<std::uint32_t> indices{0, 1, 2, 9, 3, 4, 5};
  for (const bool indexed : {false, true}) {
    RasterState raster;
    raster.topology = Topology::triangle_strip;
    raster.viewport_scale = {kSide, kSide, 0.5F};
    raster.viewport_translate = {0, 0, 0.5F};
    EXPECT_TRUE(draw.launch.set_raster_state(raster));
    if (indexed) {
      EXPECT_TRUE(draw.launch.set_indices(indices));
    }
    std::vector<Pixel> expected(draw.pixels.size());
    for (std::uint32_t instance = 0; instance < 2; ++instance)
      for (std::uint32_t i = 0; i < (indexed ? 5 : 4); ++i) {
        std::array<std::uint32_t, 3> corners{i, i + 1, i + 2};
        if (i % 2 != 0) std::swap(corners[0], corners[1]);
        if (indexed)
          for (std::uint32_t& corner : corners) corner = indices[corner];
        if (std::ranges::count(corners, 9U) != 0) continue;
        for (std::uint32_t n = 0; n < 3; ++n)
          expected[(instance + n) * kSide + corners[n]] = {corners[n], i, i, 1};
      }
    for (const Way& way : all_ways(engine)) {
      const auto report = draw.run(engine, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_TRUE(draw.pixels == expected) << way.name << indexed;
      EXPECT_EQ(report->invocations, indexed ? 4U : 8U);
      EXPECT_EQ(report->interpreted_because, "");
    }
  }
  draw.launch.unset_geometry_stage();
  EXPECT_EQ(draw.run(engine, {})->invocations, 0U);
}

// Strips of triangles: each covers pixels of its own, whose target says the vertex that gives the flat words.
TEST(PixelDraws, StripsRestart) {
  // A point makes two strips of 5 and 4 vertices, in columns of two pixels; slot 4 counts the vertices.
  std::string source = "mov b32 $r3 0x3f800000\nmov b32 $r2 0x0\nst b32 o[0x8] $r2\nst b32 o[0xc] $r3\n";
  const auto emit = [&](float x, float y, std::uint32_t number) {
    source += "mov b32 $r0 " + std::to_string(std::bit_cast<std::uint32_t>(x)) + "\nmov b32 $r1 " +
              std::to_string(std::bit_cast<std::uint32_t>(y)) + "\nmov b32 $r4 " + std::to_string(number) +
              "\nst b32 o[0x0] $r0\nst b32 o[0x4] $r1\nst b32 o[0x10] $r4\nemit\n";
  };
  for (std::uint32_t n = 0; n < 5; ++n) emit(static_cast<float>(n / 2) / 4, n % 2 == 0 ? 0.0F : 0.25F, n);
  source += "restart\nrestart\n";
  for (std::uint32_t n = 0; n < 4; ++n)
    emit(static_cast<float>(n / 2) / 4, n % 2 == 0 ? 0.5F : 0.75F, 10 + n);
  tesla::GraphicsState state;
  state.geometry_results = {0, 1, 2, 3, 4, 0x80, 0x80};
  state.geometry_vertices = 9;
  const Engine engine;
  PointDraw draw;
  draw.place(1, 1, 1);
  EXPECT_TRUE(
      draw.launch.set_geometry_stage(Launch(graphics_program("geometry", source + "exit nop\n", state))));
  for (const bool last : {false, true})
    for (const bool positive : {false, true}) {
      RasterState raster;
      raster.topology = Topology::points;
      raster.viewport_scale = {kSide, kSide, 0.5F};
      raster.viewport_translate = {0, 0, 0.5F};
      raster.positive_is_front = positive;
      raster.cull_back = true;  // all triangles of a strip face the same way
      raster.provoking_last = last;
      EXPECT_TRUE(draw.launch.set_raster_state(raster));
      std::vector<std::vector<std::uint32_t>> seen;
      for (const Way& way : all_ways(engine)) {
        const auto report = draw.run(engine, way.options);
        ASSERT_TRUE(report) << to_string(report.error());
        std::vector<std::uint32_t> vertices;
        for (const Pixel& pixel : draw.pixels)
          if (pixel[3] != 0) vertices.push_back(pixel[0]);
        std::ranges::sort(vertices);
        const auto end = std::unique(vertices.begin(), vertices.end());
        vertices.erase(end, vertices.end());
        seen.push_back(vertices);
      }
      const std::vector<std::uint32_t> all =
          last ? std::vector<std::uint32_t>{2, 3, 4, 12, 13} : std::vector<std::uint32_t>{0, 1, 2, 10, 11};
      for (const auto& vertices : seen)
        EXPECT_EQ(vertices, vertices.empty() ? vertices : all) << last << positive;
      EXPECT_TRUE(std::ranges::count(seen, seen[0]) == static_cast<std::ptrdiff_t>(seen.size()));
      EXPECT_EQ(seen[0].empty(), positive);
    }
}

// The words that SEMANTIC_COLOR names, front and back, come from the provoking vertex although the program
// interpolates them and multiplies by w; others are interpolated still.
TEST(PixelDraws, FlatShadeModel) {
  tesla::GraphicsState state;
  state.interpolants = 0x8030403;             // 1/w, slots 4 to 6
  state.color_slots = 1U << 16 | 7 << 8 | 4;  // slot 4, and slot 7 on the back
  state.two_sided = true;
  const Program program =
      graphics_program("fragment",
                       "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
                       "interp $r2 v[0x4]\nmov b32 $r3 0x3f800000\nexit nop\n",
                       state);
  const auto report_of = [&](Topology topology, bool last, bool front, std::uint32_t& flat,
                             std::set<std::uint32_t>& others, const Engine& engine,
                             const RunOptions& options) {
    constexpr std::uint32_t kSlots = 8;
    // w is 1, 2, 4: the vertices' colours are 3, 5, 7 in front and 30, 50, 70 on the back.
    const float words[][kSlots] = {
        {-1, -1, 0, 1, 3, 1, 0, 30}, {6, -2, 0, 2, 5, 2, 0, 50}, {-4, 12, 0, 4, 7, 3, 0, 70}};
    std::vector<std::array<float, 4>> pixels(64);
    Launch launch(program);
    EXPECT_TRUE(launch.set_target_size(8, 8));
    EXPECT_TRUE(launch.bind_color(0, {pixels.data(), pixels.size() * 16, 8 * 16, PixelFormat::rgba32f}));
    RasterState raster;
    raster.topology = topology;
    raster.viewport_scale = {4, 4, 0.5F};
    raster.viewport_translate = {4, 4, 0.5F};
    raster.point_size = raster.line_width = 3;
    raster.provoking_last = last;
    raster.positive_is_front = front;
    raster.shade = ShadeModel::flat;
    EXPECT_TRUE(launch.set_raster_state(raster));
    EXPECT_TRUE(launch.bind_vertices({words, sizeof words, kSlots * 4, kSlots}));
    EXPECT_TRUE(launch.set_count(topology == Topology::lines ? 2 : topology == Topology::points ? 1 : 3));
    const auto report = engine.run(launch, options);
    ASSERT_TRUE(report) << to_string(report.error());
    flat = 0;
    for (const auto& pixel : pixels) {
      if (pixel[3] == 0) continue;
      const auto color = static_cast<std::uint32_t>(std::lround(pixel[0]));
      EXPECT_NEAR(pixel[0], static_cast<float>(color), 1e-4F);
      EXPECT_TRUE(flat == 0 || flat == color) << flat << " and " << color;
      flat = color;
      others.insert(std::bit_cast<std::uint32_t>(pixel[1]));
    }
  };
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    std::uint32_t flat = 0;
    std::set<std::uint32_t> others;
    report_of(Topology::triangles, true, true, flat, others, engine, way.options);
    EXPECT_EQ(flat, 7U) << way.name;
    EXPECT_GT(others.size(), 20U);
    report_of(Topology::triangles, false, true, flat, others, engine, way.options);
    EXPECT_EQ(flat, 3U) << way.name;
    report_of(Topology::triangles, true, false, flat, others, engine, way.options);
    EXPECT_EQ(flat, 70U) << way.name;
    report_of(Topology::lines, true, true, flat, others, engine, way.options);
    EXPECT_EQ(flat, 5U) << way.name;
    report_of(Topology::points, true, true, flat, others, engine, way.options);
    EXPECT_EQ(flat, 3U) << way.name;
  }
}

TEST(PixelDraws, ReportsCountPrimitives) {
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    PointDraw draw;
    draw.place(9, 1, 1);
    draw.places[2] = 50;  // outside of the view volume
    draw.places[4] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::uint32_t> indices = {0, 1, 2, 3, 9, 10, 4};
    EXPECT_TRUE(draw.launch.set_indices(indices));
    const auto report = draw.run(engine, way.options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->draw.primitives, 7U) << way.name;
    EXPECT_EQ(report->draw.missing, 2U) << way.name;
    EXPECT_EQ(report->draw.not_finite, 1U) << way.name;
    EXPECT_EQ(report->draw.outside, 1U) << way.name;
    EXPECT_EQ(report->draw.covered, report->engine == EngineKind::guest ? 3U : 0U) << way.name;
  }
}

TEST(PixelDraws, GeometryProgramsBelongToDraws) {
  const Engine engine;
  Launch alone = points_of_triangles();
  const auto report = engine.run(alone);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "this geometry program runs in draws: set_geometry_stage");
  EXPECT_FALSE(engine.compile(alone));
  PointDraw draw;
  EXPECT_FALSE(draw.launch.set_geometry_stage(draw.vertex));
  EXPECT_FALSE(alone.set_geometry_stage(alone));
}

// Slots 4 to 6 of a point of 4 pixels at (3.25, 4) are its coordinates and 1.
TEST(PixelDraws, PointsHaveCoordinates) {
  tesla::GraphicsState state;
  state.interpolants = 0x8040404;
  state.noperspective[0] = 0x40;  // slot 6
  state.point_sprites = true;
  const char* source =
      "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
      "interp $r2 v[0xc]\ninterp $r3 v[0x10] $r4\nexit nop\n";
  // x, y, z, w; then what points do not show, or (the last word) do.
  const std::vector<float> vertices{3.25F / kSide * 2, 1, 0, 2, 9, 9, 9, 5};
  const Engine engine;
  for (const bool upper : {false, true}) {
    state.point_coordinates[0] = 0x1u << 16 | 0x2u << 20 | 0x4u << 24;  // s, t, 1, the slot
    state.point_upper_left = upper;
    Launch launch(graphics_program("fragment", source, state));
    std::vector<std::array<float, 4>> pixels(kSide * kSide);
    EXPECT_TRUE(launch.set_target_size(kSide, kSide));
    EXPECT_TRUE(launch.bind_color(0, {pixels.data(), pixels.size() * 16, kSide * 16, PixelFormat::rgba32f}));
    RasterState raster;
    raster.topology = Topology::points;
    raster.point_size = 4;
    raster.viewport_scale = {kSide, kSide, 0.5F};
    raster.viewport_translate = {0, 0, 0.5F};
    EXPECT_TRUE(launch.set_raster_state(raster));
    EXPECT_TRUE(launch.bind_vertices({vertices.data(), vertices.size() * 4, 32, 8}));
    EXPECT_TRUE(launch.set_count(1));
    for (const Way& way : all_ways(engine)) {
      std::ranges::fill(pixels, std::array<float, 4>{});
      const auto report = engine.run(launch, way.options);
      ASSERT_TRUE(report) << to_string(report.error());
      unsigned covered = 0;
      for (std::uint32_t y = 0; y < kSide; ++y)
        for (std::uint32_t x = 0; x < kSide; ++x) {
          const auto& pixel = pixels[y * kSide + x];
          if (pixel == std::array<float, 4>{}) continue;
          ++covered;
          const float s = (static_cast<float>(x) + 0.5F - 1.25F) / 4;
          const float t = (static_cast<float>(y) + 0.5F - 2) / 4;
          EXPECT_EQ(pixel, (std::array{s, upper ? t : 1 - t, 1.0F, 5.0F})) << way.name << x << ", " << y;
        }
      EXPECT_EQ(covered, 16U) << way.name;
    }
  }
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
