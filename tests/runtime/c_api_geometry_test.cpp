// The C interface: geometry programs. What runs through it has the bits of the C++ interface.
#include <array>
#include <limits>
#include <vector>

#include "runtime/c_api_work.h"
#include "runtime/shaders.h"
#include "support/source_dir.h"

namespace warpjit::test {
namespace {

using CApiGeometry = CApiWork;

constexpr float kExtent[] = {0.5f, 0.25f, 0, 0};
constexpr float kProjection[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5f, 1};
constexpr float kPositions[] = {0, 0, 0, 1, 2, 2, -4, 3, -1}, kSizes[] = {0.5f, 1, 4};
constexpr std::uint8_t kColors[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 9, 1};

struct Quads {
  std::array<float, std::size_t{6} * 3 * 8> vertices{};
  std::array<std::uint8_t, 6> inverted{};
  bool operator==(const Quads&) const = default;
};

std::vector<std::byte> point_quads() {
  return read_file(tests::source_file("examples/pica200/point_quads.shbin"));
}

Quads quads_of_the_cpp_interface() {
  const std::vector<std::byte> bytes = point_quads();
  const auto program = pica200::load_shbin(bytes, {.stage = Stage::geometry});
  const auto vertex = pica200::load_shbin(bytes, {.stage = Stage::vertex});
  EXPECT_TRUE(program && vertex);
  Launch launch(*program), points(*vertex);
  EXPECT_TRUE(points.set_uniform("projection", kProjection));
  EXPECT_TRUE(points.bind_input("inpos", {kPositions, sizeof kPositions, 12, f32x3}));
  EXPECT_TRUE(points.bind_input("insize", {kSizes, sizeof kSizes, 4, f32x1}));
  EXPECT_TRUE(points.bind_input("incolor", {kColors, sizeof kColors, 4, Format{ComponentType::u8, 4}}));
  EXPECT_TRUE(points.set_count(3));
  EXPECT_TRUE(launch.set_uniform("extent", kExtent));
  GeometryInput input = launch.geometry_input();
  input.registers = {0, 1};
  input.max_triangles = 2;
  EXPECT_TRUE(launch.set_geometry_input(input));
  EXPECT_TRUE(launch.set_vertex_stage(points));
  Quads quads;
  EXPECT_TRUE(
      launch.bind_triangles({quads.vertices.data(), sizeof quads.vertices, quads.inverted.data(), 6}));
  const Engine engine;
  const auto report = engine.run(launch);
  EXPECT_TRUE(report) << to_string(report.error());
  return quads;
}

TEST_F(CApiGeometry, RunsLikeTheCppInterface) {
  const std::vector<std::byte> bytes = point_quads();
  auto choice = sized<warpjit_program_choice>();
  OwnedProgram program, vertex;
  choice.stage = WARPJIT_STAGE_GEOMETRY;
  ASSERT_EQ(warpjit_program_load(bytes.data(), bytes.size(), &choice, program.out(), &error), WARPJIT_OK)
      << error.message;
  choice.stage = WARPJIT_STAGE_VERTEX;
  ASSERT_EQ(warpjit_program_from_shbin(bytes.data(), bytes.size(), &choice, vertex.out(), &error), WARPJIT_OK)
      << error.message;
  auto info = sized<warpjit_program_info>();
  ASSERT_EQ(warpjit_program_get_info(program, &info, &error), WARPJIT_OK);
  EXPECT_EQ(info.isa, WARPJIT_ISA_PICA200);
  EXPECT_EQ(info.stage, WARPJIT_STAGE_GEOMETRY);
  EXPECT_GT(info.code_words, 0u);

  const OwnedLaunch points = launch_of(vertex);
  const auto floats = [&](warpjit_launch* launch, const warpjit_program* of, const char* name,
                          std::span<const float> values) {
    const warpjit_location at = find(of, WARPJIT_UNIFORM, name);
    EXPECT_EQ(warpjit_launch_set_uniform(launch, &at, values.data(), values.size(), &error), WARPJIT_OK);
  };
  const auto input = [&](const char* name, const void* data, std::size_t bytes_there, std::int32_t type,
                         std::uint32_t components) {
    auto rows = sized<warpjit_attribute>();
    rows.data = data;
    rows.byte_count = bytes_there;
    rows.stride = bytes_there / 3;
    rows.type = type;
    rows.components = components;
    const warpjit_location at = find(vertex, WARPJIT_INPUT, name);
    EXPECT_EQ(warpjit_launch_bind_input(points, &at, &rows, &error), WARPJIT_OK) << error.message;
  };
  floats(points, vertex, "projection", kProjection);
  input("inpos", kPositions, sizeof kPositions, WARPJIT_F32, 3);
  input("insize", kSizes, sizeof kSizes, WARPJIT_F32, 1);
  input("incolor", kColors, sizeof kColors, WARPJIT_U8, 4);
  EXPECT_EQ(warpjit_launch_set_count(points, 3, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_count(points), 3u);

  const OwnedLaunch launch = launch_of(program);
  floats(launch, program, "extent", kExtent);
  auto made = sized<warpjit_geometry_input>();
  ASSERT_EQ(warpjit_launch_get_geometry_input(launch, &made, &error), WARPJIT_OK);
  EXPECT_EQ(made.mode, WARPJIT_PRIMITIVES_POINT);
  EXPECT_EQ(made.max_triangles, 8u);
  EXPECT_NE(made.outputs, 0u);
  const std::uint8_t registers[] = {0, 1};
  made.registers = registers;
  made.register_count = 2;
  made.max_triangles = 2;
  EXPECT_EQ(warpjit_launch_set_geometry_input(launch, &made, &error), WARPJIT_OK) << error.message;
  // What it gives may be handed back.
  auto again = sized<warpjit_geometry_input>();
  ASSERT_EQ(warpjit_launch_get_geometry_input(launch, &again, &error), WARPJIT_OK);
  ASSERT_EQ(again.register_count, 2u);
  EXPECT_EQ(again.registers[1], 1u);
  EXPECT_EQ(warpjit_launch_set_geometry_input(launch, &again, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_vertex_stage(launch, points, 0, &error), WARPJIT_OK) << error.message;

  const Quads wanted = quads_of_the_cpp_interface();
  EXPECT_EQ(wanted.vertices[0], -0.5f);
  EXPECT_EQ(wanted.inverted[1], 1);
  const std::size_t unit_words = warpjit_program_unit_words(program);
  ASSERT_GT(unit_words, 0u);
  EXPECT_EQ(warpjit_program_unit_words(vertex), 0u);
  EXPECT_EQ(warpjit_program_unit_words(nullptr), 0u);
  std::vector<std::uint32_t> first_unit;
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    std::vector<std::uint32_t> unit(unit_words);
    EXPECT_EQ(warpjit_launch_bind_unit(launch, unit.data(), unit.size(), &error), WARPJIT_OK);
    Quads got;
    auto buffer = sized<warpjit_triangle_buffer>();
    buffer.vertices = got.vertices.data();
    buffer.byte_count = sizeof got.vertices;
    buffer.inverted = got.inverted.data();
    buffer.inverted_count = got.inverted.size();
    EXPECT_EQ(warpjit_launch_bind_triangles(launch, &buffer, &error), WARPJIT_OK);
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    auto report = sized<warpjit_report>();
    EXPECT_EQ(warpjit_engine_run(engine, launch, &options, &report, &error), WARPJIT_OK) << error.message;
    EXPECT_TRUE(got == wanted) << kind;
    EXPECT_EQ(report.work, WARPJIT_WORK_PRIMITIVES);
    EXPECT_EQ(report.invocations, 3u);
    EXPECT_EQ(report.triangles, 6u);
    EXPECT_NE(unit, std::vector<std::uint32_t>(unit_words)) << "nothing was left in the unit";
    if (first_unit.empty()) first_unit = unit;
    EXPECT_EQ(unit, first_unit);
  }
  EXPECT_EQ(warpjit_launch_bind_unit(launch, nullptr, 0, &error), WARPJIT_OK);
  // Too little room.
  Quads small;
  auto buffer = sized<warpjit_triangle_buffer>();
  buffer.vertices = small.vertices.data();
  buffer.byte_count = 16;
  EXPECT_EQ(warpjit_launch_bind_triangles(launch, &buffer, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(engine, launch, nullptr, nullptr, &error), WARPJIT_RESOURCE_LIMIT)
      << error.message;
}

TEST_F(CApiGeometry, MissingArgumentsAreRefused) {
  const std::vector<std::byte> bytes = point_quads();
  auto choice = sized<warpjit_program_choice>();
  choice.stage = WARPJIT_STAGE_GEOMETRY;
  OwnedProgram program;
  ASSERT_EQ(warpjit_program_from_shbin(bytes.data(), bytes.size(), &choice, program.out(), &error),
            WARPJIT_OK);
  const OwnedLaunch launch = launch_of(program);
  const Handles vertex;  // of a vertex program
  auto input = sized<warpjit_geometry_input>(), none = input;
  auto buffer = sized<warpjit_triangle_buffer>();
  input.outputs = 1;
  const std::uint32_t list[] = {3, 0, 1, 2}, cut[] = {3, 0, 1};
  EXPECT_EQ(warpjit_launch_set_primitives(launch, list, 4, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(warpjit_launch_set_geometry_input(launch, &input, &error), WARPJIT_OK) << error.message;

  const auto with = [&](auto change) {
    warpjit_geometry_input changed = input;
    change(changed);
    return warpjit_launch_set_geometry_input(launch, &changed, nullptr);
  };
  const std::uint8_t twice[] = {0, 0};
  std::uint32_t words[2] = {};
  const warpjit_status got[] = {
      with([](auto& it) { it.mode = 3; }),
      with([](auto& it) { it.mode = -1; }),
      with([](auto& it) { it.first = 96; }),
      with([](auto& it) { it.outputs = 1ull << 40; }),
      with([](auto& it) { it.max_triangles = 97; }),
      with([](auto& it) { it.size = 8; }),
      with([](auto& it) { it.register_count = 1; }),  // without registers
      with([&](auto& it) { it.registers = twice, it.register_count = 2; }),
      warpjit_launch_set_geometry_input(nullptr, &input, nullptr),
      warpjit_launch_set_geometry_input(launch, nullptr, nullptr),
      warpjit_launch_set_geometry_input(vertex.launch, &input, nullptr),
      warpjit_launch_get_geometry_input(nullptr, &none, nullptr),
      warpjit_launch_get_geometry_input(launch, nullptr, nullptr),
      warpjit_launch_set_vertex_stage(nullptr, vertex.launch, 0, nullptr),
      warpjit_launch_set_vertex_stage(launch, nullptr, 0, nullptr),
      warpjit_launch_set_vertex_stage(vertex.launch, vertex.launch, 0, nullptr),
      warpjit_launch_set_vertex_stage(launch, launch, 0, nullptr),
      warpjit_launch_set_vertex_stage(launch, vertex.launch, 1ull << 50, nullptr),
      warpjit_launch_set_primitives(nullptr, list, 4, nullptr),
      warpjit_launch_set_primitives(launch, nullptr, 4, nullptr),
      warpjit_launch_set_primitives(launch, cut, 3, nullptr),
      warpjit_launch_set_primitives(vertex.launch, list, 4, nullptr),
      warpjit_launch_bind_unit(nullptr, words, 2, nullptr),
      warpjit_launch_bind_unit(launch, words, 2, nullptr),
      warpjit_launch_bind_unit(launch, nullptr, 2, nullptr),
      warpjit_launch_bind_unit(vertex.launch, words, 2, nullptr),
      warpjit_launch_bind_triangles(nullptr, &buffer, nullptr),
      warpjit_launch_bind_triangles(launch, nullptr, nullptr),
      warpjit_launch_bind_triangles(vertex.launch, &buffer, nullptr),
  };
  for (std::size_t n = 0; n < std::size(got); ++n) EXPECT_EQ(got[n], WARPJIT_BAD_INPUT) << n;
  // No array is that long.
  input.registers = twice;
  input.register_count = std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} + 1;
  EXPECT_EQ(warpjit_launch_set_geometry_input(launch, &input, &error), WARPJIT_RESOURCE_LIMIT);
}

}  // namespace
}  // namespace warpjit::test
