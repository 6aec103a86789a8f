// The words that name texture and sampler (docs/guests/valhall.md 10.4), the same for all lanes or not.
#include <optional>

#include "frontend/valhall/facts/launch.h"
#include "valhall/run_texture.h"

namespace warpjit::valhall {
namespace {

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
TEST_F(ValhallComputedTextures, TexturesOfAWrongKind) {
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

// Compiled code has one of equal samplers.
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

}  // namespace
}  // namespace warpjit::valhall
