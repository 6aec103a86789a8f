// Textures in the guest interpreter (docs/guests/valhall.md 10.4), row by row: texels, results, gathers.
#include <cmath>
#include <limits>

#include "frontend/valhall/facts/launch.h"
#include "valhall/run_texture.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {
namespace {

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

TEST_F(ValhallMirroredClamp, LinearFilters) {
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
  const NumberedTexels cubes(TextureDimension::cube, 2);
  bind(1, cubes.texture);
  EXPECT_EQ(run(set(4, 3U << 29 | (bits_of(0.375F) & 0x1fffffff)) + set(5, 0.625F) + set(6, 1.0F) +
                "TEX_SINGLE.slot0.u.32.cube.array_enable.zero.wait0 @r0:r1:r2:r3, @r4:r5:r6, r40\n"),
            (Words{0, 1, 2, 9}));
  // A texture that is no cube, and the reverse.
  options_.compiled = true;
  const std::string flat_place = set(4, 0.3F) + set(5, 0.6F);
  fails(flat_place + "TEX_SINGLE.slot0.u.32.2d.zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n", kHandle);
  const NumberedTexels flat;
  bind(1, flat.texture);
  fails(flat_place + "TEX_SINGLE.slot0.u.32.cube.zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n", kHandle);
}

TEST_F(ValhallRunTexture, Comparisons) {
  Sampler sampler = bind_depths();
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

// The type of the texture: integers keep their bits, and a channel that is not there is the integer 1.
TEST_F(ValhallRunTexture, ResultsOfTheTexturesType) {
  const std::array<std::int8_t, 8> bytes{-1, 2, -128, 127, 5, 6, 7, 8};
  Texture texture;
  texture.format = *parse_texture_format("rg8i");
  texture.width = texture.height = 2;
  texture.row_bytes = 4;
  texture.data = bytes.data();
  texture.size = sizeof bytes;
  texture.swizzle = {TexelSource::red, TexelSource::green, TexelSource::zero, TexelSource::integer_one};
  bind(1, texture);
  bind(0, Sampler{});
  options_.compiled = true;
  const Words first{~0U, 2, 0, 1};
  const std::string place = set(4, 0.1F) + set(5, 0.1F), texel = set(4, 0U) + set(5, 0U);
  EXPECT_EQ(run(place + "TEX_SINGLE.slot0.auto.32.2d.zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"), first);
  EXPECT_EQ(run(texel + "TEX_FETCH.slot0.auto.32.2d.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"), first);
  EXPECT_EQ(run(set(4, 0.5F) + set(5, 0.5F) +
                "TEX_GATHER.slot0.auto.32.2d.gather4_r.wait0 @r0:r1:r2:r3, @r4:r5, r40\n"),
            (Words{~0U, 0U - 128, 5, 7}));
  // Results of 16 bits keep the lower bits, where numbers are converted.
  EXPECT_EQ(run(texel + "TEX_FETCH.slot0.auto.16.2d.wait0 @r0:r1, @r4:r5, r40\n"),
            (Words{0x0002ffff, 0x00010000, 0, 0}));
  texture.format = *parse_texture_format("rg8-snorm");
  texture.swizzle[3] = TexelSource::one;
  bind(1, texture);
  EXPECT_EQ(run(texel + "TEX_FETCH.slot0.auto.32.ra.2d.wait0 @r0:r1, @r4:r5, r40\n"),
            (Words{bits_of(-1.0F * (1.0F / 127)), bits_of(1), 0, 0}));
  EXPECT_EQ(run(texel + "TEX_FETCH.slot0.auto.16.a.2d.wait0 @r0, @r4:r5, r40\n"), (Words{0x3c00, 0, 0, 0}));
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
  Sampler sampler = bind_depths();
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
      {"TEX_SINGLE.slot0.f.32.2d.grdesc @r0:r1:r2:r3, @r4:r5:r6, r40", "3 staging registers are not 4"},
      {"TEX_GRADIENT.slot0.auto.16.rg.2d @r0, @r4:r5, r40", "results of 16 bits"},
      {"TEX_GRADIENT.slot0.auto.32.rg.2d.derivative_enable @r0:r1, @r4:r5, r40",
       "2 staging registers are not 4"},
      {"TEX_GRADIENT.slot0.auto.32.rg.2d.array_enable @r0:r1, @r4:r5, r40", "2 staging registers are not 3"},
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
}

// Threads and vertices, of which r60 is the number, sample as pixels do.
TEST(ValhallTexturesOfGrids, EveryStage) {
  const std::string kBody =
      "SHADDX.u64 r2, u0, r60.w0, shift:0x2\nIADD_IMM.i32 r40, 0x0, #0x20011800\nMOV.i32 r41, 0x0\n"
      "IADD_IMM.i32 r8, 0x0, #0x3\nLSHIFT_AND.i32 r4, r60, 0x0.b00, r8\nMOV.i32 r5, 0x0\n"
      "TEX_FETCH.slot0.auto.32.g.2d @r6, @r4:r5, r40\n"
      // The level of one coordinate alone is the least.
      "U32_TO_F32 r20, r60\nMOV.i32 r21, 0x0\n"
      "TEX_SINGLE.slot0.auto.32.r.2d.computed @r22, @r20:r21, r40\nIADD.u32 r6, r6, r22\n"
      // Level 1 by a word, of the sampler that the number computes.
      "IADD_IMM.i32 r9, 0x0, #0x20011800\nIADD_IMM.i32 r8, 0x0, #0x1\nLSHIFT_AND.i32 r10, r60, 0x0.b00, r8\n"
      "LSHIFT_OR.i32 r10, r10, 0x0.b00, r9\nMOV.i32 r11, 0x0\nIADD_IMM.i32 r12, 0x0, #0x3FA00000\n"
      "MOV.i32 r13, 0x0\nIADD_IMM.i32 r14, 0x0, #0x100\n"
      "TEX_SINGLE.slot0.auto.32.rg.2d.explicit @r16:r17, @r12:r13:r14, r10\n"
      "IADD_IMM.i32 r8, 0x0, #0x10\nLSHIFT_OR.i32 r6, r16, r8.b00, r6\nIADD_IMM.i32 r8, 0x0, #0x18\n"
      "LSHIFT_OR.i32 r6, r17, r8.b00, r6\nSTORE.i32.slot0 @r6, r2, offset:0\nNOP.end\n";
  const NumberedTexels numbered;
  Sampler repeat, clamp;
  repeat.mip = clamp.mip = MipFilter::nearest;
  clamp.wrap.fill(Wrap::clamp_to_edge);
  for (const Stage stage : {Stage::compute, Stage::vertex})
    for (const EngineKind engine : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
      const auto program =
          load_assembly(std::string(".stage ") + (stage == Stage::vertex ? "vertex\n" : "compute\n") + kBody);
      ASSERT_TRUE(program) << to_string(program.error());
      Launch launch(*program);
      std::array<std::uint64_t, 8> memory{}, results{};
      const std::array<std::uint32_t, 2> address{0x1000, 0x7};
      ASSERT_TRUE(launch.map_memory("mem", 0x7'0000'1000, memory.data(), sizeof memory));
      EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(address))));
      ASSERT_TRUE(launch.set_texture(1, numbered.texture));
      ASSERT_TRUE(launch.set_sampler(0, repeat));
      ASSERT_TRUE(launch.set_sampler(1, clamp));
      if (stage == Stage::vertex) {
        EXPECT_TRUE(launch.set_count(16));
        EXPECT_TRUE(launch.map_results(results.data(), 0, 16));
      } else {
        EXPECT_TRUE(launch.set_grid(1, 1, 1));
        EXPECT_TRUE(launch.set_block(16, 1, 1));
      }
      RunOptions options;
      options.engine = engine;
      const auto report = Engine().run(launch, options);
      ASSERT_TRUE(report) << to_string(report.error());
      EXPECT_FALSE(report->fault) << report->fault->what;
      EXPECT_EQ(report->engine, engine) << report->interpreted_because;
      const auto words = std::bit_cast<std::array<std::uint32_t, 16>>(memory);
      for (std::uint32_t n = 0; n < 16; ++n)
        EXPECT_EQ(words[n], n % 4 | 1 << 16 | (n % 2 == 0 ? 0U : 1U) << 24) << n;
    }
}

}  // namespace
}  // namespace warpjit::valhall
