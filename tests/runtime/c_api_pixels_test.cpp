// The C interface over pixels: a draw has the bits of the C++ interface, and what is wrong is refused.
#include <algorithm>
#include <vector>

#include "runtime/c_api.h"
#include "runtime/shaders.h"
#include "warpjit/pixels.h"
#include "warpjit/tesla.h"
#include "warpjit/tesla.hpp"

namespace warpjit::test {
namespace {

constexpr const char* kSource =
    ".kernel passes\n.type vertex\n.attributes 0x7f\n.results 0 1 2 3 4 5 6\n.registers 1\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nexit nop\n"
    ".kernel shades\n.type fragment\n.interpolants 0x8030403\n.registers 5\n"
    "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "interp $r2 v[0xc] $r4\nmov b32 $r3 0.5\nexit nop\n";
constexpr std::uint32_t kWidth = 40, kHeight = 30;
// Two triangles; position and colour.
constexpr float kCorners[] = {-0.9F, -0.8F, 0.1F, 1, 1, 0, 0, 0.9F, -0.7F, 0.3F, 2, 0, 1, 0,
                              0.2F,  0.9F,  0.2F, 1, 0, 0, 1, -1,   1,     0.4F, 1, 1, 1, 0};
constexpr std::uint32_t kIndices[] = {0, 1, 2, 0, 2, 3};

struct Targets {
  std::vector<std::uint32_t> color = std::vector<std::uint32_t>(kWidth * kHeight, 0x40302010);
  std::vector<std::uint32_t> depth = std::vector<std::uint32_t>(kWidth * kHeight, 0x07ffffff);
  bool operator==(const Targets&) const = default;
};

// `newer`: with all that came later.
RasterState raster(bool newer) {
  RasterState state;
  state.viewport_scale = {kWidth / 2.0F, kHeight / 2.0F, 0.5F};
  state.viewport_translate = {kWidth / 2.0F, kHeight / 2.0F, 0.5F};
  state.scissor = {2, 3, 33, 25};
  state.clip_far = false;
  if (newer) {
    state.depth_bias = {-2000, -1, -0.25F};
    state.depth_bounds = {0.25F, 0.75F};
    state.sample_point = {32, 200};
  }
  return state;
}
OutputState output(bool newer) {
  OutputState state;
  state.depth.test = true;
  state.stencil.test = true;
  state.stencil.front.pass = state.stencil.back.pass = StencilOp::increment_wrap;
  state.stencil.back.reference = 3;
  state.blend[0] = {true,
                    BlendFactor::source_alpha,
                    BlendFactor::one_minus_constant_color,
                    BlendFactor::one,
                    BlendFactor::zero,
                    BlendOp::add,
                    BlendOp::max,
                    7};
  state.blend[0].bytes = true;
  state.blend_constant = {0.25F, 0.5F, 0.75F, 1};
  state.alpha_test = true;
  state.alpha_compare = Compare::greater;
  state.alpha_reference = 0.25F;
  if (newer) {
    state.early_tests = state.blend[0].mixed = true;
    state.blend[0].mix = {BlendMix::Add::target,      true, BlendMix::Multiply::source_plus_target, false,
                          BlendMix::By::twice_source, false};
    state.blend[0].mix_alpha = {BlendMix::Add::source,  false, BlendMix::Multiply::source_minus_target, true,
                                BlendMix::By::constant, true};
    state.blend[0].write_mask = 15;
  }
  return state;
}

Targets drawn_in_cpp(bool newer) {
  Targets targets;
  const auto vertex = tesla::load_assembly(kSource, {.stage = Stage::vertex});
  const auto fragment = tesla::load_assembly(kSource, {.stage = Stage::fragment});
  EXPECT_TRUE(vertex && fragment);
  Launch vertices(*vertex), draw(*fragment);
  EXPECT_TRUE(vertices.bind_input("a0", {kCorners, sizeof kCorners, 28, f32x4}));
  EXPECT_TRUE(vertices.bind_input("a1", {kCorners + 4, sizeof kCorners - 16, 28, f32x3}));
  EXPECT_TRUE(vertices.set_count(4));
  EXPECT_TRUE(draw.set_vertex_stage(vertices));
  EXPECT_TRUE(draw.set_raster_state(raster(newer)));
  EXPECT_TRUE(draw.set_output_state(output(newer)));
  EXPECT_TRUE(draw.set_target_size(kWidth, kHeight));
  EXPECT_TRUE(
      draw.bind_color(0, {targets.color.data(), targets.color.size() * 4, kWidth * 4, PixelFormat::rgba8}));
  EXPECT_TRUE(
      draw.bind_depth({targets.depth.data(), targets.depth.size() * 4, kWidth * 4, PixelFormat::d24s8}));
  EXPECT_TRUE(draw.set_indices(kIndices));
  EXPECT_TRUE(Engine().run(draw));
  return targets;
}

struct CApiPixels : ::testing::Test {
  OwnedEngine engine;
  OwnedProgram vertex, fragment;
  OwnedLaunch vertices, draw;
  warpjit_error error = sized<warpjit_error>();

  CApiPixels() {
    EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK);
    load(WARPJIT_STAGE_VERTEX, vertex);
    load(WARPJIT_STAGE_FRAGMENT, fragment);
    EXPECT_EQ(warpjit_launch_create(vertex, vertices.out(), &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_create(fragment, draw.out(), &error), WARPJIT_OK);
  }
  void load(std::int32_t stage, OwnedProgram& program) {
    auto choice = sized<warpjit_program_choice>();
    choice.stage = stage;
    EXPECT_EQ(warpjit_program_from_tesla_assembly(kSource, &choice, nullptr, program.out(), &error),
              WARPJIT_OK)
        << error.message;
  }
  void bind(const char* name, std::size_t first, std::uint32_t components) {
    warpjit_location place{};
    EXPECT_EQ(warpjit_program_find(vertex, WARPJIT_INPUT, name, &place, &error), WARPJIT_OK);
    auto rows = sized<warpjit_attribute>();
    rows.data = kCorners + first;
    rows.byte_count = sizeof kCorners - 4 * first;
    rows.stride = 28;
    rows.type = WARPJIT_F32;
    rows.components = components;
    EXPECT_EQ(warpjit_launch_bind_input(vertices, &place, &rows, &error), WARPJIT_OK) << error.message;
  }
  static warpjit_target_buffer target(std::vector<std::uint32_t>& words, std::int32_t format) {
    auto buffer = sized<warpjit_target_buffer>();
    buffer.data = words.data();
    buffer.byte_count = words.size() * 4;
    buffer.pitch = kWidth * 4;
    buffer.format = format;
    return buffer;
  }
  warpjit_raster_state default_raster() {
    auto state = sized<warpjit_raster_state>();
    EXPECT_EQ(warpjit_default_raster_state(&state, &error), WARPJIT_OK) << error.message;
    return state;
  }
  warpjit_output_state default_output() {
    auto state = sized<warpjit_output_state>();
    EXPECT_EQ(warpjit_default_output_state(&state, &error), WARPJIT_OK) << error.message;
    return state;
  }
};

TEST_F(CApiPixels, DrawsLikeTheCppInterface) {
  bind("a0", 0, 4);
  bind("a1", 4, 3);
  warpjit_launch_set_count(vertices, 4, nullptr);
  Targets targets;
  ASSERT_EQ(warpjit_launch_set_vertex_stage(draw, vertices, 0, &error), WARPJIT_OK) << error.message;
  auto raster = default_raster();
  for (int axis = 0; axis < 3; ++axis)
    raster.viewport_scale[axis] = raster.viewport_translate[axis] =
        axis == 2 ? 0.5F : static_cast<float>(axis == 0 ? kWidth : kHeight) / 2;
  raster.scissor_x = 2;
  raster.scissor_y = 3;
  raster.scissor_width = 33;
  raster.scissor_height = 25;
  raster.clip_far = 0;
  ASSERT_EQ(warpjit_launch_set_raster_state(draw, &raster, &error), WARPJIT_OK) << error.message;
  auto output = default_output();
  output.depth_test = output.stencil_test = output.alpha_test = 1;
  output.front.pass = output.back.pass = WARPJIT_STENCIL_INCREMENT_WRAP;
  output.back.reference = 3;
  output.blend[0] = {1,
                     WARPJIT_BLEND_SOURCE_ALPHA,
                     WARPJIT_BLEND_ONE_MINUS_CONSTANT_COLOR,
                     WARPJIT_BLEND_ONE,
                     WARPJIT_BLEND_ZERO,
                     WARPJIT_BLEND_ADD,
                     WARPJIT_BLEND_MAX,
                     7,
                     0,
                     {},
                     {},
                     1};
  output.alpha_compare = WARPJIT_COMPARE_GREATER;
  output.alpha_reference = 0.25F;
  for (int c = 0; c < 4; ++c) output.blend_constant[c] = 0.25F * static_cast<float>(c + 1);
  ASSERT_EQ(warpjit_launch_set_output_state(draw, &output, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_set_target_size(draw, kWidth, kHeight, &error), WARPJIT_OK);
  const auto color = target(targets.color, WARPJIT_PIXELS_RGBA8);
  const auto depth = target(targets.depth, WARPJIT_PIXELS_D24S8);
  ASSERT_EQ(warpjit_launch_bind_color(draw, 0, &color, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_bind_depth(draw, &depth, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_set_indices(draw, kIndices, 6, &error), WARPJIT_OK);
  auto report = sized<warpjit_report>();
  ASSERT_EQ(warpjit_engine_run(engine, draw, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(report.work, WARPJIT_WORK_PIXELS);
  const Targets expected = drawn_in_cpp(false);
  EXPECT_NE(targets.color, Targets().color);
  EXPECT_NE(targets.depth, Targets().depth);
  EXPECT_TRUE(targets == expected);

  // With newer states.
  raster.depth_bias_units = -2000;
  raster.depth_bias_slope = -1;
  raster.depth_bias_clamp = -0.25F;
  raster.depth_bounds[0] = 0.25F;
  raster.depth_bounds[1] = 0.75F;
  raster.sample_x = 32;
  raster.sample_y = 200;
  ASSERT_EQ(warpjit_launch_set_raster_state(draw, &raster, &error), WARPJIT_OK) << error.message;
  output.early_tests = output.blend[0].mixed = 1;
  output.blend[0].mix = {WARPJIT_MIX_ADD_TARGET,      1, WARPJIT_MIX_SOURCE_PLUS_TARGET, 0,
                         WARPJIT_MIX_BY_TWICE_SOURCE, 0};
  output.blend[0].mix_alpha = {WARPJIT_MIX_ADD_SOURCE,  0, WARPJIT_MIX_SOURCE_MINUS_TARGET, 1,
                               WARPJIT_MIX_BY_CONSTANT, 1};
  output.blend[0].write_mask = 15;
  ASSERT_EQ(warpjit_launch_set_output_state(draw, &output, &error), WARPJIT_OK) << error.message;
  const Targets old, newer = drawn_in_cpp(true);
  EXPECT_NE(newer.color, expected.color);
  EXPECT_NE(newer.depth, expected.depth);
  std::ranges::copy(old.color, targets.color.begin());
  std::ranges::copy(old.depth, targets.depth.begin());
  ASSERT_EQ(warpjit_engine_run(engine, draw, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_TRUE(targets == newer);

  // Without indices, three vertices make one triangle.
  ASSERT_EQ(warpjit_launch_unset_indices(draw), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_bind_depth(draw, nullptr, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_engine_run(engine, draw, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_TRUE(targets.depth == newer.depth);
}

// A point for each corner of a triangle, moved by its instance.
constexpr const char* kPoints =
    ".kernel places\n.type vertex\n.attributes 0x1f\n.results 0 1 2 3\n.registers 4\n"
    "mov b32 $r0 a[0x0]\nmov b32 $r1 a[0x10]\nadd rn f32 $r0 $r0 $r1\nmov b32 o[0x0] $r0\nmov b32 o[0x4] "
    "a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nexit nop\n"
    ".kernel corners\n.type geometry\n.results 0 1 2 3\n.output 1\n.vertices 3\n.registers 1\n"
    "shl $a1 a[0x0] 0x0\nmov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\nmov b32 o[0x8] p[$a1+0x8]\n"
    "mov b32 o[0xc] p[$a1+0xc]\nemit\nshl $a1 a[0x8] 0x0\nmov b32 o[0x0] p[$a1]\n"
    "mov b32 o[0x4] p[$a1+0x4]\nmov b32 o[0x8] p[$a1+0x8]\nmov b32 o[0xc] p[$a1+0xc]\nemit\nexit nop\n"
    ".kernel white\n.type fragment\n.registers 4\nmov b32 $r0 1.0\nmov b32 $r1 1.0\nmov b32 $r2 1.0\n"
    "mov b32 $r3 1.0\nexit nop\n";

TEST_F(CApiPixels, InstancesAndAGeometryStage) {
  OwnedProgram programs[3];
  OwnedLaunch stages[3];
  constexpr std::int32_t kStages[] = {WARPJIT_STAGE_VERTEX, WARPJIT_STAGE_GEOMETRY, WARPJIT_STAGE_FRAGMENT};
  for (int k = 0; k < 3; ++k) {
    auto choice = sized<warpjit_program_choice>();
    choice.stage = kStages[k];
    ASSERT_EQ(warpjit_program_from_tesla_assembly(kPoints, &choice, nullptr, programs[k].out(), &error),
              WARPJIT_OK)
        << error.message;
    ASSERT_EQ(warpjit_launch_create(programs[k], stages[k].out(), &error), WARPJIT_OK);
  }
  const OwnedLaunch &places = stages[0], &corners = stages[1], &white = stages[2];
  const float triangle[] = {-0.75F, -0.75F, 0, 1, 0, 0, 0, 1, -0.75F, 0.75F, 0, 1}, offsets[] = {0, 0.5F};
  const auto bind_rows = [&](const char* name, const float* data, std::size_t bytes, std::uint32_t components,
                             std::uint32_t divisor) {
    warpjit_location place{};
    EXPECT_EQ(warpjit_program_find(programs[0], WARPJIT_INPUT, name, &place, &error), WARPJIT_OK);
    auto rows = sized<warpjit_attribute>();
    rows.data = data;
    rows.byte_count = bytes;
    rows.stride = components * sizeof(float);
    rows.type = WARPJIT_F32;
    rows.components = components;
    rows.divisor = divisor;
    EXPECT_EQ(warpjit_launch_bind_input(places, &place, &rows, &error), WARPJIT_OK) << error.message;
  };
  bind_rows("a0", triangle, sizeof triangle, 4, 0);
  bind_rows("a1", offsets, sizeof offsets, 1, 1);
  warpjit_launch_set_count(places, 3, nullptr);
  ASSERT_EQ(warpjit_launch_set_vertex_stage(white, places, 0, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_set_geometry_stage(white, corners, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_set_instances(white, 2, &error), WARPJIT_OK) << error.message;
  auto raster = default_raster();
  raster.viewport_scale[0] = raster.viewport_translate[0] = kWidth / 2.0F;
  raster.viewport_scale[1] = raster.viewport_translate[1] = kHeight / 2.0F;
  ASSERT_EQ(warpjit_launch_set_raster_state(white, &raster, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_set_target_size(white, kWidth, kHeight, &error), WARPJIT_OK);
  Targets targets;
  const auto color = target(targets.color, WARPJIT_PIXELS_RGBA8);
  ASSERT_EQ(warpjit_launch_bind_color(white, 0, &color, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_engine_run(engine, white, nullptr, nullptr, &error), WARPJIT_OK) << error.message;
  const auto drawn = [&] { return std::ranges::count(targets.color, 0xffffffffU); };
  EXPECT_EQ(drawn(), 4);  // corners 0 and 2 of both instances

  // Without a geometry stage, the triangle; of one instance.
  ASSERT_EQ(warpjit_launch_set_geometry_stage(white, nullptr, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_set_instances(white, 1, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_engine_run(engine, white, nullptr, nullptr, &error), WARPJIT_OK) << error.message;
  EXPECT_GT(drawn(), 50);
  EXPECT_EQ(warpjit_launch_set_instances(places, 2, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_geometry_stage(white, places, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_geometry_stage(nullptr, corners, &error), WARPJIT_BAD_INPUT);
}

TEST_F(CApiPixels, VerticesWithoutAStage) {
  Targets targets;
  auto raster = default_raster();
  raster.window_positions = 1;
  ASSERT_EQ(warpjit_launch_set_raster_state(draw, &raster, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_set_target_size(draw, kWidth, kHeight, &error), WARPJIT_OK);
  const auto color = target(targets.color, WARPJIT_PIXELS_RGBA8);
  ASSERT_EQ(warpjit_launch_bind_color(draw, 0, &color, &error), WARPJIT_OK);
  const float words[] = {0, 0, 0, 1, 1, 1, 1, 200, 0, 0, 1, 1, 1, 1, 0, 200, 0, 1, 1, 1, 1};
  auto buffer = sized<warpjit_vertex_buffer>();
  buffer.data = words;
  buffer.byte_count = sizeof words;
  buffer.stride = 28;
  buffer.slots = 7;
  ASSERT_EQ(warpjit_launch_bind_vertices(draw, &buffer, &error), WARPJIT_OK) << error.message;
  warpjit_launch_set_count(draw, 3, nullptr);
  auto report = sized<warpjit_report>();
  ASSERT_EQ(warpjit_engine_run(engine, draw, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(report.draw.primitives, 1U);
  EXPECT_EQ(report.draw.outside + report.draw.culled + report.draw.beside, 0U);
  for (const std::uint32_t pixel : targets.color) ASSERT_EQ(pixel, 0x80ffffffU);
}

TEST_F(CApiPixels, DefaultsAreThoseOfANewLaunch) {
  const auto raster = default_raster();
  EXPECT_EQ(raster.topology, WARPJIT_TRIANGLES);
  EXPECT_EQ(raster.scissor_width, ~0U);
  EXPECT_EQ(raster.clip_near + raster.clip_far + raster.provoking_last, 3U);
  EXPECT_EQ(raster.point_size, 1);
  EXPECT_EQ(raster.shade, WARPJIT_SHADE_SMOOTH);
  const auto output = default_output();
  EXPECT_EQ(output.depth_test, 0U);
  EXPECT_EQ(output.depth_compare, WARPJIT_COMPARE_LESS);
  EXPECT_EQ(output.front.read_mask, 255U);
  EXPECT_EQ(output.blend[7].write_mask, 15U);
  EXPECT_EQ(output.blend[7].mixed + output.blend[7].bytes + output.early_tests, 0U);
  EXPECT_EQ(output.blend[7].mix.multiply, WARPJIT_MIX_SOURCE);
  EXPECT_EQ(output.blend[7].mix_alpha.invert_by, 1U);
  EXPECT_EQ(raster.depth_bounds[0], 0);
  EXPECT_EQ(raster.depth_bounds[1], 1);
  EXPECT_EQ(raster.clip_bounds[0], 0);
  EXPECT_EQ(raster.clip_bounds[1], 1);
  EXPECT_EQ(raster.sample_x, 128U);
  EXPECT_EQ(raster.sample_y, 128U);
  EXPECT_EQ(output.count_passed, 0U);
  auto small = sized<warpjit_raster_state>();
  small.size = 8;
  EXPECT_EQ(warpjit_default_raster_state(&small, &error), WARPJIT_BAD_INPUT);
}

TEST_F(CApiPixels, WrongArgumentsAreRefused) {
  Targets targets;
  const auto refused = [&](warpjit_status status, const char* what) {
    EXPECT_EQ(status, WARPJIT_BAD_INPUT) << what;
    EXPECT_NE(std::string(error.where).find(what), std::string::npos) << error.where << ": " << error.message;
  };
  refused(warpjit_launch_set_raster_state(nullptr, nullptr, &error), "launch");
  refused(warpjit_launch_set_raster_state(draw, nullptr, &error), "state");
  const auto with_raster = [&](auto change, const char* what) {
    auto state = default_raster();
    change(state);
    refused(warpjit_launch_set_raster_state(draw, &state, &error), what);
  };
  with_raster([](auto& s) { s.topology = 6; }, "topology");
  with_raster([](auto& s) { s.topology = -1; }, "topology");
  with_raster([](auto& s) { s.shade = 2; }, "shade");
  with_raster([](auto& s) { s.shade = -1; }, "shade");
  with_raster([](auto& s) { s.point_size_slot = 256; }, "point_size_slot");
  with_raster([](auto& s) { s.distance_cull = 256; }, "distance_cull");
  with_raster([](auto& s) { s.depth_bounds[0] = 2; }, "raster state");
  with_raster([](auto& s) { s.clip_bounds[0] = 2; }, "raster state");
  with_raster([](auto& s) { s.sample_y = 256; }, "sample_y");
  const auto with_output = [&](auto change, const char* what) {
    auto state = default_output();
    change(state);
    refused(warpjit_launch_set_output_state(draw, &state, &error), what);
  };
  with_output([](auto& s) { s.depth_compare = 8; }, "depth_compare");
  with_output([](auto& s) { s.front.pass = 8; }, "stencil");
  with_output([](auto& s) { s.back.write_mask = 256; }, "stencil");
  with_output([](auto& s) { s.blend[4].source = 16; }, "blend");
  with_output([](auto& s) { s.blend[4].write_mask = 16; }, "blend");
  with_output([](auto& s) { s.blend[4].mix.add = 3; }, "blend");
  with_output([](auto& s) { s.blend[4].mix_alpha.multiply = 4; }, "blend");
  with_output([](auto& s) { s.blend[4].mix_alpha.by = -1; }, "blend");
  with_output([](auto& s) { s.alpha_compare = 9; }, "alpha_compare");
  refused(warpjit_launch_set_target_size(draw, 100000, 100000, &error), "target size");
  auto color = target(targets.color, WARPJIT_PIXELS_RGB10A2UI + 1);
  refused(warpjit_launch_bind_color(draw, 0, &color, &error), "format");
  color.format = WARPJIT_PIXELS_RGBA8;
  refused(warpjit_launch_bind_color(draw, 8, &color, &error), "colour target 8");
  refused(warpjit_launch_bind_depth(draw, &color, &error), "depth target");
  color.data = nullptr;
  refused(warpjit_launch_bind_color(draw, 0, &color, &error), "data");
  refused(warpjit_launch_bind_vertices(draw, nullptr, &error), "vertices");
  refused(warpjit_launch_set_indices(draw, nullptr, 3, &error), "indices");
  EXPECT_EQ(warpjit_launch_unset_indices(nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_target_size(vertices, 1, 1, &error), WARPJIT_BAD_INPUT);
}

TEST_F(CApiPixels, Formats) {
  EXPECT_EQ(warpjit_pixel_size(WARPJIT_PIXELS_RGBA16F), 8U);
  EXPECT_EQ(warpjit_pixel_size(-1) + warpjit_pixel_size(WARPJIT_PIXELS_RGB10A2UI + 1) +
                warpjit_pixel_size(WARPJIT_PIXELS_NONE),
            0U);
  EXPECT_EQ(warpjit_pixels_are_depth(WARPJIT_PIXELS_D16), 1U);
  EXPECT_EQ(warpjit_pixels_are_depth(WARPJIT_PIXELS_R32F), 0U);
  EXPECT_EQ(warpjit_pixel_size(WARPJIT_PIXELS_R8_SNORM), 1U);
  EXPECT_EQ(warpjit_pixels_are_integers(WARPJIT_PIXELS_RGBA16UI), 1U);
  EXPECT_EQ(warpjit_pixels_are_integers(WARPJIT_PIXELS_R11G11B10F), 0U);
  EXPECT_EQ(warpjit_pixels_are_integers(-1), 0U);
  std::int32_t value = 0;
  for (std::int32_t format = 0; format <= WARPJIT_PIXELS_RGB10A2UI; ++format) {
    const char* const name = warpjit_name(WARPJIT_NAMES_PIXEL_FORMAT, format);
    ASSERT_EQ(warpjit_parse_name(WARPJIT_NAMES_PIXEL_FORMAT, name, &value, &error), WARPJIT_OK) << name;
    EXPECT_EQ(value, format);
  }
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_PIXEL_FORMAT, WARPJIT_PIXELS_RGB10A2UI + 1), "?");
}

// Bare words with what a driver sets.
TEST_F(CApiPixels, WordsWithTheirState) {
  const std::uint32_t code[] = {0xf0000001, 0xe0000781};  // exit nop
  auto graphics = sized<warpjit_tesla_graphics>();
  ASSERT_EQ(warpjit_tesla_default_graphics(&graphics, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(graphics.interpolants, 0x8000400U);
  auto words = sized<warpjit_tesla_words>();
  words.code = code;
  words.code_count = 2;
  words.stage = WARPJIT_STAGE_FRAGMENT;
  words.graphics = &graphics;
  OwnedProgram program, other;
  ASSERT_EQ(warpjit_program_from_tesla_words(&words, nullptr, program.out(), &error), WARPJIT_OK)
      << error.message;
  auto info = sized<warpjit_program_info>();
  ASSERT_EQ(warpjit_program_get_info(program, &info, &error), WARPJIT_OK);
  EXPECT_EQ(info.stage, WARPJIT_STAGE_FRAGMENT);
  graphics.interpolants = 0xf7c047d;  // slots above 127
  EXPECT_EQ(warpjit_program_from_tesla_words(&words, nullptr, other.out(), &error), WARPJIT_BAD_INPUT);
  words.stage = WARPJIT_STAGE_VERTEX;
  {
    OwnedProgram guessed;
    EXPECT_EQ(warpjit_program_from_tesla_words(&words, nullptr, guessed.out(), &error), WARPJIT_OK)
        << error.message;  // the result map is as the code is
  }
  words.entry = 8;
  EXPECT_EQ(warpjit_program_from_tesla_words(&words, nullptr, other.out(), &error), WARPJIT_BAD_INPUT)
      << "past the end of the code";
  words.entry = 0;
  const std::uint8_t results[] = {0, 1, 2, 3};
  graphics.vertex_results = results;
  graphics.vertex_result_count = 4;
  EXPECT_EQ(warpjit_program_from_tesla_words(&words, nullptr, other.out(), &error), WARPJIT_OK)
      << error.message;
  words.stage = 9;
  EXPECT_EQ(warpjit_program_from_tesla_words(&words, nullptr, program.out(), &error), WARPJIT_BAD_INPUT);
}

}  // namespace
}  // namespace warpjit::test
