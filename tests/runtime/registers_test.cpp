// Writes to the set-up registers (docs/guests/pica200.md 11).
#include "device/pica200/registers.h"

#include <gtest/gtest.h>

#include <bit>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

Vector of(float x, float y, float z, float w) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}

class RegisterWrites : public ::testing::Test {
 protected:
  void write(std::uint32_t id, std::uint32_t value, unsigned bytes = 15) {
    const Status status = r.write(id, value, bytes);
    ASSERT_TRUE(status) << to_string(status.error());
  }
  void write_f24(std::uint32_t id, float x, float y, float z, float w) {
    const std::uint32_t a = encode_f24(w), b = encode_f24(z), c = encode_f24(y), d = encode_f24(x);
    write(id, a << 8 | b >> 16);
    write(id, b << 16 | c >> 8);
    write(id, c << 24 | d);
  }
  Registers r;
};

// What both units have, at their own base.
class UnitRegisterWrites : public RegisterWrites, public ::testing::WithParamInterface<Unit> {
 protected:
  bool geometry() const { return GetParam() == Unit::geometry; }
  std::uint32_t base() const { return geometry() ? 0x280 : 0x2B0; }
  UnitRegisters& unit() { return geometry() ? r.geometry : r.vertex; }
};
INSTANTIATE_TEST_SUITE_P(Units, UnitRegisterWrites, ::testing::Values(Unit::vertex, Unit::geometry),
                         [](const auto& info) { return info.param == Unit::vertex ? "Vertex" : "Geometry"; });

TEST_P(UnitRegisterWrites, FloatsInF24Mode) {
  write(base() + 0x10, 5);
  write_f24(base() + 0x11, 1.0f, -0.5f, 3.0f, 0.25f);
  write_f24(base() + 0x18, 2.0f, 4.0f, 8.0f, -16.0f);  // the next one, through another data register
  EXPECT_EQ(unit().floats[5], of(1.0f, -0.5f, 3.0f, 0.25f));
  EXPECT_EQ(unit().floats[6], of(2.0f, 4.0f, 8.0f, -16.0f));
  EXPECT_EQ(unit().floats[4], of(0, 0, 0, 0));
}

// Bit patterns of the 24-bit format, in one vector.
TEST_P(UnitRegisterWrites, F24Words) {
  write(base() + 0x10, 0);
  write(base() + 0x11, 0x7EFFFF00u | 0x7F);
  write(base() + 0x11, 0x80000000u | 0x0100);
  write(base() + 0x11, 0x00BE0000u);
  EXPECT_EQ(unit().floats[0], (Vector{0xBF000000u, 0x20800000u, 0x7FC00000u, 0x5F7FFF80u}));
}

TEST_P(UnitRegisterWrites, FloatsInF32Mode) {
  write(base() + 0x10, 0x80000000u | 95);
  for (const float value : {4.0f, 3.0f, 2.0f, 1.1f})
    write(base() + 0x12, std::bit_cast<std::uint32_t>(value));
  EXPECT_EQ(unit().floats[95], of(1.1f, 2.0f, 3.0f, 4.0f));
  // Beyond c95, vectors are discarded.
  for (int n = 0; n < 4 * 40; ++n) write(base() + 0x13, 0x3F800000u);
  EXPECT_EQ(unit().floats[0], of(0, 0, 0, 0));
  EXPECT_EQ(unit().floats[95], of(1.1f, 2.0f, 3.0f, 4.0f));
}

TEST_P(UnitRegisterWrites, VectorsFromIndex96AreDiscarded) {
  for (const std::uint32_t index : {96u, 0x7Fu, 0x80u, 0xFFu}) {
    write(base() + 0x10, index);
    write_f24(base() + 0x11, 1, 1, 1, 1);
    write_f24(base() + 0x11, 1, 1, 1, 1);
  }
  for (const Vector& vector : unit().floats) EXPECT_EQ(vector, Vector{});
}

TEST_P(UnitRegisterWrites, TheIndexResetsTheWordCount) {
  write(base() + 0x10, 1);
  write(base() + 0x11, 0xFFFFFFFFu);
  write(base() + 0x10, 2);
  write_f24(base() + 0x11, 1, 2, 3, 4);
  EXPECT_EQ(unit().floats[1], Vector{});
  EXPECT_EQ(unit().floats[2], of(1, 2, 3, 4));
}

TEST_P(UnitRegisterWrites, CodeAndDescriptors) {
  const auto last = static_cast<std::uint32_t>(unit().code.size()) - 1;
  EXPECT_EQ(last, geometry() ? 4095u : 511u);
  write(base() + 0x1B, last - 1);
  for (const std::uint32_t word : {1u, 2u, 3u}) write(base() + 0x1C, word);
  EXPECT_EQ(unit().code[last - 1], 1u);
  EXPECT_EQ(unit().code[last], 2u);
  EXPECT_EQ(unit().code[0], 0u);
  write(base() + 0x25, 126);
  for (const std::uint32_t word : {4u, 5u, 6u}) write(base() + 0x2D, word);
  EXPECT_EQ(unit().descriptors[126], 4u);
  EXPECT_EQ(unit().descriptors[127], 5u);
  EXPECT_EQ(unit().descriptors[0], 0u);
  write(base() + 0xA, 0x7FFF0004u);
  EXPECT_EQ(unit().entry, 4u);
  write(base() + 0xF, 1);
}

TEST_P(UnitRegisterWrites, BoolsIntsAndLayout) {
  write(base(), 0x7FFF8001u);
  EXPECT_EQ(unit().bools, 0x8001);
  for (unsigned n = 0; n < 4; ++n) {
    write(base() + 1 + n, 0x04030201u + n);
    EXPECT_EQ(unit().ints[n], 0x04030201u + n);
  }
  write(base() + 0x09, 0xA0000003u);
  EXPECT_EQ(unit().attribute_count, 4);
  write(base() + 0x0B, 0x76543210u);
  write(base() + 0x0C, 0xFEDCBA98u);
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(unit().permutation[n], n);
  write(base() + 0x0D, 0xFFFF0123u);
  EXPECT_EQ(unit().output_mask, 0x0123);
  // Nothing of it is the other unit's: sharing is for program and uniforms of the vertex unit.
  const UnitRegisters& other = geometry() ? r.vertex : r.geometry;
  EXPECT_EQ(other.attribute_count, 0);
  EXPECT_EQ(other.permutation[1], 0);
  EXPECT_EQ(other.output_mask, 0);
}

// Every data port takes words for the same index.
TEST_P(UnitRegisterWrites, EachDataPort) {
  write(base() + 0x10, 0x80000000u);
  write(base() + 0x1B, 0);
  write(base() + 0x25, 0);
  for (std::uint32_t port = 0; port < 8; ++port) {
    for (std::uint32_t n = 0; n < 4; ++n) write(base() + 0x11 + port, 100 * port + n);
    write(base() + 0x1C + port, 7 + port);
    write(base() + 0x26 + port, 9 + port);
    EXPECT_EQ(unit().floats[port], (Vector{100 * port + 3, 100 * port + 2, 100 * port + 1, 100 * port}));
    EXPECT_EQ(unit().code[port], 7 + port);
    EXPECT_EQ(unit().descriptors[port], 9 + port);
  }
}

TEST_P(UnitRegisterWrites, VersionsTellWhatChanged) {
  const std::uint64_t program = unit().program_version, values = unit().values_version,
                      layout = unit().layout_version;
  write(base(), 0);
  write(base() + 0x1B, 0);
  write(base() + 0x1C, 0);
  write(base() + 0x0D, 0);
  EXPECT_EQ(unit().program_version, program);
  EXPECT_EQ(unit().values_version, values);
  EXPECT_EQ(unit().layout_version, layout);
  write(base(), 1);
  write(base() + 0x1C, 1);
  write(base() + 0x0D, 1);
  EXPECT_NE(unit().program_version, program);
  EXPECT_NE(unit().values_version, values);
  EXPECT_NE(unit().layout_version, layout);
}

// A denormal, a NaN with its payload, an infinity and a zero with its sign.
TEST_P(UnitRegisterWrites, F24EdgesAreExact) {
  write(base() + 0x10, 0);
  write(base() + 0x11, 0xFF000100u);
  write(base() + 0x11, 0x0001FF00u);
  write(base() + 0x11, 0x00800000u);
  // w = 0xFF0001, z = 0x000001, y = 0xFF0000, x = 0x800000
  EXPECT_EQ(unit().floats[0], (Vector{0x80000000u, 0xFF800000u, 0x18800000u, 0xFF800080u}));
}

TEST_F(RegisterWrites, TheVertexUnitSharesWithTheGeometryUnit) {
  const auto write_all = [&](std::uint32_t value) {
    write(0x2B0, value);
    write(0x2B1, value);
    write(0x2C0, 0x80000005u);
    for (int n = 0; n < 4; ++n) write(0x2C1, value);
    write(0x2CB, 3);
    write(0x2CC, value);
    write(0x2D5, 4);
    write(0x2D6, value);
    write(0x2BA, value);
  };
  const auto expect = [&](const UnitRegisters& unit, std::uint32_t value) {
    EXPECT_EQ(unit.bools, value);
    EXPECT_EQ(unit.ints[0], value);
    EXPECT_EQ(unit.floats[5], (Vector{value, value, value, value}));
    EXPECT_EQ(unit.code[3], value);
    EXPECT_EQ(unit.descriptors[4], value);
  };
  write_all(1);
  expect(r.geometry, 1);
  EXPECT_EQ(r.geometry.entry, 0u);
  write(0x244, 1);  // the geometry unit is set up alone
  write_all(2);
  expect(r.vertex, 2);
  expect(r.geometry, 1);
  write(0x244, 0);
  write(0x229, 2);  // ... or in use
  write_all(3);
  expect(r.geometry, 1);
  write(0x229, 0x80000000u);
  write_all(4);
  expect(r.geometry, 4);
  write(0x280, 5);  // never the other way
  EXPECT_EQ(r.vertex.bools, 4);
}

TEST_F(RegisterWrites, OutputMapAndGeometryStage) {
  write(0x04F, 0xF2);
  EXPECT_EQ(r.map_count, 2);
  for (std::uint32_t n = 0; n < 7; ++n) write(0x050 + n, 0x03020100u + n);
  for (std::uint32_t n = 0; n < 7; ++n) EXPECT_EQ(r.output_map[n], 0x03020100u + n);
  EXPECT_FALSE(r.geometry_on());
  write(0x229, 0x80000002u);
  EXPECT_TRUE(r.geometry_on());
  write(0x229, 1);
  EXPECT_FALSE(r.geometry_on());
  for (std::uint32_t n = 0; n < 4; ++n) {
    write(0x25E, n << 8 | 0xFFFF00FFu);
    EXPECT_EQ(r.topology(), static_cast<Topology>(n));
  }
  EXPECT_FALSE(r.restarted);
  write(0x25F, 1);
  EXPECT_TRUE(r.restarted);
  write(0x2BD, 0x0F00);
  EXPECT_EQ(r.vertex_outputs(), 4u);
  write(0x24A, 2);
  EXPECT_EQ(r.vertex_outputs(), 3u);
  write(0x24A, 9);
  EXPECT_EQ(r.vertex_outputs(), 4u);
}

TEST_F(RegisterWrites, ByteMasks) {
  write(0x2B1, 0x11223344u);
  write(0x2B1, 0xAABBCCDDu, 1);
  EXPECT_EQ(r.vertex.ints[0], 0x112233DDu);
  write(0x2B1, 0xAABBCCDDu, 10);
  EXPECT_EQ(r.vertex.ints[0], 0xAA22CCDDu);
  write(0x2B1, 0, 0);
  EXPECT_EQ(r.vertex.ints[0], 0xAA22CCDDu);
  // A data port has the bytes that came last.
  write(0x2CB, 0);
  write(0x2CC, 0x01020304u);
  write(0x2CC, 0x0000FF00u, 2);
  EXPECT_EQ(r.vertex.code[1], 0x0102FF04u);
  // Nothing is triggered by no byte.
  write(0x25F, 1, 0);
  EXPECT_FALSE(r.restarted);
}

TEST_F(RegisterWrites, WritingTheBooleansSetsB15) {
  r.unit().flags = GeometryUnit::kHasRun | GeometryUnit::kWinding;
  write(0x244, 1);
  write(0x2B0, 1);
  EXPECT_EQ(r.unit().flags, GeometryUnit::kHasRun | GeometryUnit::kWinding);
  write(0x280, 0);
  EXPECT_EQ(r.unit().flags, GeometryUnit::kWinding);
  r.unit().flags |= GeometryUnit::kHasRun;
  write(0x244, 0);
  write(0x2B0, 1);  // shared
  EXPECT_EQ(r.unit().flags, GeometryUnit::kWinding);
}

TEST_F(RegisterWrites, FixedAttributes) {
  write(0x232, 10);
  for (int n = 0; n < 3; ++n) write_f24(0x233, 1, 2, 3, 4);  // the third is attribute 12: there is none
  EXPECT_EQ(r.fixed[10], of(1, 2, 3, 4));
  EXPECT_EQ(r.fixed[11], of(1, 2, 3, 4));
  EXPECT_EQ(r.fixed[0], Vector{});
  write(0x232, 0);
  write(0x233, 0x3F000040u);  // each word through a port of its own
  write(0x234, 0x00004080u);
  write(0x235, 0x003E0000u);
  EXPECT_EQ(r.fixed[0], of(0.5f, 3, 2, 1));
}

TEST_F(RegisterWrites, VerticesInImmediateMode) {
  write(0x232, 2);
  write_f24(0x233, 7, 7, 7, 7);
  write(0x242, 1);
  write(0x232, 15);
  for (int n = 0; n < 5; ++n) write_f24(0x233, static_cast<float>(n), 0, 0, 1);
  ASSERT_EQ(r.immediate.size(), 2u);
  EXPECT_EQ(r.immediate[1][0], of(2, 0, 0, 1));
  EXPECT_EQ(r.immediate[1][1], of(3, 0, 0, 1));
  EXPECT_EQ(r.immediate[1][2], of(7, 7, 7, 7));
  EXPECT_EQ(r.immediate[1][3], Vector{});
  write(0x232, 15);  // what was begun is dropped
  write_f24(0x233, 9, 0, 0, 1);
  EXPECT_EQ(r.immediate.size(), 2u);
  write_f24(0x233, 10, 0, 0, 1);
  ASSERT_EQ(r.immediate.size(), 3u);
  EXPECT_EQ(r.immediate[2][0], of(9, 0, 0, 1));
  write(0x242, 15);  // more attributes than there are
  for (int n = 0; n < 16; ++n) write_f24(0x233, static_cast<float>(n), 0, 0, 1);
  ASSERT_EQ(r.immediate.size(), 4u);
  EXPECT_EQ(r.immediate[3][11], of(11, 0, 0, 1));
}

TEST_F(RegisterWrites, ImmediateVerticesAreBounded) {
  write(0x232, 15);
  write(0x242, 0);
  r.immediate.resize(kMaxDrawVertices);
  write(0x233, 0);
  write(0x233, 0);
  const Status status = r.write(0x233, 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::resource_limit);
  EXPECT_EQ(status.error().where, "register 0x233");
}

TEST_F(RegisterWrites, LoaderRegistersAreKept) {
  for (std::uint32_t id = 0x200; id < 0x227; ++id) {
    const std::uint64_t before = r.loader_version;
    write(id, id);
    EXPECT_NE(r.loader_version, before) << id;
    write(id, id);
    EXPECT_EQ(r.loader_version, before + 1) << id;
    EXPECT_EQ(r.read(id), id);
  }
  EXPECT_EQ(r.attribute_base(), 0x200u * 8);
}

TEST_F(RegisterWrites, OtherRegistersAreIgnored) {
  for (std::uint32_t id = 0; id < 0x1000; ++id) {
    const bool known =
        (id >= 0x4F && id < 0x57) || (id >= 0x200 && id < 0x25F) || (id >= 0x280 && id < 0x2E0);
    if (!known) write(id, 0xFFFFFFFFu);
  }
  const Registers fresh;
  const auto versions = [](const Registers& of) {
    std::uint64_t sum = of.map_version + of.fixed_version + of.loader_version;
    for (const UnitRegisters* unit : {&of.vertex, &of.geometry})
      sum += unit->program_version + unit->values_version + unit->layout_version;
    return sum;
  };
  EXPECT_EQ(versions(r), versions(fresh));
  write(0xFFFFFFFFu, 1);
}

}  // namespace
}  // namespace warpjit::pica200
