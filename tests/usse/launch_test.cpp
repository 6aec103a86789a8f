// What a draw gives to a stage (docs/guests/usse.md 7).
#include "frontend/usse/stage_values.h"

#include "base/bits.h"
#include "device/usse/attributes.h"
#include "frontend/usse/container/gxp.h"
#include "usse/gxp_builder.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

TEST(UsseLaunch, SecondaryAttributes) {
  const auto program = read_gxp(GxpBuilder::vertex().finish(), "a.gxp");
  ASSERT_TRUE(program.ok());
  std::array<std::uint32_t, kMaxRegisters> sa{};
  sa.fill(9);
  StageValues values;
  const std::vector<std::uint32_t> uniforms(20, 7);
  values.buffers[kDefaultContainer] = uniforms;
  values.addresses[3] = 0x1000;
  values.textures[1] = {10, 11, 12, 13};
  fill_secondary_attributes(*program, values, sa);
  EXPECT_EQ(sa[0], 7U);
  EXPECT_EQ(sa[15], 7U);
  EXPECT_EQ(sa[16], 0U);  // the container has 16 words
  EXPECT_EQ(sa[28 + 2], 0x3f800000U);
  EXPECT_EQ(sa[20 + 1], 0xffcU);  // the address less 4
  EXPECT_EQ(sa[20 + 2], 11U);
  EXPECT_EQ(sa[20 + 3], 12U);
  EXPECT_EQ(sa[255], 0U);
}

Parameter parameter(ParameterType type, unsigned components) {
  Parameter result;
  result.type = type;
  result.components = static_cast<std::uint8_t>(components);
  result.resource = 2;
  return result;
}

TEST(UsseLaunch, UniformStrides) {
  EXPECT_EQ(uniform_stride(parameter(ParameterType::f32, 1)), 1U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::f32, 2)), 2U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::f32, 3)), 4U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::f16, 4)), 2U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::f16, 3)), 2U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::s32, 3)), 3U);
  EXPECT_EQ(uniform_stride(parameter(ParameterType::u8, 3)), 1U);
}

std::vector<std::uint32_t> stored(const Parameter& parameter, AttributeFormat format, unsigned components,
                                  const std::vector<unsigned>& bytes) {
  std::vector<std::byte> memory;
  for (const unsigned byte : bytes) memory.push_back(static_cast<std::byte>(byte));
  std::vector<std::uint32_t> pa(6, 0xeeeeeeee);
  const Status status = store_attribute(parameter, format, components, memory, pa);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(pa[0], 0xeeeeeeeeU);
  return {pa.begin() + 2, pa.end()};
}

TEST(UsseLaunch, Attributes) {
  using Words = std::vector<std::uint32_t>;
  const Parameter f32 = parameter(ParameterType::f32, 4), f16 = parameter(ParameterType::f16, 4);
  EXPECT_EQ(stored(f32, AttributeFormat::u8n, 2, {255, 0}), (Words{0x3f800000, 0, 0, 0x3f800000}));
  EXPECT_EQ(stored(f32, AttributeFormat::s8, 4, {0x80, 1, 0xff, 0x7f}),
            (Words{to_bits(-128.0F), to_bits(1.0F), to_bits(-1.0F), to_bits(127.0F)}));
  EXPECT_EQ(stored(f32, AttributeFormat::s16n, 1, {0, 0x80})[0], to_bits(-1.0F));
  EXPECT_EQ(stored(f32, AttributeFormat::f16, 1, {0, 0x3c})[0], to_bits(1.0F));
  EXPECT_EQ(stored(f32, AttributeFormat::untyped, 1, {1, 2, 3, 0x7f})[0], 0x7f030201U);
  EXPECT_EQ(stored(parameter(ParameterType::u8, 4), AttributeFormat::untyped, 1, {1, 2, 3, 4}),
            (Words{0x04030201, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}));
  EXPECT_EQ(stored(f16, AttributeFormat::untyped, 2, {1, 2, 3, 4, 5, 6, 7, 8}),
            (Words{0x04030201, 0x08070605, 0xeeeeeeee, 0xeeeeeeee}));
  EXPECT_EQ(stored(f32, AttributeFormat::untyped, 1, {1, 2, 3, 4}), (Words{0x04030201, 0, 0, 0x3f800000}));
  EXPECT_EQ(stored(f16, AttributeFormat::f32, 1, {0, 0, 0x80, 0x3f}),
            (Words{0x00003c00, 0x3c000000, 0xeeeeeeee, 0xeeeeeeee}));
  EXPECT_EQ(
      stored(parameter(ParameterType::u8, 4), AttributeFormat::s16, 4, {0xff, 0xff, 7, 0, 0, 1, 9, 0})[0],
      0x09ff0700U);
  EXPECT_EQ(stored(parameter(ParameterType::s32, 1), AttributeFormat::f32, 1, {0, 0, 0, 0xcf})[0],
            0x80000000U);
  EXPECT_EQ(stored(parameter(ParameterType::u32, 1), AttributeFormat::f32, 1, {0, 0, 0xc0, 0x7f})[0], 0U);
  EXPECT_EQ(stored(parameter(ParameterType::c10, 3), AttributeFormat::u8n, 3, {255, 0, 255})[0] & 0x3fffffffU,
            0x10000100U);
  // What comes after the memory is missing.
  EXPECT_EQ(stored(parameter(ParameterType::f32, 2), AttributeFormat::f32, 2, {0, 0, 0x80, 0x3f}),
            (Words{0x3f800000, 0, 0xeeeeeeee, 0xeeeeeeee}));
  std::array<std::uint32_t, 4> pa{};
  EXPECT_FALSE(store_attribute(parameter(ParameterType::aggregate, 1), AttributeFormat::f32, 1, {}, pa).ok());
}

// Rows are those of the words that are stored.
TEST(UsseLaunch, RowsOfUntypedAttributes) {
  Program program;
  program.parameters.push_back(parameter(ParameterType::u8, 4));
  program.parameters[0].category = Category::attribute;
  const std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  VertexStream stream;
  stream.data = memory.data();
  stream.size = sizeof memory;
  VertexAttribute attribute;
  attribute.reg = 2;
  attribute.format = AttributeFormat::untyped;
  attribute.components = 4;
  const auto four = fetch_attributes(program, {&stream, 1}, {&attribute, 1}, 1, 1);
  ASSERT_TRUE(four.ok()) << to_string(four.error());
  EXPECT_EQ(four->of_vertices.rows, 3U);
  EXPECT_EQ(four->of_vertices.words, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4, 0, 0}));
  attribute.components = 1;
  const auto one = fetch_attributes(program, {&stream, 1}, {&attribute, 1}, 1, 1);
  ASSERT_TRUE(one.ok()) << to_string(one.error());
  EXPECT_EQ(one->of_vertices.words, (std::vector<std::uint32_t>{0, 0, 1, 0}));
  const std::string name = "aPosition";
  attribute.reg = 64;
  const auto none = fetch_attributes(program, {&stream, 1}, {&attribute, 1}, 1, 1, {&name, 1});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message,
            "attribute 'aPosition': there is no register pa64; attributes are in pa0 to pa63");
}

}  // namespace
}  // namespace warpjit::usse
