// Draws through the public interface (pica200.hpp): formats, permutation, fixed attributes, output map,
// errors.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "runtime/engine/engine.h"
#include "runtime/shaders.h"
#include "support/draw_reference.h"
#include "support/guarded_bytes.h"
#include "warpjit/pica200.hpp"

namespace warpjit::test {
namespace {

using pica200::AttributeArray;
using pica200::DrawResult;
using pica200::Pipeline;
using pica200::Vertex;

constexpr std::uint32_t kPosition = 0x03020100u, kQuaternion = 0x07060504u, kColor = 0x0B0A0908u,
                        kNone = 0x1F1F1F1Fu;

pica200::Program assembled(const std::string& body) {
  const pica200::SourceFile file{"test.v.pica", body};
  auto container = pica200::assemble({&file, 1});
  EXPECT_TRUE(container) << to_string(container.error());
  return *pica200::select_program(*container);
}

// o0 = v3, o1 = v7.
const char* const kCopy =
    ".out a position\n.out b normalquat\n.proc main\nmov o0, v3\nmov o1, v7\nend\n.end\n";

void upload(Pipeline& pipeline, const std::string& body) {
  const pica200::Program program = assembled(body);
  ASSERT_TRUE(pipeline.set_code(program.code));
  ASSERT_TRUE(pipeline.set_descriptors(program.descriptors));
  ASSERT_TRUE(pipeline.set_entry(program.entry));
}
// v3 comes out as the position, v7 as the quaternion; attribute 0 goes to v3 and 1 to v7.
void copying(Pipeline& pipeline) {
  upload(pipeline, kCopy);
  ASSERT_TRUE(pipeline.set_attribute_count(2));
  ASSERT_TRUE(pipeline.set_permutation(0, 3));
  ASSERT_TRUE(pipeline.set_permutation(1, 7));
  pipeline.set_output_mask(3);
  const std::uint32_t map[] = {kPosition, kQuaternion};
  ASSERT_TRUE(pipeline.set_output_map(map));
}
std::array<std::uint32_t, 4> bits(float x, float y, float z, float w) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}
void expect_row(const float* row, float x, float y, float z, float w) {
  EXPECT_EQ(row[0], x);
  EXPECT_EQ(row[1], y);
  EXPECT_EQ(row[2], z);
  EXPECT_EQ(row[3], w);
}

template <class T>
void check_format(ComponentType type, const std::vector<T>& values) {
  const Engine engine;
  for (std::uint8_t components = 1; components <= 4; ++components)
    for (const std::size_t offset : {0, 1, 2, 3, 4, 7})
      for (const Way& way : all_ways(engine)) {
        SCOPED_TRACE(name(Format{type, components}) + " at " + std::to_string(offset) + ", " + way.name);
        Pipeline pipeline;
        copying(pipeline);
        const std::size_t stride = offset + components * sizeof(T);
        tests::GuardedBytes array(values.size() * stride, true);
        const auto at = [&](std::size_t vertex, unsigned c) { return values[(vertex + c) % values.size()]; };
        for (std::size_t v = 0; v < values.size(); ++v)
          for (unsigned c = 0; c < components; ++c) {
            const T value = at(v, c);
            std::memcpy(array.data() + v * stride + offset + c * sizeof(T), &value, sizeof(T));
          }
        ASSERT_TRUE(
            pipeline.bind_attribute(0, {array.data(), array.size(), offset, stride, {type, components}}));
        const auto result = pipeline.draw(engine, 0, values.size(), way.options);
        ASSERT_TRUE(result) << to_string(result.error());
        for (std::size_t v = 0; v < values.size(); ++v)
          for (unsigned c = 0; c < 4; ++c) {
            const float want = c < components ? static_cast<float>(at(v, c)) : c == 3 ? 1.0f : 0.0f;
            const float got = result->vertices[v].position[c];
            const auto want_bits = std::isnan(want) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(want);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got), want_bits) << v << ' ' << c;
          }
      }
}

TEST(Draw, SignedBytes) { check_format<std::int8_t>(ComponentType::s8, {-128, -127, -1, 0, 1, 127}); }
TEST(Draw, UnsignedBytes) { check_format<std::uint8_t>(ComponentType::u8, {0, 1, 127, 128, 254, 255}); }
TEST(Draw, SignedShorts) {
  check_format<std::int16_t>(ComponentType::s16, {-32768, -32767, -256, -1, 0, 1, 255, 256, 32767});
}
TEST(Draw, Floats) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  check_format<float>(ComponentType::f32, {0.0f, -0.0f, 1.5f, -kInfinity, kInfinity, 1e-42f, -3e38f,
                                           std::numeric_limits<float>::quiet_NaN()});
}

TEST(Draw, FixedAttributesAndPermutation) {
  const Engine engine;
  Pipeline pipeline;
  copying(pipeline);
  const float rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 16, f32x4}));
  ASSERT_TRUE(pipeline.set_fixed_attribute(1, bits(9, 10, 11, 12)));
  for (const Way& way : all_ways(engine)) {
    SCOPED_TRACE(way.name);
    const auto result = pipeline.draw(engine, 1, 1, way.options);
    ASSERT_TRUE(result) << to_string(result.error());
    expect_row(result->vertices[0].position, 5, 6, 7, 8);
    expect_row(result->vertices[0].quaternion, 9, 10, 11, 12);
  }
  // Other values, the registers exchanged, an attribute that is not fed.
  ASSERT_TRUE(pipeline.set_fixed_attribute(1, bits(0, 0, 0, 7)));
  ASSERT_TRUE(pipeline.set_permutation(0, 7));
  ASSERT_TRUE(pipeline.set_permutation(1, 3));
  auto result = pipeline.draw(engine, 0, 1);
  ASSERT_TRUE(result);
  expect_row(result->vertices[0].position, 0, 0, 0, 7);
  expect_row(result->vertices[0].quaternion, 1, 2, 3, 4);
  ASSERT_TRUE(pipeline.set_attribute_count(1));
  result = pipeline.draw(engine, 0, 1);
  ASSERT_TRUE(result);
  expect_row(result->vertices[0].position, 0, 0, 0, 0);
  // Both to one register: the higher attribute counts.
  ASSERT_TRUE(pipeline.set_attribute_count(2));
  ASSERT_TRUE(pipeline.set_permutation(1, 7));
  result = pipeline.draw(engine, 0, 1);
  ASSERT_TRUE(result);
  expect_row(result->vertices[0].quaternion, 0, 0, 0, 7);
}

TEST(Draw, OutputMapAndColorClamp) {
  const Engine engine;
  Pipeline pipeline;
  copying(pipeline);
  const float rows[] = {-0.5f, 2.0f, std::numeric_limits<float>::quiet_NaN(), -0.0f, 3, 4, 5, 6};
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 0, f32x4}));
  ASSERT_TRUE(pipeline.bind_attribute(1, {rows, sizeof rows, 16, 0, f32x4}));
  // v3 to the colour; v7 to texture coordinate 2 (the wrong way round), texcoord0 w and nothing.
  pipeline.set_output_mask(0x8003);
  const std::uint32_t map[] = {kColor, 0x1F101617u};
  ASSERT_TRUE(pipeline.set_output_map(map));
  for (const Way& way : all_ways(engine)) {
    SCOPED_TRACE(way.name);
    const auto result = pipeline.draw(engine, 0, 3, way.options);
    ASSERT_TRUE(result) << to_string(result.error());
    for (const Vertex& v : result->vertices) {
      expect_row(v.color, 0.5f, 1, 1, 0);
      EXPECT_FALSE(std::signbit(v.color[3]));
      EXPECT_EQ(v.texcoord2[0], 4);
      EXPECT_EQ(v.texcoord2[1], 3);
      EXPECT_EQ(v.texcoord0_w, 5);
      expect_row(v.position, 1, 1, 1, 1);
      expect_row(v.quaternion, 1, 1, 1, 1);
      for (const float value : {v.texcoord0[0], v.texcoord0[1], v.texcoord1[0], v.texcoord1[1], v.unused17,
                                v.view[0], v.view[1], v.view[2], v.unused21})
        EXPECT_EQ(value, 1);
    }
  }
  // Without outputs, or with semantics that do not exist, everything is 1.
  const std::uint32_t none[] = {kNone, 0xFFFEFDFCu};
  ASSERT_TRUE(pipeline.set_output_map(none));
  auto result = pipeline.draw(engine, 0, 1);
  ASSERT_TRUE(result);
  expect_row(result->vertices[0].color, 1, 1, 1, 1);
  // The later of two outputs counts.
  const std::uint32_t both[] = {kPosition, kPosition};
  ASSERT_TRUE(pipeline.set_output_map(both));
  result = pipeline.draw(engine, 0, 1);
  ASSERT_TRUE(result);
  expect_row(result->vertices[0].position, 3, 4, 5, 6);
}

// The same set-up as a command list has it.
TEST(Draw, SetUpByRegisters) {
  const Engine engine;
  const pica200::Program program =
      assembled(".fvec scale\n.out a position\n.proc main\nmul r0, scale, v3\nmov o0, r0\nend\n.end\n");
  std::vector<pica200::RegisterWrite> list = {{0x2CB, 0}};
  for (const std::uint32_t word : program.code) list.push_back({0x2CC, word});
  list.push_back({0x2BF, 1});
  list.push_back({0x2D5, 0});
  for (const std::uint32_t word : program.descriptors) list.push_back({0x2D6, word});
  const std::vector<pica200::RegisterWrite> rest = {
      {0x2BA, 0x7FFF0000u | program.entry},
      {0x2B9, 0xA0000001u},
      {0x2BB, 0x76543203u},  // attribute 0 to v3
      {0x2BD, 1},
      {0x04F, 1},
      {0x050, kPosition},
      {0x2C0, 0x80000000u | program.find_symbol("scale")->first.index},
      {0x2C1, 0x3F800000u},  // w = 1, then z = y = x = 2
      {0x2C1, 0x40000000u},
      {0x2C1, 0x40000000u},
      {0x2C1, 0x40000000u},
      {0x25E, 0},
      {0x22F, 1}};
  list.insert(list.end(), rest.begin(), rest.end());
  Pipeline pipeline;
  ASSERT_TRUE(pipeline.write_registers(list));
  const std::int16_t rows[] = {1, -2, 300, 4, 5, 6};
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 6, {ComponentType::s16, 3}}));
  const std::uint16_t indices[] = {1, 0, 1};
  const auto result = pipeline.draw_indexed(engine, indices);
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->vertices.size(), 2u);
  expect_row(result->vertices[0].position, 2, -4, 600, 1);
  expect_row(result->vertices[1].position, 8, 10, 12, 1);
  EXPECT_TRUE(std::equal(result->indices.begin(), result->indices.end(), indices));
}

TEST(Draw, ArraysAreChecked) {
  const Engine engine;
  Pipeline pipeline;
  copying(pipeline);
  const float rows[3 * 4] = {};
  const auto fails = [&](const Result<DrawResult>& result, const char* message) {
    ASSERT_FALSE(result);
    EXPECT_EQ(to_string(result.error()), message);
  };
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 16, f32x4}));
  ASSERT_TRUE(pipeline.draw(engine, 0, 3));
  ASSERT_TRUE(pipeline.draw(engine, 2, 1));
  ASSERT_TRUE(pipeline.draw(engine, 77, 0));
  fails(pipeline.draw(engine, 0, 4), "attribute 0: vertex 3 does not lie in the array of 48 bytes");
  fails(pipeline.draw(engine, 7, 1), "attribute 0: vertex 7 does not lie in the array of 48 bytes");
  fails(pipeline.draw(engine, ~0u, 1),
        "attribute 0: vertex 4294967295 does not lie in the array of 48 bytes");
  const std::uint16_t wild[] = {2, 0, 3, 65535};
  fails(pipeline.draw_indexed(engine, wild),
        "attribute 0: index 2, vertex 3, does not lie in the attribute's array");
  const std::uint8_t narrow[] = {255};
  fails(pipeline.draw_indexed(engine, narrow),
        "attribute 0: index 0, vertex 255, does not lie in the attribute's array");
  // An attribute that the program does not read may lie anywhere.
  ASSERT_TRUE(pipeline.set_permutation(0, 5));
  EXPECT_TRUE(pipeline.draw(engine, 0, 4));
  ASSERT_TRUE(pipeline.set_permutation(0, 3));

  for (const AttributeArray& bad :
       {AttributeArray{nullptr, 48, 0, 16, f32x4}, AttributeArray{rows, 15, 0, 16, f32x4},
        AttributeArray{rows, 48, 33, 16, f32x4}, AttributeArray{rows, 48, ~std::size_t{0}, 16, f32x4},
        AttributeArray{rows, ~std::size_t{0}, 0, 16, f32x4}}) {
    ASSERT_TRUE(pipeline.bind_attribute(0, bad));
    const auto result = pipeline.draw(engine, 0, 1);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::outside);
    EXPECT_EQ(result.error().where, "attribute 0");
  }
  ASSERT_TRUE(pipeline.bind_attribute(0, {rows, 48, 0, ~std::size_t{0} / 2, f32x4}));
  EXPECT_TRUE(pipeline.draw(engine, 0, 1));
  EXPECT_FALSE(pipeline.draw(engine, 0, 2));
  EXPECT_EQ(pipeline.draw(engine, 0, pica200::kMaxDrawVertices + 1).error().code, ErrorCode::resource_limit);
}

TEST(Draw, ArgumentsAreChecked) {
  Pipeline pipeline;
  const Engine engine;
  EXPECT_EQ(to_string(pipeline.draw(engine, 0, 1).error()), "vertex program: no code was uploaded");
  const std::vector<std::uint32_t> words(513);
  EXPECT_FALSE(pipeline.set_code(words));
  EXPECT_FALSE(pipeline.set_code(std::span(words).first(2), 511));
  EXPECT_FALSE(pipeline.set_code(std::span(words).first(2), ~std::size_t{0}));
  EXPECT_FALSE(pipeline.set_descriptors(std::span(words).first(129)));
  EXPECT_FALSE(pipeline.set_entry(512));
  EXPECT_FALSE(pipeline.set_float(96, bits(0, 0, 0, 0)));
  EXPECT_FALSE(pipeline.set_int(4, 0));
  EXPECT_FALSE(pipeline.set_attribute_count(13));
  EXPECT_FALSE(pipeline.set_permutation(12, 0));
  EXPECT_FALSE(pipeline.set_permutation(0, 16));
  EXPECT_FALSE(pipeline.set_output_map(std::span(words).first(8)));
  EXPECT_FALSE(pipeline.set_fixed_attribute(12, bits(0, 0, 0, 0)));
  EXPECT_FALSE(pipeline.bind_attribute(12, {}));
  EXPECT_FALSE(pipeline.bind_attribute(0, {nullptr, 0, 0, 0, {ComponentType::u16, 2}}));
  EXPECT_FALSE(pipeline.bind_attribute(0, {nullptr, 0, 0, 0, {ComponentType::u8, 5}}));
  pipeline.unbind_attribute(99);
}

// Many draws in turn find their kernels again, and a program that was uploaded before.
TEST(Draw, KernelsAreRemembered) {
  const Engine engine;
  Pipeline pipeline;
  const float rows[4] = {1, 2, 3, 4};
  const std::int8_t bytes[4] = {5, 6, 7, 8};
  const std::uint16_t sparse[] = {0, 2};
  for (int turn = 0; turn < 5; ++turn) {
    for (const bool floats : {false, true}) {
      copying(pipeline);
      if (floats)
        ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 0, f32x4}));
      else
        ASSERT_TRUE(pipeline.bind_attribute(0, {bytes, sizeof bytes, 0, 0, {ComponentType::s8, 4}}));
      const auto result = pipeline.draw(engine, 0, 40);
      ASSERT_TRUE(result);
      EXPECT_EQ(result->vertices[39].position[0], floats ? 1 : 5);
      EXPECT_EQ(result->report.cache_hit, turn != 0);
      ASSERT_TRUE(pipeline.draw_indexed(engine, sparse));
    }
    upload(pipeline, ".out a position\n.proc main\nadd r0, v3, v3\nmov o0, r0\nend\n.end\n");
    const auto result = pipeline.draw(engine, 0, 1);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->vertices[0].position[0], 2);
  }
  EXPECT_EQ(engine.statistics().misses, 5u);
}

// More programs and formats than are remembered.
TEST(Draw, OldKernelsAreForgotten) {
  const Engine engine;
  Pipeline pipeline;
  const float rows[4] = {1, 2, 3, 4};
  for (int turn = 0; turn < 2; ++turn)
    for (int n = 0; n < 40; ++n) {
      upload(
          pipeline, ".constf k(" + std::to_string(n) +
                        ".0, 0.0, 0.0, 0.0)\n.out a position\n.proc main\nmov o0, k\n" +
                        [&] {
                          std::string adds;
                          for (int k = 0; k < n; ++k) adds += "add r" + std::to_string(k % 16) + ", v3, v3\n";
                          return adds;
                        }() +
                        "mov o1, v3\nend\n.end\n");
      ASSERT_TRUE(pipeline.set_attribute_count(1));
      ASSERT_TRUE(pipeline.set_permutation(0, 3));
      pipeline.set_output_mask(2);
      const std::uint32_t map[] = {kPosition};
      ASSERT_TRUE(pipeline.set_output_map(map));
      ASSERT_TRUE(pipeline.bind_attribute(0, {rows, sizeof rows, 0, 0, f32x4}));
      const auto result = pipeline.draw(engine, 0, 2);
      ASSERT_TRUE(result) << to_string(result.error());
      EXPECT_EQ(result->vertices[1].position[3], 4);
    }
}

TEST(Draw, ManyVerticesOnManyThreads) {
  Engine engine;
  engine.state().set_hooks({.tuning = backend::Tuning{.bytes_ahead_of_rows = 8192}});  // on every processor
  Pipeline pipeline;
  copying(pipeline);
  constexpr std::size_t kCount = 60000;
  tests::GuardedBytes array(kCount * 12, true);
  for (std::size_t n = 0; n < kCount; ++n) {
    const float row[3] = {static_cast<float>(n), static_cast<float>(n) * 0.5f, 7};
    std::memcpy(array.data() + 12 * n, row, sizeof row);
  }
  ASSERT_TRUE(pipeline.bind_attribute(0, {array.data(), array.size(), 0, 12, f32x3}));
  RunOptions options;
  options.threads = 3;
  const auto all = pipeline.draw(engine, 0, kCount, options);
  ASSERT_TRUE(all) << to_string(all.error());
  for (std::size_t n = 0; n < kCount; ++n)
    ASSERT_EQ(all->vertices[n].position[1], static_cast<float>(n) * 0.5f) << n;
  std::vector<std::uint16_t> indices;
  for (std::size_t n = 0; n < kCount; n += 1 + n % 3) indices.push_back(static_cast<std::uint16_t>(n));
  indices.push_back(kCount - 1);
  const auto some = pipeline.draw_indexed(engine, indices, options);
  ASSERT_TRUE(some) << to_string(some.error());
  for (std::size_t k = 0; k < indices.size(); ++k)
    ASSERT_EQ(some->vertices[some->indices[k]].position[0], static_cast<float>(indices[k]));
}

TEST(Draw, OutOfFuelIsReported) {
  const Engine engine;
  Pipeline pipeline;
  upload(pipeline,
         ".bool go\n.out a position\n.proc main\nagain:\nadd r0, r0, r0\njmpu go, again\nmov o0, "
         "r0\nend\n.end\n");
  pipeline.set_bools(0xFFFF);
  RunOptions options;
  options.fuel = 100;
  const auto result = pipeline.draw(engine, 0, 3, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::out_of_fuel);
}

}  // namespace
}  // namespace warpjit::test
