// Results of fragment programs in the guest interpreter (docs/guests/valhall.md 10.3), row by row.
#include "valhall/run_fragments.h"

namespace warpjit::valhall {
namespace {

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

TEST(ValhallRunFragment, BlendPastTheEndOfTheCode) {
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
  // A loop of discarded lanes alone ends.
  options.fuel = 10;
  const std::string loop = "DISCARD.f32.eq 0x0, 0x0\nagain:\nBRANCHZ.eq r5, offset:again\n";
  EXPECT_EQ(failure(run_fragments(loop + kEmit, options).status), "runs");
}

TEST(ValhallRunFragment, Faults) {
  FragmentOptions options;
  FinishedFragments pixels = run_fragments("MOV.i32 r0, u4\n" + kEmit, options);
  ASSERT_TRUE(pixels.report.first_fault);
  EXPECT_EQ(pixels.report.first_fault->access.address, 16U);
  // Discarded lanes do not store.
  options.uniforms = {0x10, kMemoryHigh};
  pixels = run_fragments("DISCARD.f32.eq 0x0, 0x0\nSTORE.i32.slot0 @r0, u0, offset:0\n" + kEmit, options);
  EXPECT_FALSE(pixels.report.first_fault);
  pixels = run_fragments("STORE.i32.slot0 @r0, u0, offset:0\n" + kEmit, options);
  EXPECT_TRUE(pixels.report.first_fault);
}

}  // namespace
}  // namespace warpjit::valhall
