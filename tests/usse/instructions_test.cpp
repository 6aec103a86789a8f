// What single instructions compute (docs/guests/usse.md 5).
#include <limits>

#include "frontend/usse/interpret/numbers.h"
#include "usse/run_quad.h"

namespace warpjit::usse {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kQuiet = std::numeric_limits<float>::quiet_NaN();

TEST(UsseNumbers, Halves) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const bool nan = (half & 0x7fff) > 0x7c00;
    EXPECT_EQ(to_half(half_value(static_cast<std::uint16_t>(half))), nan ? kHalfNan : half) << half;
  }
  EXPECT_EQ(to_half(65519.99F), 0x7bff);
  EXPECT_EQ(to_half(65520.0F), 0x7c00);
  EXPECT_EQ(to_half(-1e30F), 0xfc00);
  EXPECT_EQ(to_half(0x1p-25F), 0);  // a tie, to even
  EXPECT_EQ(to_half(0x1.000002p-25F), 1);
  EXPECT_EQ(to_half(0x1.002p0F), 0x3c00);
  EXPECT_EQ(to_half(0x1.006p0F), 0x3c02);
  EXPECT_EQ(to_half(0x1.ffep0F), 0x4000);  // carries into the exponent
  EXPECT_EQ(to_half(-0.0F), 0x8000);
  EXPECT_EQ(to_bits(half_value(0x7d01)), 0x7fe02000U);
}

TEST(UsseNumbers, FixedPoint) {
  EXPECT_EQ(c10_value(0x1ff), 511.0F / 256);
  EXPECT_EQ(c10_value(0x200), -2.0F);
  EXPECT_EQ(to_c10(5.0F), 0x1ffU);
  EXPECT_EQ(to_c10(-5.0F), 0x200U);
  EXPECT_EQ(to_c10(1.5F / 256), 2U);
  EXPECT_EQ(to_c10(kQuiet), 0U);
  EXPECT_EQ(byte_product(255, 255), 255U);
  EXPECT_EQ(byte_product(128, 1), 1U);
  EXPECT_EQ(byte_product(127, 1), 0U);
}

TEST(UsseNumbers, Integers) {
  const IntegerType s8 = integer_type(Type::s8), u16 = integer_type(Type::u16);
  EXPECT_EQ(normalized_value(s8, 0x80), -1.0F);
  EXPECT_EQ(normalized_value(s8, 0x7f), 1.0F);
  EXPECT_EQ(normalized_value(u16, 0xffff), 1.0F);
  EXPECT_EQ(to_integer(s8, -1e9F), 0x80U);
  EXPECT_EQ(to_integer(s8, 1e9F), 0x7fU);
  EXPECT_EQ(to_integer(u16, -0.5F), 0U);
  EXPECT_EQ(to_integer(u16, 1.99F), 1U);
  EXPECT_EQ(to_integer(u16, kQuiet), 0U);
  EXPECT_EQ(to_normalized(integer_type(Type::o8), 0.5F), 128U);
  EXPECT_EQ(to_normalized(s8, -7.0F), 0x81U);
  EXPECT_EQ(to_normalized(s8, kQuiet), 0U);
}

// What is in r0 after an instruction with a in pa0 and b in pa2.
std::uint32_t result(const std::string& text, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
  QuadState state;
  state.set(state.quad.pa, 0, a);
  state.set(state.quad.pa, 2, b);
  state.set(state.quad.pa, 4, c);
  state.set(state.quad.r, 0, 0xdeadbeefU);
  run_one(state, text);
  for (unsigned lane = 1; lane < kLanes; ++lane) EXPECT_EQ(state.quad.r[0][lane], state.quad.r[0][0]);
  return state.quad.r[0][0];
}
std::uint32_t result(const std::string& text, float a, float b, float c = 0.0F) {
  return result(text, to_bits(a), to_bits(b), to_bits(c));
}

TEST(UsseInstructions, Floats) {
  EXPECT_EQ(result("vmul.f32 r0.x, pa0, pa2", 3.0F, -2.0F), to_bits(-6.0F));
  EXPECT_EQ(result("vmul.f32 r0.x, pa0, pa2", 0.0F, kInfinity), kNan);
  EXPECT_EQ(result("vadd.f32 r0.x, -|pa0|, pa2", -3.0F, 1.0F), to_bits(-2.0F));
  EXPECT_EQ(result("vadd.f32 r0.x, pa0, pa2", to_bits(1.0F), 0x7f812345), kNan);
  EXPECT_EQ(result("vmul.f32 r0.x, pa0, pa2", 0x1p-80F, 0x1p-60F), to_bits(0x1p-140F));
  // Two roundings.
  EXPECT_EQ(result("vmad2.f32 r0.x, pa0, pa2, pa4", 1 + 0x1p-23F, 1 + 0x1p-23F, -1.0F), to_bits(0x1p-22F));
  EXPECT_EQ(result("vfrc.f32 r0.x, pa0, pa0", -0.25F, 0.0F), to_bits(0.75F));
  EXPECT_EQ(result("vmin.f32 r0.x, pa0, pa2", kQuiet, 2.0F), to_bits(2.0F));
  EXPECT_EQ(result("vmin.f32 r0.x, pa0, pa2", 2.0F, kQuiet), kNan);
  EXPECT_EQ(result("vmax.f32 r0.x, pa0, pa2", -0.0F, 0.0F), to_bits(0.0F));
  EXPECT_EQ(result("vadd.f32 r0.x, pa0.2xxx, #7", 0.0F, 0.0F), to_bits(9.0F));
  EXPECT_EQ(result("vmul.f32 r0.x, pa0, c1.yyyy", 5.0F, 0.0F), to_bits(5.0F));
  EXPECT_EQ(result("vmul.f32 r0.x, pa0, c16.yyyy", 1.0F, 0.0F), 0x3a800000U);
  EXPECT_EQ(result("vmov.f32 r0.x, pa0", 0x7f812345U, 0U), 0x7f812345U);
}

TEST(UsseInstructions, Functions) {
  EXPECT_EQ(result("vrcp.f32.f32 r0.x, pa0.x", -0.0F, 0.0F), to_bits(-kInfinity));
  EXPECT_EQ(result("vrcp.f32.f32 r0.x, pa0.x", 4.0F, 0.0F), to_bits(0.25F));
  EXPECT_EQ(result("vrsq.f32.f32 r0.x, pa0.x", 4.0F, 0.0F), to_bits(0.5F));
  EXPECT_EQ(result("vrsq.f32.f32 r0.x, pa0.x", -4.0F, 0.0F), kNan);
  EXPECT_EQ(result("vrsq.f32.f32 r0.x, pa0.x", 0.0F, 0.0F), to_bits(kInfinity));
  EXPECT_EQ(result("vlog.f32.f32 r0.x, pa0.x", 8.0F, 0.0F), to_bits(3.0F));
  EXPECT_EQ(result("vlog.f32.f32 r0.x, -|pa0.x|", 8.0F, 0.0F), kNan);
  EXPECT_EQ(result("vexp.f32.f32 r0.x, pa0.x", -1.0F, 0.0F), to_bits(0.5F));
  EXPECT_EQ(result("vexp.f32.f32 r0.x, pa0.x", kQuiet, 0.0F), to_bits(1.0F));
  EXPECT_EQ(result("vrcp.f16.f16 r0.y, pa0.y", 0x40000000U, 0U), 0x3800beefU);
}

TEST(UsseInstructions, Halves) {
  EXPECT_EQ(result("vmul.f16 r0.xy, pa0, pa2", 0x40003c00U, 0x42004400U), 0x46004400U);
  EXPECT_EQ(result("vadd.f16 r0.y, pa0, pa2", 0x3c000000U, 0x3c000000U), 0x4000beefU);
  EXPECT_EQ(result("vmul.f16 r0.x, pa0, pa2", 0x7bffU, 0x7bffU), 0xdead7c00U);
  // x of the mask means both halves of the first word.
  EXPECT_EQ(result("vmad2.f16 r0.x, pa0, c1.xxxx, pa2", 0U, 0x3c004000U), 0x3c004000U);
  EXPECT_EQ(result("vmad2.f16 r0.y, pa0, c1.xxxx, pa2", 0U, 0x3c004000U), 0xdeadbeefU);
  EXPECT_EQ(result("vmov.f16 r0.x, pa0", 0xfd017d01U, 0U), 0xfd017d01U);
}

TEST(UsseInstructions, PairsOfWords) {
  QuadState state;
  for (unsigned n = 0; n < 8; ++n) state.set(state.quad.pa, n, static_cast<float>(n + 1));
  run_one(state, "vmad2.f32 r0, pa0, pa4, pa0");
  EXPECT_EQ(state.quad.r[1][0], to_bits(14.0F));
  EXPECT_EQ(state.quad.r[2][0], 0U);  // z is not a pair's
  run_one(state, "vmad2.f32 i0, pa0, pa4, pa0");
  EXPECT_EQ(state.quad.i[0][3][0], to_bits(36.0F));
  run_one(state, "vdp.f32 r8.xz, pa0, pa4");
  EXPECT_EQ(state.quad.r[8][0], to_bits(70.0F));
  EXPECT_EQ(state.quad.r[9][0], 0U);
  EXPECT_EQ(state.quad.r[10][0], to_bits(70.0F));
}

TEST(UsseInstructions, Derivatives) {
  QuadState state;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    state.quad.pa[0][lane] = to_bits(static_cast<float>(1U << lane));
    state.quad.pa[2][lane] = to_bits(static_cast<float>(100 * lane + 10));
  }
  run_one(state, "vdsx.f32 r0.x, pa0, pa2");
  run_one(state, "vdsy.f32 pa0.x, pa0, pa2");  // no lane reads what another one has written
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(state.quad.r[0][lane], to_bits(-8.0F));
    EXPECT_EQ(state.quad.pa[0][lane], to_bits(-6.0F));
  }
}

TEST(UsseInstructions, Repeats) {
  QuadState state;
  for (unsigned n = 0; n < 16; ++n) state.sa[n] = to_bits(static_cast<float>(n));
  for (unsigned n = 0; n < 4; ++n) state.quad.i[0][n].fill(to_bits(1.0F));
  run_one(state, "vdp4.f32.rpt4 o0.x, sa0, i0");
  for (unsigned n = 0; n < 4; ++n)
    EXPECT_EQ(state.quad.o[n][0], to_bits(static_cast<float>(16 * n + 6))) << n;
  run_one(state, "vdp4.f32.rpt2 o8.w, sa0, i0");  // the mask rotates
  EXPECT_EQ(state.quad.o[11][0], to_bits(6.0F));
  EXPECT_EQ(state.quad.o[8][0], to_bits(22.0F));
  run_one(state, "or.rpt3 r0, sa4, #0, rot:0");
  EXPECT_EQ(state.quad.r[2][0], to_bits(6.0F));
  run_one(state, "vmov.f32.rpt2 r8.xy, sa4");
  EXPECT_EQ(state.quad.r[11][0], to_bits(7.0F));
  state.quad.moe[0].increment = {1, 1, 0x4e, 1};
  state.quad.moe[0].swizzled[2] = true;
  run_one(state, "vmov.f32.rpt3 r20.xy, sa2");
  EXPECT_EQ(state.quad.r[20][0], to_bits(6.0F));
  EXPECT_EQ(state.quad.r[22][0], to_bits(8.0F));
  EXPECT_EQ(state.quad.r[24][0], to_bits(2.0F));
  EXPECT_EQ(state.quad.r[24][1], to_bits(6.0F));  // another lane has other increments
}

TEST(UsseInstructions, Dual) {
  QuadState state;
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned n = 0; n < 3; ++n) state.quad.i[n][k].fill(to_bits(static_cast<float>(n * 4 + k + 1)));
  state.set(state.quad.pa, 5, 0.5F);
  // Both read before either writes: i0 is source and destination.
  run_one(state, "dual3.fadd.+vmul.f32.cfg0.unified pa7, i0, i1.xxx, i0.yyy, i2, pa5.xxx");
  EXPECT_EQ(state.quad.pa[7][0], to_bits(2.5F));
  EXPECT_EQ(state.quad.i[0][0][0], to_bits(5.0F * 9.0F));
  EXPECT_EQ(state.quad.i[0][2][0], to_bits(5.0F * 11.0F));
  EXPECT_EQ(state.quad.i[0][3][0], to_bits(4.0F));
}

TEST(UsseInstructions, Moves) {
  EXPECT_EQ(result("vmovc.f32.ltz r0.x, pa0, pa2, pa4", -1.0F, 2.0F, 3.0F), to_bits(2.0F));
  EXPECT_EQ(result("vmovc.f32.ltz r0.x, pa0, pa2, pa4", -0.0F, 2.0F, 3.0F), to_bits(3.0F));
  EXPECT_EQ(result("vmovc.f32.lez r0.x, pa0, pa2, pa4", kQuiet, 2.0F, 3.0F), to_bits(3.0F));
  EXPECT_EQ(result("vmovc.f32.nez r0.x, pa0, pa2, pa4", kQuiet, 2.0F, 3.0F), to_bits(2.0F));
  EXPECT_EQ(result("vmovcu8.f32.nez r0.x, pa0, pa2, pa4", 0xff00U, 2U, 3U), 3U);
  EXPECT_EQ(result("vmovc.i32.ltz r0.x, pa0, pa2, pa4", 0x80000000U, 2U, 3U), 2U);
  EXPECT_EQ(result("vmov.i16 r0.x, pa0", 0x12345678U, 0U), 0xdead5678U);
  QuadState state;
  state.set(state.quad.pa, 0, 0x12345678U);
  run_one(state, "vmov.i16 idx2.x, pa0");
  EXPECT_EQ(state.quad.idx[1][3], 0x5678U);
  state.quad.idx[1].fill(3);
  state.set(state.quad.pa, 10, 77U);
  run_one(state, "or r1, pa[idx2+7], #0, rot:0");
  EXPECT_EQ(state.quad.r[1][0], 77U);
  run_one(state, "vmov.f32 r2.x, pa[2*idx2+4]");
  EXPECT_EQ(state.quad.r[2][0], 77U);
}

// Indices count words, or pairs of them where the instruction's numbers are doubled; of sources and
// destinations.
TEST(UsseInstructions, IndicesCountTheUnitsOfNumbers) {
  const auto indexed = [](const std::string& text, bool pairs) {
    QuadState state;
    state.quad.idx[0] = {1, 2, 3, 4};
    state.quad.idx[1].fill(5);
    for (unsigned n = 0; n < 40; ++n) state.set(state.quad.pa, n, 100 + n);
    state.set(state.quad.r, 50, 0x01010101U);
    run_one(state, text);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned from = 4 + (lane + 1) * (pairs ? 2 : 1), to = 2 + 5 * (pairs ? 2 : 1);
      EXPECT_EQ(state.quad.r[to][lane], 100 + from) << text << ", lane " << lane;
    }
  };
  indexed("vmov.f32 r[2*idx2+2].xy, pa[2*idx1+4]", true);
  indexed("vmul.f32 r[2*idx2+2].xy, pa[2*idx1+4], c3", true);
  indexed("vadd.f32 r[2*idx2+2].xy, c0, pa[2*idx1+4]", true);
  indexed("vmov.i32 r[idx2+2].x, pa[idx1+4]", false);
  indexed("or r[idx2+2], pa[idx1+4], #0, rot:0", false);
  indexed("xor r[idx2+2], #0, pa[idx1+4], rot:0", false);
  indexed("sop2m.add.add.zero.zero.inv1 r[idx2+2].xyzw, pa[idx1+4], pa0", false);
  indexed("i32mad.u.word2 r[idx2+2], r0, #0, pa[idx1+4]", false);
  indexed("i32mad2.u r[idx2+2], r0, #0, pa[idx1+4]", false);
  indexed("i16mad.u16 r[idx2+2], r0, #0, pa[idx1+4]", false);
  indexed("i8mad.rgb0.add0 r[idx2+2], r0, r50, pa[idx1+4]", false);
}

TEST(UsseInstructions, Conversions) {
  EXPECT_EQ(result("vpck.f16.f32 r0.xy, pa0.xyxx, pa2", 1.0F, 2.0F), 0x00003c00U);  // pa1 is 0
  EXPECT_EQ(result("vpck.f16.f32 r0.xy, pa0.xzxx, pa2", 1.0F, 2.0F), 0x40003c00U);
  EXPECT_EQ(result("vpck.f32.f16 r0.x, pa0.yxxx", 0xc0003c00U, 0U), to_bits(-2.0F));
  EXPECT_EQ(result("vpck.u8.f32.scale r0.yw, pa0.xzxx, pa2", 1.0F, 0.5F), 0xffad80efU);
  EXPECT_EQ(result("vpck.s16.f32 r0.x, pa0.xxxx, pa2", -70000.0F, 0.0F), 0xdead8000U);
  EXPECT_EQ(result("vpck.f32.u8.scale r0.x, pa0.zxxx", 0x00ff0000U, 0U), to_bits(1.0F));
  EXPECT_EQ(result("vpck.f32.s8 r0.x, pa0.wxxx", 0x80000000U, 0U), to_bits(-128.0F));
  EXPECT_EQ(result("vpck.u8.u8 r0.yz, pa0.wxxx", 0x44332211U, 0U), 0xde1144efU);
  EXPECT_EQ(result("vpck.f32.f32 r0.x, pa0, pa2", 0x7f812345U, 0U), 0x7f812345U);
  QuadState state;
  state.set(state.quad.pa, 0, 0x04030201U);
  state.set(state.quad.r, 1, 0x55555555U);
  run_one(state, "vpck.f16.u8 r0, pa0");
  EXPECT_EQ(state.quad.r[0][0], 0x40003c00U);
  EXPECT_EQ(state.quad.r[1][0], 0x55555555U);  // as on the console
  run_one(state, "vpck.f16.u8 i0, pa0");
  EXPECT_EQ(state.quad.i[0][3][0], to_bits(4.0F));
}

// Outside of `i` one register of 64 bits is written at most, where words are made of integers or of words.
TEST(UsseInstructions, ConversionsWriteOneRegister) {
  constexpr std::uint32_t kKept = 0x55555555;
  const auto converted = [&](const std::string& text) {
    QuadState state;
    state.set(state.quad.pa, 0, 0x04030201U);
    state.set(state.quad.pa, 1, 0x08070605U);
    state.set(state.quad.pa, 2, 0x40a00000U);
    state.set(state.quad.pa, 3, 0x40c00000U);
    for (unsigned n = 0; n < 4; ++n) state.set(state.quad.r, n, kKept);
    for (unsigned n = 0; n < 4; ++n) state.quad.i[0][n].fill(kKept);
    run_one(state, text);
    std::array<std::uint32_t, 4> words;
    const bool internal = text.find(" i0") != std::string::npos;
    for (unsigned n = 0; n < 4; ++n) words[n] = internal ? state.quad.i[0][n][0] : state.quad.r[n][0];
    return words;
  };
  using Words = std::array<std::uint32_t, 4>;
  const std::uint32_t one = to_bits(1.0F), two = to_bits(2.0F);
  for (const char* const type : {"u8", "s8", "o8"}) {
    const std::string from = "vpck.f32." + std::string(type);
    EXPECT_EQ(converted(from + " r0, pa0"), (Words{one, two, kKept, kKept})) << type;
    EXPECT_EQ(converted(from + " r0.xyz, pa0"), (Words{one, two, kKept, kKept})) << type;
    EXPECT_EQ(converted(from + " r0.yz, pa0"), (Words{kKept, one, kKept, kKept})) << type;
    EXPECT_EQ(converted(from + " r0.zw, pa0"), (Words{kKept, kKept, one, two})) << type;
    EXPECT_EQ(converted(from + " i0, pa0"), (Words{one, two, to_bits(3.0F), to_bits(4.0F)})) << type;
  }
  EXPECT_EQ(converted("vpck.f32.u8.scale r0, pa0"),
            (Words{to_bits(1.0F / 255), to_bits(2.0F / 255), kKept, kKept}));
  for (const char* const type : {"u16", "s16"})
    EXPECT_EQ(converted("vpck.f32." + std::string(type) + " r0, pa0.xyxy"),
              (Words{to_bits(513.0F), to_bits(1027.0F), kKept, kKept}))
        << type;
  EXPECT_EQ(converted("vpck.f32.f32 r0, pa2, pa2"), (Words{0x40a00000, 0x40c00000, kKept, kKept}));
  EXPECT_EQ(converted("vpck.f32.f32 i0, pa2, pa2"), (Words{0x40a00000, 0x40c00000, 0x40a00000, 0x40c00000}));
  // Halves of a register of 64 bits are four; without `scale`, bytes give two.
  EXPECT_EQ(converted("vpck.f16.u16 r0, pa0.xyxy"), (Words{0x64036002, 0x64036002, kKept, kKept}));
  EXPECT_EQ(converted("vpck.f16.s8 r0, pa0"), (Words{0x40003c00, 0x44004200, kKept, kKept}));
  EXPECT_EQ(converted("vpck.f16.u8 r0, pa0"), (Words{0x40003c00, kKept, kKept, kKept}));
  // Halves have four words.
  EXPECT_EQ(converted("vpck.f32.f16 r0, pa2.yyyy"),
            (Words{to_bits(2.3125F), to_bits(2.3125F), to_bits(2.3125F), to_bits(2.3125F)}));
}

TEST(UsseInstructions, LoadsByAFactor) {
  std::array<std::uint32_t, 16> memory{};
  for (unsigned n = 0; n < memory.size(); ++n) memory[n] = 10 + n;
  const auto loaded = [&](std::uint32_t offset, const std::string& size) {
    QuadState state;
    state.set(state.quad.r, 4, 0x10000U - (size == "b32" ? 4 : size == "b16" ? 2 : 1));
    state.set(state.quad.r, 5, offset);
    const MemoryPiece piece{0x10000, std::as_writable_bytes(std::span(memory)), true};
    state.outcome.memory = {&piece, 1};
    const Status status = run_text(state, "ld." + size + ".x1.drc0 r0, r4, r5, #0\nnop.end");
    EXPECT_TRUE(status.ok()) << to_string(status.error());
    return state.quad.r[0][0];
  };
  EXPECT_EQ(loaded(4 << 16 | 3, "b32"), 13U);  // word 3
  EXPECT_EQ(loaded(1 << 16 | 8, "b32"), 12U);  // byte 8
  EXPECT_EQ(loaded(8, "b32"), 10U);            // times 0
  EXPECT_EQ(loaded(2 << 16 | 10, "b16"), 15U);
  EXPECT_EQ(loaded(3 << 16 | 4, "b8"), 13U);
  QuadState state;
  state.set(state.quad.r, 4, 0x10000U - 4);
  state.set(state.quad.r, 5, 4U << 16 | 7);
  state.set(state.quad.r, 6, 99U);
  const MemoryPiece piece{0x10000, std::as_writable_bytes(std::span(memory)), true};
  state.outcome.memory = {&piece, 1};
  ASSERT_TRUE(run_text(state, "st.b32.x1.drc0 r0, r4, r5, r6\nnop.end").ok());
  EXPECT_EQ(memory[7], 99U);
}

unsigned predicate_of(const std::string& text, std::uint32_t a, std::uint32_t b) {
  QuadState state;
  state.set(state.quad.pa, 0, a);
  state.set(state.quad.pa, 2, b);
  run_one(state, text);
  EXPECT_TRUE(state.quad.p[1] == 0 || state.quad.p[1] == 15);
  return state.quad.p[1] & 1;
}

TEST(UsseInstructions, Tests) {
  const auto compare = [](const std::string& test, float a, float b) {
    return predicate_of("vtst.sub.f32." + test + ".chan0.p1 c0, pa0, pa2", to_bits(a), to_bits(b));
  };
  EXPECT_EQ(compare("both", 1, kQuiet), 1U);  // no test: true
  EXPECT_EQ(compare("negative.nonzero.both", 1, 2), 1U);
  EXPECT_EQ(compare("negative.nonzero.both", 2, 2), 0U);
  EXPECT_EQ(compare("negative.zero.either", 2, 2), 1U);
  EXPECT_EQ(compare("positive.both", 2, 2), 1U);
  EXPECT_EQ(compare("positive.nonzero.both", 2, 2), 0U);
  EXPECT_EQ(compare("negative.both", 2, kQuiet), 0U);
  EXPECT_EQ(compare("positive.both", 2, kQuiet), 0U);
  EXPECT_EQ(compare("nonzero.both", 2, kQuiet), 1U);
  EXPECT_EQ(predicate_of("vtst.iadd8.negative.both.chan0.p1 c0, pa0, pa2", 0x7f, 0x7f), 0U);
  EXPECT_EQ(predicate_of("vtst.iadd32.negative.both.chan0.p1 c0, pa0, pa2", 0x7fffffff, 1), 1U);
  EXPECT_EQ(predicate_of("vtst.isubu16.negative.both.chan0.p1 c0, pa0, pa2", 1, 0xffff), 1U);
  EXPECT_EQ(predicate_of("vtst.and.zero.both.chan0.p1 c0, pa0, pa2", 6, 9), 1U);
  EXPECT_EQ(predicate_of("vtst.fpsub8.nonzero.both.chan1.p1 c0, pa0, pa2", 0x0100, 0), 1U);
  EXPECT_EQ(predicate_of("vtst.fpsub8.nonzero.both.all.p1 c0, pa0, pa2", 0x0100, 0), 0U);
  EXPECT_EQ(predicate_of("vtst.fpsub8.nonzero.both.any.p1 c0, pa0, pa2", 0x0100, 0), 1U);
  EXPECT_EQ(result("vtst.mul.f32.both.chan0.p1.write r0, pa0, pa2", 3.0F, 4.0F), to_bits(12.0F));
  EXPECT_EQ(result("vtstmsk.sub.f32.positive.both.bytes.write r0, pa0, pa2", 1.0F, 2.0F), 0xffffff00U);
  EXPECT_EQ(result("vtstmsk.sub.f32.negative.both.numbers.write r0, pa0, pa2", 1.0F, 2.0F), to_bits(1.0F));
  EXPECT_EQ(result("vtstmsk.sub.f16.negative.both.numbers.write r0, pa0, pa2", 0x3c00U, 0x4000U),
            0x00003c00U);
}

TEST(UsseInstructions, Predicates) {
  QuadState state;
  state.quad.p = {0b0001, 0b0010, 0b0101, 0b1000};
  state.set(state.quad.pa, 0, 9U);
  const auto lanes = [&](const std::string& predicate) {
    state.set(state.quad.r, 0, 0U);
    run_one(state, predicate + " or r0, pa0, #0, rot:0");
    unsigned result = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) result |= (state.quad.r[0][lane] == 9 ? 1U : 0) << lane;
    return result;
  };
  EXPECT_EQ(lanes("p0"), 0b0001U);
  EXPECT_EQ(lanes("p1"), 0b0010U);
  EXPECT_EQ(lanes("p2"), 0b0101U);
  EXPECT_EQ(lanes("p3"), 0b1000U);
  EXPECT_EQ(lanes("!p0"), 0b1110U);
  EXPECT_EQ(lanes("!p1"), 0b1101U);
  EXPECT_EQ(lanes("pn"), 0b1111U);  // lane n's is pn
}

TEST(UsseInstructions, Integers) {
  EXPECT_EQ(result("and r0, pa0, #0xF0, rot:4", 0xffffffffU, 0U), 0xf00U);
  EXPECT_EQ(result("and.inv r0, pa0, #0xF0, rot:4", 0xffffffffU, 0U), 0xfffff0ffU);
  EXPECT_EQ(result("xor.i16 r0, pa0, pa2, rot:0", 0x12345678U, 0xffffffffU), 0xdeada987U);
  EXPECT_EQ(result("shl r0, pa0, #33, rot:0", 3U, 0U), 6U);
  EXPECT_EQ(result("asr r0, pa0, #4, rot:0", 0x80000000U, 0U), 0xf8000000U);
  EXPECT_EQ(result("asr.i16 r0, pa0, #4, rot:0", 0x8000U, 0U), 0xdeadf800U);
  EXPECT_EQ(result("shr r0, pa0, #4, rot:0", 0x80000000U, 0U), 0x08000000U);
  EXPECT_EQ(result("rol r0, pa0, #8, rot:0", 0x12345678U, 0U), 0x34567812U);
  EXPECT_EQ(result("i16mad.i16 r0, r0, pa0, pa2", 0xffffU, 1U),
            0xdead0000U + (0x10000U - 0xbeefU) % 0x10000U + 1);
  EXPECT_EQ(result("i16mad.u16sat r0, r0, pa0, pa2", 0xffffU, 1U), 0xdeadffffU);
  EXPECT_EQ(result("i32mad.s.high1.word2 r0, r0, pa0, pa2", 0xfffe0000U, 5U), 0U - 2U * 0xffffbeefU + 5U);
  EXPECT_EQ(result("i32mad2.u r0, pa0, pa2, -pa4", 0x10001U, 3U, 4U), 0x2ffffU);
  EXPECT_EQ(result("i32mad2.u.step1 r0, pa0, pa2, pa4", 1U, 3U, 4U), 4U);
  EXPECT_EQ(result("i8mad.rgb0.add0 r0, pa0, pa2, pa4", 1U, 0x020202ffU, 0x03030302U), 0x060606ffU);
  EXPECT_EQ(result("i8mad.rgb0.add0.sat r0, pa0, pa2, pa4", 1U, 0x020202ffU, 0x03030302U), 0x060606ffU);
  EXPECT_EQ(result("limm r0, value:0x89abcdef", 0U, 0U), 0x89abcdefU);
}

TEST(UsseInstructions, SumsOfProducts) {
  // 1 s1 + 0 s2, masked.
  EXPECT_EQ(result("sop2m.add.add.zero.zero.inv1 r0.xw, pa0, pa2", 0x11223344U, 0U), 0x11adbe44U);
  // s1 alpha s1 + (1 - alpha of s1) s2
  EXPECT_EQ(result("sop2.add.add.s1a.s1a.s1a.s1a.inv2.ainv2 r0, pa0, pa2", 0x80ff0000U, 0xff0000ffU),
            0xbf80007fU);
  EXPECT_EQ(result("sop2.sub.max.zero.zero.zero.zero.inv1.inv2 r0, pa0, pa2", 0x00100520U, 0x00200310U),
            0x00000210U);
  EXPECT_EQ(result("sop3.add.add.s0.zero.s0a r0, pa0, pa2, pa4", 0x80ff8000U, 0xffffffffU, 0U), 0x80ff8000U);
}

TEST(UsseInstructions, RefusedInstructions) {
  const auto refusal = [](const std::string& text) {
    const auto word = assemble_instruction(text);
    EXPECT_TRUE(word.ok()) << text << ": " << (word ? std::string() : to_string(word.error()));
    if (!word) return std::string();
    const Status status = check_executes(*decode(*word));
    return status ? "taken" : status.error().message;
  };
  EXPECT_EQ(refusal("rlp.low r0, pa0, pa2, rot:0"), "rlp: what it computes is not known");
  EXPECT_EQ(refusal("vtst.sub.f32.sign3.both.chan0.p1 c0, pa0, pa2"),
            "vtst: this test of the sign is not known");
  EXPECT_EQ(refusal("vtst.sub.f32.both.chan6.p1 c0, pa0, pa2"),
            "vtst: channel 6 is not known; 0 to 5 are (x to w, all, any)");
  EXPECT_EQ(refusal("sop2.add.add.special.zero.zero.zero r0, pa0, pa2"), "sop2: this factor is not known");
  EXPECT_EQ(refusal("i8mad.rgb0.add0.cmod1 r0, pa0, pa2, pa4"), "i8mad: its modifiers are not known");
  EXPECT_EQ(refusal("i16mad.u16.or1 r0, r0, pa0, pa2"), "i16mad: or-shifts are not known");
  EXPECT_EQ(refusal("i32mad2.u.step2 r0, pa0, pa2, pa4"), "i32mad2: step 2 is not known");
  EXPECT_EQ(refusal("vmov.i32 idx3.x, pa0"), "vmov: there is no index register 3");
}

}  // namespace
}  // namespace warpjit::usse
