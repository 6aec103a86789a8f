// What `smp` gives, on every engine and target of this machine (docs/guests/usse.md 9.5, 9.6).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "frontend/usse/container/texture.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/sample.h"
#include "support/share.h"
#include "textures/view.h"
#include "usse/run_rows.h"

namespace warpjit::usse {
namespace {

struct Bound {
  Texture texture;
  Sampler sampler;
};

// 4 by 4 texels of a byte, 16 y + x + 1, and smaller levels of 64 + l and so on; or a cube of these.
Bound bound(bool cube = false) {
  static const std::vector<std::uint8_t> texels = [] {
    std::vector<std::uint8_t> all;
    for (unsigned face = 0; face < 6; ++face)
      for (unsigned level = 0; level < 3; ++level)
        for (unsigned y = 0; y < 4U >> level; ++y)
          for (unsigned x = 0; x < 4U >> level; ++x)
            all.push_back(static_cast<std::uint8_t>(40 * face + 64 * level + 16 * y + x + 1));
    all.resize(all.size() + 8);
    return all;
  }();
  Bound made;
  made.texture.format = *parse_texture_format("r8");
  made.texture.dimension = cube ? TextureDimension::cube : TextureDimension::d2;
  made.texture.width = made.texture.height = 4;
  made.texture.levels = 3;
  made.texture.four_pairs = false;
  made.texture.data = texels.data();
  made.texture.size = texels.size();
  made.texture.swizzle = {TexelSource::red, TexelSource::zero, TexelSource::zero, TexelSource::one};
  made.sampler.wrap.fill(Wrap::clamp_to_edge);
  made.sampler.magnify = made.sampler.minify = Filter::linear;
  made.sampler.mip = MipFilter::linear;
  return made;
}

Words run(const std::string& code, const Bound& bound, const std::vector<std::array<float, 8>>& operands,
          std::string* error = nullptr, const std::string& secondary = {}) {
  std::string sampler = ".sampler unit:0 sa:0\n";
  if (bound.texture.dimension == TextureDimension::cube) sampler += ".cube unit:0\n";
  if (!secondary.empty()) sampler += ".secondary\n" + secondary;
  return run_rows(code, operands, error, sampler, [&](Launch& launch) {
    EXPECT_TRUE(launch.set_texture(0, bound.texture).ok());
    EXPECT_TRUE(launch.set_sampler(0, bound.sampler).ok());
  });
}

TEST(UsseSamples, GathersGiveFourTexelsAndTheirWeights) {
  // 1.5 and 2.25 texels from the corner, so between texels 1 and 2 and between 1 and 2.
  const Words words = run("smp.2d.f32.f32.gatherweights.drc0 r0, pa0, sa0, #0", bound(), {{{0.5F, 0.5625F}}});
  constexpr std::array<unsigned, 4> kTexels{16 * 2 + 2, 16 * 2 + 3, 16 + 3, 16 + 2};
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(words[n], bits(static_cast<float>(kTexels[n]) / 255.0F)) << n;
  // u is 1/2 and v 3/4: those of (0, 0), (1, 0), (1, 1), (0, 1).
  EXPECT_EQ(words[4], 0x30003000U);
  EXPECT_EQ(words[5], 0x36003600U);
}

TEST(UsseSamples, GathersTakeTheirTypeAndLevel) {
  // At level 1, limited to its edges: results of the texture's own type take a word each.
  const Words words =
      run("smp.2d.native.f32.replace.gather.drc0 r0, pa0, sa0, pa4", bound(), {{{1.0F, 0.0F, 0, 0, 1.0F}}});
  for (const unsigned n : {0U, 1U, 2U, 3U}) EXPECT_EQ(words[n], 64U + 2) << n;
  // Without a level it is level 0, whatever the quad says.
  const Words first = run("smp.2d.f16.f32.gather.drc0 r0, pa0, sa0, #0", bound(),
                          {{{0.0F, 0.0F}}, {{9.0F, 0.0F}}, {{0.0F, 9.0F}}, {{1.0F, 1.0F}}});
  EXPECT_EQ(first[0] & 0xffff, 0x1c04U);  // 1 / 255
}

TEST(UsseSamples, ResultsGoOnFromInternalRegisterToRegister) {
  const Words words =
      run("smp.2d.f32.f32.gatherweights.drc0 i2, pa0, sa0, #0\n"
          "vmov.f32 r0.xy, i2\nvmov.f32 r2.xy, i3\nsmp.2d.f32.f32.gatherweights.drc0 i3, pa0, sa0, #0\n",
          bound(), {{{0.5F, 0.5625F}}});
  EXPECT_EQ(words[0], bits(34.0F / 255.0F));
  EXPECT_EQ(words[2], 0x30003000U);
}

TEST(UsseSamples, SecondaryProgramsSampleOnce) {
  // The coordinates of all are sa20 and sa21: 0. What it gathers is sa4 and on, after the control words; the
  // level is the bias of the texture.
  Bound biased = bound();
  biased.texture.lod_bias = 256;
  const Words words = run(
      "vmov.f32 r0.xy, sa4\nvmov.f32 r2.xy, sa6\nvmov.f32 r4.xy, sa8\nvmov.f32 r6.xy, sa22\n", biased, {{}},
      nullptr,
      "smp.2d.f32.f32.gatherweights.drc0 pa4, pa20, sa0, #0\nsmp.2d.f32.f32.info.drc0 pa22, pa20, sa0, #0\n");
  EXPECT_EQ(words[0], bits(1.0F / 255.0F));
  EXPECT_EQ(words[3], bits(1.0F / 255.0F));
  EXPECT_EQ(words[4], 0x34003400U);
  EXPECT_EQ(words[6], 0x01008080U);
}

TEST(UsseSamples, QueriesGiveWeightsAndLevel) {
  const auto query = [&](float u, float v, float level) {
    return run("smp.2d.f32.f32.replace.info.drc0 r0, pa0, sa0, pa4", bound(), {{{u, v, 0, 0, level}}})[0];
  };
  EXPECT_EQ(query(0.5F, 0.5625F, 0.0F), 0x0000c080U);
  EXPECT_EQ(query(0.5F, 0.5F, 1.25F), 0x01408080U);
  EXPECT_EQ(query(0.5F, 0.5F, 9.0F), 0x02000000U);
  EXPECT_EQ(query(0.5F, 0.5F, -9.0F), 0x00008080U);
}

TEST(UsseSamples, GradientsTakeThePlacesOfDifferences) {
  const auto level = [&](std::array<float, 4> gradients) {
    return run("smp.2d.f32.f32.gradients.info.drc0 r0, pa0, sa0, pa4", bound(),
               {{{0.5F, 0.5F, 0, 0, gradients[0], gradients[1], gradients[2], gradients[3]}}})[0];
  };
  EXPECT_EQ(level({0.5F, 0, 0, 0}), 0x01008080U);       // two texels
  EXPECT_EQ(level({0, 0, 0, -1.0F}), 0x02000000U);      // four
  EXPECT_EQ(level({0.25F, 0.25F, 0, 0}), 0x00808080U);  // the root of two
  EXPECT_EQ(level({0, 0, 0, 0}), 0x00008080U);
  const float nan = std::bit_cast<float>(0x7fc00001U), infinity = std::bit_cast<float>(0x7f800000U);
  EXPECT_EQ(level({infinity, 0, 0, 0}), 0x02000000U);
  // A NaN in either is none.
  EXPECT_EQ(level({nan, 0, infinity, 0}), 0x00008080U);
  EXPECT_EQ(level({1.0F, 0, nan, 0}), 0x00008080U);
  // In one dimension there are two.
  EXPECT_EQ(run("smp.1d.f32.f32.gradients.info.drc0 r0, pa0, sa0, pa4", bound(),
                {{{0.5F, 0.5F, 0, 0, 0.25F, 0.5F, 9.0F, 9.0F}}})[0] >>
                16,
            0x0100U);
}

// Six, of a direction: what is on another face is no change.
TEST(UsseSamples, GradientsOfCubesAreOfTheirDirection) {
  const auto level = [&](std::array<float, 2> direction, std::array<float, 6> gradients) {
    // x of the direction is 1.
    return run("vmov.f32 r2.xy, pa2\nvmov.f32 r4.xy, pa4\nvmov.f32 r6.xy, pa6\nlimm r8, value:0x3f800000\n"
               "vmov.f32 r10.xy, pa0.yyyy\nvmov.f32 r8.y, pa0.xxxx\n"
               "smp.cube.f32.f32.gradients.info.drc0 r0, r8, sa0, r2",
               bound(true),
               {{{direction[0], direction[1], gradients[0], gradients[1], gradients[2], gradients[3],
                  gradients[4], gradients[5]}}})[0] >>
           16;
  };
  EXPECT_EQ(level({0, 0}, {0, 0, 0, 0, 0, 0}), 0U);
  EXPECT_EQ(level({0, 0}, {0, 0.5F, 0, 0, 0, 0}), 0U);            // a quarter of the face's height: a texel
  EXPECT_EQ(level({0, 0}, {0, 0.9F, 0, 0, 0, 0.99F}), 0x00fcU);   // nearly two
  EXPECT_EQ(level({-1, 0}, {0, 1.9F, 0, 0, 0, 0}), 0x01edU);      // nearly four
  EXPECT_EQ(level({0.5F, 0}, {1.0F, 0, 0, 0, 0, 0}), 0U);         // (2, 1/2, 0): half a texel
  EXPECT_EQ(level({-1, 0}, {0, 2.5F, 0, 0, 0, 0}), 0U);           // on face +y
  EXPECT_EQ(level({-1, 0}, {-3.0F, 0, 0, 0, 1.9F, 0}), 0x01edU);  // on face -x; the other one
}

// Infinite coordinates differ by a NaN from each other, and infinitely from others: there is no level.
TEST(UsseSamples, DifferencesThatAreNoNumbers) {
  const float infinity = std::bit_cast<float>(0x7f800000U);
  const std::string query = "smp.2d.f32.f32.info.drc0 r0, pa0, sa0, #0";
  for (const float other : {0.5F, infinity}) {
    const Words words = run(query, bound(), {{{infinity, 0}}, {{infinity, 0}}, {{other, 0}}, {{0, 0}}});
    EXPECT_EQ(words[0] >> 16, 0U) << other;
  }
}

TEST(UsseSamples, EdgesOfAllOperations) {
  const float nan = std::bit_cast<float>(0x7fc00001U), infinity = std::bit_cast<float>(0x7f800000U);
  const std::vector<std::array<float, 8>> operands = {
      {{0.3F, 0.7F, -0.2F, 1, 0.1F, 0.2F, 0.3F, 0.4F}}, {{nan, infinity, 1, 1, nan, 1, 1, 1}},
      {{-infinity, 1e30F, 0, 1, infinity, 0, -1, 5}},   {{1e-42F, -0.0F, -0.0F, 1, -infinity, 3, nan, 2}},
      {{-7.3F, 16777216.0F, 3, 1, 1.5F, 0.5F, 0, 0}},   {{1.0F, 1.0F, 1.0F, 1, 0.5F, 0.5F, 0.5F, 0.5F}},
      {{-1.0F, 1.0F, -1.0F, 1, 1e-30F, 0, 0, 1e-30F}},  {{infinity, -infinity, infinity, 1, -3, 0, 0, 0}}};
  constexpr Wrap kWraps[] = {Wrap::repeat, Wrap::mirror, Wrap::clamp_to_edge, Wrap::mirror_once_to_edge};
  std::uint64_t runs = 0;
  for (unsigned k = 0; k < 16; ++k) {
    Bound made = bound(k % 4 == 3);
    made.sampler.wrap = {kWraps[k % 4], kWraps[k / 4], Wrap::clamp_to_edge};
    made.sampler.minify = (k & 1) != 0 ? Filter::nearest : Filter::linear;
    made.sampler.magnify = (k & 2) != 0 ? Filter::nearest : Filter::linear;
    made.sampler.mip = (k & 4) != 0 ? MipFilter::nearest : MipFilter::linear;
    made.texture.levels = (k & 8) != 0 ? 3 : 1 + k % 3;
    made.texture.lod_bias = 32 * (static_cast<int>(k) - 8);
    const std::string dimension = k % 4 == 3 ? "cube" : k % 4 == 2 ? "1d" : "2d";
    for (const char* const lod : {"", ".bias", ".replace", ".gradients"})
      for (const char* const gather : {"", ".info", ".gather", ".gatherweights"}) {
        const bool gradients = lod[0] == '.' && lod[1] == 'g', gathers = gather[0] == '.' && gather[1] == 'g';
        if ((gradients && gathers) || !in_share(runs++)) continue;
        run("smp." + dimension + ".f32.f32" + lod + gather + ".drc0 r0, pa0, sa0, pa4", made, operands);
      }
  }
}

// The others of the quad wait elsewhere, with coordinates that the code has changed or not.
TEST(UsseSamples, LevelsOfQuadsWhoseLanesHaveParted) {
  const std::vector<std::array<float, 8>> operands = {
      {{0.0F, 0.0F, 0, 0, 1}}, {{0.5F, 0.0F, 0, 0, 0}}, {{0.0F, 0.25F, 0, 0, 1}}, {{1.0F, 1.0F, 0, 0, 0}}};
  const Words words =
      run("vtst.sub.f32.positive.nonzero.both.chan0.p0 c0, pa4, sa2\n"
          "p0 br offset:over\n"
          "vadd.f32 pa0.xy, pa0, pa0\n"
          "smp.2d.f32.f32.info.drc0 r0, pa0, sa0, #0\n"
          "over: vmul.f32 pa0.xy, pa0, pa2\n",
          bound(), operands);
  EXPECT_EQ(words[0], 0U);                             // elsewhere
  EXPECT_EQ(words[std::size_t{4} * kRows] >> 24, 2U);  // 1 - 0 are four texels
}

// What is sampled says the instruction; containers may be without their parameters.
TEST(UsseSamples, DimensionsAreThoseOfInstructions) {
  const auto sample = [](const char* dimension, const std::string& directives, bool cube,
                         std::string* error) {
    return run_rows(std::string("smp.") + dimension + ".f32.f32.replace.drc0 r0, pa0, sa0, pa4",
                    {{{1.0F, 0.25F, 0.25F}}}, error, ".sampler unit:0 sa:0\n" + directives,
                    [&](Launch& launch) {
                      EXPECT_TRUE(launch.set_texture(0, bound(cube).texture).ok());
                      EXPECT_TRUE(launch.set_sampler(0, bound(cube).sampler).ok());
                    });
  };
  EXPECT_EQ(sample("cube", "", true, nullptr), sample("cube", ".cube unit:0\n", true, nullptr));
  sample("2d", ".cube unit:0\n", false, nullptr);
  for (const bool cube : {false, true}) {
    std::string error;
    sample(cube ? "2d" : "cube", "", cube, &error);
    EXPECT_NE(error.find("has not the dimension"), std::string::npos) << error;
  }
  // Any instruction, also if no lane comes to it.
  std::string error;
  run_rows(
      "p0 smp.2d.f32.f32.replace.drc0 r0, pa0, sa0, pa2\nbr offset:2\n"
      "smp.cube.f32.f32.replace.drc0 r0, pa0, sa0, pa2\np3 br offset:-1",
      {{{}}}, &error, ".sampler unit:0 sa:0\n", [&](Launch& launch) {
        EXPECT_TRUE(launch.set_texture(0, bound().texture).ok());
        EXPECT_TRUE(launch.set_sampler(0, bound().sampler).ok());
      });
  EXPECT_EQ(error, "smp: the texture of unit 0 has not the dimension of the sample: it is no cube");
}

// Textures and samplers that are set as such may say what no control words do.
TEST(UsseSamples, StatesWithoutControlWords) {
  const std::string code = "smp.2d.f32.f32.drc0 r0, pa0, sa0, #0";
  const auto refused = [&](const Bound& bound) {
    std::string error;
    run(code, bound, {{}}, &error);
    return error;
  };
  Bound line = bound();
  line.texture.dimension = TextureDimension::d1;
  line.texture.height = line.texture.levels = 1;
  EXPECT_NE(refused(line).find("two dimensions"), std::string::npos) << refused(line);
  Bound limited = bound(), beyond = bound();
  limited.sampler.min_lod = 512;
  EXPECT_NE(refused(limited).find("limits of the level"), std::string::npos);
  beyond.sampler.wrap[1] = Wrap::mirror_once_to_border;
  EXPECT_NE(refused(beyond).find("mirrored once"), std::string::npos);
  EXPECT_EQ(run(code, bound(), {{}}).size(), std::size_t{kThreads} * kRows * 4);
}

// A block a channel, values between two ends: seven steps, or five with the least and the greatest.
TEST(UsseSamples, BlocksOfChannels) {
  constexpr std::uint32_t kAddress = 0x1000, kPoint = 0x83fe0090, kSide = 8;
  struct Kind {
    std::uint32_t code;
    unsigned channels;
    int first, step, other;  // of block n and channel k the ends are first + step n + k, other
    int least, most;
  };
  for (const Kind& kind : {Kind{0x08, 1, 90, 40, 130, 0, 255}, Kind{0x0a, 2, 90, 40, 130, 0, 255},
                           Kind{0x09, 1, -128, 70, -40, -127, 127}, Kind{0x0b, 2, -128, 70, -40, -127, 127},
                           Kind{0x0b, 2, -20, 7, -128, -127, 127}})
    for (const std::uint32_t type : {3U, 5U}) {  // linear, swizzled
      const auto first_end = [&](unsigned n, unsigned k) {
        return kind.first + kind.step * static_cast<int>(n) + static_cast<int>(k);
      };
      // Indices count up.
      std::vector<std::byte> memory;
      for (unsigned n = 0; n < 4; ++n)
        for (unsigned k = 0; k < kind.channels; ++k) {
          std::uint64_t block =
              (static_cast<unsigned>(first_end(n, k)) & 255) | (static_cast<unsigned>(kind.other) & 255) << 8;
          for (std::uint64_t texel = 0; texel < 16; ++texel) block |= (texel + n) % 8 << (16 + 3 * texel);
          for (unsigned byte = 0; byte < 8; ++byte)
            memory.push_back(static_cast<std::byte>(block >> 8 * byte));
        }
      const auto state = read_texture(
          {kPoint, type << 29 | kind.code << 24 | (kSide - 1) << 12 | (kSide - 1), kAddress, 1U << 31});
      ASSERT_TRUE(state.ok()) << to_string(state.error());
      const auto bound = bind_texture(*state, [&](std::uint32_t address, std::uint64_t size) {
        return address == kAddress && size == memory.size() ? std::span<const std::byte>(memory)
                                                            : std::span<const std::byte>();
      });
      ASSERT_TRUE(bound.ok()) << to_string(bound.error());
      const auto view = textures::make_view(bound->texture, "texture");
      ASSERT_TRUE(view.ok()) << to_string(view.error());
      EXPECT_EQ(texel_components(view->swizzle), kind.channels);
      EXPECT_EQ(native_texel(view->format), kind.least < 0 ? NativeTexel::s8 : NativeTexel::u8);
      const TextureSampler sampler(*view, bound->sampler);
      for (unsigned y = 0; y < kSide; ++y)
        for (unsigned x = 0; x < kSide; ++x) {
          const unsigned column = x / 4, row = y / 4, n = type == 3 ? 2 * row + column : 2 * column + row;
          const Texels got = sampler.sample(
              {(static_cast<float>(x) + 0.5F) / kSide, (static_cast<float>(y) + 0.5F) / kSide, 0}, 0);
          for (unsigned k = 0; k < 2; ++k) {
            const int steps = first_end(n, k) > kind.other ? 7 : 5;
            const int a = std::max(first_end(n, k), kind.least), b = std::max(kind.other, kind.least);
            const int index = static_cast<int>((4 * (y % 4) + x % 4 + n) % 8);
            double wanted = 0;
            if (index < 2)
              wanted = index == 0 ? a : b;
            else if (index - 1 < steps)
              wanted = std::round(static_cast<double>((steps - (index - 1)) * a + (index - 1) * b) / steps);
            else
              wanted = index == 6 ? kind.least : kind.most;
            if (k >= kind.channels) wanted = 0;
            EXPECT_EQ(got[k], static_cast<float>(wanted) / static_cast<float>(kind.most))
                << kind.code << ' ' << type << ": " << x << ' ' << y << ' ' << k;
          }
        }
    }
  // Tiles of blocks are not known.
  for (const std::uint32_t code : {0x08U, 0x0bU})
    EXPECT_FALSE(read_texture({kPoint, 4U << 29 | code << 24 | 7, kAddress, 0}).ok());
}

TEST(UsseSamples, RefusedSamples) {
  std::string error;
  run("smp.2d.f32.f32.gradients.gather.drc0 r0, pa0, sa0, pa4", bound(), {{}}, &error);
  EXPECT_NE(error.find("it gathers with gradients"), std::string::npos) << error;
  run("smp.2d.f32.f32.minpack.drc0 r0, pa0, sa0, pa4", bound(), {{}}, &error);
  EXPECT_NE(error.find("minpack"), std::string::npos) << error;
}

}  // namespace
}  // namespace warpjit::usse
