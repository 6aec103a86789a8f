// The C interface: the pipeline of the PICA200 draws as the C++ one does, by registers and by typed
// calls.
#include "warpjit/pica200.h"

#include <array>
#include <bit>
#include <vector>

#include "runtime/c_api.h"
#include "warpjit/pica200.hpp"

namespace warpjit::test {
namespace {

using OwnedPipeline = Owned<warpjit_pica200_pipeline, warpjit_pica200_pipeline_destroy>;

// mul r0, c3, v2; add o0, c1, r0; mov o1, v3; end
constexpr std::uint32_t kDrawCode[] = {0x22023100, 0x00021800, 0x4C203000, 0x88000000};
constexpr std::uint32_t kDrawDescriptors[] = {0x0006C36F};
constexpr std::uint32_t kMap[] = {0x03020100, 0x0B0A0908};  // position, colour

struct GuestVertex {
  std::int16_t position[3];
  std::uint8_t padding[2];
};

constexpr std::array<std::uint32_t, 4> bits(float x, float y, float z, float w) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}
constexpr auto kScale = bits(0.5f, 2, 3, 1), kOffset = bits(10, 20, 30, 0), kTint = bits(-0.25f, 7, 0.5f, 1);

struct CApiDraw : ::testing::Test {
  warpjit_error error = sized<warpjit_error>();
  OwnedEngine engine;
  OwnedPipeline pipeline;
  std::vector<GuestVertex> memory = std::vector<GuestVertex>(40);

  CApiDraw() {
    EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_pica200_pipeline_create(pipeline.out(), &error), WARPJIT_OK);
    for (int n = 0; n < 40; ++n)
      memory[static_cast<std::size_t>(n)].position[n % 3] = static_cast<std::int16_t>(100 * n - 500);
  }

  void ok(warpjit_status status) { EXPECT_EQ(status, WARPJIT_OK) << error.where << ": " << error.message; }

  warpjit_pica200_array positions() const {
    auto array = sized<warpjit_pica200_array>();
    array.data = memory.data();
    array.byte_count = memory.size() * sizeof(GuestVertex);
    array.stride = sizeof(GuestVertex);
    array.type = WARPJIT_S16;
    array.components = 3;
    return array;
  }
  void set_up() {
    ok(warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, kDrawCode,
                                         std::size(kDrawCode), 0, &error));
    ok(warpjit_pica200_pipeline_set_descriptors(pipeline, WARPJIT_PICA200_VERTEX_UNIT, kDrawDescriptors, 1, 0,
                                                &error));
    ok(warpjit_pica200_pipeline_set_entry(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, &error));
    ok(warpjit_pica200_pipeline_set_f24(pipeline, 0));
    ok(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 3, kScale.data(), &error));
    ok(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 1, kOffset.data(), &error));
    ok(warpjit_pica200_pipeline_set_int(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 3, 0x01020304, &error));
    ok(warpjit_pica200_pipeline_set_bools(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0x8001));
    ok(warpjit_pica200_pipeline_set_attribute_count(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 2, &error));
    ok(warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, 2, &error));
    ok(warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 1, 3, &error));
    ok(warpjit_pica200_pipeline_set_output_mask(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 3));
    ok(warpjit_pica200_pipeline_set_output_map(pipeline, kMap, 2, &error));
    ok(warpjit_pica200_pipeline_set_fixed_attribute(pipeline, 1, kTint.data(), &error));
    const warpjit_pica200_array array = positions();
    ok(warpjit_pica200_pipeline_bind_attribute(pipeline, 0, &array, &error));
  }
  // The same in C++.
  pica200::Pipeline cpp_stage() const {
    pica200::Pipeline cpp;
    EXPECT_TRUE(cpp.set_code(kDrawCode));
    EXPECT_TRUE(cpp.set_descriptors(kDrawDescriptors));
    EXPECT_TRUE(cpp.set_float(3, kScale));
    EXPECT_TRUE(cpp.set_float(1, kOffset));
    EXPECT_TRUE(cpp.set_attribute_count(2));
    EXPECT_TRUE(cpp.set_permutation(0, 2));
    EXPECT_TRUE(cpp.set_permutation(1, 3));
    cpp.set_output_mask(3);
    EXPECT_TRUE(cpp.set_output_map(kMap));
    EXPECT_TRUE(cpp.set_fixed_attribute(1, kTint));
    EXPECT_TRUE(cpp.bind_attribute(0, {memory.data(),
                                       memory.size() * sizeof(GuestVertex),
                                       0,
                                       sizeof(GuestVertex),
                                       {ComponentType::s16, 3}}));
    return cpp;
  }
  static void expect_same(const warpjit_pica200_draw& got, const pica200::DrawResult& wanted) {
    ASSERT_EQ(got.vertex_count, wanted.vertices.size());
    EXPECT_EQ(std::memcmp(got.vertices, wanted.vertices.data(), wanted.vertices.size_bytes()), 0);
    EXPECT_EQ(std::vector<std::uint16_t>(got.indices, got.indices + got.index_count),
              std::vector<std::uint16_t>(wanted.indices.begin(), wanted.indices.end()));
  }
};

TEST_F(CApiDraw, DrawsLikeTheCppInterface) {
  set_up();
  pica200::Pipeline cpp = cpp_stage();
  const Engine cpp_engine;
  const auto wanted = cpp.draw(cpp_engine, 3, 30);
  ASSERT_TRUE(wanted) << to_string(wanted.error());
  auto draw = sized<warpjit_pica200_draw>();
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    auto report = sized<warpjit_report>();
    ok(warpjit_pica200_pipeline_draw(pipeline, engine, 3, 30, &options, &draw, &report, &error));
    expect_same(draw, *wanted);
    EXPECT_EQ(report.work, WARPJIT_WORK_DRAW);
  }
  EXPECT_EQ(draw.index_count, 0u);
  // Vertex 4 has y = -100.
  EXPECT_EQ(draw.vertices[1].position[0], 10.0f);
  EXPECT_EQ(draw.vertices[1].position[1], -180.0f);
  EXPECT_EQ(draw.vertices[1].position[3], 1.0f);
  EXPECT_EQ(draw.vertices[1].color[0], 0.25f);
  EXPECT_EQ(draw.vertices[1].color[1], 1.0f);
  EXPECT_EQ(draw.vertices[1].texcoord2[1], 1.0f);

  const std::uint16_t wide[] = {39, 0, 39, 7};
  const auto wide_wanted = cpp.draw_indexed(cpp_engine, wide);
  ASSERT_TRUE(wide_wanted);
  ok(warpjit_pica200_pipeline_draw_indexed16(pipeline, engine, wide, 4, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertex_count, 3u);
  EXPECT_EQ(draw.index_count, 4u);
  expect_same(draw, *wide_wanted);
  const std::uint8_t narrow[] = {5, 4, 5, 6, 7};
  const auto narrow_wanted = cpp.draw_indexed(cpp_engine, narrow);
  ASSERT_TRUE(narrow_wanted);
  ok(warpjit_pica200_pipeline_draw_indexed8(pipeline, engine, narrow, 5, nullptr, &draw, nullptr, &error));
  expect_same(draw, *narrow_wanted);
  ok(warpjit_pica200_pipeline_draw_indexed8(pipeline, engine, nullptr, 0, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertex_count, 0u);
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 0, 0, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertex_count, 0u);
}

TEST_F(CApiDraw, RegisterWritesGiveTheSameDraw) {
  set_up();
  auto draw = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 0, 40, nullptr, &draw, nullptr, &error));
  OwnedPipeline other;
  ok(warpjit_pica200_pipeline_create(other.out(), &error));
  std::vector<warpjit_pica200_register> list = {{0x2CB, 0}};
  for (const std::uint32_t word : kDrawCode) list.push_back({0x2CC, word});
  list.push_back({0x2D5, 0});
  list.push_back({0x2D6, kDrawDescriptors[0]});
  const auto constant = [&](std::uint32_t index, const std::array<std::uint32_t, 4>& value) {
    list.push_back({0x2C0, 0x80000000u | index});
    for (int n = 3; n >= 0; --n) list.push_back({0x2C1, value[static_cast<std::size_t>(n)]});
  };
  constant(3, kScale);
  constant(1, kOffset);
  for (const warpjit_pica200_register write : {warpjit_pica200_register{0x2B9, 0xA0000001},
                                               {0x2BB, 0x32},
                                               {0x2BC, 0},
                                               {0x2BD, 3},
                                               {0x2BA, 0x7FFF0000},
                                               {0x04F, 2},
                                               {0x050, kMap[0]},
                                               {0x051, kMap[1]}})
    list.push_back(write);
  ok(warpjit_pica200_pipeline_write_registers(other, list.data(), list.size(), &error));
  ok(warpjit_pica200_pipeline_set_fixed_attribute(other, 1, kTint.data(), &error));
  const warpjit_pica200_array array = positions();
  ok(warpjit_pica200_pipeline_bind_attribute(other, 0, &array, &error));
  auto same = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_draw(other, engine, 0, 40, nullptr, &same, nullptr, &error));
  ASSERT_EQ(same.vertex_count, 40u);
  EXPECT_EQ(std::memcmp(same.vertices, draw.vertices, 40 * sizeof(warpjit_pica200_vertex)), 0);
}

TEST_F(CApiDraw, F24AndUnboundAttributes) {
  set_up();
  ok(warpjit_pica200_pipeline_set_f24(pipeline, 1));
  const auto fine = bits(1.0f + 0x1p-20f, 0, 0, 0);  // more bits than the 16 of a 24-bit float
  ok(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 1, fine.data(), &error));
  ok(warpjit_pica200_pipeline_unbind_attribute(pipeline, 0));
  auto draw = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 1000, 1, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertices[0].position[0], 1.0f);
  const auto x = bits(4, 0, 0, 0);
  ok(warpjit_pica200_pipeline_set_fixed_attribute(pipeline, 0, x.data(), &error));
  ok(warpjit_pica200_pipeline_unbind_attributes(pipeline));
  ok(warpjit_pica200_pipeline_unbind_attribute(pipeline, 99));
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 1000, 1, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertices[0].position[0], 3.0f);
}

TEST_F(CApiDraw, MissingArgumentsAreRefused) {
  set_up();
  auto draw = sized<warpjit_pica200_draw>(), no_room = draw;
  no_room.size = 8;
  auto report = sized<warpjit_report>();
  report.size = 8;
  auto options = sized<warpjit_run_options>();
  options.engine = 9;
  const warpjit_pica200_array array = positions();
  const auto with = [&](auto change) {
    warpjit_pica200_array changed = array;
    change(changed);
    return warpjit_pica200_pipeline_bind_attribute(pipeline, 0, &changed, nullptr);
  };
  const std::uint32_t word = 0;
  const std::uint32_t* const vector = kScale.data();
  const std::uint8_t narrow[] = {0, 40};
  const std::uint16_t wide[] = {0, 1000};
  const warpjit_pica200_register write = {0x2CB, 0};
  const std::vector<std::uint32_t> many(513);
  const warpjit_status got[] = {
      warpjit_pica200_pipeline_create(nullptr, nullptr),
      warpjit_pica200_pipeline_write_register(nullptr, 0x2CB, 0, nullptr),
      warpjit_pica200_pipeline_write_registers(nullptr, &write, 1, nullptr),
      warpjit_pica200_pipeline_write_registers(pipeline, nullptr, 1, nullptr),
      warpjit_pica200_pipeline_set_code(nullptr, WARPJIT_PICA200_VERTEX_UNIT, &word, 1, 0, nullptr),
      warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, nullptr, 1, 0, nullptr),
      warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, many.data(), 513, 0, nullptr),
      warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &word, 1, 512, nullptr),
      warpjit_pica200_pipeline_set_descriptors(nullptr, WARPJIT_PICA200_VERTEX_UNIT, &word, 1, 0, nullptr),
      warpjit_pica200_pipeline_set_descriptors(pipeline, WARPJIT_PICA200_VERTEX_UNIT, nullptr, 1, 0, nullptr),
      warpjit_pica200_pipeline_set_descriptors(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &word, 1, 128, nullptr),
      warpjit_pica200_pipeline_set_entry(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0, nullptr),
      warpjit_pica200_pipeline_set_entry(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 512, nullptr),
      warpjit_pica200_pipeline_set_f24(nullptr, 1),
      warpjit_pica200_pipeline_set_float(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0, vector, nullptr),
      warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, nullptr, nullptr),
      warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 96, vector, nullptr),
      warpjit_pica200_pipeline_set_int(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0, 0, nullptr),
      warpjit_pica200_pipeline_set_int(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 4, 0, nullptr),
      warpjit_pica200_pipeline_set_bools(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0),
      warpjit_pica200_pipeline_set_attribute_count(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 1, nullptr),
      warpjit_pica200_pipeline_set_attribute_count(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 13, nullptr),
      warpjit_pica200_pipeline_set_permutation(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0, 0, nullptr),
      warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 12, 0, nullptr),
      warpjit_pica200_pipeline_set_permutation(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, 16, nullptr),
      warpjit_pica200_pipeline_set_output_mask(nullptr, WARPJIT_PICA200_VERTEX_UNIT, 0),
      warpjit_pica200_pipeline_set_output_map(nullptr, &word, 1, nullptr),
      warpjit_pica200_pipeline_set_output_map(pipeline, nullptr, 1, nullptr),
      warpjit_pica200_pipeline_set_output_map(pipeline, many.data(), 8, nullptr),
      warpjit_pica200_pipeline_set_fixed_attribute(nullptr, 0, vector, nullptr),
      warpjit_pica200_pipeline_set_fixed_attribute(pipeline, 0, nullptr, nullptr),
      warpjit_pica200_pipeline_set_fixed_attribute(pipeline, 12, vector, nullptr),
      warpjit_pica200_pipeline_bind_attribute(nullptr, 0, &array, nullptr),
      warpjit_pica200_pipeline_bind_attribute(pipeline, 0, nullptr, nullptr),
      warpjit_pica200_pipeline_bind_attribute(pipeline, 12, &array, nullptr),
      with([](auto& it) { it.size = 8; }),
      with([](auto& it) { it.type = WARPJIT_U16; }),
      with([](auto& it) { it.type = 99; }),
      with([](auto& it) { it.components = 0; }),
      with([](auto& it) { it.components = 5; }),
      warpjit_pica200_pipeline_unbind_attribute(nullptr, 0),
      warpjit_pica200_pipeline_unbind_attributes(nullptr),
      warpjit_pica200_pipeline_draw(nullptr, engine, 0, 1, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw(pipeline, nullptr, 0, 1, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, nullptr, nullptr, nullptr, nullptr),
      warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, nullptr, &no_room, nullptr, nullptr),
      warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, nullptr, &draw, &report, nullptr),
      warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, &options, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed8(nullptr, engine, narrow, 1, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed8(pipeline, engine, nullptr, 1, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed16(pipeline, nullptr, wide, 1, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed16(pipeline, engine, nullptr, 1, nullptr, &draw, nullptr, nullptr),
  };
  for (std::size_t n = 0; n < std::size(got); ++n) EXPECT_EQ(got[n], WARPJIT_BAD_INPUT) << n;
  const warpjit_status outside[] = {
      warpjit_pica200_pipeline_draw(pipeline, engine, 0, 41, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed8(pipeline, engine, narrow, 2, nullptr, &draw, nullptr, nullptr),
      warpjit_pica200_pipeline_draw_indexed16(pipeline, engine, wide, 2, nullptr, &draw, nullptr, &error),
  };
  for (const warpjit_status status : outside) EXPECT_EQ(status, WARPJIT_OUTSIDE);
  EXPECT_NE(std::string(error.message).find("vertex 1000"), std::string::npos) << error.message;
  EXPECT_EQ(draw.vertices, nullptr);
  EXPECT_EQ(warpjit_pica200_pipeline_draw(pipeline, engine, 0, WARPJIT_PICA200_MAX_DRAW_VERTICES + 1, nullptr,
                                          &draw, nullptr, &error),
            WARPJIT_RESOURCE_LIMIT);
  warpjit_pica200_pipeline_destroy(nullptr);
  // Without code.
  OwnedPipeline empty;
  ok(warpjit_pica200_pipeline_create(empty.out(), &error));
  EXPECT_EQ(warpjit_pica200_pipeline_draw(empty, engine, 0, 1, nullptr, &draw, nullptr, &error),
            WARPJIT_BAD_INPUT);
}

TEST_F(CApiDraw, LayoutsAreFixed) {
  EXPECT_EQ(sizeof(warpjit_pica200_vertex), 96u);
  EXPECT_EQ(sizeof(warpjit_pica200_register), 8u);
  if (sizeof(void*) != 8) GTEST_SKIP() << "stated for 64-bit hosts";
  EXPECT_EQ(sizeof(warpjit_pica200_array), 48u);
  EXPECT_EQ(sizeof(warpjit_pica200_draw), 72u);
  EXPECT_EQ(offsetof(warpjit_pica200_draw, outside_vertices), 56u);  // the size of its first version
  EXPECT_EQ(sizeof(warpjit_pica200_packet), 40u);
  EXPECT_EQ(sizeof(warpjit_pica200_gpu_report), 56u);
  EXPECT_EQ(sizeof(warpjit_pica200_unit), 112u);
  EXPECT_EQ(sizeof(warpjit_pica200_vertex_view), 800u);
  EXPECT_EQ(sizeof(warpjit_pica200_vertex_step), 56u);
  EXPECT_EQ(sizeof(warpjit_pica200_geometry_unit), 1568u);
}

// Every vertex becomes a triangle: mov o0, v0; setemit; emit, three times; end.
constexpr std::uint32_t kGeometryCode[] = {0x4C000000, 0xAC000000, 0xA8000000, 0x4C000000, 0xAD000000,
                                           0xA8000000, 0x4C000000, 0xAE800000, 0xA8000000, 0x88000000};

struct CApiPipelineGeometry : CApiDraw {
  CApiPipelineGeometry() {
    set_up();
    const std::int32_t unit = WARPJIT_PICA200_GEOMETRY_UNIT;
    ok(warpjit_pica200_pipeline_set_code(pipeline, unit, kGeometryCode, std::size(kGeometryCode), 0, &error));
    ok(warpjit_pica200_pipeline_set_descriptors(pipeline, unit, kDrawDescriptors, 1, 0, &error));
    ok(warpjit_pica200_pipeline_set_entry(pipeline, unit, 0, &error));
    ok(warpjit_pica200_pipeline_set_attribute_count(pipeline, unit, 2, &error));
    ok(warpjit_pica200_pipeline_set_permutation(pipeline, unit, 0, 0, &error));
    ok(warpjit_pica200_pipeline_set_permutation(pipeline, unit, 1, 1, &error));
    ok(warpjit_pica200_pipeline_set_output_mask(pipeline, unit, 1));
    constexpr warpjit_pica200_register kOn[] = {
        {0x229, 2}, {0x24A, 1}, {0x251, 1}, {0x252, 0}, {0x25E, 3u << 8}};
    ok(warpjit_pica200_pipeline_write_registers(pipeline, kOn, std::size(kOn), &error));
  }
};

TEST_F(CApiPipelineGeometry, DrawsTrianglesAndKeepsTheUnit) {
  auto plain = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_write_register(pipeline, 0x229, 0, &error));
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 3, 5, nullptr, &plain, nullptr, &error));
  EXPECT_EQ(plain.triangles, 0u);
  ASSERT_EQ(plain.vertex_count, 5u);
  const std::vector<warpjit_pica200_vertex> vertices(plain.vertices, plain.vertices + 5);
  ok(warpjit_pica200_pipeline_write_register(pipeline, 0x229, 2, &error));
  auto draw = sized<warpjit_pica200_draw>();
  auto report = sized<warpjit_report>();
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 3, 5, nullptr, &draw, &report, &error));
  EXPECT_EQ(draw.triangles, 1u);
  EXPECT_EQ(draw.topology, WARPJIT_PICA200_SHADER);
  ASSERT_EQ(draw.vertex_count, 15u);
  EXPECT_EQ(report.triangles, 5u);
  for (std::size_t n = 0; n < 15; ++n)
    EXPECT_EQ(std::memcmp(draw.vertices[n].position, vertices[n / 3].position, 16), 0) << n;

  warpjit_pica200_geometry_unit unit{};
  ok(warpjit_pica200_pipeline_geometry_unit(pipeline, &unit, &error));
  EXPECT_EQ(unit.vertex, 2u);
  EXPECT_EQ(unit.flags, WARPJIT_PICA200_PRIMITIVE | WARPJIT_PICA200_HAS_RUN);
  EXPECT_EQ(std::memcmp(unit.vertices[1][0], vertices[4].position, 16), 0);
  unit.r[7][2] = 0x40490FDB;
  unit.flags = 0;
  ok(warpjit_pica200_pipeline_set_geometry_unit(pipeline, &unit, &error));
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, nullptr, &draw, nullptr, &error));
  ok(warpjit_pica200_pipeline_geometry_unit(pipeline, &unit, &error));
  EXPECT_EQ(unit.r[7][2], 0x40490FDBu);
  EXPECT_NE(unit.flags & WARPJIT_PICA200_HAS_RUN, 0u);
  EXPECT_EQ(warpjit_pica200_pipeline_geometry_unit(pipeline, nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_pipeline_set_geometry_unit(nullptr, &unit, &error), WARPJIT_BAD_INPUT);
}

// Without an END the program goes on through the zeros after it to the end of the memory.
TEST_F(CApiPipelineGeometry, ProgramsMayEndWithTheMemory) {
  auto draw = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_draw(pipeline, engine, 3, 5, nullptr, &draw, nullptr, &error));
  ASSERT_EQ(draw.vertex_count, 15u);
  const std::vector<warpjit_pica200_vertex> wanted(draw.vertices, draw.vertices + 15);
  const std::uint32_t zero = 0;
  ok(warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_GEOMETRY_UNIT, &zero, 1,
                                       std::size(kGeometryCode) - 1, &error));
  for (int again = 0; again < 2; ++again) {
    ok(warpjit_pica200_pipeline_draw(pipeline, engine, 3, 5, nullptr, &draw, nullptr, &error));
    ASSERT_EQ(draw.vertex_count, 15u);
    EXPECT_EQ(std::memcmp(draw.vertices, wanted.data(), 15 * sizeof wanted[0]), 0);
  }
}

// loop i0 { loop i0 { add r0, r0, c0 } }, both with the same end; mov o0, r0; end
TEST_F(CApiDraw, StructuralScopesOfThePipeline) {
  set_up();
  constexpr std::uint32_t kLoops[] = {0xA4000000 | 2u << 10, 0xA4000000 | 2u << 10, 0x02020800, 0x4C010000,
                                      0x88000000};
  constexpr auto kOne = bits(1, 1, 1, 1);
  ok(warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, kLoops, std::size(kLoops), 0,
                                       &error));
  ok(warpjit_pica200_pipeline_set_int(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, 0x00010002, &error));
  ok(warpjit_pica200_pipeline_set_float(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 0, kOne.data(), &error));
  float seen[2] = {};
  for (const std::uint32_t on : {0u, 1u}) {
    auto draw = sized<warpjit_pica200_draw>();
    ok(warpjit_pica200_pipeline_set_structural_scopes(pipeline, on));
    ok(warpjit_pica200_pipeline_draw(pipeline, engine, 0, 1, nullptr, &draw, nullptr, &error));
    ASSERT_EQ(draw.vertex_count, 1u);
    seen[on] = draw.vertices[0].position[0];
  }
  EXPECT_EQ(seen[1], 9.0f);
  EXPECT_NE(seen[0], seen[1]);
}

struct Seen {
  std::vector<std::size_t> draws;
  std::size_t writes = 0;
  int errors = 0;
};
int see_draw(void* context, const warpjit_pica200_draw* draw, const warpjit_report* report,
             const warpjit_error* error) {
  auto* seen = static_cast<Seen*>(context);
  if (error != nullptr) {
    EXPECT_NE(error->message[0], '\0');
    EXPECT_EQ(draw, nullptr);
    ++seen->errors;
    return 0;
  }
  EXPECT_NE(report, nullptr);
  seen->draws.push_back(draw->vertex_count);
  return 1;
}
void see_write(void* context, std::uint32_t, std::uint32_t) { ++static_cast<Seen*>(context)->writes; }

TEST_F(CApiPipelineGeometry, RunsCommandLists) {
  // Position as s16x3 from the guest's memory, 8 bytes a vertex; 4 vertices from number 2 on.
  warpjit_pica200_pipeline_unbind_attributes(pipeline);
  const warpjit_pica200_memory range{0x18000000, memory.data(), memory.size() * sizeof(GuestVertex)};
  ok(warpjit_pica200_pipeline_set_memory(pipeline, &range, 1, &error));
  const auto write = [](std::uint32_t id, std::uint32_t value) { return std::array{value, id | 0xF0000u}; };
  std::vector<std::uint32_t> list;
  for (const auto& pair :
       {write(0x200, 0x18000000 >> 3), write(0x201, 2u << 2 | 2), write(0x202, 1u << 17 | 1u << 28),
        write(0x203, 0), write(0x204, 0), write(0x205, 1u << 28 | 8u << 16), write(0x228, 4), write(0x22A, 2),
        write(0x22E, 1)})
    list.insert(list.end(), pair.begin(), pair.end());
  Seen seen;
  const warpjit_pica200_visitor visitor{&seen, see_draw, see_write};
  ok(warpjit_pica200_pipeline_run_commands(pipeline, engine, list.data(), list.size(), nullptr, &visitor,
                                           &error));
  EXPECT_EQ(seen.draws, std::vector<std::size_t>{12});
  EXPECT_GE(seen.writes, 8u);
  auto draw = sized<warpjit_pica200_draw>();
  ok(warpjit_pica200_pipeline_draw_arrays(pipeline, engine, nullptr, &draw, nullptr, &error));
  EXPECT_EQ(draw.vertex_count, 12u);
  // A count that goes past the memory is the draw's error; a list that is cut does nothing.
  list[2 * 6] = 1000;
  ok(warpjit_pica200_pipeline_run_commands(pipeline, engine, list.data(), list.size(), nullptr, &visitor,
                                           &error));
  EXPECT_EQ(seen.errors, 1);
  EXPECT_EQ(warpjit_pica200_pipeline_run_commands(pipeline, engine, list.data(), list.size() - 1, nullptr,
                                                  &visitor, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_pipeline_run_commands(pipeline, engine, list.data(), 2, nullptr, nullptr, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_pipeline_run_commands(pipeline, engine, nullptr, 2, nullptr, &visitor, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(seen.draws.size(), 1u);
  EXPECT_EQ(warpjit_pica200_pipeline_immediate_vertices(pipeline), 0u);
  EXPECT_EQ(warpjit_pica200_pipeline_immediate_vertices(nullptr), 0u);
}

TEST_F(CApiPipelineGeometry, UnitsThatDoNotExistAreRefused) {
  EXPECT_EQ(warpjit_pica200_pipeline_set_entry(pipeline, 2, 0, &error), WARPJIT_BAD_INPUT);
  EXPECT_STREQ(error.where, "unit");
  EXPECT_EQ(warpjit_pica200_pipeline_set_bools(pipeline, -1, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_pipeline_set_float(pipeline, 7, 0, kScale.data(), &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_pipeline_set_code(pipeline, 3, kDrawCode, 1, 0, &error), WARPJIT_BAD_INPUT);
}

}  // namespace
}  // namespace warpjit::test
