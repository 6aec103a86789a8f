// Textures in the guest interpreter (docs/guests/valhall.md 10.4), row by row.
#include <cmath>
#include <limits>
#include <optional>

#include "frontend/valhall/launch.h"
#include "valhall/run_fragments.h"
#include "warpjit/valhall.hpp"

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

  // That r0 to r3 are 0 in all pixels, after a fault of this word, in every engine.
  void fails(const std::string& body, std::uint32_t word) {
    const FinishedFragments pixels = run_fragments(set(40, kHandle) + set(0, 7U) + body + kEmit, options_);
    ASSERT_TRUE(pixels.status) << to_string(pixels.status.error());
    ASSERT_TRUE(pixels.report.first_fault) << body;
    const ir::MemoryFault& access = pixels.report.first_fault->access;
    EXPECT_EQ(access.address, word) << body;
    EXPECT_EQ(access.index, kTextureSpace);
    EXPECT_EQ(pixels.colors[0], std::vector<std::uint32_t>(pixels.colors[0].size())) << body;
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
  // The tables that a launch's textures and samplers are of.
  options_.compiled = true;
  options_.setup.texture_table = 3;
  options_.setup.sampler_table = 2;
  EXPECT_EQ(with(0x18051003U, 0, ""), found);
  EXPECT_EQ(with(2 << 24 | 3, 3 << 24 | 5, ".wide_indices"), found);
}

// Other tables, and entries that there are not, are faults that name the word.
TEST_F(ValhallRunTexture, WrongHandles) {
  const NumberedTexels numbered;
  bind(5, numbered.texture);
  bind(3, Sampler{});
  const auto wrong = [&](std::uint32_t low, std::uint32_t high, const std::string& wide, std::uint32_t word) {
    fails(set(40, low) + set(41, high) + set(4, 0.9F) + set(5, 0.4F) + "TEX_SINGLE.slot0.u.32.2d" + wide +
              ".zero.wait0 @r0:r1:r2:r3, @r4:r5, r40\n",
          word);
  };
  options_.compiled = true;
  for (const std::uint32_t low : {0x28051803U, 0x20052003U, 0x27ff1803U, 0x20051fffU, 1U})
    wrong(low, 0, "", low);
  const std::uint32_t texture = 4 << 24 | 5, sampler = 3 << 24 | 3;
  wrong(texture, texture, ".wide_indices", texture);
  wrong(sampler, 5 << 24 | 5, ".wide_indices", 5 << 24 | 5);
  wrong(sampler, 4 << 24 | 0x10005, ".wide_indices", 4 << 24 | 0x10005);
  wrong(3 << 24 | 0x80, texture, ".wide_indices", 3 << 24 | 0x80);
  wrong(0, 0, ".wide_indices", 0);
  fails("TEX_FETCH.slot0.u.32.2d.wait0 @r0:r1:r2:r3, @r4:r5, 0x0\n", 0);
  fails(set(1, 0U) + "TEX_GATHER.slot0.u.32.2d.gather4_g.wait0 @r0:r1:r2:r3, @r4:r5, 0x0\n", 0);
  fails("TEX_SINGLE.slot0.f.16.2d.computed.wait0 @r0:r1, @r4:r5, 0x0\n", 0);
  fails("TEX_GRADIENT.slot0.auto.32.rg.2d.wait0 @r0:r1, @r4:r5, 0x0\n", 0);
  options_.setup.texture_table = 3;
  options_.setup.sampler_table = 2;
  wrong(0x20051803U, 0, "", 0x20051803U);
  options_.setup = {};
  // What is not bound is an error of the launch where compiled code knows it.
  options_.compiled = false;
  options_.guest_alone = true;
  for (const std::uint32_t low : {0x20041803U, 0x20051802U}) wrong(low, 0, "", low);
}

// The word that names texture and sampler, which each lane computes: pixel (x, y) has the entry that row y of
// `entries` says, of textures in its upper and of samplers in its lower half.
class ValhallComputedTextures : public ValhallRunTexture {
 protected:
  ValhallComputedTextures() {
    for (unsigned k = 0; k < 3; ++k) {
      texels_[k] = {100 * k + 1, 100 * k + 2};
      Texture texture;
      texture.format = *parse_texture_format("r32ui");
      texture.width = 2;
      texture.data = texels_[k].data();
      texture.size = sizeof texels_[k];
      bind(k, texture);
      Sampler sampler;
      sampler.wrap.fill(k == 0 ? Wrap::repeat : k == 1 ? Wrap::clamp_to_edge : Wrap::clamp_to_border);
      sampler.border[0] = 77;
      bind(k, sampler);
    }
    options_.compiled = true;
    options_.uniforms.resize(16);
  }
  // r0 of each row, whose word is at u[row].
  std::array<std::uint32_t, 4> rows(std::array<std::uint32_t, 4> words, const std::string& sampled,
                                    std::optional<std::uint32_t> fault = {}) {
    std::string body = "MOV.i32 r40, u0\n";
    for (unsigned row = 1; row < 4; ++row)
      body += set(8, row) + "ICMP_OR.u32.ne.m1 r8, r59.h1, r8, 0x0\nMUX.i32.neg r40, r40, u" +
              std::to_string(row) + ", r8\n";
    std::ranges::copy(words, options_.uniforms.begin());
    const FinishedFragments pixels = run_fragments(set(0, 0U) + body + sampled + kEmit, options_);
    EXPECT_TRUE(pixels.status) << to_string(pixels.status.error());
    EXPECT_EQ(pixels.report.first_fault.has_value(), fault.has_value());
    if (fault && pixels.report.first_fault) {
      EXPECT_EQ(pixels.report.first_fault->access.address, *fault);
      EXPECT_EQ(pixels.report.first_fault->access.index, kTextureSpace);
    }
    std::array<std::uint32_t, 4> found{};
    for (unsigned row = 0; row < 4; ++row) {
      found[row] = pixels.word(0, row);
      EXPECT_EQ(pixels.word(3, row), found[row]);
    }
    return found;
  }
  // The second texel of the texture; beyond the end where the sampler says.
  const std::string kBeyond =
      set(4, 1.25F) + set(5, 0.0F) + "TEX_SINGLE.slot0.u.32.r.2d.zero.wait0 @r0, @r4:r5, r40\n";
  // The upper half of r40 is the texture, the lower one the sampler.
  const std::string kWideBeyond =
      "U16_TO_U32 r9, r40.h10\nU16_TO_U32 r8, r40.h00\n" + set(10, 4U << 24) + set(11, 3U << 24) +
      "LSHIFT_OR.i32 r9, r9, 0x0.b00, r10\nLSHIFT_OR.i32 r8, r8, 0x0.b00, r11\n" + set(4, 1.25F) +
      set(5, 0.0F) + "TEX_SINGLE.slot0.u.32.r.2d.wide_indices.zero.wait0 @r0, @r4:r5, r8\n";
  std::array<std::array<std::uint32_t, 2>, 3> texels_{};
};

TEST_F(ValhallComputedTextures, EachLaneNamesItsOwn) {
  constexpr std::uint32_t kTables = 0x20001800;
  EXPECT_EQ(rows({kTables, kTables | 1 << 16 | 1, kTables | 2 << 16 | 2, kTables | 2 << 16}, kBeyond),
            (std::array<std::uint32_t, 4>{1, 102, 77, 201}));
  EXPECT_EQ(rows({0, 1 << 16 | 1, 2 << 16 | 2, 2 << 16}, kWideBeyond),
            (std::array<std::uint32_t, 4>{1, 102, 77, 201}));
  const std::string fetch = set(4, 1U) + set(5, 0U) + "TEX_FETCH.slot0.u.32.r.2d.wait0 @r0, @r4:r5, r40\n";
  // Fetches have no sampler.
  EXPECT_EQ(rows({0x20000000, 0x20010000, 0x200207ff, 0x20010000}, fetch),
            (std::array<std::uint32_t, 4>{2, 102, 202, 102}));
}

TEST_F(ValhallComputedTextures, OutsideOfTheTable) {
  constexpr std::uint32_t kTables = 0x20001800;
  for (const std::uint32_t word : {kTables | 3 << 16, kTables | 3, kTables | 0x7ff << 16, kTables | 0x7ff,
                                   0x28001800U, 0x20002000U, 0U, ~0U})
    EXPECT_EQ(rows({kTables, word, kTables | 1, word}, kBeyond, word),
              (std::array<std::uint32_t, 4>{1, 0, 2, 0}))
        << word;
  EXPECT_EQ(rows({0, 3 << 16 | 3, 1, 1}, kWideBeyond, 4 << 24 | 3),
            (std::array<std::uint32_t, 4>{1, 0, 2, 2}));
  EXPECT_EQ(rows({0, 1 << 16 | 3, 1, 1}, kWideBeyond, 3 << 24 | 3),
            (std::array<std::uint32_t, 4>{1, 0, 2, 2}));
}

// A linear filter and integers do not go together, nor a cube and an instruction for flat textures.
TEST_F(ValhallComputedTextures, OfTheWrongKind) {
  Sampler linear;
  linear.magnify = Filter::linear;
  bind(1, linear);
  const NumberedTexels cube(TextureDimension::cube);
  bind(1, cube.texture);
  constexpr std::uint32_t kTables = 0x20001800;
  const std::uint32_t filtered = kTables | 1, faces = kTables | 1 << 16;
  EXPECT_EQ(rows({kTables, filtered, kTables, filtered}, kBeyond, filtered),
            (std::array<std::uint32_t, 4>{1, 0, 1, 0}));
  EXPECT_EQ(rows({kTables, faces, kTables, faces}, kBeyond, faces),
            (std::array<std::uint32_t, 4>{1, 0, 1, 0}));
}

// More than compiled code chooses among.
TEST_F(ValhallComputedTextures, TooManyForCompiledCode) {
  for (unsigned k = 3; k < 12; ++k) {
    bind(k, options_.textures[k % 3]);
    Sampler sampler = options_.samplers[0];
    sampler.lod_bias = static_cast<std::int32_t>(k);
    bind(k, sampler);
  }
  options_.compiled = false;
  constexpr std::uint32_t kTables = 0x20001800;
  EXPECT_EQ(rows({kTables | 9 << 16, kTables | 10 << 16 | 1, kTables, kTables | 11 << 16 | 11}, kBeyond),
            (std::array<std::uint32_t, 4>{1, 102, 1, 201}));
}

// Of equal samplers compiled code has one.
TEST_F(ValhallComputedTextures, ManyWithEqualSamplers) {
  for (unsigned k = 3; k < 36; ++k) {
    bind(k, options_.textures[k % 3]);
    bind(k, options_.samplers[0]);
  }
  for (unsigned k = 1; k < 3; ++k) bind(k, options_.samplers[0]);
  constexpr std::uint32_t kTables = 0x20001800;
  EXPECT_EQ(rows({kTables | 34 << 16 | 20, kTables | 35 << 16 | 35, kTables, kTables | 5 << 16 | 9}, kBeyond),
            (std::array<std::uint32_t, 4>{101, 201, 1, 201}));
  EXPECT_EQ(rows({kTables, kTables | 36, kTables, kTables}, kBeyond, kTables | 36),
            (std::array<std::uint32_t, 4>{1, 0, 1, 1}));
}

// The level of detail comes from the lanes that sample the same.
TEST_F(ValhallComputedTextures, LevelsOfDetail) {
  const NumberedTexels numbered;
  Sampler sampler;
  sampler.mip = MipFilter::nearest;
  for (unsigned k = 0; k < 2; ++k) {
    bind(k, numbered.texture);
    bind(k, sampler);
  }
  // y is the row: from one to the next there is a whole texture.
  const std::string sampled = set(4, 0.0F) + "U16_TO_U32 r5, r59.h11\nU32_TO_F32 r5, r5\n" +
                              "TEX_SINGLE.slot0.u.32.r.2d.computed.wait0 @r0, @r4:r5, r40\n";
  constexpr std::uint32_t kFirst = 0x20001800, kSecond = 0x20011801;
  EXPECT_EQ(rows({kFirst, kFirst, kFirst, kSecond}, sampled), (std::array<std::uint32_t, 4>{2, 2, 0, 0}));
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
  // Of 16 bits they keep the lower ones, where numbers are converted.
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
  // The second word means nothing, and the pair stands behind layer and offsets.
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

TEST_F(ValhallGradients, OfVolumes) {
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
      launch.set_parameters(std::as_bytes(std::span(address)));
      ASSERT_TRUE(launch.set_texture(1, numbered.texture));
      ASSERT_TRUE(launch.set_sampler(0, repeat));
      ASSERT_TRUE(launch.set_sampler(1, clamp));
      if (stage == Stage::vertex) {
        launch.set_vertices(16, 1, 0, 0);
        launch.map_results(results.data(), 0, 16);
      } else {
        launch.set_grid(1, 1, 1);
        launch.set_block(16, 1, 1);
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
