// Varyings of fragment programs in the guest interpreter (docs/guests/valhall.md 10.2), row by row.
#include "valhall/run_fragments.h"

namespace warpjit::valhall {
namespace {

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

}  // namespace
}  // namespace warpjit::valhall
