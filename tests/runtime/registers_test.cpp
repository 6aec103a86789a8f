// Writes to the set-up registers (docs/guests/pica200.md 11).
#include "frontend/pica200/draw/registers.h"

#include <gtest/gtest.h>

#include <bit>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

using Vector = Registers::Vector;

Vector of(float x, float y, float z, float w) {
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(z),
          std::bit_cast<std::uint32_t>(w)};
}

class RegisterWrites : public ::testing::Test {
 protected:
  void write(std::uint32_t id, std::uint32_t value) {
    const Status status = r.write(id, value);
    ASSERT_TRUE(status) << to_string(status.error());
  }
  void write_f24(std::uint32_t id, float x, float y, float z, float w) {
    const std::uint32_t a = pica200::encode_f24(w), b = pica200::encode_f24(z), c = pica200::encode_f24(y),
                        d = pica200::encode_f24(x);
    write(id, a << 8 | b >> 16);
    write(id, b << 16 | c >> 8);
    write(id, c << 24 | d);
  }
  Registers r;
};

TEST_F(RegisterWrites, FloatsInF24Mode) {
  write(0x2C0, 5);
  write_f24(0x2C1, 1.0f, -0.5f, 3.0f, 0.25f);
  write_f24(0x2C8, 2.0f, 4.0f, 8.0f, -16.0f);  // the next one, through another data register
  EXPECT_EQ(r.floats[5], of(1.0f, -0.5f, 3.0f, 0.25f));
  EXPECT_EQ(r.floats[6], of(2.0f, 4.0f, 8.0f, -16.0f));
  EXPECT_EQ(r.floats[4], of(0, 0, 0, 0));
}

// Bit patterns of the 24-bit format, in one vector.
TEST_F(RegisterWrites, F24Words) {
  write(0x2C0, 0);
  write(0x2C1, 0x7EFFFF00u | 0x7F);
  write(0x2C1, 0x80000000u | 0x0100);
  write(0x2C1, 0x00BE0000u);
  EXPECT_EQ(r.floats[0], (Vector{0xBF000000u, 0x20800000u, 0x7FC00000u, 0x5F7FFF80u}));
}

TEST_F(RegisterWrites, FloatsInF32Mode) {
  write(0x2C0, 0x80000000u | 95);
  for (const float value : {4.0f, 3.0f, 2.0f, 1.1f}) write(0x2C2, std::bit_cast<std::uint32_t>(value));
  EXPECT_EQ(r.floats[95], of(1.1f, 2.0f, 3.0f, 4.0f));
  // Beyond c95, vectors are discarded.
  for (int n = 0; n < 4 * 40; ++n) write(0x2C3, 0x3F800000u);
  EXPECT_EQ(r.floats[0], of(0, 0, 0, 0));
  EXPECT_EQ(r.floats[95], of(1.1f, 2.0f, 3.0f, 4.0f));
}

TEST_F(RegisterWrites, VectorsFromIndex96AreDiscarded) {
  for (const std::uint32_t index : {96u, 0x7Fu, 0x80u, 0xFFu}) {
    write(0x2C0, index);
    write_f24(0x2C1, 1, 1, 1, 1);
    write_f24(0x2C1, 1, 1, 1, 1);
  }
  for (const Vector& vector : r.floats) EXPECT_EQ(vector, Vector{});
}

TEST_F(RegisterWrites, TheIndexResetsTheWordCount) {
  write(0x2C0, 1);
  write(0x2C1, 0xFFFFFFFFu);
  write(0x2C0, 2);
  write_f24(0x2C1, 1, 2, 3, 4);
  EXPECT_EQ(r.floats[1], Vector{});
  EXPECT_EQ(r.floats[2], of(1, 2, 3, 4));
}

TEST_F(RegisterWrites, CodeAndDescriptors) {
  write(0x2CB, 510);
  for (const std::uint32_t word : {1u, 2u, 3u}) write(0x2CC, word);
  EXPECT_EQ(r.code[510], 1u);
  EXPECT_EQ(r.code[511], 2u);
  EXPECT_EQ(r.code[0], 0u);
  write(0x2D5, 126);
  for (const std::uint32_t word : {4u, 5u, 6u}) write(0x2DD, word);
  EXPECT_EQ(r.descriptors[126], 4u);
  EXPECT_EQ(r.descriptors[127], 5u);
  EXPECT_EQ(r.descriptors[0], 0u);
  write(0x2BA, 0x7FFF0004u);
  EXPECT_EQ(r.entry, 4u);
  write(0x2BF, 1);
}

TEST_F(RegisterWrites, BoolsIntsAndLayout) {
  write(0x2B0, 0x7FFF8001u);
  EXPECT_EQ(r.bools, 0x8001);
  write(0x2B4, 0x04030201u);
  EXPECT_EQ(r.ints[3], 0x04030201u);
  write(0x2B9, 0xA0000003u);
  EXPECT_EQ(r.attribute_count, 4);
  write(0x2BB, 0x76543210u);
  write(0x2BC, 0xFEDCBA98u);
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(r.permutation[n], n);
  write(0x2BD, 0xFFFF0123u);
  EXPECT_EQ(r.output_mask, 0x0123);
  write(0x04F, 0xF2);
  EXPECT_EQ(r.map_count, 2);
  write(0x050, 0x03020100u);
  write(0x056, 0x1F1F1F10u);
  EXPECT_EQ(r.output_map[0], 0x03020100u);
  EXPECT_EQ(r.output_map[6], 0x1F1F1F10u);
}

TEST_F(RegisterWrites, FixedAttributes) {
  write(0x232, 10);
  for (int n = 0; n < 3; ++n) write_f24(0x233, 1, 2, 3, 4);  // the third is attribute 12: there is none
  EXPECT_EQ(r.fixed[10], of(1, 2, 3, 4));
  EXPECT_EQ(r.fixed[11], of(1, 2, 3, 4));
  EXPECT_EQ(r.fixed[0], Vector{});
  write(0x232, 15);
  const Status status = r.write(0x233, 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::unsupported);
}

TEST_F(RegisterWrites, VersionsTellWhatChanged) {
  const std::uint64_t program = r.program_version, values = r.values_version, layout = r.layout_version;
  write(0x2B0, 0);
  write(0x2CB, 0);
  write(0x2CC, 0);
  write(0x2BD, 0);
  EXPECT_EQ(r.program_version, program);
  EXPECT_EQ(r.values_version, values);
  EXPECT_EQ(r.layout_version, layout);
  write(0x2B0, 1);
  write(0x2CC, 1);
  write(0x2BD, 1);
  EXPECT_NE(r.program_version, program);
  EXPECT_NE(r.values_version, values);
  EXPECT_NE(r.layout_version, layout);
}

TEST_F(RegisterWrites, OthersAreIgnored) {
  for (std::uint32_t id = 0; id < 0x1000; ++id) {
    const bool known =
        (id >= 0x4F && id < 0x57) || (id >= 0x229 && id < 0x236) || (id >= 0x2B0 && id < 0x2DE);
    if (!known) write(id, 0xFFFFFFFFu);
  }
  const Registers fresh;
  EXPECT_EQ(r.program_version + r.values_version + r.layout_version,
            fresh.program_version + fresh.values_version + fresh.layout_version);
  write(0xFFFFFFFFu, 1);
}

}  // namespace
}  // namespace warpjit::pica200
