// Levels of detail and gradients in the guest interpreter (docs/guests/valhall.md 10.4), row by row.
#include <limits>

#include "valhall/run_texture.h"

namespace warpjit::valhall {
namespace {

TEST_F(ValhallRunTexture, Levels) {
  const NumberedTexels numbered;
  bind(1, numbered.texture);
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  bind(0, sampler);
  const auto level = [&](const std::string& mode, std::uint32_t word) {
    return run(set(4, 0.1F) + set(5, 0.1F) + set(6, word) + "TEX_SINGLE.slot0.u.32.2d." + mode +
               ".wait0 @r0:r1:r2:r3, @r4:r5" + (mode == "zero" || mode == "computed" ? "" : ":r6") +
               ", r40\n")[0];
  };
  EXPECT_EQ(level("zero", 0), 0U);
  EXPECT_EQ(level("explicit", 0), 0U);
  EXPECT_EQ(level("explicit", 0x80), 0U);
  EXPECT_EQ(level("explicit", 0x81), 1U);
  EXPECT_EQ(level("explicit", 0x200), 2U);
  EXPECT_EQ(level("explicit", 0x7fff), 2U);
  EXPECT_EQ(level("explicit", 0x8000), 0U);
  EXPECT_EQ(level("explicit", 0x00010200), 2U);  // the upper half means nothing
  // All coordinates are equal: the least level for every bias.
  EXPECT_EQ(level("computed", 0), 0U);
  EXPECT_EQ(level("computed_bias", 0x4000), 0U);
  sampler.lod_bias = 100 * 256;
  bind(0, sampler);
  EXPECT_EQ(level("zero", 0), 2U);
  EXPECT_EQ(level("explicit", 0x9b00), 2U);  // -101 counts as -64
  sampler.lod_bias = 65 * 256;
  bind(0, sampler);
  EXPECT_EQ(level("explicit", 0x9b00), 1U);
  sampler.lod_bias = -65 * 256 + 128;
  bind(0, sampler);
  EXPECT_EQ(level("explicit", 0x7f00), 0U);  // 127 counts as 64
}

TEST_F(ValhallRunTexture, ComputedLevels) {
  const NumberedTexels numbered;
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  bind(1, numbered.texture);
  bind(0, sampler);
  // A pixel is `scale` of the texture, along x.
  const auto level = [&](float scale, const std::string& mode, std::uint32_t bias = 0) {
    return run("LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r4:r5, r61, index:0x0\n" +
               set(9, scale) + set(6, bias) + "FMA.f32 r4, r4, r9, 0x0.neg\n" + set(5, 0.1F) +
               "TEX_SINGLE.slot0.u.32.2d." + mode + ".wait0 @r0:r1:r2:r3, @r4:r5" +
               (mode == "computed" ? "" : ":r6") + ", r40\n")[0];
  };
  EXPECT_EQ(level(0.25F, "computed"), 0U);
  EXPECT_EQ(level(0.5F, "computed"), 1U);
  EXPECT_EQ(level(1, "computed"), 2U);
  EXPECT_EQ(level(0.25F, "computed_bias", 0x100), 1U);
  EXPECT_EQ(level(1, "computed_bias", 0xff00), 1U);
  EXPECT_EQ(level(1, "computed_bias", 0xc000), 0U);
}

// The level that each lane of a quad samples, in two columns.
TEST_F(ValhallRunTexture, EachLaneHasALevelOfItsOwn) {
  const NumberedTexels numbered;
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  bind(1, numbered.texture);
  bind(0, sampler);
  // x is 1 in the pixel (1, 1) alone: its row and its column differ from it, the pixel (0, 0) sees nothing of
  // it.
  const FinishedFragments pixels = pixels_of(
      set(40, kHandle) + set(5, 0.1F) + set(9, 0x00010001U) + "LSHIFT_AND.i32 r8, r59, 0x0.b02, r9\n" +
          set(4, 0.0F) + "ISUB.u32 r8, r8, r9\nBRANCHZ r8, offset:sample\n" + set(4, 1.0F) +
          "sample:\nTEX_SINGLE.slot0.u.32.2d.r.computed.wait0 @r0, @r4:r5, r40\n",
      options_);
  EXPECT_EQ(pixels.word(0, 0), 0U);
  EXPECT_EQ(pixels.word(1, 0), 2U);
  EXPECT_EQ(pixels.word(0, 1), 2U);
  EXPECT_EQ(pixels.word(1, 1), 2U);
}

TEST_F(ValhallRunTexture, LevelsAcrossEdgesOfCubes) {
  const NumberedTexels cube(TextureDimension::cube);
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  bind(1, cube.texture);
  bind(0, sampler);
  // Column 0 is on +x near its right edge, column 1 on -z near its left one, `away` from it: the same places.
  const auto level = [&](float away) {
    const std::uint32_t here = bits_of(1 - away) & 0x1fffffff,
                        there = (bits_of(away) & 0x1fffffff) | 5U << 29;
    return run(set(5, 0.5F) + set(9, 1U) + "U16_TO_U32 r8, r59.h00\nLSHIFT_AND.i32 r8, r8, 0x0.b02, r9\n" +
               set(4, here) + "BRANCHZ.eq r8, offset:sample\n" + set(4, there) +
               "sample:\nTEX_SINGLE.slot0.u.32.cube.computed.wait0 @r0:r1:r2:r3, @r4:r5, r40\n");
  };
  EXPECT_EQ(level(0.01F)[0], 0U);
  // From z = -1/2 to x = 1/2 seen as z = -2: 1.5 of a width of 2.
  EXPECT_EQ(level(0.25F)[0], 2U);
}

TEST_F(ValhallRunTexture, InactiveLanesGiveNoCoordinates) {
  const NumberedTexels numbered;
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  bind(1, numbered.texture);
  bind(0, sampler);
  // Columns differ by a whole texture. Those that are odd end; then there are no pairs along x.
  const std::string body = "U16_TO_U32 r8, r59.h00\nU32_TO_F32 r4, r8\n" + set(5, 0.1F) + set(40, kHandle) +
                           set(9, 1U) + "LSHIFT_AND.i32 r8, r8, 0x0.b02, r9\n";
  const std::string sampled = "TEX_SINGLE.slot0.u.32.2d.r.computed.wait0 @r0, @r4:r5, r40\n";
  EXPECT_EQ(pixels_of(body + sampled, options_).word(2, 1), 2U);
  EXPECT_EQ(pixels_of(body + "BRANCHZ r8, offset:end\n" + sampled + "end:\n", options_).word(2, 1), 0U);
  // Those that are discarded go on giving them.
  EXPECT_EQ(pixels_of(body + "U32_TO_F32 r8, r8\nDISCARD.f32.ne r8, 0x0\n" + sampled, options_).word(2, 1),
            2U);
  EXPECT_EQ(
      pixels_of(body + "U32_TO_F32 r8, r8\nDISCARD.f32.ne.discard r8, 0x0\n" + sampled, options_).word(2, 1),
      0U);
}

// Levels of 4, 2 and 1 texels.
class ValhallGradients : public ValhallRunTexture {
 protected:
  ValhallGradients() {
    options_.compiled = true;
    sampler_.mip = MipFilter::nearest;
    bind(1, numbered_.texture);
    bind(0, sampler_);
  }
  // Both words for gradients dx.x, dy.x, dx.y, dy.y.
  std::array<std::uint32_t, 2> words(const std::array<float, 4>& gradients, const std::string& modifiers,
                                     const std::string& dimension = "2d") {
    std::string body;
    for (unsigned k = 0; k < 4; ++k) body += set(4 + k, gradients[k]);
    const auto found = run(body + "TEX_GRADIENT.slot0.auto.32.rg." + dimension + modifiers +
                           ".derivative_enable.wait0 @r0:r1, @r4:r5:r6:r7, r40\n");
    return {found[0], found[1]};
  }
  // The level that a sample has for them.
  std::uint32_t sampled(const std::array<float, 4>& gradients) {
    std::string body;
    for (unsigned k = 0; k < 4; ++k) body += set(4 + k, gradients[k]);
    return run(body +
               "TEX_GRADIENT.slot0.auto.32.rg.2d.lod_bias_disable.lod_clamp_disable.derivative_enable.wait0 "
               "@r10:r11, @r4:r5:r6:r7, r40\n" +
               set(8, 0.1F) + set(9, 0.1F) +
               "TEX_SINGLE.slot0.auto.32.2d.grdesc.wait0 @r0:r1:r2:r3, @r8:r9:r10:r11, r40\n")[0];
  }
  const std::string kPlain = ".lod_bias_disable.lod_clamp_disable";
  const NumberedTexels numbered_;
  Sampler sampler_;
};

TEST_F(ValhallGradients, Words) {
  using Pair = std::array<std::uint32_t, 2>;
  EXPECT_EQ(words({0.25F, 0, 0, 0}, kPlain), (Pair{0, 0}));
  EXPECT_EQ(words({0.5F, 0, 0, 0}, kPlain), (Pair{0x100, 0}));
  EXPECT_EQ(words({0, 0.5F, 0, 0}, kPlain), (Pair{0x100, 0}));
  EXPECT_EQ(words({0, 0, 0, -1}, kPlain), (Pair{0x200, 0}));
  // The longer one, of (3, 4) and (1, 0) texels: log2 5.
  EXPECT_EQ(words({0.75F, 0.25F, 1, 0}, kPlain), (Pair{595, 0}));
  EXPECT_EQ(words({0.125F, 0, 0, 0}, kPlain), (Pair{0xff00, 0}));
  // Nothing is the least level of 16 bits; what is no number, or too long, the greatest one.
  EXPECT_EQ(words({0, 0, 0, 0}, kPlain), (Pair{0x8000, 0}));
  EXPECT_EQ(words({std::numeric_limits<float>::denorm_min(), 0, 0, 0}, kPlain), (Pair{0x8000, 0}));
  EXPECT_EQ(words({1e30F, 0, 0, 0}, kPlain), (Pair{0x7fff, 0}));
  EXPECT_EQ(words({0, 0, std::numeric_limits<float>::quiet_NaN(), 0}, kPlain), (Pair{0x7fff, 0}));
}

TEST_F(ValhallGradients, BiasAndLimits) {
  sampler_.lod_bias = 64;
  sampler_.min_lod = 32;
  sampler_.max_lod = 7 * 256;
  bind(0, sampler_);
  const auto word = [&](float gradient, const std::string& modifiers) {
    return words({gradient, 0, 0, 0}, modifiers)[0];
  };
  EXPECT_EQ(word(0.5F, kPlain), 0x100U);
  EXPECT_EQ(word(0.5F, ".lod_clamp_disable"), 0x140U);
  EXPECT_EQ(word(0.5F, ".lod_bias_disable"), 0x100U);
  EXPECT_EQ(word(0.5F, ""), 0x140U);
  EXPECT_EQ(word(0.5F, ".force_delta_enable"), 0x140U);
  EXPECT_EQ(word(0, ""), 32U);
  EXPECT_EQ(word(16, ""), 0x200U);  // the last level
  EXPECT_EQ(word(16, ".lod_clamp_disable"), 0x640U);
  sampler_.max_lod = 256;
  bind(0, sampler_);
  EXPECT_EQ(word(16, ""), 0x100U);
}

TEST_F(ValhallGradients, Samples) {
  EXPECT_EQ(sampled({0, 0, 0, 0}), 0U);
  EXPECT_EQ(sampled({0.25F, 0, 0, 0}), 0U);
  EXPECT_EQ(sampled({0, 0.5F, 0, 0}), 1U);
  EXPECT_EQ(sampled({0, 0, 0, 8}), 2U);
  sampler_.lod_bias = 256;
  bind(0, sampler_);
  EXPECT_EQ(sampled({0.25F, 0, 0, 0}), 1U);
  // The second word means nothing, and the pair stands after layer and offsets.
  const NumberedTexels layers(TextureDimension::d2, 3);
  bind(1, layers.texture);
  EXPECT_EQ(run(set(4, 0.1F) + set(5, 0.9F) + set(6, 2.0F) + set(7, 0x00feff01U) + set(8, 0U) + set(9, ~0U) +
                "TEX_SINGLE.slot0.u.32.2d.array_enable.texel_offset.grdesc.wait0 @r0:r1:r2:r3, "
                "@r4:r5:r6:r7:r8:r9, r40\n"),
            (Words{1, 1, 0, 2}));
}

// Faces are as wide as the coordinates s and t say.
TEST_F(ValhallGradients, Cubes) {
  const NumberedTexels cube(TextureDimension::cube);
  bind(1, cube.texture);
  EXPECT_EQ(words({0.5F, 0, 0, 0}, kPlain, "cube")[0], 0x100U);
  EXPECT_EQ(words({0, 0, 0, 1}, kPlain, "cube")[0], 0x200U);
}

TEST_F(ValhallGradients, Volumes) {
  const NumberedTexels volume(TextureDimension::d3);
  bind(1, volume.texture);
  std::string body;
  for (unsigned k = 4; k < 9; ++k) body += set(k, 0.0F);
  EXPECT_EQ(run(body + set(9, 0.5F) +
                "TEX_GRADIENT.slot0.auto.32.rg.3d.lod_bias_disable.derivative_enable.wait0 @r0:r1, "
                "@r4:r5:r6:r7:r8:r9, r40\n")[0],
            0x100U);
}

// Without gradients it asks which level the coordinates of the quad have.
TEST_F(ValhallGradients, Queries) {
  const auto query = [&](float scale, const std::string& modifiers) {
    return run("LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r4:r5, r61, index:0x0\n" +
               set(9, scale) + "FMA.f32 r4, r4, r9, 0x0.neg\n" + set(5, 0.1F) +
               "TEX_GRADIENT.slot0.auto.32.rg.2d" + modifiers + ".wait0 @r0:r1, @r4:r5, r40\n")[0];
  };
  EXPECT_EQ(query(0.5F, ""), 0x100U);
  EXPECT_EQ(query(4, ".lod_clamp_disable"), 0x400U);
  EXPECT_EQ(query(4, ""), 0x200U);
  EXPECT_EQ(query(0, ""), 0U);
  EXPECT_EQ(query(0, ".lod_clamp_disable"), 0x8000U);
  sampler_.lod_bias = 0x80;
  bind(0, sampler_);
  EXPECT_EQ(query(0.5F, ""), 0x180U);
  EXPECT_EQ(query(0.5F, ".lod_bias_disable"), 0x100U);
  EXPECT_EQ(query(0.5F, ".lod_bias_disable.lod_clamp_disable"), 0x100U);
}

}  // namespace
}  // namespace warpjit::valhall
