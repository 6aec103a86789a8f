// Fragment programs in the guest interpreter (docs/guests/valhall.md 10.1 to 10.3), row by row.
#include <cmath>
#include <limits>

#include "valhall/run_fragments.h"

namespace warpjit::valhall {
namespace {

const std::string kNan = "IADD_IMM.i32 r9, 0x0, #0x7FC12345\n";

std::string refusal(const std::string& body) {
  FragmentOptions options;
  for (auto& words : options.varyings) words.resize(8);
  return failure(run_fragments(body + "NOP.end\n", options).status);
}

// ---- 10.1 Values and lanes

TEST(ValhallRunFragment, RegistersAtTheStart) {
  const std::string body = "MOV.i32 r0, r57\nMOV.i32 r1, r58\nMOV.i32 r2, r59\nIADD.u32 r3, r60, r61\n";
  FragmentOptions options;
  const std::uint32_t one = bits_of(1), zero = 0, eight = bits_of(8);
  // Two that cover all, drawn one after the other; the second one runs round the other way.
  options.vertices = {{zero, zero, zero, one}, {eight, zero, zero, one}, {zero, eight, zero, one},
                      {zero, zero, zero, one}, {zero, eight, zero, one}, {eight, zero, zero, one}};
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.word(0, 0), 1U);
  EXPECT_EQ(pixels.word(0, 0, 1), 0U);  // negative areas are in front
  EXPECT_EQ(pixels.word(3, 2, 2), 0x00020003U);
  EXPECT_EQ(pixels.word(2, 3, 2), 0x00030002U);
  EXPECT_EQ(pixels.word(2, 3, 3), 2U);
  options.raster.positive_is_front = true;
  EXPECT_EQ(pixels_of(body, options).word(0, 0, 1), 1U);

  // All others.
  std::string sum = "MOV.i32 r0, 0x0\n";
  for (unsigned n = 1; n < 64; ++n)
    if (n < 57 || n > 61) sum += "IADD.u32 r0, r0, r" + std::to_string(n) + "\n";
  EXPECT_EQ(pixels_of(sum).word(1, 1), 0U);
}

TEST(ValhallRunFragment, HelpersRunButDoNotStore) {
  // Covers the pixel (0, 0) alone.
  FragmentOptions options;
  options.vertices = {
      {0, 0, 0, bits_of(1)}, {bits_of(1.5F), 0, 0, bits_of(1)}, {0, bits_of(1.5F), 0, bits_of(1)}};
  options.uniforms = {kMemoryLow, kMemoryHigh};
  options.memory[1] = 77;
  options.background = 5;
  // r1: lane 3's r60. r2: what lane 3 loaded; r3: what its atomic gave.
  const FinishedFragments pixels = pixels_of(
      "LOAD.i32.unsigned.slot0.wait0 @r8, u0, offset:4\n"
      "MOV.i32 r10, 0x3F800000\n"
      "STORE.i32.slot0.wait0 @r10, u0, offset:8\n"
      "ATOM1_RETURN.i32.slot0.ainc.wait0 @r12, u0, offset:12\n"
      "IADD_IMM.i32 r12, r12, #0x64\n"
      "IADD_IMM.i32 r14, 0x0, #0x3\n"
      "CLPER.i32.subgroup4 r1, r60, r14.b0\n"
      "CLPER.i32.subgroup4 r2, r8, r14.b0\n"
      "CLPER.i32.subgroup4 r3, r12, r14.b0\n"
      "MOV.i32 r0, r12\n",
      options);
  EXPECT_EQ(pixels.word(0, 0), 0x64U);
  EXPECT_EQ(pixels.word(0, 0, 1), 0U);
  EXPECT_EQ(pixels.word(0, 0, 2), 77U);
  EXPECT_EQ(pixels.word(0, 0, 3), 0x64U);
  EXPECT_EQ(pixels.memory[2], 0x3f800000U);
  EXPECT_EQ(pixels.memory[3], 1U);  // one lane counted
  EXPECT_EQ(pixels.word(1, 0), 5U);
  EXPECT_EQ(pixels.word(1, 1), 5U);
}

TEST(ValhallRunFragment, DiscardedLanesRunOn) {
  FragmentOptions options;
  options.uniforms = {kMemoryLow, kMemoryHigh};
  options.background = 9;
  // Those in column 0 and 2 are discarded. r0: the neighbour's column.
  const std::string body =
      "U16_TO_U32 r4, r59.h00\n"
      "LSHIFT_AND.i32 r5, r4, 0x0.b02, 0x1000000.b3\n"
      "IADD_IMM.i32 r6, 0x0, #0x1\n"
      "LSHIFT_AND.i32 r5, r4, 0x0.b02, r6\n"
      "U32_TO_F32 r5, r5\n"
      "DISCARD.f32.eq r5, 0x0\n";
  const std::string rest =
      "ATOM1_RETURN.i32.slot0.ainc.wait0 @r12, u0, offset:0\n"
      "CLPER.i32.subgroup4.xor.f1 r0, r4, r6.b0\n";
  const std::string kept = body.substr(0, body.find("LSHIFT")) + body.substr(body.find("IADD_IMM"));
  FinishedFragments pixels = pixels_of(kept + rest, options);
  EXPECT_EQ(pixels.word(0, 0), 9U);
  EXPECT_EQ(pixels.word(1, 0), 0U);
  EXPECT_EQ(pixels.word(2, 3), 9U);
  EXPECT_EQ(pixels.word(3, 3), 2U);
  EXPECT_EQ(pixels.memory[0], 8U);
  // Flow `discard` ends them: they are not active any more.
  pixels = pixels_of(kept + "NOP.discard\n" + rest, options);
  EXPECT_EQ(pixels.word(1, 0), 0x3f800000U);
  EXPECT_EQ(pixels.word(0, 0), 9U);
  EXPECT_EQ(pixels.memory[0], 8U);
}

TEST(ValhallRunFragment, FlowDiscardEndsHelpers) {
  FragmentOptions options;
  options.vertices = {
      {0, 0, 0, bits_of(1)}, {bits_of(1.5F), 0, 0, bits_of(1)}, {0, bits_of(1.5F), 0, bits_of(1)}};
  const auto neighbour = [&](const std::string& before) {
    return pixels_of(before + "IADD_IMM.i32 r6, 0x0, #0x1\nCLPER.i32.subgroup4.xor.f1 r0, r6, r6.b0\n",
                     options)
        .word(0, 0);
  };
  EXPECT_EQ(neighbour(""), 1U);
  EXPECT_EQ(neighbour("NOP.discard\n"), 0x3f800000U);
}

TEST(ValhallRunFragment, Discard) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float denormal = 0x1p-130F;
  struct Case {
    std::string text;  // of r10 and r11
    float a, b;
    bool discards;
    FloatMode mode{};
  };
  const float nan = std::nanf("");
  const Case kCases[] = {
      {"DISCARD.f32.eq r10, r11", 1, 1, true},
      {"DISCARD.f32.eq r10, r11", 0.0F, -0.0F, true},
      {"DISCARD.f32.eq r10, r11", nan, nan, false},
      {"DISCARD.f32.ne r10, r11", nan, nan, true},
      {"DISCARD.f32.ne r10, r11", 1, 1, false},
      {"DISCARD.f32.gt r10, r11", 1, 1, false},
      {"DISCARD.f32.gt r10, r11", infinity, 1, true},
      {"DISCARD.f32.ge r10, r11", 1, 1, true},
      {"DISCARD.f32.ge r10, r11", nan, 1, false},
      {"DISCARD.f32.lt r10, r11", -1, 1, true},
      {"DISCARD.f32.lt r10, r11", 1, 1, false},
      {"DISCARD.f32.le r10, r11", 1, 1, true},
      {"DISCARD.f32.gtlt r10, r11", 1, 2, true},
      {"DISCARD.f32.gtlt r10, r11", 1, 1, false},
      {"DISCARD.f32.gtlt r10, r11", nan, 1, false},
      {"DISCARD.f32.lt r10.neg, r11", 1, 0, true},
      {"DISCARD.f32.lt r10.abs, r11", -1, 0, false},
      {"DISCARD.f32.eq r10, 0x38000000.h1", 0.5F, 0, true},
      {"DISCARD.f32.gt r10, r11", denormal, 0, true},
      {"DISCARD.f32.gt r10, r11", denormal, 0, false, {.flush_single = true}},
  };
  for (const Case& c : kCases) {
    FragmentOptions options;
    options.background = 7;
    options.mode = c.mode;
    const auto set = [](unsigned n, float value) {
      char text[64];
      std::snprintf(text, sizeof text, "IADD_IMM.i32 r%u, 0x0, #0x%X\n", n, bits_of(value));
      return std::string(text);
    };
    const FinishedFragments pixels = pixels_of(set(10, c.a) + set(11, c.b) + c.text + "\n", options);
    EXPECT_EQ(pixels.word(2, 2) == 7, c.discards) << c.text << " " << c.a << " " << c.b;
  }
}

TEST(ValhallRunFragment, SpecialValues) {
  FragmentOptions options;
  options.width = 6;
  const FinishedFragments pixels = pixels_of(
      "MOV.i32 r0, lane_id.w0\nMOV.i32 r1, framebuffer_size.w0\nMOV.i32 r2, program_counter.w0\n"
      "MOV.i32 r3, core_id.w0\n",
      options);
  for (std::uint32_t x = 0; x < 6; ++x)
    for (std::uint32_t y = 0; y < 4; ++y) EXPECT_EQ(pixels.word(x, y), x % 2 + 2 * (y % 2));
  EXPECT_EQ(pixels.word(0, 0, 1), 0x00040006U);
  EXPECT_EQ(pixels.word(0, 0, 2), 24U);
  EXPECT_EQ(pixels.word(0, 0, 3), 0U);
}

// What only ATEST reads may go there through a register, whose value means nothing.
TEST(ValhallRunFragment, DatumOfAtestInARegister) {
  FragmentOptions options;
  options.compiled = true;
  options.uniforms = {bits_of(0.5F)};
  const FinishedFragments pixels = pixels_of(
      "MOV.i32 r5, atest_datum.w0\nMOV.i32 r6, atest_datum.w1\nATEST @r0, r60, u0, r5\nATEST @r1, r60, u0, "
      "r6\n",
      options);
  EXPECT_EQ(pixels.word(2, 1), 1U);
  EXPECT_EQ(pixels.word(2, 1, 1), 1U);
}

// A thread's own memory is zero at first and each pixel's own, whatever ran in its place before.
TEST(ValhallRunFragment, OwnMemory) {
  FragmentOptions options;
  options.compiled = true;
  options.width = 37;
  options.height = 19;
  options.local_bytes = 80;
  // Word 1 + 4 (x & 15) is counted up from what was there; the last one, 76, holds the column.
  const FinishedFragments pixels = pixels_of(
      "U16_TO_U32 r4, r59.h00\nIADD_IMM.i32 r5, 0x0, #0xF\nLSHIFT_AND.i32 r5, r4, 0x0.b00, r5\n"
      "IADD.u32 r5, r5, r5\nIADD.u32 r5, r5, r5\nIADD.u32 r6, thread_local_pointer.w0, r5\n"
      "MOV.i32 r7, thread_local_pointer.w1\n"
      "LOAD.i32.unsigned.slot0.wait0 @r0, r6, offset:4\nIADD_IMM.i32 r1, r0, #0x7\n"
      "STORE.i32.slot0.wait0 @r1, r6, offset:4\nSTORE.i32.slot0.wait0 @r4, thread_local_pointer.w0, "
      "offset:76\n"
      "LOAD.i32.unsigned.slot0.wait0 @r1, r6, offset:4\n"
      "LOAD.i32.unsigned.slot0.wait0 @r2, thread_local_pointer.w0, offset:76\n"
      "LOAD.i32.unsigned.slot0.wait0 @r3, thread_local_pointer.w0, offset:0\n",
      options);
  for (std::uint32_t x = 0; x < options.width; ++x)
    for (std::uint32_t y = 0; y < options.height; ++y) {
      EXPECT_EQ(pixels.word(x, y), 0U);
      EXPECT_EQ(pixels.word(x, y, 1), 7U);
      EXPECT_EQ(pixels.word(x, y, 2), x);
      EXPECT_EQ(pixels.word(x, y, 3), 0U);
    }
  // The end, and a program whose memory has no bytes.
  for (const std::uint32_t bytes : {76U, 0U}) {
    options.local_bytes = bytes;
    const FinishedFragments outside = run_fragments(
        "LOAD.i32.unsigned.slot0.wait0 @r0, thread_local_pointer.w0, offset:76\n" + kEmit, options);
    ASSERT_TRUE(outside.report.first_fault) << bytes;
    const ir::MemoryFault& fault = outside.report.first_fault->access;
    EXPECT_EQ(fault.space, bytes == 0 ? ir::Space::global : ir::Space::local);
    EXPECT_EQ(fault.address, 76U);
    EXPECT_EQ(outside.word(3, 3), 0U);
  }
}

// Lanes that are not live change their own memory if a store says `force`.
TEST(ValhallRunFragment, ForcedStores) {
  FragmentOptions options;
  options.compiled = true;
  options.vertices = {
      {0, 0, 0, bits_of(1)}, {bits_of(1.5F), 0, 0, bits_of(1)}, {0, bits_of(1.5F), 0, bits_of(1)}};
  options.local_bytes = 16;
  options.uniforms = {kMemoryLow, kMemoryHigh};
  // What lane 3, a helper, has stored; its store to other memory does not count.
  const auto stored = [&](const std::string& access) {
    const FinishedFragments pixels =
        pixels_of("IADD_IMM.i32 r4, lane_id.w0, #0x5\nSTORE.i32" + access +
                      ".slot0.wait0 @r4, thread_local_pointer.w0, offset:0\nSTORE.i32" + access +
                      ".slot0.wait0 @r4, u0, offset:0\n"
                      "LOAD.i32.unsigned.slot0.wait0 @r8, thread_local_pointer.w0, offset:0\n"
                      "IADD_IMM.i32 r14, 0x0, #0x3\nCLPER.i32.subgroup4 r0, r8, r14.b0\n",
                  options);
    EXPECT_EQ(pixels.memory[0], 5U);
    return pixels.word(0, 0);
  };
  EXPECT_EQ(stored(""), 0U);
  EXPECT_EQ(stored(".force"), 8U);
}

TEST(ValhallRunFragment, Refused) {
  const std::pair<const char*, const char*> kCases[] = {
      {"MOV.i32 r0, warp_id.w0", "fragment programs have no warp_id"},
      {"MOV.i32 r0, workgroup_local_pointer.w0", "fragment programs have no workgroup_local_pointer"},
      {"IADD_IMM.i32 r0, atest_datum.w0, #0x0", "fragment programs have no atest_datum"},
      {"MOV.i32 r0, sample.w0", "fragment programs have no sample"},
      {"MOV.i32 r0, blend_descriptor_0.w0", "fragment programs have no blend_descriptor_0"},
      {"ATEST @r60, blend_descriptor_1.w0, r0, r1", "fragment programs have no blend_descriptor_1"},
      {"BARRIER.slot7.wait", "fragment programs have no workgroup"},
      {"CLPER.i32.subgroup8 r0, r1, r2.b0", "lanes of other quads"},
      {"CLPER.i32 r0, r1, r2.b0", "lanes of other quads"},
      {"WMASK.subgroup8 r0, r1", "lanes of other quads"},
      {"DISCARD.f32.total r0, r1", "the comparison `total` is not defined"},
      {"LEA_BUF_IMM.slot1 @r8:r9, r59, table:0xD, index:0x0", "fragment programs do not have it"},
      {"LD_ATTR_IMM.v4.f32.slot0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1",
       "fragment programs do not have it"},
      {"LD_VAR_IMM.slot0.v4.f32.center.store @r0:r1:r2:r3, r61, table:0x2, index:0x0",
       "table 2 is not that of varyings, 0"},
      {"LD_VAR_IMM.slot0.v4.f32.center.store @r0:r1:r2:r3, r61, table:0x0, index:0x1F",
       "varying 31 is not one of 0 to 30"},
      {"LD_VAR_FLAT.slot0.v4.f32 @r0:r1:r2:r3, 0x3F800000", "table 63 is not that of varyings, 0"},
      {"LD_VAR.slot0.v4.f32.center.store @r0:r1:r2:r3, r61, r1", "which varying it is is not a constant"},
      {"LD_VAR_IMM.slot0.v4.f16.center.store @r0:r1:r2:r3, r61, table:0x0, index:0x0",
       "4 staging registers are not 2"},
      {"LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store @r0, r61, index:0x0",
       "1 staging registers are not 2"},
      {"LD_VAR_BUF_IMM.f16.slot0.v3.src_f32.center.store @r0, r61, index:0x0",
       "1 staging registers are not 2"},
      {"LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x2",
       "byte 2 is not where varyings are"},
      {"LD_VAR_BUF_IMM.f32.slot0.src_f16.center.store @r0, r61, index:0x1",
       "byte 1 is not where varyings are"},
      {"LD_VAR_BUF.f32.slot0.src_f32.center.store @r0, r61, r1", "the byte is not a constant"},
      {"LD_VAR_BUF.f32.slot0.src_f32.center.store @r0, r61, 0x3F800000",
       "byte 1065353216 is not where varyings are"},
      {"LD_VAR_BUF_IMM.f16.slot0.src_flat32.center.store @r0, r61, index:0x0", "flat words as f16"},
      {"LD_VAR_SPECIAL.v2.f32.center.store.slot0 @r0:r1, r61, index:0x1", "value 1 is not known"},
      {"LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x0", "the value has not 1 components"},
      {"LD_VAR_SPECIAL.v2.f32.center.store.slot0 @r0:r1, r61, index:0x2", "the value has not 2 components"},
      {"LD_VAR_SPECIAL.u32.center.store.slot0 @r0, r61, index:0x3", "a value as an integer"},
      {"ZS_EMIT.stencil.slot2 @r60:r61, r0, r1, r60", "2 staging registers are not 1"},
      {"ATEST @r60:r61, r60, r0, atest_datum.w0", "2 staging registers are not 1"},
      {"BLEND.slot0.v4.f32 @r0:r1:r2:r3, u0, r60, target:0x0", "the descriptor is not a blend_descriptor"},
      {"BLEND.slot0.v4.f16 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0",
       "4 staging registers are not 2"},
      {"ST_TILE.v4.f32.slot0 @r0:r1, r4, r5, r6", "2 staging registers are not 4"},
      {"LD_TILE.v4.f32.slot0 @r0:r1, r4, r5, r6", "2 staging registers are not 4"},
  };
  for (const auto& [text, why] : kCases)
    EXPECT_NE(refusal(std::string(text) + "\n").find(why), std::string::npos)
        << text << ": " << refusal(std::string(text) + "\n");

  // Instructions of fragments are no one else's.
  for (const char* text : {"DISCARD.f32.eq r0, r1\n", "ATEST @r60, r60, r0, r1\n",
                           "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"})
    EXPECT_NE(failure(text + std::string("NOP.end\n")).find("compute programs do not have it"),
              std::string::npos)
        << text;
}

// ---- 10.2 Varyings

TEST(ValhallRunFragment, Varyings) {
  // x and y of the window.
  FinishedFragments pixels = pixels_of(
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f32.slot0.src_f32.centroid.retrieve.wait0 @r2, r61, index:0x4\n"
      "LD_VAR_BUF.f32.slot0.src_f32.sample.clobber.wait0 @r3, r61, 0x0\n");
  EXPECT_EQ(pixels.number(3, 1), 3.5F);
  EXPECT_EQ(pixels.number(3, 1, 1), 1.5F);
  EXPECT_EQ(pixels.number(3, 1, 2), 1.5F);
  EXPECT_EQ(pixels.number(3, 1, 3), 3.5F);
  // f16 at the destination: two to a register, the last one's upper half is 0.
  pixels = pixels_of(
      "MOV.i32 r0, 0x1000000\nLD_VAR_BUF_IMM.f16.slot0.v2.src_f32.center.store @r0, r61, index:0x0\n"
      "MOV.i32 r1, r0\n"
      "LD_VAR_BUF_IMM.f16.slot0.src_f32.center.store @r0, r61, index:0x4\n");
  EXPECT_EQ(pixels.word(2, 1, 1), 0x3e004100U);
  EXPECT_EQ(pixels.word(2, 1), 0x00003e00U);
}

TEST(ValhallRunFragment, PerspectiveIsOneDivision) {
  FragmentOptions options;
  options.vertices = {{0, 0, 0, bits_of(1), bits_of(0)},
                      {bits_of(8), 0, 0, bits_of(0.5F), bits_of(8)},
                      {0, bits_of(8), 0, bits_of(1), bits_of(0)}};
  const FinishedFragments pixels = pixels_of(
      "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"
      "LD_VAR_SPECIAL.f32.center.store.slot0 @r1, r61, index:0x2\n",
      options);
  for (std::uint32_t x = 0; x < 4; ++x) {
    const float at = static_cast<float>(x) + 0.5F, w = 1 - at / 16, value = at / 2;
    EXPECT_EQ(pixels.number(x, 0, 1), w);
    EXPECT_EQ(pixels.number(x, 0), value / w);
  }
}

TEST(ValhallRunFragment, QuotientsKeepDenormalsAndHaveOneNan) {
  FragmentOptions options;
  // Infinite: the plane is NaN.
  options.varyings.fill({0x7f800000, bits_of(0x1p-126F)});
  options.mode = {.flush_single = true};
  const std::string body =
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store @r0:r1, r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f16.slot0.src_f32.center.store @r2, r61, index:0x0\n";
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.word(1, 2), 0x7fc00000U);
  EXPECT_EQ(pixels.word(1, 2, 2), 0x7e00U);
  EXPECT_EQ(pixels.number(1, 2, 1), 0x1p-126F);
  for (auto& vertex : options.varyings) vertex[1] = bits_of(0x1p-125F);
  options.vertices = {{0, 0, 0, bits_of(8), 0, bits_of(0x1p-125F)},
                      {bits_of(8), 0, 0, bits_of(8), 0, bits_of(0x1p-125F)},
                      {0, bits_of(8), 0, bits_of(8), 0, bits_of(0x1p-125F)}};
  // (2^-125 * 8) / 8 = 2^-125; the plane of a value that is 2^-127 / 8 is 0.
  EXPECT_EQ(pixels_of(body, options).number(1, 2, 1), 0x1p-125F);
}

TEST(ValhallRunFragment, HalvesInMemory) {
  FragmentOptions options;
  // x as an f16, and 2 y in the upper half; then 0.5 and -1 flat.
  options.varyings = {{{0x00000000, 0xbc003800}, {0x00004800, 0xbc003800}, {0x4c000000, 0xbc003801}}};
  const FinishedFragments pixels = pixels_of(
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_f16.center.store @r0:r1, r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f16.slot0.v3.src_f16.center.store @r2:r3, r61, index:0x2\n",
      options);
  EXPECT_EQ(pixels.number(3, 2), 3.5F);
  EXPECT_EQ(pixels.number(3, 2, 1), 5.0F);
  EXPECT_EQ(pixels.word(3, 2, 2) & 0xffff, 0x4500U);  // 5
  EXPECT_EQ(pixels.word(3, 2, 2) >> 16, 0x3800U);
  EXPECT_EQ(pixels.word(3, 2, 3), 0xbc00U);
}

TEST(ValhallRunFragment, FlatVaryings) {
  FragmentOptions options;
  options.varyings = {{{1, 2, 3, 4}, {5, 6, 7, 8}, {0x7f812345, 0x89abcdef, 0xffff8001, 0x80000000}}};
  const std::string body =
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_flat32.center.store @r0:r1, r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f32.slot0.src_flat16.center.store @r2, r61, index:0x6\n"
      "LD_VAR_BUF_IMM.f16.slot0.v2.src_flat16.center.store @r3, r61, index:0x6\n";
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.word(0, 3), 0x7f812345U);
  EXPECT_EQ(pixels.word(0, 3, 1), 0x89abcdefU);
  EXPECT_EQ(pixels.word(0, 3, 2), 0x89abU);
  EXPECT_EQ(pixels.word(0, 3, 3), 0x800189abU);
  options.raster.provoking_last = false;
  EXPECT_EQ(pixels_of(body, options).word(0, 3), 1U);
}

// Four words for each, by their number.
TEST(ValhallRunFragment, VaryingsOfATable) {
  FragmentOptions options;
  options.compiled = true;
  for (unsigned v = 0; v < 3; ++v)
    options.varyings[v] = {
        bits_of(0),     bits_of(0),    0, 0, bits_of(v == 1 ? 8 : 0), bits_of(v == 2 ? 8 : 0),
        bits_of(-2.5F), bits_of(70000)};
  const auto words = [&](const std::string& body) {
    const FinishedFragments pixels = pixels_of(body, options);
    return std::array{pixels.word(3, 1), pixels.word(3, 1, 1), pixels.word(3, 1, 2), pixels.word(3, 1, 3)};
  };
  using Words = std::array<std::uint32_t, 4>;
  const std::string imm = "LD_VAR_IMM.slot0.v4.", all = " @r0:r1:r2:r3, r61, table:0x0, index:0x1\n";
  const Words numbers{bits_of(3.5F), bits_of(1.5F), bits_of(-2.5F), bits_of(70000)};
  EXPECT_EQ(words(imm + "f32.center.store" + all), numbers);
  EXPECT_EQ(words(imm + "auto.sample.retrieve" + all), numbers);
  EXPECT_EQ(words(imm + "s32.centroid.clobber" + all), (Words{3, 1, ~1U, 70000}));
  EXPECT_EQ(words(imm + "u32.center.store" + all), (Words{3, 1, 0, 70000}));
  const std::string halves = " @r0:r1, r61, table:0x0, index:0x1\nMOV.i32 r2, 0x0\nMOV.i32 r3, 0x0\n";
  EXPECT_EQ(words(imm + "f16.center.store" + halves), (Words{0x3e004300, 0x7c00c100, 0, 0}));
  EXPECT_EQ(words(imm + "s16.center.store" + halves), (Words{0x00010003, 0x7ffffffe, 0, 0}));
  EXPECT_EQ(words(imm + "u16.center.store" + halves), (Words{0x00010003, 0xffff0000, 0, 0}));
  EXPECT_EQ(words("IADD_IMM.i32 r4, 0x0, #0x00800000\nLD_VAR_IMM.slot0.v2.f32.explicit.store @r0:r1, r4, "
                  "table:0x0, index:0x1\nMOV.i32 r2, 0x0\nMOV.i32 r3, 0x0\n"),
            (Words{bits_of(3.0F), bits_of(1.5F), 0, 0}));
  EXPECT_EQ(words("LD_VAR.slot0.v4.f32.center.store @r0:r1:r2:r3, r61, 0x0\n"), Words{});
}

TEST(ValhallRunFragment, FlatVaryingsOfATable) {
  FragmentOptions options;
  options.compiled = true;
  options.varyings = {{{1, 2, 3, 4}, {5, 6, 7, 8}, {0x7f812345, 0xffff8001, bits_of(1.5F), 0x00012345}}};
  const auto words = [&](const std::string& body) {
    const FinishedFragments pixels = pixels_of(body, options);
    return std::array{pixels.word(0, 3), pixels.word(0, 3, 1), pixels.word(0, 3, 2), pixels.word(0, 3, 3)};
  };
  using Words = std::array<std::uint32_t, 4>;
  const Words bits{0x7f812345, 0xffff8001, bits_of(1.5F), 0x00012345};
  for (const char* format : {"auto", "f32", "s32", "u32"}) {
    EXPECT_EQ(
        words(std::string("LD_VAR_FLAT_IMM.slot0.v4.") + format + " @r0:r1:r2:r3, table:0x0, index:0x0\n"),
        bits)
        << format;
    EXPECT_EQ(words(std::string("LD_VAR_FLAT.slot0.v4.") + format + " @r0:r1:r2:r3, 0x0\n"), bits) << format;
  }
  const std::string rest = " @r0:r1, table:0x0, index:0x0\nMOV.i32 r2, 0x0\nMOV.i32 r3, 0x0\n";
  EXPECT_EQ(words("LD_VAR_FLAT_IMM.slot0.v4.s16" + rest), (Words{0x80017fff, 0x7fff7fff, 0, 0}));
  EXPECT_EQ(words("LD_VAR_FLAT_IMM.slot0.v4.u16" + rest), (Words{0xffffffff, 0xffffffff, 0, 0}));
  EXPECT_EQ(words("LD_VAR_FLAT_IMM.slot0.v4.f16" + rest), (Words{0x7e007e00, 0x00003e00, 0, 0}));
  options.raster.provoking_last = false;
  EXPECT_EQ(words("LD_VAR_FLAT_IMM.slot0.v4.u16" + rest), (Words{0x00020001, 0x00040003, 0, 0}));
}

TEST(ValhallRunFragment, LastVarying) {
  FragmentOptions options;
  for (auto& vertex : options.varyings) vertex.assign(124, 0);
  options.varyings[2][63] = 0x12345678;
  EXPECT_EQ(pixels_of("LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store @r0, r61, index:0xFC\n", options)
                .word(1, 1),
            0x12345678U);
  // Words that the vertices do not have.
  options.varyings.fill({0, 0});
  EXPECT_FALSE(
      run_fragments("LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store @r0, r61, index:0x8\n" + kEmit, options)
          .status.ok());
}

TEST(ValhallRunFragment, ExplicitPlaces) {
  const auto at = [&](const std::string& place) {
    return pixels_of("IADD_IMM.i32 r4, 0x0, #" + place +
                     "\n"
                     "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.explicit.store @r0:r1, r4, index:0x0\n"
                     "LD_VAR_SPECIAL.f32.explicit.store.slot0 @r2, r4, index:0x2\n"
                     "LD_VAR_SPECIAL.f32.explicit.store.slot0 @r3, r4, index:0x3\n");
  };
  const FinishedFragments centre = at("0x800080"), corner = at("0x0"), away = at("0x7FFF8000");
  EXPECT_EQ(centre.number(2, 1), 2.5F);
  EXPECT_EQ(corner.number(2, 1), 2.0F);
  EXPECT_EQ(corner.number(2, 1, 1), 1.0F);
  EXPECT_EQ(away.number(2, 1), 2 - 128.0F);
  EXPECT_EQ(away.number(2, 1, 1), 1 + 32767 / 256.0F);
  EXPECT_EQ(away.number(2, 1, 2), 1.0F);
  EXPECT_EQ(away.number(2, 1, 3), 0.25F);
}

TEST(ValhallRunFragment, PlaceInPoint) {
  FragmentOptions options;
  options.raster.topology = Topology::points;
  options.raster.point_size = 4;
  options.vertices = {{bits_of(2), bits_of(2), 0, bits_of(0.5F)}};
  const std::string body =
      "LD_VAR_SPECIAL.v2.f32.center.store.slot0 @r0:r1, r61, index:0x0\n"
      "LD_VAR_SPECIAL.v2.f16.center.store.slot0 @r2, r61, index:0x0\n";
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.number(1, 3), 0.375F);
  EXPECT_EQ(pixels.number(1, 3, 1), 0.875F);
  EXPECT_EQ(pixels.word(1, 3, 2), 0x3b003600U);
  options.setup.points_from_bottom = true;
  pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.number(1, 3), 0.375F);
  EXPECT_EQ(pixels.number(1, 3, 1), 0.125F);
  // Elsewhere the window's.
  pixels = pixels_of(body);
  EXPECT_EQ(pixels.number(1, 3), 1.5F);
  EXPECT_EQ(pixels.number(1, 3, 1), 3.5F);
}

TEST(ValhallRunFragment, DepthIsLimited) {
  FragmentOptions options;
  options.raster.clip_near = options.raster.clip_far = false;
  options.vertices = {{0, 0, bits_of(-1), bits_of(1)},
                      {bits_of(8), 0, bits_of(3), bits_of(1)},
                      {0, bits_of(8), bits_of(-1), bits_of(1)}};
  const FinishedFragments pixels = pixels_of(
      "LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x3\n"
      "LD_VAR_SPECIAL.auto.center.store.slot0 @r1, r61, index:0x3\n"
      "LD_VAR_SPECIAL.f16.center.store.slot0 @r2, r61, index:0x3\n",
      options);
  EXPECT_EQ(pixels.word(0, 0), 0U);
  EXPECT_EQ(pixels.number(2, 0), 0.25F);
  EXPECT_EQ(pixels.number(2, 0, 1), 0.25F);
  EXPECT_EQ(pixels.word(2, 0, 2), 0x3400U);
  EXPECT_EQ(pixels.number(3, 0), 0.75F);
}

// ---- 10.3 Results

TEST(ValhallRunFragment, Atest) {
  FinishedFragments pixels = pixels_of(
      "IADD_IMM.i32 r4, 0x0, #0xFFFFFFFF\nATEST @r0, r60, 0x0, atest_datum.w0\nATEST @r1, r4, r9, 0x0\n"
      "IADD_IMM.i32 r4, 0x0, #0xFFFFFFFE\nATEST @r2, r4, r9, u7\n");
  EXPECT_EQ(pixels.word(1, 1), 1U);
  EXPECT_EQ(pixels.word(1, 1, 1), 1U);
  EXPECT_EQ(pixels.word(1, 1, 2), 0U);  // and no fault: what means nothing is not read
  // In the lanes of column 1, which are discarded, 0.
  pixels = pixels_of(
      "U16_TO_U32 r4, r59.h00\nIADD_IMM.i32 r6, 0x0, #0x1\nLSHIFT_AND.i32 r5, r4, 0x0.b02, r6\n"
      "U32_TO_F32 r5, r5\nDISCARD.f32.eq r5, 0x3F800000\nATEST @r7, r60, 0x0, atest_datum.w0\n"
      "CLPER.i32.subgroup4.xor r0, r7, r6.b0\nMOV.i32 r1, r7\n");
  EXPECT_EQ(pixels.word(0, 0), 0U);
  EXPECT_EQ(pixels.word(0, 0, 1), 1U);
}

// The half d16 of a pixel.
std::uint32_t depth_of(const FinishedFragments& pixels, std::uint32_t x, std::uint32_t y) {
  const std::size_t n = std::size_t{y} * pixels.width + x;
  return pixels.depth.at(n / 2) >> n % 2 * 16 & 0xffff;
}

TEST(ValhallRunFragment, ZsEmit) {
  FragmentOptions options;
  options.output.depth_format = PixelFormat::d16;
  options.output.depth = {.test = true, .compare = Compare::greater};
  options.background = 3;
  options.depth = 0x40004000;  // what the plane gives, too
  // Depth 1, and coverage 0 in columns 0 and 1.
  const std::string coverage =
      "U16_TO_U32 r4, r59.h00\nIADD_IMM.i32 r5, 0x0, #0x1\nRSHIFT_AND.i32 r4, r4, r5.b00, 0xFFFFFFFF\n";
  FinishedFragments pixels =
      pixels_of(coverage + "ZS_EMIT.z.slot2 @r0, 0x3F800000, u9, r4\nMOV.i32 r1, r4\n", options);
  EXPECT_EQ(pixels.word(0, 0), 3U);
  EXPECT_EQ(depth_of(pixels, 0, 0), 0x4000U);
  EXPECT_EQ(pixels.word(2, 0), 1U);
  EXPECT_EQ(depth_of(pixels, 2, 0), 0xffffU);
  // Without z, the interpolated depth; it fails.
  pixels = pixels_of("ZS_EMIT.slot2 @r0, u9, u9, 0x3F800000\nZS_EMIT.slot2 @r1, u9, u9, r60\n", options);
  EXPECT_EQ(pixels.word(2, 0), 3U);
  options.output.depth.compare = Compare::less_equal;
  pixels = pixels_of("ZS_EMIT.slot2 @r0, u9, u9, r60\n", options);
  EXPECT_EQ(pixels.word(2, 0), 1U);
  EXPECT_EQ(depth_of(pixels, 2, 0), 0x4000U);
  // Lanes that come to none have the interpolated one.
  pixels = pixels_of(
      "U16_TO_U32 r4, r59.h00\nBRANCHZ r4, offset:skip\n"
      "ZS_EMIT.z.slot2 @r0, 0x0, u9, r60\nskip:\n",
      options);
  EXPECT_EQ(depth_of(pixels, 0, 0), 0U);
  EXPECT_EQ(depth_of(pixels, 1, 0), 0x4000U);
  // A lane that is no longer live writes nothing to memory either.
  options.uniforms = {kMemoryLow, kMemoryHigh};
  pixels = pixels_of(
      coverage + "ZS_EMIT.slot2 @r0, u9, u9, r4\nATOM1_RETURN.i32.slot0.ainc.wait0 @r12, u0, offset:0\n",
      options);
  EXPECT_EQ(pixels.memory[0], 8U);
}

TEST(ValhallRunFragment, StencilReferences) {
  FragmentOptions options;
  options.compiled = true;
  options.output.depth_format = PixelFormat::d24s8;
  options.output.stencil.test = true;
  options.output.stencil.front = options.output.stencil.back = {.compare = Compare::equal, .reference = 4};
  options.background = 3;
  options.depth = 0x05000000;
  // 0x103 and the column, of which the low 8 bits count.
  const std::string reference = "U16_TO_U32 r4, r59.h00\nIADD_IMM.i32 r4, r4, #0x103\n";
  FinishedFragments pixels = pixels_of(reference + "ZS_EMIT.stencil.slot2 @r0, u9, r4, r60\n", options);
  for (std::uint32_t x = 0; x < 4; ++x) EXPECT_EQ(pixels.word(x, 0), x == 2 ? 1U : 3U) << x;
  // Where a lane comes to none it is the state's. The value that `replace` stores is it, too.
  options.output.stencil.front.compare = options.output.stencil.back.compare = Compare::always;
  options.output.stencil.front.pass = options.output.stencil.back.pass = StencilOp::replace;
  const std::string skip = "U16_TO_U32 r5, r59.h00\nBRANCHZ r5, offset:skip\n";
  pixels = pixels_of(reference + skip + "ZS_EMIT.stencil.slot2 @r0, u9, r4, r60\nskip:\n", options);
  EXPECT_EQ(pixels.depth.at(0) >> 24, 3U);
  EXPECT_EQ(pixels.depth.at(1) >> 24, 4U);
  // A coverage of 0 gives none; the masks hold, and the two faces differ.
  options.output.stencil.front.write_mask = options.output.stencil.back.write_mask = 0x0f;
  options.output.stencil.back.pass = options.output.stencil.front.fail = StencilOp::invert;
  options.depth = 0xf5000000;
  pixels = pixels_of(
      reference + "ZS_EMIT.z.stencil.slot2 @r0, r4, r4, 0x0\nZS_EMIT.stencil.slot2 @r0, u9, r4, r60\n",
      options);
  EXPECT_EQ(pixels.word(0, 0), 3U);
  EXPECT_EQ(pixels.depth.at(0), 0xf5000000U);
}

TEST(ValhallRunFragment, BlendFormats) {
  const auto color = [](const std::string& what, PixelFormat format) {
    FragmentOptions options;
    options.output.colors = {format};
    const FinishedFragments pixels = run_fragments(
        "IADD_IMM.i32 r0, 0x0, #0x3C008001\nIADD_IMM.i32 r1, 0x0, #0xFC017C01\nMOV.i32 r2, 0x3F800000\n"
        "IADD_IMM.i32 r3, 0x0, #0x7FA00001\nBLEND.slot0." +
            what + ", blend_descriptor_0.w0, r60, target:0x0\n",
        options);
    EXPECT_TRUE(pixels.status.ok()) << what << to_string(pixels.status.error());
    std::vector<std::uint32_t> words;
    for (unsigned n = 0; n < 4; ++n) words.push_back(pixels.word(3, 2, n));
    return words;
  };
  using Words = std::vector<std::uint32_t>;
  constexpr PixelFormat kWords = PixelFormat::rgba32ui;
  EXPECT_EQ(color("v4.f32.end @r0:r1:r2:r3", kWords),
            (Words{0x3c008001, 0xfc017c01, 0x3f800000, 0x7fa00001}));
  EXPECT_EQ(color("v4.auto.end @r0:r1:r2:r3", kWords),
            (Words{0x3c008001, 0xfc017c01, 0x3f800000, 0x7fa00001}));
  EXPECT_EQ(color("v4.u32.end @r0:r1:r2:r3", kWords),
            (Words{0x3c008001, 0xfc017c01, 0x3f800000, 0x7fa00001}));
  EXPECT_EQ(color("v2.f32.end @r0:r1", kWords), (Words{0x3c008001, 0xfc017c01, 0, 0x3f800000}));
  EXPECT_EQ(color("v2.s32.end @r0:r1", kWords), (Words{0x3c008001, 0xfc017c01, 0, 1}));
  EXPECT_EQ(color("v4.f16.end @r0:r1", kWords), (Words{0xb3800000, 0x3f800000, 0x7fc02000, 0xffc02000}));
  EXPECT_EQ(color("v3.f16.end @r0:r1", kWords), (Words{0xb3800000, 0x3f800000, 0x7fc02000, 0x3f800000}));
  EXPECT_EQ(color("v4.u16.end @r0:r1", kWords), (Words{0x8001, 0x3c00, 0x7c01, 0xfc01}));
  EXPECT_EQ(color("v4.s16.end @r0:r1", kWords), (Words{0xffff8001, 0x3c00, 0x7c01, 0xfffffc01}));
  EXPECT_EQ(color("s16.end @r0", kWords), (Words{0xffff8001, 0, 0, 1}));
}

TEST(ValhallRunFragment, BlendTargets) {
  FragmentOptions options;
  options.output.colors = {PixelFormat::rgba32ui, PixelFormat::r32ui, PixelFormat::r32ui};
  options.background = 5;
  const std::string body =
      "MOV.i32 r0, 0x3F800000\nIADD_IMM.i32 r4, 0x0, #0x2\n"
      "BLEND.slot0.u32 @r0, blend_descriptor_1.w0, r60, target:0x1\n"
      "MOV.i32 r4, 0x0\n"
      "BLEND.slot0.u32 @r4, blend_descriptor_2.w0, r60, target:0x0\n";
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.word(1, 2), 0x3f800000U);
  EXPECT_EQ(pixels.colors[1][9], 0x3f800000U);
  EXPECT_EQ(pixels.colors[2][9], 2U);  // one word was left out
  options.setup.blend_targets = {0, 2, 1, 3, 4, 5, 6, 7};
  pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.colors[1][9], 2U);
  EXPECT_EQ(pixels.colors[2][9], 0x3f800000U);
  options.setup.blend_targets = {0, FragmentSetup::kNoTarget, 7, 3, 4, 5, 6, 7};  // 7 is not bound
  pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.word(1, 2), 0x3f800000U);
  EXPECT_EQ(pixels.colors[1][9], 5U);
  EXPECT_EQ(pixels.colors[2][9], 5U);

  // Two of one target.
  options.setup.blend_targets = {0, 0, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(failure(run_fragments(body + kEmit, options).status),
            "not supported: BLEND: a lane may have written this target before, at test, byte 0x28 "
            "(0x787f4008363c00f0)");
  // In a loop.
  EXPECT_NE(failure(run_fragments("again:\nBLEND.slot0.u32 @r0, blend_descriptor_1.w0, r60, target:0x0\n"
                                  "BRANCHZ r1, offset:again\nNOP.end\n")
                        .status)
                .find("a lane may have written"),
            std::string::npos);
  // None after the other.
  EXPECT_EQ(failure(run_fragments("BRANCHZ r59.h0, offset:other\n" + kEmit + "other:\n" + kEmit).status),
            "runs");
}

TEST(ValhallRunFragment, BlendCoverage) {
  FragmentOptions options;
  options.background = 5;
  options.output.depth_format = PixelFormat::d32f;
  options.output.depth = {.test = true, .compare = Compare::always};
  // Coverage 2 in column 1, where the fragment is tested all the same; the others are written.
  const FinishedFragments pixels = run_fragments(
      "U16_TO_U32 r4, r59.h00\nIADD_IMM.i32 r5, r4, #0x1\nBLEND.slot0.u32.end @r59, blend_descriptor_0.w0, "
      "r5, target:0x0\n",
      options);
  ASSERT_TRUE(pixels.status.ok()) << to_string(pixels.status.error());
  EXPECT_EQ(pixels.word(0, 1), 0x10000U);
  EXPECT_EQ(pixels.word(1, 1), 5U);
  EXPECT_EQ(pixels.depth[5], bits_of(0.25F));
  // A lane that ends without a BLEND.
  const FinishedFragments none = run_fragments("NOP.end\n", options);
  EXPECT_EQ(none.word(0, 1), 5U);
  EXPECT_EQ(none.depth[5], bits_of(0.25F));
}

TEST(ValhallRunFragment, BlendBehindTheCode) {
  const FinishedFragments pixels =
      run_fragments("BLEND.slot0.u32 @r0, blend_descriptor_0.w0, r60, target:0x1\nNOP.end\n");
  EXPECT_NE(failure(pixels.status).find("fault: "), std::string::npos) << failure(pixels.status);
  EXPECT_NE(failure(pixels.status).find("byte 0x0"), std::string::npos) << failure(pixels.status);
}

TEST(ValhallRunFragment, LoadTile) {
  const auto load = [](const std::string& format, PixelFormat of, std::uint32_t background,
                       const std::string& place) {
    FragmentOptions options;
    options.output.colors = {PixelFormat::rgba32ui, of};
    options.background = background;
    const FinishedFragments pixels =
        pixels_of("IADD_IMM.i32 r8, 0x0, #" + place + "\nLD_TILE." + format + ", r8, u9, u9\n", options);
    std::vector<std::uint32_t> words;
    for (unsigned n = 0; n < 4; ++n) words.push_back(pixels.word(2, 3, n));
    return words;
  };
  using Words = std::vector<std::uint32_t>;
  const std::uint32_t one = bits_of(1);
  const std::string own = "0xFF000100";
  EXPECT_EQ(load("v4.f32.slot0 @r0:r1:r2:r3", PixelFormat::rgba8, 0xff00ff00, own), (Words{0, one, 0, one}));
  EXPECT_EQ(load("v4.auto.slot0 @r0:r1:r2:r3", PixelFormat::rgba8, 0xff00ff00, own), (Words{0, one, 0, one}));
  EXPECT_EQ(load("v3.f16.slot0 @r0:r1", PixelFormat::rgba8, 0xffffff00, own),
            (Words{0x3c000000, 0x3c00, 0, 0}));
  EXPECT_EQ(load("v4.u32.slot0 @r0:r1:r2:r3", PixelFormat::r32ui, 0x81234567, own),
            (Words{0x81234567, 0, 0, 1}));
  EXPECT_EQ(load("v2.u16.slot0 @r0", PixelFormat::rgba32i, 0x81234567, own), (Words{0x45674567, 0, 0, 0}));
  EXPECT_EQ(load("v4.f32.slot0 @r0:r1:r2:r3", PixelFormat::r32f, 0x7fa00001, own),
            (Words{0x7fa00001, 0, 0, one}));
  EXPECT_EQ(load("f16.slot0 @r0", PixelFormat::r32f, 0x7fa00001, own), (Words{0x7e00, 0, 0, 0}));
  EXPECT_EQ(load("v4.f32.slot0 @r0:r1:r2:r3", PixelFormat::rgba8, 0xff00ff00, "0x01020100"),
            (Words{0, 0, 0, 0}));
  EXPECT_EQ(load("v4.f32.slot0 @r0:r1:r2:r3", PixelFormat::rgba8, 0xff00ff00, "0xFF000700"),
            (Words{0, 0, 0, 0}));
  EXPECT_EQ(load("v4.f32.slot0 @r0:r1:r2:r3", PixelFormat::rgba8, 0xff00ff00, "0xFF000900"),
            (Words{0, 0, 0, 0}));
}

TEST(ValhallRunFragment, StoreTile) {
  FragmentOptions options;
  options.output.colors = {PixelFormat::rgba32ui};
  options.output.blend[0].write_mask = 1;
  options.background = 5;
  using Words = std::vector<std::uint32_t>;
  const auto store = [&](const std::string& place, const std::string& before = "") {
    const FinishedFragments pixels =
        run_fragments("IADD_IMM.i32 r8, 0x0, #" + place +
                          "\nIADD_IMM.i32 r0, 0x0, #0x12340003\nIADD_IMM.i32 r1, 0x0, #0x8\n" + before +
                          "ST_TILE.v3.u16.slot0 @r0:r1, r8, r60, 0x0\nNOP.end\n",
                      options);
    EXPECT_TRUE(pixels.status.ok()) << failure(pixels.status);
    return Words{pixels.word(2, 3), pixels.word(2, 3, 1), pixels.word(2, 3, 2), pixels.word(2, 3, 3)};
  };
  const Words stored{3, 0x1234, 8, 1}, old{5, 5, 5, 5};
  const std::string blend = "BLEND.slot0.u32 @r1, blend_descriptor_0.w0, r60, target:0x0\n";
  EXPECT_EQ(store("0xFF000000"), stored);
  EXPECT_EQ(store("0xFF000000", blend), stored);
  EXPECT_EQ(store("0xFF000000", blend + "MOV.i32 r60, 0x0\n"), (Words{8, 5, 5, 5}));
  EXPECT_EQ(store("0xFF000000", "MOV.i32 r60, 0x0\n"), old);
  EXPECT_EQ(store("0xFF000000", "DISCARD.f32.eq r0, r0\n"), old);
  // What is no own pixel of a target.
  EXPECT_EQ(store("0xFF000001"), old);
  EXPECT_EQ(store("0xFE000000"), old);
  EXPECT_EQ(store("0xFF000900"), old);
}

TEST(ValhallRunFragment, LoadTileSeesEarlierPrimitives) {
  FragmentOptions options;
  options.output.colors = {PixelFormat::rgba32ui};
  const std::uint32_t one = bits_of(1), eight = bits_of(8);
  options.vertices = {{0, 0, 0, one}, {eight, 0, 0, one}, {0, eight, 0, one},
                      {0, 0, 0, one}, {eight, 0, 0, one}, {0, eight, 0, one}};
  const FinishedFragments pixels = pixels_of(
      "IADD_IMM.i32 r8, 0x0, #0xFF000000\nLD_TILE.v4.u32.slot0 @r0:r1:r2:r3, r8, r60, 0x0\nIADD_IMM.i32 r0, "
      "r0, #0x5\n",
      options);
  EXPECT_EQ(pixels.word(3, 3), 10U);
}

TEST(ValhallRunFragment, EarlyTests) {
  FragmentOptions options;
  options.output.depth_format = PixelFormat::d32f;
  options.output.depth = {.test = true, .compare = Compare::less};
  options.depth = bits_of(0.5F);
  options.background = 6;
  options.uniforms = {kMemoryLow, kMemoryHigh};
  const std::string body = "ATOM1_RETURN.i32.slot0.ainc.wait0 @r12, u0, offset:0\nDISCARD.f32.eq 0x0, 0x0\n";
  FinishedFragments pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.depth[3], bits_of(0.5F));
  EXPECT_EQ(pixels.memory[0], 16U);
  options.output.early_tests = true;
  pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.depth[3], bits_of(0.25F));
  EXPECT_EQ(pixels.word(3, 0), 6U);
  // Lanes that fail are covered, but not live.
  options.depth = 0;
  pixels = pixels_of(body, options);
  EXPECT_EQ(pixels.memory[0], 0U);
}

TEST(ValhallRunFragment, FuelAndCounts) {
  FragmentOptions options;
  options.fuel = 10;
  const std::string loop = "again:\nIADD_IMM.i32 r4, r4, #0x1\nBRANCHZ.eq r5, offset:again\n";
  EXPECT_NE(failure(run_fragments(loop + kEmit, options).status).find("out of fuel"), std::string::npos)
      << failure(run_fragments(loop + kEmit, options).status);
  options.counted = true;
  const FinishedFragments pixels =
      pixels_of("U16_TO_U32 r4, r59.h00\nBRANCHZ r4, offset:skip\nNOP\nskip:\n", options);
  EXPECT_EQ(pixels.instructions[0], 4U);
  EXPECT_EQ(pixels.instructions[1], 3U);
  EXPECT_EQ(pixels.report.warp_instructions, 4U);
}

TEST(ValhallRunFragment, WithoutReadersNoHelperRuns) {
  FragmentOptions options;
  options.vertices = {
      {0, 0, 0, bits_of(1)}, {bits_of(1.5F), 0, 0, bits_of(1)}, {0, bits_of(1.5F), 0, bits_of(1)}};
  EXPECT_EQ(pixels_of("", options).report.lane_instructions, 1U);
  EXPECT_EQ(pixels_of("CLPER.i32.subgroup4 r0, r1, r2.b0\n", options).report.lane_instructions, 8U);
  // An endless loop of discarded lanes alone is none.
  options.fuel = 10;
  const std::string loop = "DISCARD.f32.eq 0x0, 0x0\nagain:\nBRANCHZ.eq r5, offset:again\n";
  EXPECT_EQ(failure(run_fragments(loop + kEmit, options).status), "runs");
}

TEST(ValhallRunFragment, Faults) {
  FragmentOptions options;
  FinishedFragments pixels = run_fragments("MOV.i32 r0, u4\n" + kEmit, options);
  ASSERT_TRUE(pixels.report.first_fault);
  EXPECT_EQ(pixels.report.first_fault->access.address, 16U);
  // Stores of discarded lanes are none.
  options.uniforms = {0x10, kMemoryHigh};
  pixels = run_fragments("DISCARD.f32.eq 0x0, 0x0\nSTORE.i32.slot0 @r0, u0, offset:0\n" + kEmit, options);
  EXPECT_FALSE(pixels.report.first_fault);
  pixels = run_fragments("STORE.i32.slot0 @r0, u0, offset:0\n" + kEmit, options);
  EXPECT_TRUE(pixels.report.first_fault);
}

}  // namespace
}  // namespace warpjit::valhall
