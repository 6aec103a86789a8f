// Draws through both units, and command lists (pica200.hpp). Expected values are worked out by hand from
// docs/guests/pica200.md 10 and 11.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/shaders.h"
#include "warpjit/pica200.hpp"

namespace warpjit::test {
namespace {

using pica200::DrawResult;
using pica200::GeometryUnit;
using pica200::MemoryRange;
using pica200::Pipeline;
using pica200::Topology;
using pica200::Unit;
using pica200::Vertex;

constexpr std::uint32_t kPositionMap = 0x03020100u;

// o0 = v0, o1 = v0 + v0.
const char* const kVertex =
    ".out a position\n.out b texcoord0\n.proc main\nmov o0, v0\nmov r0, v0\nadd o1, r0, r0\nend\n.end\n";
// Every input once as a triangle: v0, 2 v0, -v0.
const char* const kTriangle = R"(
.gsh point c0
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
  mov result, -value
  emit
  end
.end
)";
// A triangle of one vertex three times: what the body leaves in r1.
std::string once(const std::string& body, const std::string& head = "") {
  return ".gsh point c0\n" + head + ".out result position\n.proc main\n" + body +
         "  setemit 0\n  mov result, r1\n  emit\n  setemit 1\n  mov result, r1\n  emit\n  setemit 2, prim\n"
         "  mov result, r1\n  emit\n  end\n.end\n";
}

void upload(Pipeline& pipeline, const std::string& source, Unit unit) {
  const Program program = assemble(source);
  const auto& words = dynamic_cast<const pica200::Shader&>(frontend::shader_of(program)).program();
  // Nothing of a longer program stays.
  const std::vector<std::uint32_t> none(512);
  ASSERT_TRUE(pipeline.set_code(none, 0, unit));
  ASSERT_TRUE(pipeline.set_code(words.code, 0, unit));
  ASSERT_TRUE(pipeline.set_descriptors(words.descriptors, 0, unit));
  ASSERT_TRUE(pipeline.set_entry(words.entry, unit));
  for (const pica200::Constant& constant : words.constants) {
    if (constant.reg.file != pica200::RegisterFile::c) continue;
    std::array<std::uint32_t, 4> bits;
    const auto floats = constant.floats();
    std::memcpy(bits.data(), floats.data(), sizeof bits);
    ASSERT_TRUE(pipeline.set_float(constant.reg.index, bits, unit));
  }
}

class PipelineGeometry : public ::testing::Test {
 protected:
  PipelineGeometry() {
    for (std::size_t n = 0; n < rows.size(); ++n) rows[n] = static_cast<float>(n);
    upload(pipeline, kVertex, Unit::vertex);
    upload(pipeline, kTriangle, Unit::geometry);
    EXPECT_TRUE(pipeline.set_attribute_count(1));
    EXPECT_TRUE(pipeline.bind_attribute(0, {rows.data(), sizeof rows, 0, 4, f32x1}));
    pipeline.set_output_mask(1);
    pipeline.set_output_mask(1, Unit::geometry);
    EXPECT_TRUE(pipeline.set_output_map(std::array{kPositionMap}));
    EXPECT_TRUE(pipeline.set_attribute_count(1, Unit::geometry));
    write(0x229, 2);
  }
  void write(std::uint32_t id, std::uint32_t value) { ASSERT_TRUE(pipeline.write_register(id, value)); }
  void geometry(const std::string& source) { upload(pipeline, source, Unit::geometry); }

  // x of all vertices.
  static std::vector<float> xs(const Result<DrawResult>& result) {
    EXPECT_TRUE(result) << to_string(result.error());
    std::vector<float> list;
    if (!result) return list;
    EXPECT_TRUE(result->triangles);
    EXPECT_TRUE(result->indices.empty());
    for (const Vertex& vertex : result->vertices) list.push_back(vertex.position[0]);
    return list;
  }
  std::vector<float> draw(std::uint32_t first, std::size_t count) {
    return xs(pipeline.draw(engine, first, count));
  }
  std::vector<float> draw(std::vector<std::uint16_t> indices) {
    return xs(pipeline.draw_indexed(engine, std::span<const std::uint16_t>(indices)));
  }
  static void fails(const Result<DrawResult>& result, const std::string& message,
                    ErrorCode code = ErrorCode::bad_input) {
    ASSERT_FALSE(result);
    EXPECT_EQ(to_string(result.error()), message);
    EXPECT_EQ(result.error().code, code);
  }

  using Xs = std::vector<float>;
  std::array<float, 64> rows;
  Engine engine;
  Pipeline pipeline;
};

TEST_F(PipelineGeometry, Points) {
  EXPECT_EQ(draw(3, 2), (Xs{3, 6, -3, 4, 8, -4}));
  EXPECT_EQ(draw({5, 0, 5}), (Xs{5, 10, -5, 0, 0, 0, 5, 10, -5}));
  EXPECT_EQ(draw({5, 60}), (Xs{5, 10, -5, 60, 120, -60}));
  const std::uint8_t narrow[] = {7};
  EXPECT_EQ(xs(pipeline.draw_indexed(engine, narrow)), (Xs{7, 14, -7}));
  EXPECT_EQ(draw(0, 0), Xs());
  const auto result = pipeline.draw(engine, 1, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->vertices[0].position[3], 1.0f);
  EXPECT_EQ(result->vertices[0].texcoord0[0], 1.0f);  // nothing writes it
  EXPECT_EQ(result->report.invocations, 1u);
  EXPECT_EQ(result->report.triangles, 1u);
  write(0x229, 0);
  const auto vertices = pipeline.draw(engine, 1, 2);
  ASSERT_TRUE(vertices);
  EXPECT_FALSE(vertices->triangles);
  ASSERT_EQ(vertices->vertices.size(), 2u);
  EXPECT_EQ(vertices->vertices[1].position[0], 2.0f);
}

// A vertex or an invocation that does not end.
TEST_F(PipelineGeometry, CancelEndsDraws) {
  const std::string turns = "again:\n  add r0, r0, r0\n  cmp r0, eq, eq, r0\n  jmpc cmp.x, again\n";
  for (const Unit unit : {Unit::geometry, Unit::vertex}) {
    if (unit == Unit::geometry)
      geometry(once("  mov r0, v0\n" + turns + "  mov r1, r0\n"));
    else
      upload(pipeline, ".out a position\n.proc main\nmov r0, v0\n" + turns + "mov o0, r0\nend\n.end\n", unit);
    for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
      std::atomic<std::uint32_t> cancel{0};
      RunOptions options;
      options.engine = kind;
      options.fuel = ~std::uint64_t{0};
      options.cancel = &cancel;
      std::thread after([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        cancel = 1;
      });
      const auto result = pipeline.draw(engine, 0, 9, options);
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code, ErrorCode::cancelled) << to_string(result.error());
      after.join();
    }
  }
}

// Two vertices of two attributes make an invocation's four; a third vertex is left over.
TEST_F(PipelineGeometry, PointsOfSeveralVertices) {
  geometry(once("  mov r1, v0\n  mov r0, v1\n  mov r2, v3\n  add r1, r1, r0\n  add r1, r1, r2\n"));
  pipeline.set_output_mask(3);
  ASSERT_TRUE(pipeline.set_attribute_count(4, Unit::geometry));
  ASSERT_TRUE(pipeline.set_permutation(0, 1, Unit::geometry));
  ASSERT_TRUE(pipeline.set_permutation(1, 3, Unit::geometry));
  ASSERT_TRUE(pipeline.set_permutation(2, 9, Unit::geometry));
  ASSERT_TRUE(pipeline.set_permutation(3, 0, Unit::geometry));
  // 2 b + a + 2 a
  EXPECT_EQ(draw(1, 3), (Xs{7, 7, 7}));
  EXPECT_EQ(draw({9, 3, 5, 0}), (Xs{33, 33, 33, 15, 15, 15}));
  write(0x24A, 0);  // only o0 reaches the geometry unit
  EXPECT_EQ(draw({9, 3, 5, 1}), (Xs{1 + 9 + 3, 13, 13}));
}

TEST_F(PipelineGeometry, FixedPrimitives) {
  geometry(once("  mov r1, c10\n  add r1, c11, r1\n  add r1, c12, r1\n  add r1, c13, r1\n"));
  write(0x252, 2 | 1u << 8 | 0u << 12 | 10u << 16);
  EXPECT_EQ(draw(1, 5), (Xs{3, 3, 3, 7, 7, 7}));
  EXPECT_EQ(draw({1, 5, 5, 9}), (Xs{6, 6, 6, 14, 14, 14}));
  // Two registers apart; the one between keeps what the last primitive left there.
  write(0x252, 2 | 1u << 8 | 1u << 12 | 10u << 16);
  EXPECT_EQ(draw(20, 2), (Xs{20 + 9 + 21, 50, 50}));
  const std::array hundred{0x42C80000u, 0u, 0u, 0u};
  ASSERT_TRUE(pipeline.set_float(13, hundred, Unit::geometry));
  EXPECT_EQ(draw({1, 2, 3, 4}), (Xs{112, 112, 112, 116, 116, 116}));
  write(0x252, 2 | 15u << 8 | 5u << 12 | 6u << 16);
  fails(pipeline.draw(engine, 0, 16), "register 0x252: 91 float uniforms from c6 on do not exist");
  write(0x252, 2 | 15u << 8 | 5u << 12 | 5u << 16);
  EXPECT_EQ(draw(0, 15), Xs());
}

TEST_F(PipelineGeometry, VariablePrimitives) {
  // Number of vertices, o0 and o1 of the first, o0 of the second.
  geometry(once("  mov r1, c0\n  add r1, c1, r1\n  add r1, c2, r1\n  add r1, c3, r1\n"));
  pipeline.set_output_mask(3);
  write(0x252, 1);
  write(0x254, 0);
  EXPECT_EQ(draw({2, 10, 20}), (Xs{52, 52, 52}));
  // The second primitive has c3 of the first.
  EXPECT_EQ(draw({2, 10, 20, 1, 7}), (Xs{52, 52, 52, 42, 42, 42}));
  EXPECT_EQ(draw({1, 7}), (Xs{42, 42, 42}));
  write(0x254, 1);
  EXPECT_EQ(draw({2, 1, 60}), (Xs{65, 65, 65}));
  fails(pipeline.draw(engine, 0, 2), "register 0x252: primitives of variable size need indices");
  const std::uint16_t cut[] = {1, 7, 3, 1, 1};
  fails(pipeline.draw_indexed(engine, cut), "index 2: a primitive of 3 vertices cannot be");
  const std::uint16_t none[] = {1, 7, 0};
  fails(pipeline.draw_indexed(engine, none), "index 2: a primitive of 0 vertices cannot be");
  std::vector<std::uint16_t> most(94, 3);
  most[0] = 93;
  EXPECT_EQ(draw(most), (Xs{105, 105, 105}));
  most[0] = 94;
  most.push_back(3);
  fails(pipeline.draw_indexed(engine, std::span<const std::uint16_t>(most)),
        "index 0: a primitive of 94 vertices does not fit the 96 float uniforms");
}

TEST_F(PipelineGeometry, WindingSwapsInTopologyShaderOnly) {
  for (const std::uint32_t topology : {0u, 1u, 2u, 3u}) {
    write(0x25E, topology << 8);
    EXPECT_EQ(draw(3, 1), topology == 3 ? (Xs{6, 3, -3}) : (Xs{3, 6, -3}));
    EXPECT_EQ(pipeline.draw(engine, 0, 1)->topology, static_cast<Topology>(topology));
  }
  EXPECT_FALSE(pipeline.draw(engine, 0, 1)->restarted);
  write(0x25F, 1);
  EXPECT_TRUE(pipeline.draw(engine, 0, 1)->restarted);
  EXPECT_FALSE(pipeline.draw(engine, 0, 1)->restarted);
}

const char* const kSum = "  add r3, r3, v0\n  mov r1, r3\n";

TEST_F(PipelineGeometry, TheUnitKeepsItsStateFromDrawToDraw) {
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    SCOPED_TRACE(name(kind));
    RunOptions options;
    options.engine = kind;
    pipeline.set_geometry_unit({});
    geometry(once(kSum));
    EXPECT_EQ(xs(pipeline.draw(engine, 1, 2, options)), (Xs{1, 1, 1, 3, 3, 3}));
    EXPECT_EQ(xs(pipeline.draw(engine, 10, 1, options)), (Xs{13, 13, 13}));
    // ... and program to program.
    geometry(once("  mov r1, r3\n"));
    EXPECT_EQ(xs(pipeline.draw(engine, 0, 1, options)), (Xs{13, 13, 13}));
    GeometryUnit unit = pipeline.geometry_unit();
    EXPECT_EQ(unit.r[3][0], std::bit_cast<std::uint32_t>(13.0f));
    EXPECT_EQ(unit.vertex, 2u);
    EXPECT_EQ(unit.flags & GeometryUnit::kHasRun, GeometryUnit::kHasRun);
    unit.r[3][0] = std::bit_cast<std::uint32_t>(-1.0f);
    pipeline.set_geometry_unit(unit);
    EXPECT_EQ(xs(pipeline.draw(engine, 0, 1, options)), (Xs{-1, -1, -1}));
    // A draw that fails leaves it as it was; so does one of no invocation.
    unit = pipeline.geometry_unit();
    geometry(once(kSum));
    options.fuel = 0;
    write(0x252, 3);
    fails(pipeline.draw(engine, 5, 1, options), "register 0x252: there is no geometry mode 3");
    write(0x252, 0);
    ASSERT_TRUE(pipeline.draw(engine, 5, 0, options));
    EXPECT_EQ(std::memcmp(&unit, &pipeline.geometry_unit(), sizeof unit), 0);
  }
}

TEST_F(PipelineGeometry, B15IsTrueUntilTheBooleansAreWritten) {
  geometry(once("  mov r1, ten\n  ifu b15\n    add r1, ten, r1\n    nop\n  .end\n",
                ".constf ten(10.0, 0.0, 0.0, 0.0)\n"));
  EXPECT_EQ(draw(0, 2), (Xs{10, 10, 10, 20, 20, 20}));
  EXPECT_EQ(draw(0, 1), (Xs{20, 20, 20}));
  write(0x280, 0x7FFF0000);
  EXPECT_EQ(draw(0, 1), (Xs{10, 10, 10}));
  EXPECT_EQ(draw(0, 1), (Xs{20, 20, 20}));
  pipeline.set_bools(0, Unit::geometry);
  EXPECT_EQ(draw(0, 1), (Xs{10, 10, 10}));
  write(0x280, 0x8000);
  EXPECT_EQ(draw(0, 1), (Xs{20, 20, 20}));
}

TEST_F(PipelineGeometry, AsManyTrianglesAsTheProgramEmits) {
  const auto loop = [&](unsigned turns) {
    geometry(
        ".gsh point c0\n.out result position\n.alias count i0\n.proc main\n  mov r1, v0\n  for count\n    "
        "setemit 0\n"
        "    mov result, r1\n    emit\n    setemit 1\n    mov result, r1\n    emit\n    setemit 2, prim\n"
        "    mov result, r1\n    emit\n    nop\n  .end\n  end\n.end\n");
    ASSERT_TRUE(pipeline.set_int(0, turns - 1, Unit::geometry));
  };
  for (const unsigned turns : {1u, 9u, 33u, 96u}) {
    loop(turns);
    EXPECT_EQ(draw(7, 2).size(), 2 * 3 * turns);
  }
  const GeometryUnit before = pipeline.geometry_unit();
  loop(97);
  const auto result = pipeline.draw(engine, 7, 2);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::resource_limit);
  EXPECT_EQ(std::memcmp(&before, &pipeline.geometry_unit(), sizeof before), 0);
  loop(2);
  EXPECT_EQ(draw(7, 1), (Xs{7, 7, 7, 7, 7, 7}));
}

// The guest interpreter alone takes more, each with its winding flag.
TEST_F(PipelineGeometry, MoreTrianglesInTheGuestInterpreter) {
  write(0x25E, 0x300);
  geometry(
      ".gsh point c0\n.out result position\n.constf ten(10.0, 0.0, 0.0, 0.0)\n.alias count i0\n.proc main\n"
      "  mov r1, v0\n  add r2, ten, r1\n  for count\n    setemit 0\n    mov result, r1\n    emit\n    "
      "setemit 1\n"
      "    mov result, r2\n    emit\n    setemit 2, prim inv\n    mov result, r1\n    emit\n    nop\n  .end\n"
      "  end\n.end\n");
  RunOptions guest;
  guest.engine = EngineKind::guest;
  for (const unsigned turns : {2u, 96u, 97u, 200u, 254u}) {
    ASSERT_TRUE(pipeline.set_int(0, turns - 1, Unit::geometry));
    Xs wanted;
    for (unsigned n = 0; n < turns; ++n) wanted.insert(wanted.end(), {17, 7, 7});
    EXPECT_EQ(xs(pipeline.draw(engine, 7, 1, guest)), wanted) << turns;
  }
  ASSERT_TRUE(pipeline.set_int(0, 254, Unit::geometry));
  const auto refused = pipeline.draw(engine, 7, 1, guest);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::resource_limit);
  EXPECT_FALSE(pipeline.draw(engine, 7, 1)) << "other engines keep their limit";
  ASSERT_TRUE(pipeline.set_int(0, 1, Unit::geometry));
  EXPECT_EQ(xs(pipeline.draw(engine, 7, 1)), (Xs{17, 7, 7, 17, 7, 7}));
}

TEST_F(PipelineGeometry, ErrorsNameTheRegister) {
  pipeline.set_output_mask(0);
  fails(pipeline.draw(engine, 0, 1), "register 0x2BD: the vertex unit enables no output");
  pipeline.set_output_mask(1);
  const std::vector<std::uint32_t> none(pica200::kGeometryWords);
  ASSERT_TRUE(pipeline.set_code(none, 0, Unit::geometry));
  fails(pipeline.draw(engine, 0, 1), "geometry program: no code was uploaded");
  EXPECT_FALSE(pipeline.set_code(none, 1, Unit::geometry));
  EXPECT_FALSE(pipeline.set_entry(4096, Unit::geometry));
  EXPECT_FALSE(pipeline.set_attribute_count(0, Unit::geometry));
  EXPECT_FALSE(pipeline.set_attribute_count(17, Unit::geometry));
  EXPECT_FALSE(pipeline.set_permutation(16, 0, Unit::geometry));
  EXPECT_TRUE(pipeline.set_permutation(15, 15, Unit::geometry));
}

// ---- Command lists

struct Listed final : pica200::CommandVisitor {
  std::vector<std::vector<float>> draws;  // x of the vertices, by index
  std::vector<std::string> errors;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;
  std::size_t most = 1000;
  bool draw(const Result<DrawResult>& result) override {
    if (!result) {
      errors.push_back(to_string(result.error()));
      return errors.size() + draws.size() < most;
    }
    std::vector<float>& list = draws.emplace_back();
    if (result->indices.empty())
      for (const Vertex& vertex : result->vertices) list.push_back(vertex.position[0]);
    for (const std::uint16_t index : result->indices) list.push_back(result->vertices[index].position[0]);
    return errors.size() + draws.size() < most;
  }
  void write(std::uint32_t id, std::uint32_t value) override { writes.emplace_back(id, value); }
};

class PipelineCommands : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kAddress = 0x18000000;
  PipelineCommands() {
    upload(pipeline, ".out a position\n.proc main\nmov o0, v0\nend\n.end\n", Unit::vertex);
    pipeline.set_output_mask(1);
    EXPECT_TRUE(pipeline.set_output_map(std::array{kPositionMap}));
    EXPECT_TRUE(pipeline.set_memory({&range, 1}));
    for (std::size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<std::uint8_t>(n);
    add(0x200, kAddress >> 3);
    add(0x201, 1);                    // u8, one component
    add(0x203, 0x10);                 // offset
    add(0x204, 0);                    // attribute 0
    add(0x205, 1u << 28 | 3u << 16);  // one component, 3 bytes a vertex
    add(0x2B9, 0);
    add(0x2BB, 0);
  }
  void add(std::uint32_t id, std::uint32_t value, std::uint32_t bytes = 15) {
    list.insert(list.end(), {value, id | bytes << 16});
  }
  void run() {
    const Status status = pipeline.run_commands(engine, list, listed);
    ASSERT_TRUE(status) << to_string(status.error());
    list.clear();
  }
  using Xs = std::vector<float>;
  std::array<std::uint8_t, 256> memory;
  MemoryRange range{kAddress, memory.data(), memory.size()};
  std::vector<std::uint32_t> list;
  Engine engine;
  Pipeline pipeline;
  Listed listed;
};

TEST_F(PipelineCommands, DrawsFromMemory) {
  add(0x228, 3);
  add(0x22A, 2);
  add(0x22E, 1);
  memory[200] = 0, memory[201] = 4, memory[202] = 0, memory[203] = 1, memory[204] = 0;
  add(0x227, 200);  // 8 bits
  add(0x228, 4);
  add(0x22F, 1);
  add(0x227, 0x80000000u | 201);  // 16 bits, at an odd address
  add(0x228, 2);
  add(0x22F, 1);
  run();
  EXPECT_EQ(listed.errors, std::vector<std::string>());
  ASSERT_EQ(listed.draws.size(), 3u);
  EXPECT_EQ(listed.draws[0], (Xs{22, 25, 28}));
  EXPECT_EQ(listed.draws[1], (Xs{16, 28, 16, 19}));
  EXPECT_EQ(listed.draws[2], (Xs{28, 19}));
}

// Attribute formats, padding and alignment within an element.
TEST_F(PipelineCommands, ElementsOfALoader) {
  add(0x201, 0x0 | 0x6 << 4 | 0x3 << 8 | 0x1 << 12);  // s8, s16 x2, f32, u8
  add(0x202, 3u << 28);
  add(0x204, 0x0 | 0xC << 4 | 0x1 << 8 | 0x3 << 12 | 0x2 << 16);
  add(0x205, 5u << 28 | 40u << 16);
  // s8 at 0; padding from 4 to 8; s16 x2 at 8; u8 at 12; f32 at 16.
  memory[0x10 + 0] = 0xFF;
  memory[0x10 + 8] = 0xFE, memory[0x10 + 9] = 0xFF;
  memory[0x10 + 12] = 200;
  const float value = 1.5f;
  std::memcpy(&memory[0x10 + 16], &value, 4);
  add(0x2B9, 3);
  add(0x228, 1);
  add(0x22A, 0);
  const float expected[] = {-1, -2, 1.5f, 200};
  for (std::uint32_t n = 0; n < 4; ++n) {
    add(0x2BB, 0x7777u ^ 0x7u << 4 * n);  // attribute n to v0
    add(0x22E, 1);
  }
  run();
  EXPECT_EQ(listed.errors, std::vector<std::string>());
  ASSERT_EQ(listed.draws.size(), 4u);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(listed.draws[n], Xs{expected[n]}) << n;
}

TEST_F(PipelineCommands, FixedAttributesAndBindings) {
  add(0x228, 1);
  add(0x22E, 1);
  add(0x205, 0);  // no loader: the fixed value
  add(0x232, 0);
  add(0x233, 0x3F000040);
  add(0x233, 0x00004080);
  add(0x233, 0x003E0000);
  add(0x22E, 1);
  run();
  EXPECT_EQ(listed.draws, (std::vector<Xs>{{16}, {0.5f}}));
  const float bound = 77;
  ASSERT_TRUE(pipeline.bind_attribute(0, {&bound, 4, 0, 0, f32x1}));
  add(0x205, 1u << 28);
  add(0x22E, 1);
  run();
  EXPECT_EQ(listed.draws.back(), Xs{77});
  pipeline.unbind_attributes();
  EXPECT_EQ(pipeline.draw(engine, 0, 1)->vertices[0].position[0], 16);
  ASSERT_TRUE(pipeline.set_memory({}));  // without memory the loader counts for nothing
  EXPECT_EQ(pipeline.draw(engine, 0, 1)->vertices[0].position[0], 0.5f);
}

TEST_F(PipelineCommands, ImmediateMode) {
  add(0x242, 0);
  add(0x232, 15);
  const auto vertex = [&](std::uint32_t x) {
    add(0x233, 0x3F000000);
    add(0x234, 0);
    add(0x235, x);
  };
  vertex(0x3F0000);
  vertex(0x400000);
  add(0x25F, 1);  // whatever is written next draws them
  add(0x232, 15);
  vertex(0x408000);
  run();  // and so does the end of the list
  EXPECT_EQ(listed.draws, (std::vector<Xs>{{1, 2}, {3}}));
  EXPECT_EQ(pipeline.immediate_vertices(), 0u);
  // Write by write.
  for (const std::uint32_t word : {0x3F000000u, 0u, 0x3E0000u})
    ASSERT_TRUE(pipeline.write_register(0x233, word));
  EXPECT_EQ(pipeline.immediate_vertices(), 1u);
  const auto result = pipeline.draw_immediate(engine);
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->vertices.size(), 1u);
  EXPECT_EQ(result->vertices[0].position[0], 0.5f);
  EXPECT_TRUE(pipeline.draw_immediate(engine)->vertices.empty());
  // Arrays are as they were.
  EXPECT_EQ(pipeline.draw(engine, 1, 1)->vertices[0].position[0], 19);
}

TEST_F(PipelineCommands, WritesAreSeen) {
  list.clear();
  list = {0x11,   0x2B1 | 15u << 16 | 2u << 20 | 1u << 31,
          0x22,   0x33,  // three registers in a row
          0xAA55, 0x2B1 | 2u << 16,
          0x80,   0x100 | 15u << 16,  // one byte; another's register
          5,      0xFFFF | 15u << 16,
          7,      0x101};  // no such register; no byte
  run();
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected = {
      {0x2B1, 0x11}, {0x2B2, 0x22}, {0x2B3, 0x33}, {0x2B1, 0xAA11}, {0x100, 0x80}, {0xFFFF, 5}};
  EXPECT_EQ(listed.writes, expected);
}

// A list that is cut does nothing at all.
TEST_F(PipelineCommands, ListsMayBeCutAnywhere) {
  list.insert(list.end(), {1, 0x2CC | 15u << 16 | 3u << 20, 2, 3, 4, 0});
  add(0x228, 1);
  add(0x22E, 1);
  for (std::size_t size = 0; size < list.size(); ++size) {
    Pipeline fresh;
    Listed seen;
    const Status status = fresh.run_commands(engine, std::span(list).first(size), seen);
    const bool whole = size % 2 == 0 && (size <= 14 || size >= 20);
    EXPECT_EQ(status.ok(), whole) << size;
    if (status) continue;
    EXPECT_EQ(status.error().code, ErrorCode::bad_input);
    EXPECT_EQ(status.error().where.substr(0, 5), "word ");
    EXPECT_TRUE(seen.writes.empty() && seen.draws.empty() && seen.errors.empty());
  }
  const Status status = pipeline.run_commands(engine, std::span(list).first(17), listed);
  EXPECT_EQ(to_string(status.error()),
            "word 14, register 0x2CC: the command list ends within an entry of 6 words");
}

TEST_F(PipelineCommands, ErrorsNameReadsPastMemory) {
  add(0x228, 81);
  add(0x22A, 0);
  add(0x22E, 1);  // vertex 80 at 16 + 240
  add(0x228, 80);
  add(0x22E, 1);
  add(0x203, 0x100);  // begins at the end
  add(0x22E, 1);
  add(0x203, 0x10);
  add(0x227, 200);
  add(0x228, 57);
  add(0x22F, 1);
  add(0x228, 0x7FFFFFFF);
  add(0x22E, 1);
  add(0x22F, 1);
  add(0x200, 0x1FFFFFFF);
  add(0x228, 1);
  add(0x22F, 1);
  run();
  ASSERT_EQ(listed.draws.size(), 1u);
  EXPECT_EQ(listed.draws[0].size(), 80u);
  const std::vector<std::string> expected = {
      "attribute 0, register 0x203: vertex 80 does not lie in the array of 240 bytes",
      "attribute 0, register 0x203: vertex 0 does not lie in the array of 0 bytes",
      "register 0x227: the list of 57 indices does not lie in memory",
      "draw: 2147483647 vertices in one draw",
      "register 0x228: 2147483647 indices in one draw",
      "register 0x227: the list of 1 indices does not lie in memory"};
  EXPECT_EQ(listed.errors, expected);
  // The visitor may have had enough.
  Listed first;
  first.most = 1;
  for (int n = 0; n < 3; ++n) add(0x22E, 1);
  ASSERT_TRUE(pipeline.run_commands(engine, list, first));
  EXPECT_EQ(first.errors.size() + first.draws.size(), 1u);
}

TEST_F(PipelineCommands, MemoryIsChecked) {
  const std::array<std::uint8_t, 16> bytes{};
  const auto set = [&](std::vector<MemoryRange> ranges) { return pipeline.set_memory(ranges); };
  EXPECT_TRUE(set({{0x100, bytes.data(), 16}, {0x0F0, bytes.data(), 16}, {0xFFFFFFF0u, bytes.data(), 16}}));
  EXPECT_FALSE(set({{0x100, bytes.data(), 16}, {0x0F1, bytes.data(), 16}}));
  EXPECT_FALSE(set({{0xFFFFFFF1u, bytes.data(), 16}}));
  EXPECT_FALSE(set({{0x100, nullptr, 16}}));
  EXPECT_FALSE(pipeline.set_memory(std::vector<MemoryRange>(pica200::kMaxMemoryRanges + 1)));
  const Status status = set({{0x20000000, nullptr, 16}});
  EXPECT_EQ(to_string(status.error()), "memory at 0x20000000: the data is null");
}

}  // namespace
}  // namespace warpjit::test
