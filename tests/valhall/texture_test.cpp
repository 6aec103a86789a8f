// Samples of textures: which ones a program names, and what compiled code and IR give, against the scalar
// sampler at places that the test computes from the staging registers.
#include <bit>
#include <cmath>

#include "frontend/interpret/textures/sample.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/shader.h"
#include "random/textures.h"
#include "support/engine_ways.h"
#include "support/share.h"
#include "valhall/valhall_test.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::valhall::texture_tests {
namespace {

// ---- What a program samples

std::vector<SamplingInstruction> sampling_of(const std::string& source) {
  const auto program = assemble(source, "test");
  EXPECT_TRUE(program.ok()) << (program ? "" : to_string(program.error()));
  const auto code = find_reached(*program);
  EXPECT_TRUE(code.ok()) << (code ? "" : to_string(code.error()));
  return sampling_instructions(*program, *code);
}
std::string listed(const std::vector<SamplingInstruction>& instructions) {
  std::string text;
  for (const SamplingInstruction& one : instructions) {
    text += text.empty() ? "" : ", ";
    text += one.use ? "t" + std::to_string(one.use->texture) : "?";
    if (one.use && one.use->needs_sampler) text += " s" + std::to_string(one.use->sampler);
    if (!one.offsets) text += " moved";
    if (one.offsets && *one.offsets != 0) text += " by " + std::to_string(*one.offsets);
  }
  return text;
}
const std::string kZeroLevel = "TEX_SINGLE.slot0.f.32.2d.zero @r8:r9:r10:r11, @r12:r13, ";

TEST(ValhallTextureUses, ThroughMovesAndSums) {
  EXPECT_EQ(
      listed(sampling_of("IADD_IMM.i32 r1, 0x0, #0x20021803\nMOV.i32 r4, r1\nMOV.i32 r5, 0x0\n" + kZeroLevel +
                         "^r4\n"
                         "IADD_IMM.i32 r4, ^r4, #0x10001\n" +
                         kZeroLevel +
                         "r4\n"
                         "TEX_FETCH.slot0.f.32.2d @r8:r9:r10:r11, @r12:r13, r4\nNOP.end\n")),
      "t2 s3, t3 s4, t3");
  EXPECT_EQ(listed(sampling_of("IADD_IMM.i32 r1, 0x0, #0x2001\nIADD_IMM.i32 r2, 0x0, #0x1800\n"
                               "LSHIFT_OR.i32 r2, r1, 0x13121110.b02, r2\n" +
                               kZeroLevel + "r2\n" + kZeroLevel + "u0\nNOP.end\n")),
            "t1 s0, ?");
}

// Registers that hold something else on one of the ways, or that anything writes.
TEST(ValhallTextureUses, WherePathsMeet) {
  const std::string set = "IADD_IMM.i32 r4, 0x0, #0x20001800\n";
  EXPECT_EQ(listed(sampling_of(set + "BRANCHZ.eq r20, offset:1\n" + set + kZeroLevel + "r4\nNOP.end\n")),
            "t0 s0");
  EXPECT_EQ(listed(sampling_of(set + "BRANCHZ.eq r20, offset:1\nIADD_IMM.i32 r4, ^r4, #0x1\n" + kZeroLevel +
                               "r4\nNOP.end\n")),
            "?");
  EXPECT_EQ(listed(sampling_of(set + "loop:\n" + kZeroLevel +
                               "r4\nIADD_IMM.i32 r4, r4, #0x1\nBRANCHZ r20, offset:loop\nNOP.end\n")),
            "?");
  EXPECT_EQ(listed(sampling_of(set + "loop:\n" + kZeroLevel + "r4\nBRANCHZ r20, offset:loop\nNOP.end\n")),
            "t0 s0");
  for (const std::string lost : {"LOAD.i64.unsigned.slot0 @r4:r5, u0, offset:0\n", "MOV.i32 r4, r60\n",
                                 "IADD.u64 r4, r4, r6\n", "MKVEC.v2i16 r4.h0, r4.h00, 0x0\n"})
    EXPECT_EQ(listed(sampling_of(set + lost + kZeroLevel + "r4\nNOP.end\n")), "?") << lost;
}

TEST(ValhallTextureUses, OffsetsAndOtherTables) {
  const std::string moved =
      "TEX_SINGLE.slot0.f.32.2d.texel_offset.zero @r8:r9:r10:r11, @r12:r13:r14, r4\nNOP.end\n";
  const std::string set = "IADD_IMM.i32 r4, 0x0, #0x20001800\n";
  EXPECT_EQ(listed(sampling_of(set + "IADD_IMM.i32 r14, 0x0, #0xFE01\n" + moved)), "t0 s0 by 65025");
  EXPECT_EQ(listed(sampling_of(set + "MOV.i32 r14, u0\n" + moved)), "t0 s0 moved");
  for (const std::string other : {"0x20001000", "0x28001800", "0x20801800", "0x20001880"})
    EXPECT_EQ(listed(sampling_of("IADD_IMM.i32 r4, 0x0, #" + other + "\n" + kZeroLevel + "r4\nNOP.end\n")),
              "?")
        << other;
  const std::string wide =
      "TEX_SINGLE.slot0.f.32.2d.wide_indices.zero @r8:r9:r10:r11, @r12:r13, r4\nNOP.end\n";
  EXPECT_EQ(
      listed(sampling_of("IADD_IMM.i32 r4, 0x0, #0x3000005\nIADD_IMM.i32 r5, 0x0, #0x4000007\n" + wide)),
      "t7 s5");
  const auto program =
      assemble(set + kZeroLevel + "r4\nTEX_FETCH.slot0.f.32.2d @r8:r9:r10:r11, @r12:r13, r4\n" + kZeroLevel +
                   "r4\nNOP.end\n",
               "test");
  const auto code = find_reached(*program);
  EXPECT_EQ(texture_uses(*program, *code).size(), 2u);
}

// ---- What samples give

constexpr std::uint32_t kThreads = 48, kIn = 8, kRow = 16;  // words of a thread: staging registers, results

using StagedWords = std::array<std::uint32_t, kIn>;

std::string register_list(unsigned first, unsigned count) {
  std::string text = "@";
  for (unsigned k = 0; k < count; ++k) text += (k == 0 ? "r" : ":r") + std::to_string(first + k);
  return text;
}

// Words of all threads before and after the sample.
std::string program_of(const std::string& instruction, const std::string& before = {}) {
  return "U16_TO_U32 r0, r60.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x6\n"
         "LOAD.i128.unsigned.slot0 @r16:r17:r18:r19, r2, offset:0\n"
         "LOAD.i128.unsigned.slot0 @r20:r21:r22:r23, r2, offset:16\n" +
         before + "IADD_IMM.i32 r4, 0x0, #0x20001800\nMOV.i32 r5, 0x0\n" + instruction +
         "\nSTORE.i128.slot0 @r24:r25:r26:r27, r2, offset:32\nNOP.end\n";
}

class Textured {
 public:
  Textured(const Texture& texture, const Sampler& sampler) : texture_(texture), sampler_(sampler) {
    view = std::move(*textures::make_view(texture, "texture"));
  }

  // The results of each thread, which all engines must agree on.
  std::vector<std::array<std::uint32_t, 4>> run(const std::string& source,
                                                const std::vector<StagedWords>& staged) {
    std::vector<std::array<std::uint32_t, 4>> results;
    auto program = assemble(source, "test");
    EXPECT_TRUE(program.ok()) << source << (program ? "" : to_string(program.error()));
    if (!program) return results;
    const auto shader = std::make_shared<const Shader>(*program);
    EngineOptions checked;
    checked.checks = true;
    const Engine engine(checked);
    for (const test::EngineWay& way : test::translating_ways(engine)) {
      std::vector<std::uint32_t> memory(kRow * kThreads);
      for (std::size_t t = 0; t < staged.size(); ++t) std::ranges::copy(staged[t], memory.begin() + kRow * t);
      Launch launch{warpjit::Program(shader)};
      EXPECT_TRUE(launch.set_grid(1));
      EXPECT_TRUE(launch.set_block(kThreads));
      const std::uint32_t uniforms[] = {0x1000, 7};
      EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(uniforms))));
      EXPECT_TRUE(launch.map_memory("mem", 0x700001000, memory.data(), 4 * memory.size()).ok());
      EXPECT_TRUE(launch.set_texture(0, texture_).ok());
      EXPECT_TRUE(launch.set_sampler(0, sampler_).ok());
      RunOptions options = way.options;
      options.threads = 1;
      const auto report = engine.run(launch, options);
      EXPECT_TRUE(report.ok()) << way.name << ": " << (report ? "" : to_string(report.error())) << '\n'
                               << source;
      if (!report) continue;
      EXPECT_FALSE(report->fault) << way.name;
      std::vector<std::array<std::uint32_t, 4>> found(kThreads);
      for (std::size_t t = 0; t < kThreads; ++t)
        std::copy_n(memory.begin() + kRow * t + kIn, 4, found[t].begin());
      if (results.empty())
        results = found;
      else
        EXPECT_EQ(found, results) << way.name << '\n' << source;
    }
    return results;
  }

  textures::TextureView view;

 private:
  Texture texture_;
  Sampler sampler_;
};

// To the nearest f16, ties to even.
std::uint32_t to_half(std::uint32_t word) {
  const float value = std::bit_cast<float>(word);
  const std::uint32_t sign = word >> 31 << 15;
  if (std::isnan(value)) return 0x7e00;
  const double size = std::fabs(double{value});
  if (size >= 65520) return sign | 0x7c00;
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return sign | (units + (static_cast<std::uint32_t>(exponent + 14) << 10));
}

// What the channels of a mask are in registers (valhall.md 10.4).
std::array<std::uint32_t, 4> packed(const interpret::TexelWords& words, unsigned mask, bool wide,
                                    bool floats) {
  std::array<std::uint32_t, 4> result{};
  unsigned n = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    if (wide) {
      result[n++] = words[k];
      continue;
    }
    const std::uint32_t half = floats ? to_half(words[k]) : words[k] & 0xffff;
    result[n / 2] |= half << (16 * (n % 2));
    ++n;
  }
  return result;
}

float coordinate(Random& random) {
  constexpr float kEdges[] = {0.0F,    1.0F,  -1.0F,       0.5F,     -0.0F, 1e-40F,
                              -1e-40F, 1e10F, 16777216.0F, INFINITY, NAN};
  if (random.one_in(8)) return kEdges[random.below(std::size(kEdges))];
  if (random.one_in(3)) return static_cast<float>(static_cast<int>(random.below(300)) - 100) / 128.0F;
  return static_cast<float>(random.below(1u << 20)) / static_cast<float>(1u << 19) - 0.5F;
}
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// A random sample: its text, the staging registers of each thread, and what it must give.
struct RandomSample {
  std::string before, instruction;
  std::vector<StagedWords> staged = std::vector<StagedWords>(kThreads);
  std::vector<std::array<std::uint32_t, 4>> wanted;
};

RandomSample random_sample(Random& random, const Texture& texture, const Sampler& sampler,
                           const textures::TextureView& view) {
  enum { zero, computed, explicit_level, bias };
  constexpr const char* kModes[] = {".zero", ".computed", ".explicit", ".computed_bias"};
  constexpr const char* kDimensions[] = {".1d", ".2d", ".3d", ".cube", ".1d"};
  constexpr const char* kMasks[] = {"",   ".r",  ".g",  ".rg",  ".b",  ".rb",  ".gb",  ".rgb",
                                    ".a", ".ra", ".ga", ".rga", ".ba", ".rba", ".gba", ""};
  const bool cube = texture.dimension == TextureDimension::cube;
  const unsigned coordinates = texture.dimension == TextureDimension::d3   ? 3
                               : texture.dimension == TextureDimension::d1 ? 1
                                                                           : 2;
  const bool gathers = coordinates == 2 && random.one_in(5), fetches = !cube && !gathers && random.one_in(4);
  const unsigned mode = random.below(4), mask = random.one_in(2) ? 15 : 1 + random.below(15),
                 component = random.below(4);
  const bool layered = texture.array ? !random.one_in(6) : random.one_in(6),
             compares = !fetches && sampler.compare;
  const bool shadow = compares ? !random.one_in(5) : !fetches && random.one_in(8);
  const bool moved = random.one_in(4), wide = !random.one_in(3);
  const unsigned type = random.one_in(2) ? 1 : 1 + random.below(3);
  const bool leveled = !fetches && !gathers && mode >= explicit_level;
  std::uint32_t offsets = 0;
  if (moved && !fetches)
    offsets = ((random.below(17) - 8) & 255) | random.below(256) << 8 | random.below(16) << 16;

  RandomSample made;
  const unsigned count = coordinates + layered + shadow + moved + leveled;
  const auto results = static_cast<unsigned>(std::popcount(mask)),
             registers = wide ? results : (results + 1) / 2;
  made.instruction = fetches ? "TEX_FETCH" : gathers ? "TEX_GATHER" : "TEX_SINGLE";
  made.instruction += ".slot0.";
  made.instruction += type == 1 ? "f" : type == 2 ? "u" : "s";
  made.instruction += wide ? ".32" : ".16";
  made.instruction += std::string(kMasks[mask]) + kDimensions[static_cast<unsigned>(texture.dimension)];
  if (layered) made.instruction += ".array_enable";
  if (moved) made.instruction += ".texel_offset";
  if (shadow) made.instruction += ".shadow";
  if (gathers) made.instruction += std::string(".gather4_") + "rgba"[component];
  if (!gathers && !fetches) made.instruction += kModes[mode];
  made.instruction += " " + register_list(24, registers) + ", " + register_list(16, count) + ", r4";
  // Offsets of filters are constants of the program.
  const unsigned offset_place = coordinates + layered + shadow;
  if (moved && !fetches)
    made.before =
        "IADD_IMM.i32 r" + std::to_string(16 + offset_place) + ", 0x0, #" + std::to_string(offsets) + "\n";

  for (StagedWords& words : made.staged) {
    interpret::SamplePlace place;
    place.mirrors_texels = true;
    unsigned next = 0;
    if (cube) {
      const std::uint32_t face = random.below(8);
      const float s = random.one_in(8) ? 1.0F : static_cast<float>(random.below(1 << 20)) / (1 << 20),
                  t = random.one_in(8) ? 1.0F : static_cast<float>(random.below(1 << 20)) / (1 << 20);
      words[next++] = (bits_of(s) & 0x1fffffff) | face << 29;
      words[next++] = bits_of(t);
      place.on_face = {std::min(face, 5U), (bits_of(s) & 0x1fffffff) | 0x20000000, bits_of(t)};
    } else {
      for (unsigned k = 0; k < coordinates; ++k)
        place.coordinates[k] = words[next++] = fetches ? random.below(70) - 2 : bits_of(coordinate(random));
    }
    bool there = true;
    if (layered && fetches) {
      words[next] = random.below(5) - 1;
      there = !texture.array || words[next] < texture.layers;
      place.layer = words[next++];
    } else if (layered) {
      const float layer = static_cast<float>(static_cast<int>(random.below(40)) - 8) / 8;
      words[next++] = bits_of(random.one_in(20) ? NAN : layer);
      const double rounded = std::nearbyint(layer);
      place.layer =
          words[next - 1] == bits_of(layer) && rounded > 0 ? static_cast<std::uint32_t>(rounded) : 0;
    }
    if (shadow) place.reference = words[next++] = bits_of(coordinate(random));
    std::int32_t level = 0;
    if (moved) {
      if (fetches) offsets = (random.below(1U << 24) & 0x0f0f0f) | random.below(4) << 24;
      words[next++] = offsets;
      for (unsigned k = 0; k < coordinates; ++k)
        place.offsets[k] = static_cast<std::int8_t>(offsets >> (8 * k));
      level = static_cast<std::int32_t>(offsets >> 24);
    }
    if (leveled) {
      const auto fixed =
          static_cast<std::int16_t>(random.one_in(8) ? random.below(65536) : random.below(2000) - 400);
      words[next++] = static_cast<std::uint16_t>(fixed) | random.below(65536) << 16;
      level = std::clamp<std::int32_t>(fixed, -64 * 256, 64 * 256);
    }
    EXPECT_EQ(next, count);
    interpret::TexelWords found{};
    if (fetches) {
      if (there) found = interpret::fetch(view, place, level);
    } else if (gathers) {
      textures::TextureView turned = view;
      Sampler with = sampler;
      turned.swizzle[0] = view.swizzle[component];
      if (!with.compare) {
        with.border[0] = textures::border_of(view, sampler)[component];
        with.srgb_border.reset();
        turned.depth = false;
      }
      const interpret::TexelWords ring = interpret::gather(turned, with, place);
      found = {ring[3], ring[2], ring[0], ring[1]};
    } else {
      found = interpret::sample(view, sampler, place,
                                mode == computed ? interpret::kNoDetail
                                : mode == bias   ? interpret::kNoDetail + level
                                                 : level);
    }
    made.wanted.push_back(packed(found, mask, wide, type == 1));
  }
  return made;
}

TEST(ValhallTextures, RandomSamples) {
  unsigned tested = 0;
  for (std::uint64_t seed = 1; seed <= share(400); ++seed) {
    Random random(seed);
    const auto texture = random::texture(random);
    if (!texture) continue;
    const Sampler sampler = random::sampler(random, !textures::has_integers(texture->format));
    Textured textured(*texture, sampler);
    if (!textures::check_pair(textured.view, sampler, "pair") ||
        ir::unsupported(frontend::sample_key(textured.view, sampler)) != nullptr)
      continue;
    ++tested;
    const RandomSample sample = random_sample(random, *texture, sampler, textured.view);
    SCOPED_TRACE(std::to_string(seed) + ": " + sample.before + sample.instruction);
    const auto found = textured.run(program_of(sample.instruction, sample.before), sample.staged);
    ASSERT_EQ(found.size(), kThreads);
    for (std::size_t t = 0; t < kThreads; ++t)
      ASSERT_EQ(found[t], sample.wanted[t]) << t << ": " << testing::PrintToString(sample.staged[t]);
  }
  EXPECT_GT(tested, share(150));
}

// Why a sample of a texture of rgba8 is not translated.
std::string why_not(const std::string& instruction) {
  const auto program = assemble(program_of(instruction), "test");
  EXPECT_TRUE(program.ok()) << instruction << (program ? "" : to_string(program.error()));
  if (!program) return {};
  const Shader shader(*program);
  frontend::Grid grid;
  grid.block = {16, 1, 1};
  const auto checked = shader.memory()->check_grid(grid);
  EXPECT_TRUE(checked.ok()) << instruction;
  if (!checked) return {};
  frontend::Facts facts{.work = frontend::GridFacts(), .guest = shader.memory()->pack_facts(grid, *checked)};
  ir::SampleKey key;
  key.format = *parse_texture_format("rgba8");
  facts.samples = {key};
  const auto translation = shader.translate(facts, false);
  return translation ? "runs" : translation.error().message;
}

TEST(ValhallTextures, RefusedByName) {
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.zero @r24:r25:r26, @r16:r17, r4"),
            "TEX_SINGLE: a number of staging registers that does not fit");
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.explicit @r24:r25:r26:r27, @r16:r17, r4"),
            "TEX_SINGLE: a number of staging registers that does not fit");
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.grdesc @r24:r25:r26:r27, @r16:r17, r4"),
            "TEX_SINGLE: a number of staging registers that does not fit");
  EXPECT_EQ(why_not("TEX_FETCH.slot0.f.32.cube @r24:r25:r26:r27, @r16:r17, r4"),
            "TEX_FETCH: texels of a cube");
  EXPECT_EQ(why_not("TEX_GATHER.slot0.f.32.3d.gather4_r @r24:r25:r26:r27, @r16:r17:r18, r4"),
            "TEX_GATHER: a gather from 1D or 3D");
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.zero @r24:r25:r26:r27, @r16:r17, u2"),
            "TEX_SINGLE: it computes its texture, of too many that are bound, or of none");
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.texel_offset.zero @r24:r25:r26:r27, @r16:r17:r18, r4"),
            "TEX_SINGLE: offsets that are no constant of the program");
  EXPECT_EQ(why_not("TEX_SINGLE.slot0.f.32.2d.zero @r24:r25:r26:r27, @r16:r17, r4"), "runs");
}

}  // namespace
}  // namespace warpjit::valhall::texture_tests
