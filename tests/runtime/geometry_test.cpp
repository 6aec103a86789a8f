// Geometry programs through the public API: every engine and target, in lanes and in order, any thread count.
// Expected triangles are worked out by hand from docs/guests/pica200.md 10.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/geometry_launch.h"
#include "runtime/shaders.h"
#include "support/pica_cases.h"

namespace warpjit::test {
namespace {

TEST(Geometry, SharedGateCases) {
  const std::string path = tests::pica_cases_path();
  if (!std::ifstream(path)) GTEST_SKIP() << path << " is not there";
  const auto cases = tests::load_pica_cases(path);
  ASSERT_TRUE(cases) << to_string(cases.error());
  const Engine engine;
  int runs = 0;
  for (const tests::PicaCase& test : *cases)
    for (const tests::PicaRun& wanted : test.runs) {
      if (test.tier != "gate" || !wanted.geometry) continue;
      ++runs;
      pica200::Program program = test.program;
      program.stage = pica200::Stage::geometry;
      GeometryLaunch launch(make_program(program), 1, 8);
      std::vector<std::uint32_t> constants(96 * 4), latch(3);
      std::memcpy(constants.data(), test.uniforms.c, sizeof test.uniforms.c);
      ASSERT_TRUE(launch.launch.set_bits("c0", constants));
      std::vector<Row> inputs(16);
      std::memcpy(inputs.data(), wanted.start.v, sizeof wanted.start.v);
      for (unsigned n = 0; n < 16; ++n)
        ASSERT_TRUE(launch.launch.bind_input("v" + std::to_string(n), {&inputs[n], sizeof(Row), 0, f32x4}));
      ASSERT_TRUE(launch.launch.bind_output("emit", {latch.data(), 12, 12, Format{ComponentType::u32, 3}}));
      EXPECT_TRUE(launch.launch.set_count(1));
      for (const Way& way : all_ways(engine)) {
        const auto emitted = launch.run(engine, way.options);
        ASSERT_TRUE(emitted) << test.name << ", " << way.name << ": " << to_string(emitted.error());
        for (const tests::PicaExpectation& expected : wanted.expect) {
          const int place = expected.reg == "emit.vertex_id" ? 0 : expected.reg == "emit.prim" ? 1 : 2;
          EXPECT_EQ(latch[static_cast<std::size_t>(place)], expected.value) << test.name << ", " << way.name;
        }
        ASSERT_EQ(emitted->inverted.size(), wanted.triangles.size()) << test.name << ", " << way.name;
        for (std::size_t n = 0; n < wanted.triangles.size(); ++n) {
          EXPECT_EQ(emitted->inverted[n] != 0, wanted.triangles[n].inverted);
          EXPECT_EQ(std::memcmp(&emitted->rows[3 * n], wanted.triangles[n].words, 48), 0)
              << test.name << ", " << way.name << ", triangle " << n;
        }
      }
    }
  EXPECT_GE(runs, 19);
}

// Every output is written before each EMIT, the buffer before the triangle: nothing comes from elsewhere.
constexpr const char* kIndependent = R"(
.in value v0
.out result position
.proc main
  setemit 0
  mov result, value
  emit
  setemit 1
  add result, value, value
  emit
  setemit 2, prim inv
  mul result, value, value
  emit
  end
.end
)";

TEST(Geometry, InvocationsThatDoNotDependOnEachOtherRunInLanes) {
  for (const std::size_t count : {1u, 7u, 64u, 100u, 1000u}) {
    GeometryLaunch launch(geometry(kIndependent), 1, 1);
    const std::vector<Row> rows = numbers(count);
    launch.inputs("v0", rows);
    const Emitted emitted = launch.everywhere(false);
    ASSERT_EQ(emitted.inverted.size(), count);
    for (std::size_t n = 0; n < count; ++n) {
      const float x = static_cast<float>(n);
      EXPECT_EQ(emitted.rows[3 * n], row(x));
      EXPECT_EQ(emitted.rows[3 * n + 1], row(x + x));
      EXPECT_EQ(emitted.rows[3 * n + 2], row(x * x));
      EXPECT_EQ(emitted.inverted[n], 1);
    }
  }
}

// r0, the buffer and what SETEMIT latched go on: each invocation adds to r0, and completes a strip.
TEST(Geometry, RegistersAndTheBufferPersist) {
  GeometryLaunch launch(geometry(R"(
.in value v0
.out result position
.proc main
  add r0, r0, value
  mov result, r0
  emit
  setemit 2, prim
  mov result, -value
  emit
  setemit 1
  end
.end
)"),
                        1, 1);
  const std::vector<Row> rows = numbers(100);
  launch.inputs("v0", rows);
  const std::array<std::uint32_t, 4> start = {0x41200000, 0x41200000, 0x41200000, 0x41200000};
  ASSERT_TRUE(launch.launch.set_state("r0", start));
  const Emitted emitted = launch.everywhere(true);
  ASSERT_EQ(emitted.inverted.size(), 100u);
  // Invocation 0 emits to vertex 0, later ones to vertex 1.
  float sum = 10;
  for (std::size_t n = 0; n < 100; ++n) {
    const float x = static_cast<float>(n);
    sum += x;
    EXPECT_EQ(emitted.rows[3 * n], row(10)) << n;
    EXPECT_EQ(emitted.rows[3 * n + 1], n == 0 ? row(0) : row(sum)) << n;
    EXPECT_EQ(emitted.rows[3 * n + 2], row(-x)) << n;
  }
}

// One EMIT an invocation: what is not rewritten comes from two invocations ago.
TEST(Geometry, OutputBanksPersist) {
  GeometryLaunch launch(geometry(R"(
.in value v0
.out result position
.proc main
  setemit 0, prim
  mov result.x, value
  cmp value.xx, gt, gt, value.yy
  ifc cmp.x
    mov result.y, value
    nop
  .end
  emit
  end
.end
)"),
                        1, 1);
  std::vector<Row> rows;
  for (std::size_t n = 0; n < 40; ++n)
    rows.push_back({static_cast<float>(n), n % 4 < 2 ? -1.0f : 99.0f, 0, 0});
  for (Row& r : rows) r[1] = r[1] < 0 ? r[0] - 1 : r[0] + 1;
  launch.inputs("v0", rows);
  const Emitted emitted = launch.everywhere(true);
  ASSERT_EQ(emitted.rows.size(), 120u);
  std::array<float, 2> bank = {0, 0};  // y
  for (std::size_t n = 0; n < 40; ++n) {
    if (n % 4 < 2) bank[n % 2] = rows[n][1];
    EXPECT_EQ(emitted.rows[3 * n], (Row{static_cast<float>(n), bank[n % 2], 0, 0})) << n;
  }
}

TEST(Geometry, B15IsTrueAfterTheFirstInvocation) {
  for (const bool preset : {false, true}) {
    GeometryLaunch launch(geometry(R"(
.constf k(1.0, 2.0, 3.0, 4.0)
.alias flag b15
.in value v0
.out result position
.proc main
  setemit 0, prim
  mov result, k.xxxx
  ifu b15
    mov result, k.yyyy
    nop
  .end
  emit
  end
.end
)"),
                          1, 1);
    const std::vector<Row> rows = numbers(5);
    launch.inputs("v0", rows);
    ASSERT_TRUE(launch.launch.set_bool("b15", preset));
    const Emitted emitted = launch.everywhere(false);
    ASSERT_EQ(emitted.rows.size(), 15u);
    for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(emitted.rows[3 * n], row(n > 0 || preset ? 2 : 1)) << n;
  }
}

// The number of triangles differs from invocation to invocation; vertex 3 is no vertex.
constexpr const char* kFans = R"(
.verbatim
.constf k(1.0, 0.0, 0.0, 0.0)
.in value v0
.out result position
.proc main
  mov r0, k.yyyy
  mov result, value
  setemit 0
  emit
  mov result, value
  setemit 1
  emit
  mov result, value
  setemit 3
  emit
  for i0
    cmp r0.xx, ge, ge, value.yy
    breakc cmp.x
    add r0, k.xxxx, r0
    mov result, r0
    setemit 2, prim
    emit
  .end
  end
.end
)";

TEST(Geometry, TrianglesComeInTheOrderOfInvocations) {
  GeometryLaunch launch(geometry(kFans), 1, 90, 30000);
  std::vector<Row> rows;
  for (std::size_t n = 0; n < 500; ++n) {
    const float fans = static_cast<float>(n * 7 % 91);
    rows.push_back({static_cast<float>(n), fans, 0, 0});
  }
  launch.inputs("v0", rows);
  ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{200, 0, 1, 0}));
  const Emitted emitted = launch.everywhere(false);
  std::size_t at = 0;
  for (const Row& value : rows)
    for (float fan = 0; fan < value[1]; ++fan, ++at) {
      ASSERT_LT(at, emitted.inverted.size());
      ASSERT_EQ(emitted.rows[3 * at], value);
      ASSERT_EQ(emitted.rows[3 * at + 1], value);
      ASSERT_EQ(emitted.rows[3 * at + 2], row(fan + 1));
    }
  EXPECT_EQ(at, emitted.inverted.size());
}

TEST(Geometry, TooManyTrianglesAreAnError) {
  const std::vector<Row> rows = {{0, 2, 0, 0}, {0, 3, 0, 0}, {0, 9, 0, 0}};
  GeometryLaunch few(geometry(kFans), 1, 3);
  few.inputs("v0", rows);
  ASSERT_TRUE(few.launch.set_int("i0", std::array<std::uint32_t, 4>{200, 0, 1, 0}));
  few.fails_everywhere(ErrorCode::resource_limit, "invocation 2 emits 9 triangles, more than the 3");
  GeometryLaunch small(geometry(kFans), 1, 9, 13);
  small.inputs("v0", rows);
  ASSERT_TRUE(small.launch.set_int("i0", std::array<std::uint32_t, 4>{200, 0, 1, 0}));
  small.fails_everywhere(ErrorCode::resource_limit, "room for 13");
}

// ---- Input modes

// Two attributes a vertex: its number, and 100 more.
constexpr const char* kVertex = R"(
.constf k(100.0, 0.0, 0.0, 0.0)
.in value v0
.out first position
.out second color
.proc main
  mov first, value
  add second, k.xxxx, value
  end
.end
)";

Launch vertex_launch(const std::vector<Row>& rows) {
  Launch vertex(assemble(kVertex));
  EXPECT_TRUE(vertex.bind_input("v0", {rows.data(), rows.size() * sizeof(Row), sizeof(Row), f32x4}));
  EXPECT_TRUE(vertex.set_count(rows.size()));
  return vertex;
}

constexpr const char* kThreeInputs = R"(
.out result position
.proc main
  setemit 0
  mov result, v4
  emit
  setemit 1
  mov result, v0
  emit
  setemit 2, prim
  mov result, v9
  emit
  end
.end
)";

// Three attributes an invocation, two a vertex: vertices are shared by invocations, one is left over.
TEST(Geometry, PointModeFillsRegistersFromTheStream) {
  for (const std::size_t count : {1u, 2u, 100u, 20000u}) {
    GeometryLaunch launch(geometry(kThreeInputs), 1, 1, 20000);
    GeometryInput input = launch.launch.geometry_input();
    input.registers = {4, 0, 9};
    ASSERT_TRUE(launch.launch.set_geometry_input(input));
    const std::vector<Row> rows = numbers(count);
    ASSERT_TRUE(launch.launch.set_vertex_stage(vertex_launch(rows)));
    const Emitted emitted = launch.everywhere(false);
    ASSERT_EQ(emitted.inverted.size(), 2 * count / 3);
    for (std::size_t n = 0; n < emitted.rows.size(); ++n)
      ASSERT_EQ(emitted.rows[n], row(static_cast<float>(n / 2) + (n % 2 == 0 ? 0 : 100))) << n;
  }
}

TEST(Geometry, TheGuestInterpreterServesWhileKernelsAreCompiled) {
  GeometryLaunch launch(geometry(kThreeInputs), 1, 1);
  GeometryInput input = launch.launch.geometry_input();
  input.registers = {4, 0, 9};
  ASSERT_TRUE(launch.launch.set_geometry_input(input));
  const std::vector<Row> rows = numbers(600);
  ASSERT_TRUE(launch.launch.set_vertex_stage(vertex_launch(rows)));
  const auto expected = launch.run(Engine(), {});
  ASSERT_TRUE(expected);
  const Engine engine;
  RunOptions options;
  options.background = true;
  const auto served = launch.run(engine, options);
  ASSERT_TRUE(served);
  EXPECT_TRUE(served->ordered);
  EXPECT_EQ(served->rows, expected->rows);
  engine.wait_for_compilations();
  const EngineStatistics before = engine.statistics();
  EXPECT_EQ(before.background_compiles, 2u);
  const auto compiled = launch.run(engine, options);
  ASSERT_TRUE(compiled);
  EXPECT_EQ(*compiled, *expected);
  EXPECT_EQ(engine.statistics().interpreted_runs, before.interpreted_runs);
}

// Vertices of c16, c18, c20: by name, and by address in turn.
TEST(Geometry, FixedModeFillsUniforms) {
  GeometryLaunch launch(geometry(R"(
.constf k(2.0, 0.0, 300.0, 0.0)
.out result position
.proc main
  mov r0, k.yyyy
  setemit 0
  mov result, c17
  emit
  setemit 1
  mov result, c20
  emit
  add r0, c16, r0
  mova a0.xy, c30.xyyy
  setemit 2, prim
  mov result, c16[a0.x]
  emit
  mov result, c18[a0.y]
  emit
  end
.end
)",
                                 ".gsh fixed c60 c16 3"),
                        1, 2);
  const std::vector<Row> rows = numbers(80);
  ASSERT_TRUE(launch.launch.set_vertex_stage(vertex_launch(rows)));
  ASSERT_TRUE(launch.launch.set_uniform("c30", std::array<float, 4>{3, 12, 0, 0}));
  const Emitted emitted = launch.everywhere(false);
  ASSERT_EQ(emitted.inverted.size(), 52u);
  for (std::size_t n = 0; n < 26; ++n) {
    const float first = static_cast<float>(3 * n);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(emitted.rows[6 * n + 3 * k], row(first + 100));
      EXPECT_EQ(emitted.rows[6 * n + 3 * k + 1], row(first + 2));
    }
    EXPECT_EQ(emitted.rows[6 * n + 2], row(first + 101));    // c19
    EXPECT_EQ(emitted.rows[6 * n + 5], (Row{3, 12, 0, 0}));  // c30: the launch's
  }
}

// c0 the number, c1 and c2 the first vertex, c3 and c4 the second, then one register each; c6 keeps what an
// earlier primitive put there.
TEST(Geometry, VariableModeFollowsTheList) {
  GeometryLaunch launch(geometry(R"(
.out result position
.proc main
  setemit 0
  mov result, c0
  emit
  setemit 1
  mov result, c4
  emit
  setemit 2, prim
  mov result, c6
  emit
  end
.end
)",
                                 ".gsh variable c60 2"),
                        1, 1);
  const std::vector<Row> rows = numbers(50);
  ASSERT_TRUE(launch.launch.set_vertex_stage(vertex_launch(rows)));
  ASSERT_TRUE(launch.launch.set_uniform("c6", std::array<float, 4>{-1, -1, -1, -1}));
  const std::array<std::uint32_t, 14> list = {2, 7, 8, 4, 49, 3, 20, 21, 1, 5, 3, 9, 9, 40};
  ASSERT_TRUE(launch.launch.set_primitives(list));
  const Emitted emitted = launch.everywhere(false);
  const std::vector<Row> wanted = {row(2), row(108), row(-1), row(4), row(103), row(21),
                                   row(1), row(103), row(21), row(3), row(109), row(21)};
  EXPECT_EQ(emitted.rows, wanted);
}

TEST(Geometry, WrongSetUpsAreErrors) {
  GeometryLaunch launch(geometry(kThreeInputs), 1, 1);
  const auto refused = [&](const Status& status, const char* message) {
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(message), std::string::npos) << to_string(status.error());
  };
  GeometryInput input = launch.launch.geometry_input();
  input.registers = {1, 1};
  refused(launch.launch.set_geometry_input(input), "listed twice");
  input.registers = {16};
  refused(launch.launch.set_geometry_input(input), "does not exist");
  input.registers = {1};
  input.max_triangles = 97;
  refused(launch.launch.set_geometry_input(input), "1 to 96");
  input.max_triangles = 0;
  refused(launch.launch.set_geometry_input(input), "1 to 96");
  input.max_triangles = 1;
  input.outputs = 1 << 16;
  refused(launch.launch.set_geometry_input(input), "output register");
  input.outputs = 1;
  refused(launch.launch.set_primitives(std::array<std::uint32_t, 2>{2, 0}), "cannot be");
  refused(launch.launch.set_primitives(std::array<std::uint32_t, 1>{0}), "cannot be");
  refused(launch.launch.bind_output("o0", {}), "triangles");
  Launch vertex(assemble(kVertex));
  refused(vertex.set_geometry_input(input), "not a geometry program");
  refused(vertex.bind_triangles({}), "not a geometry program");
  refused(vertex.set_vertex_stage(vertex), "feeds a geometry program");
  EXPECT_FALSE(vertex.program().output("emit"));

  const std::vector<Row> rows = numbers(10);
  ASSERT_TRUE(launch.launch.set_vertex_stage(vertex_launch(rows)));
  const auto fails = [&](PrimitiveMode mode, const char* message) {
    input.mode = mode;
    ASSERT_TRUE(launch.launch.set_geometry_input(input));
    launch.fails_everywhere(ErrorCode::bad_input, message);
  };
  input.vertices = 49;
  fails(PrimitiveMode::fixed, "do not fit");
  input.registers.clear();
  fails(PrimitiveMode::point, "no input register");
  input.full_vertices = 0;
  ASSERT_TRUE(launch.launch.set_primitives(std::array<std::uint32_t, 2>{1, 10}));
  fails(PrimitiveMode::variable, "vertex 10 of the primitive list");
  ASSERT_TRUE(launch.launch.set_primitives(std::vector<std::uint32_t>(97, 96)));
  fails(PrimitiveMode::variable, "does not fit");
}

}  // namespace
}  // namespace warpjit::test
