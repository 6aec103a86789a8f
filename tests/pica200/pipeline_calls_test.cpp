// Pipeline as an emulator calls it: several values at once, what it holds, draws that reach outside of memory,
// and one vertex for a debugger.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "frontend/pica200/assembly/assemble.h"
#include "warpjit/listing.hpp"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {
namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

void upload(Pipeline& pipeline, const char* source, Unit unit) {
  const SourceFile file{"test.v.pica", source};
  auto container = assemble({&file, 1});
  ASSERT_TRUE(container) << to_string(container.error());
  const auto program = select_program(*container);
  ASSERT_TRUE(program) << to_string(program.error());
  ASSERT_TRUE(pipeline.set_code(program->code, 0, unit));
  ASSERT_TRUE(pipeline.set_descriptors(program->descriptors, 0, unit));
  ASSERT_TRUE(pipeline.set_entry(program->entry, unit));
}

const char* const kGeometry = R"(
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
  setemit 2, prim
  mov result, -value
  emit
  end
.end
)";

class PipelineCalls : public testing::Test {
 protected:
  PipelineCalls() {
    for (std::size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<std::int16_t>(n + 1);
    // o0 = v0 + c1, o1 = v1.
    upload(pipeline,
           ".out a position\n.out b color\n.proc main\nmov r0, c1\nadd o0, v0, r0\nmov o1, v1\nend\n.end\n",
           Unit::vertex);
    EXPECT_TRUE(pipeline.set_attribute_count(2));
    EXPECT_TRUE(pipeline.set_permutation(1, 1));
    pipeline.set_output_mask(3);
    EXPECT_TRUE(pipeline.set_output_map(std::array{0x03020100u, 0x0B0A0908u}));
    EXPECT_TRUE(pipeline.set_fixed_attribute(1, std::array{0u, bits_of(0.5f), 0u, 0u}));
    bind(8);
  }
  // Rows of two s16, `count` of them.
  void bind(std::size_t count) {
    EXPECT_TRUE(pipeline.bind_attribute(0, {memory.data(), 4 * count, 0, 4, {ComponentType::s16, 2}}));
  }
  static std::vector<float> xs(const Result<DrawResult>& result) {
    EXPECT_TRUE(result.ok()) << to_string(result.error());
    std::vector<float> list;
    if (!result) return list;
    if (result->indices.empty())
      for (const Vertex& vertex : result->vertices) list.push_back(vertex.position[0]);
    for (const std::uint16_t index : result->indices) list.push_back(result->vertices[index].position[0]);
    return list;
  }
  using Xs = std::vector<float>;

  std::array<std::int16_t, 16> memory{};
  Engine engine;
  Pipeline pipeline;
};

TEST_F(PipelineCalls, SeveralValuesAtOnce) {
  const std::array<FloatBits, 2> floats = {FloatBits{1, 2, 3, 4}, FloatBits{5, 6, 7, 8}};
  ASSERT_TRUE(pipeline.set_floats(94, floats, Unit::geometry));
  EXPECT_EQ(pipeline.unit(Unit::geometry).floats[95], floats[1]);
  EXPECT_EQ(pipeline.unit(Unit::vertex).floats[95], FloatBits{});
  Status status = pipeline.set_floats(95, floats);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(to_string(status.error()), "float uniforms: 2 from 95 on do not fit in 96");
  EXPECT_EQ(pipeline.unit(Unit::vertex).floats[95], FloatBits{}) << "nothing is set";

  const std::array<std::uint32_t, 3> ints = {7, 8, 9};
  ASSERT_TRUE(pipeline.set_ints(1, ints));
  EXPECT_EQ(pipeline.unit(Unit::vertex).ints[3], 9u);
  EXPECT_FALSE(pipeline.set_ints(2, ints).ok());

  pipeline.set_bools(0xF00F);
  ASSERT_TRUE(pipeline.set_bools(2, 4, 0xFFFA));
  EXPECT_EQ(pipeline.unit(Unit::vertex).bools, 0xF02B);
  ASSERT_TRUE(pipeline.set_bools(0, 16, 0x1234));
  EXPECT_EQ(pipeline.unit(Unit::vertex).bools, 0x1234);
  EXPECT_FALSE(pipeline.set_bools(1, 16, 0).ok());
  EXPECT_FALSE(pipeline.set_bools(17, 0, 0).ok());

  ASSERT_TRUE(pipeline.set_fixed_attributes(10, floats));
  EXPECT_EQ(pipeline.fixed_attributes()[11], floats[1]);
  EXPECT_FALSE(pipeline.set_fixed_attributes(11, floats).ok());

  // What is drawn next sees them.
  ASSERT_TRUE(pipeline.set_floats(1, std::array<FloatBits, 1>{FloatBits{bits_of(100), 0, 0, 0}}));
  EXPECT_EQ(xs(pipeline.draw(engine, 0, 2)), (Xs{101, 103}));
}

TEST_F(PipelineCalls, WhatItHoldsIsRead) {
  const UnitView unit = pipeline.unit(Unit::vertex);
  EXPECT_EQ(unit.code.size(), kUploadedWords);
  EXPECT_EQ(unit.code[0] >> 26, 0x13u) << "mov";
  EXPECT_EQ(unit.descriptors.size(), kUploadedDescriptors);
  EXPECT_EQ(unit.attribute_count, 2u);
  EXPECT_EQ(unit.permutation[1], 1u);
  EXPECT_EQ(unit.output_mask, 3u);
  EXPECT_EQ(pipeline.unit(Unit::geometry).code.size(), kGeometryWords);
  ASSERT_TRUE(pipeline.write_register(0x25E, 0x100));
  EXPECT_EQ(pipeline.get_register(0x25E), 0x100u);
  EXPECT_EQ(pipeline.get_register(0x300), 0u);
  pipeline.set_f24(true, Unit::geometry);
  EXPECT_TRUE(pipeline.unit(Unit::geometry).f24);
  EXPECT_FALSE(pipeline.unit(Unit::vertex).f24);
  pipeline.set_structural_scopes(true, Unit::vertex);
  EXPECT_TRUE(pipeline.unit(Unit::vertex).structural_scopes);
  EXPECT_FALSE(pipeline.unit(Unit::geometry).structural_scopes);
  EXPECT_EQ(xs(pipeline.draw(engine, 0, 1)), (Xs{1}));
}

TEST_F(PipelineCalls, ProgramsOfUnitsAreGiven) {
  const auto none = pipeline.program(Unit::geometry);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::bad_input);
  const auto program = pipeline.program();
  ASSERT_TRUE(program.ok());
  const auto text = disassemble(*program);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("add"), std::string::npos) << *text;
  // Draws go on with theirs.
  EXPECT_EQ(xs(pipeline.draw(engine, 0, 1)), Xs{1});
  upload(pipeline, kGeometry, Unit::geometry);
  ASSERT_TRUE(pipeline.program(Unit::geometry).ok());
  EXPECT_EQ(xs(pipeline.draw(engine, 1, 1)), Xs{3});
}

TEST_F(PipelineCalls, BothRestartsAreTold) {
  auto result = pipeline.draw(engine, 0, 3);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->restarted || result->topology_written);
  ASSERT_TRUE(pipeline.write_register(0x25E, 0));
  result = pipeline.draw(engine, 0, 3);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->topology_written && !result->restarted);
  ASSERT_TRUE(pipeline.write_register(0x25F, 1));
  ASSERT_FALSE(pipeline.draw(engine, 0, 100)) << "a draw that fails keeps them";
  result = pipeline.draw(engine, 0, 3);
  ASSERT_TRUE(result);
  EXPECT_TRUE(!result->topology_written && result->restarted);
  result = pipeline.draw(engine, 0, 3);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->restarted || result->topology_written);
}

TEST_F(PipelineCalls, StrayVerticesAreErrorsOfTheirOwn) {
  bind(2);
  auto result = pipeline.draw(engine, 1, 2);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outside);
  result = pipeline.draw_indexed(engine, std::array<std::uint8_t, 2>{1, 7});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outside);
  bind(0);
  result = pipeline.draw(engine, 0, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outside);
  ASSERT_TRUE(pipeline.write_register(0x228, 1));
  result = pipeline.draw_elements(engine);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outside);
}

TEST_F(PipelineCalls, StrayVerticesReadZeroAndCount) {
  pipeline.set_outside(Outside::zero);
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    RunOptions options;
    options.engine = kind;
    bind(2);
    auto result = pipeline.draw(engine, 0, 2, options);
    EXPECT_EQ(xs(result), (Xs{1, 3}));
    EXPECT_EQ(result->outside_vertices, 0u);
    result = pipeline.draw(engine, 1, 3, options);
    EXPECT_EQ(xs(result), (Xs{3, 0, 0}));
    EXPECT_EQ(result->outside_vertices, 2u);
    EXPECT_EQ(result->vertices[2].position[2], 0.0f);
    EXPECT_EQ(result->vertices[2].position[3], 1.0f) << "a component that the format does not have";
    EXPECT_EQ(result->vertices[2].color[1], 0.5f) << "fixed";
    result = pipeline.draw_indexed(engine, std::array<std::uint16_t, 5>{1, 60000, 0, 60000, 9}, options);
    EXPECT_EQ(xs(result), (Xs{3, 0, 1, 0, 0}));
    EXPECT_EQ(result->outside_vertices, 2u);
    result = pipeline.draw_indexed(engine, std::array<std::uint8_t, 3>{3, 2, 1}, options);
    EXPECT_EQ(xs(result), (Xs{0, 0, 3}));
    // The first vertex is outside, and the last number that there is.
    bind(0);
    result = pipeline.draw(engine, 0xFFFFFFFF, 2, options);
    EXPECT_EQ(xs(result), (Xs{0, 0}));
    EXPECT_EQ(result->outside_vertices, 2u);
    // In part: y of the second row is cut.
    EXPECT_TRUE(pipeline.bind_attribute(0, {memory.data(), 7, 0, 4, {ComponentType::s16, 2}}));
    result = pipeline.draw(engine, 1, 1, options);
    EXPECT_EQ(xs(result), Xs{3});
    EXPECT_EQ(result->vertices[0].position[1], 4.0f) << "its upper byte is 0";
    EXPECT_EQ(result->outside_vertices, 1u);
    // As before where all is inside.
    bind(8);
    EXPECT_EQ(xs(pipeline.draw(engine, 6, 2, options)), (Xs{13, 15}));
  }
  pipeline.set_outside(Outside::error);
  bind(1);
  EXPECT_FALSE(pipeline.draw(engine, 1, 1).ok());
}

// All formats, strides and offsets: as if zeros followed the array.
TEST_F(PipelineCalls, StrayVerticesAreAsBeforeZeros) {
  std::array<std::uint8_t, 512> bytes{};
  const std::size_t size = 61;
  for (std::size_t n = 0; n < size; ++n) bytes[n] = static_cast<std::uint8_t>(37 * n + 11);
  for (const ComponentType type :
       {ComponentType::u8, ComponentType::s8, ComponentType::s16, ComponentType::f32})
    for (std::uint8_t components = 1; components <= 4; ++components)
      for (const std::size_t stride : {0u, 1u, 7u, 12u, 20u})
        for (const std::size_t offset : {0u, 3u, 59u, 61u, 90u}) {
          AttributeArray array{bytes.data(), bytes.size(), offset, stride, {type, components}};
          ASSERT_TRUE(pipeline.bind_attribute(0, array));
          const auto draw = [&] {
            return pipeline.draw_indexed(engine, std::array<std::uint8_t, 5>{0, 9, 3, 4, 1});
          };
          auto result = draw();
          ASSERT_TRUE(result.ok());
          const std::vector<Vertex> padded(result->vertices.begin(), result->vertices.end());
          const std::vector<std::uint16_t> indices(result->indices.begin(), result->indices.end());
          array.size = size;
          ASSERT_TRUE(pipeline.bind_attribute(0, array));
          pipeline.set_outside(Outside::zero);
          result = draw();
          pipeline.set_outside(Outside::error);
          ASSERT_TRUE(result.ok()) << to_string(result.error());
          EXPECT_TRUE(std::ranges::equal(indices, result->indices));
          EXPECT_EQ(std::memcmp(padded.data(), result->vertices.data(), padded.size() * sizeof(Vertex)), 0)
              << name(array.format) << " stride " << stride << " offset " << offset;
          const std::size_t row = warpjit::size(array.format);
          std::uint64_t outside = 0;
          for (const std::size_t vertex : {0u, 1u, 3u, 4u, 9u})
            outside += offset + vertex * stride + row > size;
          EXPECT_EQ(result->outside_vertices, outside);
        }
}

TEST_F(PipelineCalls, StrayIndexListsReadZeroAndCount) {
  pipeline.set_outside(Outside::zero);
  const std::array<std::uint8_t, 7> list = {3, 2, 1, 0, 2, 0, 1};
  const MemoryRange range{0x18000000, list.data(), list.size()};
  ASSERT_TRUE(pipeline.set_memory({&range, 1}));
  ASSERT_TRUE(pipeline.write_register(0x200, 0x18000000 >> 3));
  ASSERT_TRUE(pipeline.write_register(0x228, 4));
  ASSERT_TRUE(pipeline.write_register(0x227, 5));
  auto result = pipeline.draw_elements(engine);
  EXPECT_EQ(xs(result), (Xs{1, 3, 1, 1}));
  EXPECT_EQ(result->outside_indices, 2u);
  EXPECT_EQ(result->outside_vertices, 0u);
  ASSERT_TRUE(pipeline.write_register(0x227, 0x80000000u | 2));  // 16 bits: 1, 2, and a half
  result = pipeline.draw_elements(engine);
  EXPECT_EQ(xs(result), (Xs{3, 5, 3, 1}));
  EXPECT_EQ(result->outside_indices, 2u);
  ASSERT_TRUE(pipeline.write_register(0x200, 0x08000000 >> 3));
  result = pipeline.draw_elements(engine);
  EXPECT_EQ(xs(result), (Xs{1, 1, 1, 1}));
  EXPECT_EQ(result->outside_indices, 4u);
}

TEST_F(PipelineCalls, GeometryProgramsMayGiveStrips) {
  upload(pipeline, kGeometry, Unit::geometry);
  pipeline.set_output_mask(1);
  pipeline.set_output_mask(1, Unit::geometry);
  ASSERT_TRUE(pipeline.set_attribute_count(1, Unit::geometry));
  ASSERT_TRUE(pipeline.write_register(0x229, 2));
  for (const bool on : {false, true}) {
    pipeline.set_geometry_topology(on);
    for (const auto topology : {Topology::list, Topology::strip, Topology::fan, Topology::shader}) {
      ASSERT_TRUE(pipeline.write_register(0x25E, static_cast<std::uint32_t>(topology) << 8));
      const auto result = pipeline.draw(engine, 1, 1);
      EXPECT_EQ(xs(result), (Xs{3, 6, -3}));
      EXPECT_EQ(result->topology, topology);
      const bool strip = topology == Topology::strip || topology == Topology::fan;
      EXPECT_EQ(result->triangles, !(on && strip));
    }
  }
  pipeline.set_outside(Outside::zero);
  const auto result = pipeline.draw(engine, 7, 2);
  EXPECT_EQ(xs(result), (Xs{15, 30, -15, 0, 0, 0}));
  EXPECT_EQ(result->outside_vertices, 1u);
}

TEST_F(PipelineCalls, OneVertexIsShown) {
  EXPECT_FALSE(pipeline.inspect_vertex(0).ok()) << "nothing was drawn";
  Pipeline empty;
  EXPECT_FALSE(empty.draw(engine, 0, 3).ok());
  EXPECT_FALSE(empty.inspect_vertex(0).ok()) << "nothing ran";
  ASSERT_TRUE(pipeline.set_floats(1, std::array<FloatBits, 1>{FloatBits{bits_of(100), 0, 0, 0}}));
  ASSERT_TRUE(pipeline.draw(engine, 2, 3));
  auto view = pipeline.inspect_vertex(1);
  ASSERT_TRUE(view.ok()) << to_string(view.error());
  EXPECT_EQ(view->number, 3u);
  EXPECT_EQ(view->inputs[0], (FloatBits{bits_of(7), bits_of(8), 0, bits_of(1)}));
  EXPECT_EQ(view->inputs[1][1], bits_of(0.5f));
  EXPECT_EQ(view->outputs[0][0], bits_of(107));
  EXPECT_EQ(view->temporaries[0][0], bits_of(100));
  EXPECT_FALSE(pipeline.inspect_vertex(3).ok());

  ASSERT_TRUE(pipeline.draw_indexed(engine, std::array<std::uint8_t, 3>{7, 0, 7}));
  view = pipeline.inspect_vertex(1);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->number, 7u);
  EXPECT_EQ(view->outputs[0][0], bits_of(115));
  EXPECT_FALSE(pipeline.inspect_vertex(2).ok()) << "each once";

  pipeline.set_outside(Outside::zero);
  ASSERT_TRUE(pipeline.draw(engine, 7, 2));
  EXPECT_EQ(pipeline.inspect_vertex(0)->outputs[0][0], bits_of(115));
  EXPECT_EQ(pipeline.inspect_vertex(1)->outputs[0][0], bits_of(100));
  EXPECT_EQ(pipeline.inspect_vertex(1)->number, 8u);

  // Step by step: mov r0, c1; add o0, v0, r0; mov o1, v1; end.
  std::vector<VertexStep> steps;
  const auto record = [](void* context, const VertexStep& step) {
    auto& list = *static_cast<std::vector<VertexStep>*>(context);
    list.push_back(step);
    return list.size() != 6;
  };
  const auto traced = pipeline.trace_vertex(0, record, &steps);
  ASSERT_TRUE(traced.ok()) << to_string(traced.error());
  EXPECT_EQ(traced->outputs[0][0], bits_of(115));
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].address, 0u);
  EXPECT_EQ(steps[0].file, VertexStep::File::temporary);
  EXPECT_EQ(steps[0].mask, 15u);
  EXPECT_EQ(steps[0].value[0], bits_of(100));
  EXPECT_EQ(steps[1].file, VertexStep::File::output);
  EXPECT_EQ(steps[1].value[0], bits_of(115));
  EXPECT_EQ(steps[2].index, 1u);
  EXPECT_EQ(steps[3].address, 3u);
  EXPECT_EQ(steps[3].file, VertexStep::File::none);
  // Ended after the second of two more.
  const auto part = pipeline.trace_vertex(0, record, &steps);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(steps.size(), 6u);
  EXPECT_EQ(part->outputs[0][0], bits_of(115));
  EXPECT_EQ(part->outputs[1][1], 0u) << "not yet";
  EXPECT_FALSE(pipeline.trace_vertex(2, record, &steps).ok());
  EXPECT_FALSE(pipeline.trace_vertex(0, nullptr).ok());

  // A vertex of immediate mode: one attribute, 1.0 in x as f24.
  for (const auto& [id, value] :
       {std::pair{0x242u, 0u}, {0x232u, 15u}, {0x233u, 0u}, {0x234u, 0u}, {0x235u, 0x3F0000u}})
    ASSERT_TRUE(pipeline.write_register(id, value));
  ASSERT_EQ(pipeline.immediate_vertices(), 1u);
  ASSERT_TRUE(pipeline.draw_immediate(engine));
  view = pipeline.inspect_vertex(0);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->inputs[0][0], bits_of(1));
  EXPECT_EQ(view->outputs[0][0], bits_of(101));
}

TEST_F(PipelineCalls, PacketsDrawAsListsDo) {
  struct Seen final : CommandVisitor {
    std::vector<Xs> draws;
    std::vector<std::uint32_t> writes;
    bool draw(const Result<DrawResult>& result) override {
      draws.push_back(xs(result));
      return draws.size() < 2;
    }
    void write(std::uint32_t id, std::uint32_t) override { writes.push_back(id); }
  } seen;
  const std::array<std::uint32_t, 2> words = {2, 0};
  ASSERT_TRUE(pipeline.run_packet(engine, {0x228, std::span(words).first(1)}, seen));
  ASSERT_TRUE(pipeline.run_packet(engine, {0x22E, words, 15, false}, seen));
  EXPECT_EQ(seen.draws, (std::vector<Xs>{{1, 3}, {1, 3}}));
  EXPECT_EQ(seen.writes, (std::vector<std::uint32_t>{0x228, 0x22E, 0x22E}));
  ASSERT_TRUE(pipeline.run_packet(engine, {0x22E, words, 0, false}, seen));
  EXPECT_EQ(seen.draws.size(), 2u) << "no byte, no write";
  // Byte 1 of the register alone.
  const std::uint32_t word = 0x0304;
  ASSERT_TRUE(pipeline.run_packet(engine, {0x228, {&word, 1}, 2}, seen));
  EXPECT_EQ(pipeline.get_register(0x228), 0x0302u);
}

// Three booleans, in four formats of an attribute: four combinations of values get kernels, the other four share
// one, for each format.
TEST_F(PipelineCalls, KernelsOfBooleansAndFormatsStayFew) {
  upload(
      pipeline,
      ".out a position\n.proc main\nmov r0, v0\nifu b0\nadd r0, v0, r0\n.end\nifu b1\nadd r0, v0, r0\n.end\n"
      "ifu b2\nadd r0, v0, r0\n.end\nmov o0, r0\nend\n.end\n",
      Unit::vertex);
  pipeline.set_output_mask(1);
  for (const ComponentType type :
       {ComponentType::u8, ComponentType::s8, ComponentType::s16, ComponentType::f32})
    for (unsigned bits = 0; bits < 8; ++bits) {
      pipeline.set_bools(static_cast<std::uint16_t>(bits));
      ASSERT_TRUE(pipeline.bind_attribute(0, {memory.data(), sizeof memory, 0, 4, {type, 1}}));
      const auto result = pipeline.draw(engine, 0, 2);
      ASSERT_TRUE(result.ok()) << to_string(result.error());
      const float x = type == ComponentType::f32 ? std::bit_cast<float>(0x00020001) : 1.0f;
      EXPECT_EQ(result->vertices[0].position[0], x * static_cast<float>(1 + std::popcount(bits)));
      if (engine.info().jit) {
        EXPECT_EQ(result->report.generic, bits >= 4);
      }
    }
  EXPECT_EQ(engine.statistics().kernels, 4u * (4 + 1));
}

TEST_F(PipelineCalls, StatesGoOnInANewPipeline) {
  ASSERT_TRUE(pipeline.set_floats(1, std::array<FloatBits, 1>{FloatBits{bits_of(100), 0, 0, 0}}));
  ASSERT_TRUE(pipeline.write_register(0x25F, 1));
  // Half of a vertex in immediate mode, after a whole one.
  for (const auto& [id, value] : {std::pair{0x242u, 1u},
                                  {0x232u, 15u},
                                  {0x233u, 0u},
                                  {0x234u, 0u},
                                  {0x235u, 0x3F0000u},
                                  {0x233u, 0u},
                                  {0x234u, 0u},
                                  {0x235u, 0u},
                                  {0x233u, 0u},
                                  {0x234u, 0u}})
    ASSERT_TRUE(pipeline.write_register(id, value));
  ASSERT_EQ(pipeline.immediate_vertices(), 1u);
  const auto saved = pipeline.save();
  ASSERT_TRUE(saved.ok());
  Pipeline other;
  ASSERT_TRUE(other.load(*saved).ok());
  EXPECT_EQ(*other.save(), *saved);
  for (Pipeline* one : {&pipeline, &other}) {
    for (const auto& [id, value] : {std::pair{0x235u, 0x400000u}, {0x233u, 0u}, {0x234u, 0u}, {0x235u, 0u}})
      ASSERT_TRUE(one->write_register(id, value));
    const auto result = one->draw_immediate(engine);
    EXPECT_EQ(xs(result), (Xs{101, 102}));
    EXPECT_TRUE(result->restarted);
  }
  // An object that was in use takes a state, too: what it has compiled is not mixed up.
  pipeline.set_bools(5);
  ASSERT_TRUE(pipeline.set_floats(1, std::array<FloatBits, 1>{FloatBits{}}));
  EXPECT_EQ(xs(pipeline.draw(engine, 0, 1)), Xs{1});
  ASSERT_TRUE(pipeline.load(*saved).ok());
  EXPECT_EQ(xs(pipeline.draw(engine, 0, 1)), Xs{101});
  EXPECT_EQ(pipeline.unit(Unit::vertex).bools, 0u);
  EXPECT_FALSE(pipeline.load(std::span(*saved).first(saved->size() - 1)).ok());
  EXPECT_EQ(xs(pipeline.draw(engine, 1, 1)), Xs{103});
  ASSERT_TRUE(pipeline.reset().ok());
  EXPECT_EQ(*pipeline.save(), *Pipeline().save());
}

// States with other bytes are refused, or can be drawn with and saved again.
TEST_F(PipelineCalls, SpoiltStatesEnd) {
  upload(pipeline, kGeometry, Unit::geometry);
  pipeline.set_output_mask(1, Unit::geometry);
  ASSERT_TRUE(pipeline.set_attribute_count(2, Unit::geometry));
  ASSERT_TRUE(pipeline.write_register(0x229, 2));
  ASSERT_TRUE(pipeline.write_register(0x228, 3));
  ASSERT_TRUE(pipeline.draw_arrays(engine));
  const std::vector<std::byte> bytes = *pipeline.save();
  std::mt19937 random(7);
  std::size_t refused = 0, drawn = 0;
  RunOptions options;
  for (unsigned n = 0; n < 400; ++n) {
    std::vector<std::byte> spoilt = bytes;
    for (unsigned k = 0; k < 1 + n % 4; ++k)
      spoilt[random() % spoilt.size()] =
          n % 3 != 0 ? static_cast<std::byte>(random()) : static_cast<std::byte>(1u << random() % 8);
    if (!pipeline.load(spoilt)) {
      ++refused;
      continue;
    }
    ASSERT_EQ(*pipeline.save(), spoilt);
    if (pipeline.get_register(0x228) > 1000) continue;
    pipeline.set_outside(n % 2 != 0 ? Outside::zero : Outside::error);
    options.engine = n % 8 != 0 ? EngineKind::guest : EngineKind::jit;
    options.fuel = 1000;
    drawn += pipeline.draw_arrays(engine, options).ok();
    static_cast<void>(pipeline.draw_immediate(engine, options));
    static_cast<void>(pipeline.inspect_vertex(0));
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(drawn, 50u);
}

}  // namespace
}  // namespace warpjit::pica200
