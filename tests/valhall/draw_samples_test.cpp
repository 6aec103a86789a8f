// Draws of images made by hand: targets and textures of several samples.
#include <functional>

#include "valhall/draw_everywhere.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

// Rotated positions; targets are averaged, or each sample has a layer.
ImagePage sampled_page(bool layered) {
  ImagePage page = draw_page();
  page.u32(kFramebuffer + 44, 2 | 2 << 3);
  page.u32(kTargets + 4, 1U | 19 << 3 | 2 << 8 | (layered ? 3U : 1U) << 12 | 1672U << 16 | 1U << 31);
  page.u32(kTargets + 44, 4 * kExtent * kExtent);
  page.u32(kDraw, 1 << 19);
  return page;
}
// Which samples of a pixel lie left of the diagonal: x + y < kExtent.
unsigned left_of_diagonal(std::uint32_t x, std::uint32_t y) {
  constexpr int kRotated[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
  unsigned mask = 0;
  for (unsigned n = 0; n < 4; ++n)
    if (static_cast<int>(256 * (x + y)) + kRotated[n][0] + kRotated[n][1] < static_cast<int>(256 * kExtent))
      mask |= 1U << n;
  return mask;
}

TEST(ValhallDraw, SamplesAreAveraged) {
  const ImagePage page = sampled_page(false);
  const RanPage ran = draw_everywhere(page);
  ASSERT_TRUE(ran.status.ok());
  for (std::uint32_t y = 0; y < kExtent; ++y)
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      const unsigned mask = left_of_diagonal(x, y);
      ASSERT_TRUE(mask == 0 || mask == 15 || mask == 5);
      const std::uint64_t got = ran.seen.pictures.at(0).at(x, y);
      ASSERT_EQ(ran.word(page.address(kTargetMemory + 4 * (kExtent * y + x))), got);
      if (mask != 5)
        ASSERT_EQ(got, mask == 15 ? kColor : kClear) << x << ", " << y;
      else
        for (unsigned k = 0; k < 4; ++k) {  // ties to even
          const unsigned sum = (kColor >> 8 * k & 255) + (kClear >> 8 * k & 255), whole = sum / 2;
          ASSERT_EQ(got >> 8 * k & 255, whole + (sum % 2 != 0 && whole % 2 != 0 ? 1 : 0)) << x << ", " << y;
        }
    }
}

// Each sample has its own depth and colour; the draw's mask leaves one out.
TEST(ValhallDraw, SamplesHaveLayers) {
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.u32(kDraw + 4, 0xb | 1 << 16);
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t y = 0; y < kExtent; ++y)
      for (std::uint32_t x = 0; x < kExtent; ++x)
        for (unsigned n = 0; n < 4; ++n) {
          const bool drawn = n != 2 && (left_of_diagonal(x, y) >> n & 1) != 0;
          const std::uint32_t at = kTargetMemory + 4 * (kExtent * (kExtent * n + y) + x);
          ASSERT_EQ(ran.word(page.address(at)), drawn ? kColor : kClear) << x << ", " << y << ", " << n;
        }
    // Without multisample enable all samples are where the centre is.
    page.u32(kDraw, 0);
    const RanPage centers = run_page(page, true, engine);
    for (unsigned n = 0; n < 4; ++n)
      for (const std::uint32_t x : {30U, 31U})
        ASSERT_EQ(centers.word(page.address(kTargetMemory + 4 * (kExtent * kExtent * n + x))),
                  x == 30 && n != 2 ? kColor : kClear)
            << x << ", " << n;
  }
}

// What is read at the sample and at the centre, and the number of the sample.
TEST(ValhallDraw, SamplesOfPrograms) {
  constexpr int kRotated[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.u32(kTargets, 36 << 26);
    page.u32(kTargets + 4, 1U | 7 << 3 | 2 << 8 | 3U << 12 | 1672U << 16 | 1U << 31);
    // A part of the target, so that it fits.
    page.u32(kTargets + 40, 16 * kExtent);
    page.u32(kTargets + 44, 16 * kExtent);
    page.u32(kFramebuffer + 40, kExtent - 1);
    page.u32(kBlend + 12, 191 << 12 | 1 << 24);
    put_floats(page, kVertices, {0, 0, 0, 1, 64, 0, 0, 2, 0, 64, 0, 1});
    page.code(kFragmentCode,
              ".stage fragment\n"
              "LD_VAR_SPECIAL.f32.sample.store.slot0.wait0 @r0, r61, index:0x2\n"
              "LD_VAR_SPECIAL.f32.centroid.store.slot0.wait0 @r1, r61, index:0x2\n"
              "LD_VAR_SPECIAL.f32.center.store.slot0.wait0 @r2, r61, index:0x2\n"
              "IADD_IMM.i32 r3, r61, #0x0\n"
              "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n");
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t n = 0; n < 4; ++n) {
      const std::uint32_t at = kTargetMemory + 16 * (kExtent * n + 3);
      const auto value = [&](std::uint32_t k) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(ran.word(page.address(at + 4 * k))));
      };
      const float sample = 1 + (3 + static_cast<float>(kRotated[n][0]) / 256) / 64;
      EXPECT_EQ(value(0), sample) << n;
      EXPECT_EQ(value(1), sample) << n;
      EXPECT_EQ(value(2), 1 + 3.5F / 64) << n;
      EXPECT_EQ(ran.word(page.address(at + 12)), 1U << n | n << 16);
    }
  }
}

// Coverage is a bit for each sample: what a program leaves of it decides.
TEST(ValhallDraw, SampleMasksOfPrograms) {
  for (const EngineKind engine : kKinds) {
    ImagePage page = sampled_page(true);
    page.code(kFragmentCode,
              before_uniform_color("IADD_IMM.i32 r5, 0x0, #0x6\nLSHIFT_AND.i32 r60, r60, 0x0.b00, r5\n"));
    const RanPage ran = run_page(page, true, engine);
    ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
    for (std::uint32_t n = 0; n < 4; ++n)
      EXPECT_EQ(ran.word(page.address(kTargetMemory + 4 * kExtent * kExtent * n)),
                n == 1 || n == 2 ? kColor : kClear)
          << n;
  }
}

// A texture of four samples, which lie as slices do; fetches name one by their offsets.
TEST(ValhallDraw, TexturesOfSeveralSamples) {
  for (const EngineKind engine : kKinds)
    for (std::uint32_t n = 0; n < 4; ++n) {
      ImagePage page = draw_page();
      page.code(kFragmentCode,
                ".stage fragment\nMOV.i32 r0, u0\nMOV.i32 r1, u0\nMOV.i32 r2, u1\n"
                "IADD_IMM.i32 r8, 0x0, #0x20001800\nMOV.i32 r9, 0x0\n"
                "TEX_FETCH.slot0.auto.32.2d.texel_offset.wait0 @r4:r5:r6:r7, @r0:r1:r2, r8\n"
                "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
      page.u32(kUniforms, 1);
      page.u32(kUniforms + 4, n << 16);
      set_table(page, kFragmentTables + 48, kSampler, 1);
      set_table(page, kFragmentTables + 64, kTexture, 1);
      page.u32(kSampler, 1 | 9 << 8 | 9 << 12 | 9 << 16 | 3 << 27);
      page.u32(kTexture, 2 | 2 << 4 | (187U << 12) << 10);
      page.u32(kTexture + 4, 1 << 16 | 1);
      page.u32(kTexture + 8, 0x688);
      page.u32(kTexture + 12, 2 << 13);
      page.point(kTexture + 16, kPlanes);
      page.u32(kPlanes, 10 | 1 << 4 | 2 << 8 | 2U << 24);
      page.u32(kPlanes + 4, 64);
      page.point(kPlanes + 8, kTextureMemory);
      page.u32(kPlanes + 16, 8);
      page.u32(kPlanes + 24, 16);
      for (std::uint32_t k = 0; k < 16; ++k) page.u32(kTextureMemory + 4 * k, 0x01010101 * (k + 1));
      const RanPage ran = run_page(page, true, engine);
      ASSERT_TRUE(ran.status.ok()) << to_string(ran.status.error());
      EXPECT_EQ(ran.seen.pictures.at(0).at(0, 0), 0x01010101 * (4 * n + 4)) << n;
    }
}

TEST(ValhallDraw, SamplesRefused) {
  const auto failure = [](const std::function<void(ImagePage&)>& change) {
    ImagePage page = sampled_page(true);
    change(page);
    return failure_of(page);
  };
  const std::string frame = "fragment job at 0x200001180, framebuffer 0x200001400";
  EXPECT_EQ(failure([](ImagePage&) {}), "runs");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 44, 0x2000); }),
            frame + ", target 0: base: 4096 bytes at 0x200009000 are not all in the image");
  EXPECT_EQ(failure([](ImagePage& p) { p.u32(kTargets + 44, 64); }),
            frame + ", target 0: surface stride 64 is below the 4096 bytes of a sample's layer");
  EXPECT_EQ(
      failure([](ImagePage& p) {
        p.code(kFragmentCode, before_uniform_color("STORE.i32.slot0.wait0 @r0, u0, offset:0\n"));
      }),
      "draw 0: malloc vertex job at 0x200001000, draw: the program stores to memory once for a pixel, and " +
          frame + " has 4 samples");
}

}  // namespace
}  // namespace warpjit::valhall
