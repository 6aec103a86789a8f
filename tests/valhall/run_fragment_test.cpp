// Fragment programs in the guest interpreter (docs/guests/valhall.md 10.1), row by row: values and lanes.
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

}  // namespace
}  // namespace warpjit::valhall
