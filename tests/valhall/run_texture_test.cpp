// Textures in the guest interpreter (docs/guests/valhall.md 10.4), row by row.
#include <cmath>
#include <limits>

#include "valhall/run_fragments.h"

namespace warpjit::valhall {
namespace {

// 4 x 4 texels, rgba8ui: the level's number, x, y and the layer; levels of 4, 2 and 1.
struct NumberedTexels {
  std::vector<std::uint32_t> words;
  Texture texture;

  explicit NumberedTexels(TextureDimension dimension = TextureDimension::d2, std::uint32_t layers = 1) {
    const std::uint32_t faces = dimension == TextureDimension::cube ? 6 : 1;
    const std::uint32_t slices = dimension == TextureDimension::d3 ? 4 : 1;
    const std::uint32_t rows = dimension == TextureDimension::d1 ? 1 : 4;
    for (std::uint32_t layer = 0; layer < layers * faces; ++layer)
      for (std::uint32_t level = 0; level < 3; ++level)
        for (std::uint32_t z = 0; z < std::max(1U, slices >> level); ++z)
          for (std::uint32_t y = 0; y < std::max(1U, rows >> level); ++y)
            for (std::uint32_t x = 0; x < 4U >> level; ++x)
              words.push_back(level | x << 8 | y << 16 | (layer + z) << 24);
    texture.dimension = dimension;
    texture.format = *parse_texture_format("rgba8ui");
    texture.width = 4;
    texture.height = rows;
    texture.depth_extent = slices;
    texture.levels = 3;
    texture.array = layers > 1;
    texture.layers = layers;
    texture.data = words.data();
    texture.size = 4 * words.size();
  }
};

class ValhallRunTexture : public testing::Test {
 protected:
  void bind(unsigned slot, const Texture& texture) { options_.textures[slot] = texture; }
  void bind(unsigned slot, const Sampler& sampler) { options_.samplers[slot] = sampler; }

  static std::string set(unsigned reg, std::uint32_t word) {
    char text[64];
    std::snprintf(text, sizeof text, "IADD_IMM.i32 r%u, 0x0, #0x%X\n", reg, word);
    return text;
  }
  static std::string set(unsigned reg, float number) { return set(reg, bits_of(number)); }

  // r0 to r3 of pixel (2, 1), with r40 and r41 as the handle of texture 1 and sampler 0.
  std::array<std::uint32_t, 4> run(const std::string& body) {
    const FinishedFragments pixels =
        pixels_of(set(40, kHandle) + set(0, 0U) + set(1, 0U) + set(2, 0U) + set(3, 0U) + body, options_);
    if (!pixels.status) return {};
    return {pixels.word(2, 1), pixels.word(2, 1, 1), pixels.word(2, 1, 2), pixels.word(2, 1, 3)};
  }

  using Words = std::array<std::uint32_t, 4>;
  static constexpr std::uint32_t kHandle = 0x20011800;
  FragmentOptions options_;
};

TEST_F(ValhallRunTexture, Handles) {
  const NumberedTexels numbered;
  bind(5, numbered.texture);
  bind(3, Sampler{});
  const auto with = [&](std::uint32_t low, std::uint32_t high, const std::string& wide) {
    return run(set(40, low) + set(41, high) + set(4, 0.9F) + set(5, 0.4F) + "TEX_SINGLE.slot0.u.32.2d" +
               wide + ".zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n");
  };
  const Words found{0, 3, 1, 0};
  EXPECT_EQ(with(0x20051803, 0x12345678, ""), found);
  EXPECT_EQ(with(3 << 24 | 3, 4 << 24 | 5, ".wide_indices"), found);
  // Other tables, and slots that no launch has, in every engine.
  options_.compiled = true;
  for (const std::uint32_t low : {0x28051803U, 0x20052003U, 0x27ff1803U, 0x20051fffU, 1U})
    EXPECT_EQ(with(low, 0, ""), Words{}) << low;
  EXPECT_EQ(with(4 << 24 | 3, 4 << 24 | 5, ".wide_indices"), Words{});
  EXPECT_EQ(with(3 << 24 | 3, 5 << 24 | 5, ".wide_indices"), Words{});
  EXPECT_EQ(with(3 << 24 | 3, 4 << 24 | 0x10005, ".wide_indices"), Words{});
  EXPECT_EQ(run("TEX_FETCH.slot0.u.32.2d.wait0 @r0:r1:r2:r3, @r4:r5, 0x0\n"), Words{});
  EXPECT_EQ(run("TEX_GATHER.slot0.u.32.2d.gather4_g.wait0 @r0:r1:r2:r3, @r4:r5, 0x0\n"), Words{});
  EXPECT_EQ(run("TEX_SINGLE.slot0.f.16.2d.computed.wait0 @r0:r1, @r4:r5, 0x0\n"), Words{});
  // The tables that a launch's textures and samplers are of.
  options_.setup.texture_table = 3;
  options_.setup.sampler_table = 2;
  EXPECT_EQ(with(0x18051003U, 0, ""), found);
  EXPECT_EQ(with(2 << 24 | 3, 3 << 24 | 5, ".wide_indices"), found);
  EXPECT_EQ(with(0x20051803U, 0, ""), Words{});
  options_.setup = {};
  // What is not bound is an error of the launch where compiled code knows it.
  options_.compiled = false;
  options_.guest_alone = true;
  for (const std::uint32_t low : {0x20041803U, 0x20051802U}) EXPECT_EQ(with(low, 0, ""), Words{}) << low;
}

// A row of the eight texels 1 to 8: which one a place gives, its border being 99.
class ValhallMirroredClamp : public ValhallRunTexture {
 protected:
  ValhallMirroredClamp() {
    for (std::uint32_t k = 0; k < 8; ++k) texels_[k] = k + 1;
    texture_.format = *parse_texture_format("r32ui");
    texture_.width = 8;
    texture_.dimension = TextureDimension::d1;
    texture_.data = texels_.data();
    texture_.size = sizeof texels_;
    bind(1, texture_);
    options_.compiled = true;
  }
  std::uint32_t nearest(Wrap wrap, float place, int offset) {
    Sampler sampler;
    sampler.wrap.fill(wrap);
    sampler.border.fill(99);
    bind(0, sampler);
    const std::string offsets = set(5, static_cast<std::uint32_t>(offset & 0xff));
    const bool moved = offset != 0;
    return run(set(4, place / 8) + offsets + "TEX_SINGLE.slot0.u.32.1d" + (moved ? ".texel_offset" : "") +
               ".r.zero.wait0 @r0, @r4" + (moved ? ":r5" : "") + ", r40\n")[0];
  }
  std::array<std::uint32_t, 8> texels_{};
  Texture texture_;
};

TEST_F(ValhallMirroredClamp, NumbersOfTexelsAreMirroredAfterOffsets) {
  const struct {
    float place;
    int offset;
    std::uint32_t edge, border;
  } kCases[] = {
      {2.5F, 0, 3, 3},   {-0.5F, 0, 1, 1},  {-1.0F, 0, 1, 1},  {-1.5F, 0, 2, 2}, {-3.0F, 0, 3, 3},
      {-8.0F, 0, 8, 8},  {-8.5F, 0, 8, 99}, {-9.0F, 0, 8, 99}, {8.5F, 0, 8, 99}, {0.5F, -1, 1, 1},
      {0.5F, -2, 2, 2},  {0.5F, -3, 3, 3},  {2.5F, -5, 3, 3},  {-1.5F, 1, 1, 1}, {-1.5F, 2, 1, 1},
      {-1.5F, 3, 2, 2},  {-1.5F, -3, 5, 5}, {6.5F, 3, 8, 99},  {7.5F, -8, 1, 1}, {-7.5F, -1, 8, 99},
      {0.5F, -9, 8, 99}, {-8.5F, 1, 8, 8},  {0.0F, -8, 8, 8},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(nearest(Wrap::mirror_once_to_edge, one.place, one.offset), one.edge)
        << one.place << " + " << one.offset;
    EXPECT_EQ(nearest(Wrap::mirror_once_to_border, one.place, one.offset), one.border)
        << one.place << " + " << one.offset;
    if (std::fabs(one.place) > 8) continue;  // a place is limited before its offset
    EXPECT_EQ(nearest(Wrap::mirror_once, one.place, one.offset), one.edge)
        << one.place << " + " << one.offset;
  }
}

TEST_F(ValhallMirroredClamp, OfLinearFilters) {
  std::array<float, 8> numbers{};
  for (unsigned k = 0; k < 8; ++k) numbers[k] = static_cast<float>(1U << k);
  texture_.format = *parse_texture_format("r32f");
  texture_.data = numbers.data();
  bind(1, texture_);
  Sampler sampler;
  sampler.magnify = sampler.minify = Filter::linear;
  sampler.border.fill(bits_of(1000));
  const auto at = [&](Wrap wrap, float place, int offset) {
    sampler.wrap.fill(wrap);
    bind(0, sampler);
    return std::bit_cast<float>(
        run(set(4, place / 8) + set(5, static_cast<std::uint32_t>(offset & 0xff)) +
            "TEX_SINGLE.slot0.f.32.1d.texel_offset.r.zero.wait0 @r0, @r4:r5, r40\n")[0]);
  };
  EXPECT_EQ(at(Wrap::mirror_once_to_edge, 0.75F, -2), 1.75F);  // texels -2 and -1: 1 and 0
  EXPECT_EQ(at(Wrap::mirror_once_to_edge, 0.75F, -1), 1.0F);
  EXPECT_EQ(at(Wrap::mirror_once_to_edge, -1.25F, 0), 1.75F);
  EXPECT_EQ(at(Wrap::mirror_once_to_border, 0.75F, -9), 782.0F);  // texels -9, the border, and -8: 7
  EXPECT_EQ(at(Wrap::mirror_once_to_border, 0.75F, -8), 112.0F);
  EXPECT_EQ(at(Wrap::mirror_once, -8.0F, 0), 564.0F);
}

TEST_F(ValhallRunTexture, TheFirstActiveLaneNamesIt) {
  const NumberedTexels numbered;
  Sampler sampler;
  bind(1, numbered.texture);
  bind(0, sampler);
  // Lane 0 of the warp is the first one; the others name nothing.
  options_.background = 0x55;
  const FinishedFragments pixels = pixels_of(
      set(0, 1U) + set(4, 0.9F) + set(5, 0.4F) + set(40, kHandle) + "BRANCHZ.eq r59, offset:first\n" +
          set(40, 0U) + "first:\nTEX_SINGLE.slot0.u.32.2d.g.zero.wait0 @r0, @r4:r5, r40\n",
      options_);
  EXPECT_EQ(pixels.word(0, 0), 3U);
  EXPECT_EQ(pixels.word(3, 3), 3U);
}

TEST_F(ValhallRunTexture, Fetch) {
  const NumberedTexels numbered;
  bind(1, numbered.texture);
  const auto fetch = [&](std::uint32_t x, std::uint32_t y, const std::string& offsets = "") {
    return run(set(4, x) + set(5, y) + (offsets.empty() ? "" : "IADD_IMM.i32 r6, 0x0, #" + offsets + "\n") +
               "TEX_FETCH.slot0.u.32.2d" + (offsets.empty() ? "" : ".texel_offset") +
               ".wait0 @r0:r1:r2:r3, @r4:r5" + (offsets.empty() ? "" : ":r6") + ", r40\n");
  };
  EXPECT_EQ(fetch(3, 2), (Words{0, 3, 2, 0}));
  EXPECT_EQ(fetch(4, 2), Words{});
  EXPECT_EQ(fetch(~0U, 2), Words{});
  EXPECT_EQ(fetch(~0U, 2, "0xFF02"), (Words{0, 1, 1, 0}));  // + 2, - 1
  EXPECT_EQ(fetch(131, 2, "0x80"), (Words{0, 3, 2, 0}));
  EXPECT_EQ(fetch(1, 1, "0x01000000"), (Words{1, 1, 1, 0}));
  EXPECT_EQ(fetch(0, 0, "0x02000000"), (Words{2, 0, 0, 0}));
  EXPECT_EQ(fetch(0, 0, "0x03000000"), Words{});
  EXPECT_EQ(fetch(0, 0, "0xFF000000"), Words{});
}

TEST_F(ValhallRunTexture, FetchesOfOtherDimensions) {
  const NumberedTexels line(TextureDimension::d1), volume(TextureDimension::d3),
      layers(TextureDimension::d2, 3);
  bind(1, line.texture);
  EXPECT_EQ(run(set(4, 2U) + "TEX_FETCH.slot0.u.32.1d.wait0 @r0:r1:r2:r3, @r4, r40\n"), (Words{0, 2, 0, 0}));
  bind(1, volume.texture);
  EXPECT_EQ(run(set(4, 2U) + set(5, 1U) + set(6, 3U) +
                "TEX_FETCH.slot0.u.32.3d.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
            (Words{0, 2, 1, 3}));
  EXPECT_EQ(run(set(4, 2U) + set(5, 1U) + set(6, 2U) + set(7, 0x00ff0000U) +
                "TEX_FETCH.slot0.u.32.3d.texel_offset.wait0 @r0:r1:r2:r3, @r4:r5:r6:r7, r40\n"),
            (Words{0, 2, 1, 1}));
  // Offsets count along all axes of the texture.
  options_.compiled = true;
  EXPECT_EQ(run(set(4, 2U) + set(5, 0x00020100U) +
                "TEX_FETCH.slot0.u.32.1d.texel_offset.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"),
            (Words{0, 2, 1, 2}));
  // What the instruction does not give is 0.
  EXPECT_EQ(run(set(4, 2U) + set(5, 1U) + "TEX_FETCH.slot0.u.32.2d.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"),
            (Words{0, 2, 1, 0}));
  bind(1, layers.texture);
  const auto layer = [&](std::uint32_t number) {
    return run(set(4, 2U) + set(5, 1U) + set(6, number) +
               "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n");
  };
  EXPECT_EQ(layer(2), (Words{0, 2, 1, 2}));
  EXPECT_EQ(layer(3), Words{});
  EXPECT_EQ(layer(~0U), Words{});
}

TEST_F(ValhallRunTexture, Layers) {
  const NumberedTexels layers(TextureDimension::d2, 3);
  bind(1, layers.texture);
  bind(0, Sampler{});
  const auto layer = [&](float number) {
    return run(set(4, 0.3F) + set(5, 0.6F) + set(6, number) +
               "TEX_SINGLE.slot0.u.32.2d.array_enable.zero.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n")[3];
  };
  const std::pair<float, std::uint32_t> kCases[] = {{0, 0},
                                                    {0.5F, 0},
                                                    {0.50001F, 1},
                                                    {1.5F, 2},
                                                    {2, 2},
                                                    {9, 2},
                                                    {-0.6F, 0},
                                                    {-5, 0},
                                                    {1e30F, 2},
                                                    {-1e30F, 0},
                                                    {0x1p31F, 2},
                                                    {std::numeric_limits<float>::quiet_NaN(), 0},
                                                    {std::numeric_limits<float>::infinity(), 2}};
  for (const auto& [number, wanted] : kCases) EXPECT_EQ(layer(number), wanted) << number;
}

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
  // All coordinates are equal: the least level, whatever the bias.
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

// Of the lanes of a quad in two columns: the level that each samples.
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

TEST_F(ValhallRunTexture, LanesThatAreElsewhereGiveNoCoordinates) {
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

TEST_F(ValhallRunTexture, Cubes) {
  const NumberedTexels cube(TextureDimension::cube);
  bind(1, cube.texture);
  Sampler sampler;
  sampler.wrap.fill(Wrap::clamp_to_edge);
  bind(0, sampler);
  const auto at = [&](std::uint32_t s_and_face, float t) {
    return run(set(4, s_and_face) + set(5, t) +
               "TEX_SINGLE.slot0.u.32.cube.zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n");
  };
  for (std::uint32_t face = 0; face < 6; ++face) {
    const std::uint32_t top = face << 29;
    const auto s = [&](float number) { return top | (bits_of(number) & 0x1fffffff); };
    EXPECT_EQ(at(s(0.375F), 0.625F), (Words{0, 1, 2, face})) << face;
    EXPECT_EQ(at(s(0.9F), 0.1F), (Words{0, 3, 0, face})) << face;
    EXPECT_EQ(at(s(0.01F), 0.99F), (Words{0, 0, 3, face})) << face;
  }
  EXPECT_EQ(at(6U << 29 | (bits_of(0.375F) & 0x1fffffff), 0.625F), (Words{0, 1, 2, 5}));
  EXPECT_EQ(at(7U << 29 | (bits_of(0.375F) & 0x1fffffff), 0.625F), (Words{0, 1, 2, 5}));
  // Edges belong to the face that is named.
  EXPECT_EQ(at(0U, 0.6F), (Words{0, 0, 2, 0}));
  EXPECT_EQ(at(bits_of(1) & 0x1fffffff, 0.6F), (Words{0, 3, 2, 0}));
  // A texture that is no cube.
  const NumberedTexels flat;
  bind(1, flat.texture);
  EXPECT_EQ(at(bits_of(0.3F) & 0x1fffffff, 0.6F), Words{});
  bind(1, cube.texture);
  EXPECT_EQ(
      run(set(4, 0.3F) + set(5, 0.6F) + "TEX_SINGLE.slot0.u.32.2d.zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"),
      Words{});

  const NumberedTexels cubes(TextureDimension::cube, 2);
  bind(1, cubes.texture);
  EXPECT_EQ(run(set(4, 3U << 29 | (bits_of(0.375F) & 0x1fffffff)) + set(5, 0.625F) + set(6, 1.0F) +
                "TEX_SINGLE.slot0.u.32.cube.array_enable.zero.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
            (Words{0, 1, 2, 9}));
}

TEST_F(ValhallRunTexture, Comparisons) {
  const std::array<float, 4> depths{0.25F, 0.5F, 0.75F, 1.0F};
  Texture texture;
  texture.format = *parse_texture_format("r32f");
  texture.width = texture.height = 2;
  texture.data = depths.data();
  texture.size = sizeof depths;
  bind(1, texture);
  Sampler sampler;
  sampler.compare = true;
  sampler.compare_op = Compare::less;
  bind(0, sampler);
  const auto compared = [&](float reference) {
    return run(set(4, 0.75F) + set(5, 0.25F) + set(6, reference) +
               "TEX_SINGLE.slot0.f.32.2d.r.shadow.zero.wait0 @r0, @r4:r5:r6, r40\n")[0];
  };
  EXPECT_EQ(compared(0.4F), bits_of(1));
  EXPECT_EQ(compared(0.5F), 0U);
  // Without `shadow` the reference is 0; without a sampler that compares it means nothing.
  EXPECT_EQ(
      run(set(4, 0.75F) + set(5, 0.25F) + "TEX_SINGLE.slot0.f.32.2d.r.zero.wait0 @r0, @r4:r5, r40\n")[0],
      bits_of(1));
  sampler.compare = false;
  bind(0, sampler);
  EXPECT_EQ(compared(0.4F), bits_of(0.5F));
}

TEST_F(ValhallRunTexture, OffsetsAndOrderOfOperands) {
  const NumberedTexels layers(TextureDimension::d2, 3);
  bind(1, layers.texture);
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  bind(0, sampler);
  // x, y, layer, offsets, level.
  EXPECT_EQ(run(set(4, 0.1F) + set(5, 0.9F) + set(6, 2.0F) + set(7, 0x00feff01U) + set(8, 0x100U) +
                "TEX_SINGLE.slot0.u.32.2d.array_enable.texel_offset.explicit.wait0 @r0:r1:r2:r3, "
                "@r4:r5:r6:r7:r8, r40\n"),
            (Words{1, 1, 0, 2}));
}

TEST_F(ValhallRunTexture, Results) {
  const std::array<std::uint32_t, 4> texel{bits_of(1.5F), 0x7fa00001, bits_of(1e30F), 0x80001234};
  Texture texture;
  texture.format = *parse_texture_format("rgba32f");
  texture.width = texture.height = 1;
  texture.data = texel.data();
  texture.size = sizeof texel;
  bind(1, texture);
  bind(0, Sampler{});
  const auto results = [&](const std::string& what) {
    return run(set(4, 0U) + set(5, 0U) + "TEX_FETCH.slot0." + what + ", @r4:r5, r40\n");
  };
  EXPECT_EQ(results("f.32.2d.wait0 @r0:r1:r2:r3"), (Words{texel[0], texel[1], texel[2], texel[3]}));
  EXPECT_EQ(results("u.32.ra.2d.wait0 @r0:r1"), (Words{texel[0], texel[3], 0, 0}));
  EXPECT_EQ(results("f.16.2d.wait0 @r0:r1"), (Words{0x7e003e00, 0x80007c00, 0, 0}));
  EXPECT_EQ(results("f.16.gba.2d.wait0 @r0:r1"), (Words{0x7c007e00, 0x8000, 0, 0}));
  EXPECT_EQ(results("u.16.ra.2d.wait0 @r0"), (Words{0x12340000, 0, 0, 0}));
  EXPECT_EQ(results("s.16.a.2d.wait0 @r0"), (Words{0x1234, 0, 0, 0}));
  EXPECT_EQ(results("f.32.skip.b.2d.wait0 @r0"), (Words{texel[2], 0, 0, 0}));
}

TEST_F(ValhallRunTexture, Gather) {
  const NumberedTexels numbered;
  bind(1, numbered.texture);
  Sampler sampler;
  sampler.wrap.fill(Wrap::clamp_to_border);
  sampler.border = {100, 101, 102, 103};
  bind(0, sampler);
  const auto gathered = [&](const std::string& component, float x, float y, const std::string& mask = "") {
    return run(set(4, x) + set(5, y) + "TEX_GATHER.slot0.u.32" + mask + ".2d." + component + ".wait0 @r0:r1" +
               (mask.empty() ? ":r2:r3" : "") + ", @r4:r5, r40\n");
  };
  EXPECT_EQ(gathered("gather4_g", 0.5F, 0.5F), (Words{1, 2, 1, 2}));
  EXPECT_EQ(gathered("gather4_b", 0.5F, 0.5F), (Words{1, 1, 2, 2}));
  EXPECT_EQ(gathered("gather4_b", 0.5F, 0.5F, ".gb"), (Words{1, 2, 0, 0}));
  EXPECT_EQ(gathered("gather4_r", 0.0F, 0.5F), (Words{100, 0, 100, 0}));
  EXPECT_EQ(gathered("gather4_b", 0.0F, 0.5F), (Words{102, 1, 102, 2}));
  EXPECT_EQ(gathered("gather4_a", 0.0F, 0.0F), (Words{103, 103, 103, 0}));
  // Offsets.
  EXPECT_EQ(run(set(4, 0.5F) + set(5, 0.5F) + set(6, 0x01U) +
                "TEX_GATHER.slot0.u.32.2d.texel_offset.gather4_g.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
            (Words{2, 3, 2, 3}));
}

TEST_F(ValhallRunTexture, GatherCompares) {
  const std::array<float, 4> depths{0.25F, 0.5F, 0.75F, 1.0F};
  Texture texture;
  texture.format = *parse_texture_format("r32f");
  texture.width = texture.height = 2;
  texture.data = depths.data();
  texture.size = sizeof depths;
  bind(1, texture);
  Sampler sampler;
  sampler.compare = true;
  sampler.compare_op = Compare::less;
  bind(0, sampler);
  EXPECT_EQ(run(set(4, 0.5F) + set(5, 0.5F) + set(6, 0.6F) +
                "TEX_GATHER.slot0.f.32.2d.gather4_r.shadow.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
            (Words{0, 0, bits_of(1), bits_of(1)}));
  // Whichever the component is, it is the border's first one that is compared.
  options_.compiled = true;
  sampler.wrap.fill(Wrap::clamp_to_border);
  sampler.border = {bits_of(0.7F), bits_of(0.1F), bits_of(0.2F), bits_of(0.3F)};
  bind(0, sampler);
  const std::uint32_t one = bits_of(1);
  for (const std::string component : {"r", "b", "a"})
    EXPECT_EQ(run(set(4, -1.0F) + set(5, 0.5F) + set(6, 0.6F) + "TEX_GATHER.slot0.f.32.2d.gather4_" +
                  component + ".shadow.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
              (Words{one, one, one, one}))
        << component;
}

TEST_F(ValhallRunTexture, Refused) {
  const std::pair<const char*, const char*> kCases[] = {
      {"TEX_SINGLE.slot0.f.32.2d.grdesc @r0:r1:r2:r3, @r4:r5:r6:r7, r40",
       "descriptors of gradients are not known"},
      {"TEX_FETCH.slot0.f.32.cube @r0:r1:r2:r3, @r4:r5, r40", "a fetch from a cube"},
      {"TEX_GATHER.slot0.f.32.1d.gather4_r @r0:r1:r2:r3, @r4, r40", "texels of 1D and 3D are not gathered"},
      {"TEX_GATHER.slot0.f.32.3d.gather4_r @r0:r1:r2:r3, @r4:r5:r6, r40",
       "texels of 1D and 3D are not gathered"},
      {"TEX_GATHER.slot0.f.32.2d.integer_coordinates.gather4_r @r0:r1:r2:r3, @r4:r5, r40",
       "integer coordinates"},
      {"TEX_SINGLE.slot0.f.32.2d.explicit @r0:r1:r2:r3, @r4:r5, r40", "2 staging registers are not 3"},
      {"TEX_SINGLE.slot0.f.32.2d.zero @r0:r1:r2:r3, @r4:r5:r6, r40", "3 staging registers are not 2"},
      {"TEX_SINGLE.slot0.f.16.2d.zero @r0:r1:r2:r3, @r4:r5, r40", "4 staging registers are not 2"},
      {"TEX_SINGLE.slot0.f.32.rg.2d.zero @r0, @r4:r5, r40", "1 staging registers are not 2"},
      {"TEX_DUAL.slot0.f.32.32.2d.zero @r0:r1:r2:r3, @r4:r5, r40", "this instruction does not run yet"},
  };
  for (const auto& [text, why] : kCases) {
    const std::string message = failure(run_fragments(text + std::string("\nNOP.end\n")).status);
    EXPECT_NE(message.find(why), std::string::npos) << text << ": " << message;
  }
  EXPECT_NE(
      failure("TEX_FETCH.slot0.f.32.2d @r0:r1:r2:r3, @r4:r5, r40\nNOP.end\n").find("compute programs do not"),
      std::string::npos);
}

}  // namespace
}  // namespace warpjit::valhall
