#include "valhall/evaluate.h"

namespace warpjit::valhall {
namespace {

TEST(ValhallConversion, IntegersToIntegers) {
  constexpr std::uint32_t a = 0x80ff7f01;
  EXPECT_EQ(run("S8_TO_S32 r0, r1.b3", {a}), 0xffffff80U);
  EXPECT_EQ(run("S8_TO_S32 r0, r1.b1", {a}), 0x7fU);
  EXPECT_EQ(run("U8_TO_U32 r0, r1.b2", {a}), 0xffU);
  EXPECT_EQ(run("S16_TO_S32 r0, r1.h11", {a}), 0xffff80ffU);
  EXPECT_EQ(run("S16_TO_S32 r0, r1.h10", {a}), 0xffff80ffU);  // the first digit
  EXPECT_EQ(run("U16_TO_U32 r0, r1.h00", {a}), 0x7f01U);
  EXPECT_EQ(run("U16_TO_U32 r0, r1", {a}), 0x7f01U);
  EXPECT_EQ(run("V2S8_TO_V2S16 r0, r1.b31", {a}), 0x007fff80U);
  EXPECT_EQ(run("V2U8_TO_V2U16 r0, r1.b23", {a}), 0x008000ffU);
}

TEST(ValhallConversion, IntegersToFloats) {
  EXPECT_EQ(run("S8_TO_F32 r0, r1.b0", {0x80}), bits(-128.0F));
  EXPECT_EQ(run("U8_TO_F32 r0, r1.b3", {0xff000000}), bits(255.0F));
  EXPECT_EQ(run("S16_TO_F32 r0, r1.h00", {0x8000}), bits(-32768.0F));
  EXPECT_EQ(run("U16_TO_F32 r0, r1.h11", {0xffff0000}), bits(65535.0F));
  EXPECT_EQ(run("S32_TO_F32 r0, r1", {0x80000000}), bits(-0x1p31F));
  EXPECT_EQ(run("S32_TO_F32 r0, r1.b0", {0xff}), bits(-1.0F));
  EXPECT_EQ(run("U32_TO_F32 r0, r1", {0xffffffff}), bits(0x1p32F));
  EXPECT_EQ(run("U32_TO_F32.rtz r0, r1", {0xffffffff}), 0x4f7fffffU);
  EXPECT_EQ(run("U32_TO_F32 r0, r1", {0x01000001}), bits(0x1p24F));  // a tie, to even
  EXPECT_EQ(run("U32_TO_F32.rtp r0, r1", {0x01000001}), 0x4b800001U);
  EXPECT_EQ(run("S32_TO_F32.rtn r0, r1", {0xfeffffff}), 0xcb800001U);
  EXPECT_EQ(run("S32_TO_F32.rtp r0, r1", {0xfeffffff}), bits(-0x1p24F));
  EXPECT_EQ(run("V2S16_TO_V2F16 r0, r1", {0x8000ffff}), 0xf800bc00U);
  EXPECT_EQ(run("V2S16_TO_V2F16 r0, r1.h00", {0x80000001}), 0x3c003c00U);
  EXPECT_EQ(run("V2U16_TO_V2F16 r0, r1", {0xffff0801}), 0x7c006800U);  // 65535 is infinite, 2049 a tie
  EXPECT_EQ(run("V2U16_TO_V2F16.rtz r0, r1", {0xffff0801}), 0x7bff6800U);
  EXPECT_EQ(run("V2U16_TO_V2F16.rtp r0, r1", {0xfff00801}), 0x7c006801U);
  EXPECT_EQ(run("V2S8_TO_V2F16 r0, r1.b01", {0x000080ff}), 0xd800bc00U);
  EXPECT_EQ(run("V2U8_TO_V2F16 r0, r1.b10", {0x000080ff}), 0x5bf85800U);
  EXPECT_EQ(run("S32_TO_F32 r0.h1, r1", {3}, {}, 0xaaaabbbb), 0x4200bbbbU);
}

TEST(ValhallConversion, FloatsToIntegers) {
  const auto s32 = [](const char* round, float value) {
    return static_cast<std::int32_t>(run(std::string("F32_TO_S32") + round + " r0, r1", {bits(value)}));
  };
  EXPECT_EQ(s32("", 2.5F), 2);
  EXPECT_EQ(s32("", 3.5F), 4);
  EXPECT_EQ(s32(".rtz", -2.9F), -2);
  EXPECT_EQ(s32(".rtn", -2.1F), -3);
  EXPECT_EQ(s32(".rtp", 2.1F), 3);
  EXPECT_EQ(s32("", 1e30F), INT32_MAX);
  EXPECT_EQ(s32("", -1e30F), INT32_MIN);
  EXPECT_EQ(s32("", -0x1p31F), INT32_MIN);
  EXPECT_EQ(run("F32_TO_S32 r0, r1", {0x7fc00000}), 0U);
  EXPECT_EQ(run("F32_TO_S32 r0, r1", {0xff800000}), 0x80000000U);
  EXPECT_EQ(run("F32_TO_U32 r0, r1", {bits(-1.0F)}), 0U);
  EXPECT_EQ(run("F32_TO_U32 r0, r1", {bits(1e10F)}), 0xffffffffU);
  EXPECT_EQ(run("F32_TO_U32.rtz r0, r1.neg", {bits(-3.9F)}), 3U);
  EXPECT_EQ(run("F16_TO_S32.rtz r0, r1.neg.h10", {0x41000000}), 0xfffffffeU);
  EXPECT_EQ(run("F16_TO_U32 r0, r1.abs.h00", {0xfc00}), 0xffffffffU);
  EXPECT_EQ(run("V2F16_TO_V2S16.rtz r0, r1", {0xfbff4100}), 0x80000002U);
  EXPECT_EQ(run("V2F16_TO_V2S16 r0, r1.h10", {0x7e007bff}), 0x7fff0000U);
  EXPECT_EQ(run("V2F16_TO_V2U16 r0, r1", {0x7c00bc00}), 0xffff0000U);
}

TEST(ValhallConversion, FloatsToFloats) {
  EXPECT_EQ(run("F16_TO_F32 r0, r1.h1", {0x3c000000}), bits(1.0F));
  EXPECT_EQ(run("F16_TO_F32 r0, r1.neg.h0", {0x0001}), bits(-0x1p-24F));
  EXPECT_EQ(run("F16_TO_F32 r0, r1.h0", {0xfc01}), 0xffc02000U);  // quiet, with its payload
  EXPECT_EQ(run("F16_TO_F32 r0, r1.abs.h0", {0xfc01}), 0x7fc02000U);
  EXPECT_EQ(run("F16_TO_F32 r0, r1.neg.abs.h0", {0x7c01}), 0xffc02000U);
  EXPECT_EQ(run("V2F32_TO_V2F16 r0, r1, r2", {bits(1.0F), bits(-2.0F)}), 0xc0003c00U);
  EXPECT_EQ(run("V2F32_TO_V2F16.rtz r0, r1, r2", {bits(1 + 0x1.8p-10F), bits(1e10F)}), 0x7bff3c01U);
  EXPECT_EQ(run("V2F32_TO_V2F16.rtp r0, r1, r2.neg", {bits(1 + 0x1p-20F), bits(1e10F)}), 0xfbff3c01U);
  EXPECT_EQ(run("V2F32_TO_V2F16.clamp_0_1 r0, r1, r2", {0x7fc00000, bits(7.0F)}), 0x3c000000U);
}

}  // namespace
}  // namespace warpjit::valhall
