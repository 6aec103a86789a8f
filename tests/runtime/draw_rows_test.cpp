#include "device/pica200/draw_rows.h"

#include <gtest/gtest.h>

namespace warpjit::pica200 {
namespace {

using pica200::AttributeArray;
constexpr warpjit::Format kS16x3{ComponentType::s16, 3}, kU8x4{ComponentType::u8, 4},
    kU8x1{ComponentType::u8, 1};

const std::byte memory[4096] = {};

ArrayInput input(std::uint8_t reg, std::size_t size, std::size_t offset, std::size_t stride,
                 warpjit::Format format, const std::byte* data = memory) {
  return {AttributeArray{data, size, offset, stride, format}, reg};
}

// Every attribute lies in its row, and the row's bytes are those of the array.
void check_rows(std::span<const ArrayInput> inputs, const DrawBindings& draw) {
  ASSERT_EQ(draw.facts.input_count, inputs.size());
  for (unsigned k = 0; k < draw.facts.input_count; ++k) {
    const frontend::FetchedInput& fetched = draw.facts.inputs[k];
    const auto* in = &inputs[0];
    while (in->reg != fetched.reg) ++in;
    const DrawBindings::Rows& rows = draw.rows[fetched.row];
    EXPECT_EQ(rows.data + fetched.offset, static_cast<const std::byte*>(in->array.data) + in->array.offset);
    EXPECT_EQ(rows.stride, in->array.stride);
    EXPECT_LE(fetched.offset + size(fetched.format), rows.bytes);
    EXPECT_LE(rows.bytes, 16u);
    EXPECT_GE(rows.data, in->array.data);
    EXPECT_EQ(fetched.format, in->array.format);
  }
}

TEST(DrawRows, AttributesOfAStructureShareRows) {
  const ArrayInput inputs[] = {input(3, 200, 0, 20, kS16x3), input(1, 200, 16, 20, kU8x4),
                               input(0, 200, 8, 20, f32x2)};
  DrawBindings draw;
  lay_out_rows(inputs, draw);
  check_rows(inputs, draw);
  // Bytes 0 to 15 and, from as far in front as there is something, 4 to 19.
  EXPECT_EQ(draw.facts.row_count, 2);
  EXPECT_EQ(draw.rows[0].bytes, 16u);
  EXPECT_EQ(draw.rows[1].data, memory + 4);
  EXPECT_EQ(whole_vertices(inputs, draw), 10u);
}

TEST(DrawRows, ShortStructuresReachPastTheirEnd) {
  const ArrayInput inputs[] = {input(0, 120, 0, 12, f32x3)};
  DrawBindings draw;
  lay_out_rows(inputs, draw);
  check_rows(inputs, draw);
  EXPECT_EQ(draw.rows[0].bytes, 12u);
  EXPECT_EQ(whole_vertices(inputs, draw), 9u);
  const ArrayInput roomy[] = {input(0, 124, 0, 12, f32x3)};
  lay_out_rows(roomy, draw);
  EXPECT_EQ(whole_vertices(roomy, draw), 10u);
  const ArrayInput tiny[] = {input(0, 10, 0, 1, kU8x1)};
  lay_out_rows(tiny, draw);
  EXPECT_EQ(whole_vertices(tiny, draw), 0u);
}

TEST(DrawRows, OtherArraysHaveOtherRows) {
  const ArrayInput inputs[] = {input(0, 160, 0, 16, f32x4), input(1, 160, 0, 16, f32x4, memory + 1024),
                               input(2, 160, 0, 0, f32x4)};
  DrawBindings draw;
  lay_out_rows(inputs, draw);
  check_rows(inputs, draw);
  EXPECT_EQ(draw.facts.row_count, 3);
  EXPECT_EQ(whole_vertices(inputs, draw), 10u);
}

// What a translation depends on is not where the arrays lie.
TEST(DrawRows, FactsDependOnNoAddress) {
  const ArrayInput one[] = {input(0, 160, 0, 16, f32x3), input(1, 160, 0, 16, kU8x4, memory + 1024)},
                   other[] = {input(0, 99, 0, 8, f32x3, memory + 2048), input(1, 240, 0, 24, kU8x4)};
  DrawBindings a, b;
  lay_out_rows(one, a);
  lay_out_rows(other, b);
  EXPECT_EQ(a.facts, b.facts);
}

TEST(DrawRows, TwelveAttributes) {
  std::vector<ArrayInput> inputs;
  for (std::uint8_t n = 0; n < 12; ++n) inputs.push_back(input(n, 4096, (11u - n) * 16u, 192, f32x4));
  DrawBindings draw;
  lay_out_rows(inputs, draw);
  check_rows(inputs, draw);
  EXPECT_EQ(draw.facts.row_count, 12);
}

}  // namespace
}  // namespace warpjit::pica200
