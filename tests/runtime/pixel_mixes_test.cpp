// Blending as A + B * C (docs/pixels.md 9), and blending of bytes, on every engine. Expected numbers are
// worked out by hand.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "runtime/neutral_shader.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

using interpret::Fragment;
using interpret::Quad;
using NeutralFrame = frontend::FragmentFrame;
using NeutralResults = NeutralFragment::Results;

// --- Blending by A + B * C ---------------------------------------------------------------------------------

// The mixes, sixteen of them at a time, by their numbers.
constexpr unsigned kMixes = 3 * 2 * 4 * 2 * 7 * 2;
BlendMix mix_of(unsigned n) {
  const auto take = [&](unsigned count) {
    const unsigned part = n % count;
    n /= count;
    return part;
  };
  BlendMix mix;
  mix.add = static_cast<BlendMix::Add>(take(3));
  mix.negate_add = take(2) != 0;
  mix.multiply = static_cast<BlendMix::Multiply>(take(4));
  mix.negate_multiply = take(2) != 0;
  mix.by = static_cast<BlendMix::By>(take(7));
  mix.invert_by = take(2) != 0;
  return mix;
}

using Components = std::array<float, 4>;
// In numbers that need no rounding.
float mixed(const BlendMix& mix, unsigned k, const Components& s, const Components& t,
            const Components& constant) {
  const float adds[] = {0, s[k], t[k]};
  const float factors[] = {s[k] - t[k], s[k] + t[k], s[k], t[k]};
  const float bys[] = {0, s[k], t[k], 2 * s[k], s[3], t[3], constant[k]};
  const float by = bys[static_cast<std::size_t>(mix.by)];
  const float add = adds[static_cast<std::size_t>(mix.add)],
              factor = factors[static_cast<std::size_t>(mix.multiply)];
  return (mix.negate_add ? -add : add) +
         (mix.negate_multiply ? -factor : factor) * (mix.invert_by ? 1 - by : by);
}

NeutralFragment leave(const Components& source) {
  NeutralFragment program;
  program.compiled = [=](ir::Builder& b, NeutralFrame&, NeutralResults& results) {
    NeutralFragment::Words words;
    for (unsigned k = 0; k < 4; ++k) words[k] = b.constant(to_bits(source[k]));
    results.colors.assign(kMaxColorTargets, words);
  };
  program.interpreted = [=](const Quad&, std::int32_t, std::int32_t, Fragment& fragment) {
    for (auto& color : fragment.colors)
      for (unsigned k = 0; k < 4; ++k) color[k] = to_bits(source[k]);
  };
  return program;
}

TEST(PixelStates, BlendsByMixing) {
  const Engine engine;
  const Components source{0.5F, -0.75F, 3, 0.25F}, target{0.125F, 2, -1.5F, 0.5F},
      constant{0.375F, 1, -2, 0.625F};
  std::vector<std::uint32_t> old;
  for (const float component : target) old.push_back(to_bits(component));
  for (unsigned first = 0; first < kMixes; first += 2 * kMaxColorTargets) {
    if (!in_share(first / (2 * kMaxColorTargets))) continue;
    NeutralDraw draw(leave(source), 1, 1);
    draw.output.blend_constant = constant;
    for (unsigned k = 0; k < kMaxColorTargets; ++k) {
      draw.color(k, PixelFormat::rgba32f);
      draw.fill(k, old);
      BlendState& blend = draw.output.blend[k];
      blend.enabled = blend.mixed = true;
      blend.mix = mix_of(first + k);
      blend.mix_alpha = mix_of(first + kMaxColorTargets + k);
    }
    draw.cover();
    const auto words = draw.run_everywhere(engine, "mixes from " + std::to_string(first));
    for (unsigned k = 0; k < kMaxColorTargets; ++k)
      for (unsigned component = 0; component < 4; ++component) {
        const BlendState& blend = draw.output.blend[k];
        ASSERT_EQ(to_float(words[4 * k + component]),
                  mixed(component == 3 ? blend.mix_alpha : blend.mix, component, source, target, constant))
            << "mix " << first + k << ", component " << component;
      }
  }
}

// What rounds, is limited, or is no number.
TEST(PixelStates, MixesOfOddNumbersAgree) {
  const Engine engine;
  Random random(3);
  constexpr std::array kOdd{0.0F,  -0.0F,     INFINITY, -INFINITY, NAN,  1e-40F,
                            1e38F, 0x1p-126F, 0.1F,     0.7F,      1.0F, -3.0F};
  const auto any = [&] {
    return random.one_in(2) ? kOdd[random.below(kOdd.size())]
                            : static_cast<float>(random.below(1 << 24)) / (1 << 24);
  };
  constexpr std::array kFormats{PixelFormat::rgba32f, PixelFormat::rgba16f, PixelFormat::r32f,
                                PixelFormat::rgba8,   PixelFormat::srgb8,   PixelFormat::rgb565,
                                PixelFormat::rgb10a2, PixelFormat::rgb5a1};
  for (unsigned round = 0; round < share(25); ++round) {
    NeutralDraw draw(leave({any(), any(), any(), any()}), 1, 1);
    for (float& constant : draw.output.blend_constant) constant = any();
    for (unsigned k = 0; k < kMaxColorTargets; ++k) {
      const PixelFormat format = kFormats[k];
      draw.color(k, format);
      std::vector<std::uint32_t> old((pixel_size(format) + 3) / 4);
      for (std::uint32_t& word : old) word = static_cast<std::uint32_t>(random.next());
      draw.fill(k, old);
      BlendState& blend = draw.output.blend[k];
      blend.enabled = blend.mixed = true;
      blend.mix = mix_of(random.below(kMixes));
      blend.mix_alpha = mix_of(random.below(kMixes));
    }
    draw.cover();
    draw.run_everywhere(engine, "round " + std::to_string(round));
  }
  // Zero and one are not multiplied by: no NaN of infinity times 0.
  for (const bool one : {false, true}) {
    NeutralDraw draw(leave({INFINITY, INFINITY, INFINITY, INFINITY}), 1, 1);
    draw.color(0, PixelFormat::r32f);
    BlendState& blend = draw.output.blend[0];
    blend.enabled = blend.mixed = true;
    blend.mix.invert_by = one;
    draw.cover();
    EXPECT_EQ(draw.run_everywhere(engine)[0], one ? 0x7f800000U : 0);
  }
}

// --- Blending of bytes -------------------------------------------------------------------------------------

struct Bytes {
  std::array<unsigned, 4> source, target, constant;
};
unsigned byte_factor(BlendFactor factor, unsigned k, const Bytes& in) {
  const auto& [s, t, c] = in;
  const unsigned factors[] = {0,
                              255,
                              s[k],
                              255 - s[k],
                              s[3],
                              255 - s[3],
                              t[k],
                              255 - t[k],
                              t[3],
                              255 - t[3],
                              c[k],
                              255 - c[k],
                              c[3],
                              255 - c[3],
                              k == 3 ? 255 : std::min(s[3], 255 - t[3]),
                              k == 3 ? 255 : std::min(t[3], 255 - s[3])};
  return factors[static_cast<std::size_t>(factor)];
}
unsigned blended_byte(const BlendState& state, unsigned k, const Bytes& in) {
  const bool alpha = k == 3;
  const BlendFactor by_source = alpha ? state.source_alpha : state.source,
                    by_target = alpha ? state.target_alpha : state.target;
  const int s = static_cast<int>((in.source[k] * byte_factor(by_source, k, in) + 127) / 255),
            t = static_cast<int>((in.target[k] * byte_factor(by_target, k, in) + 127) / 255);
  const int sums[] = {s + t, s - t, t - s, static_cast<int>(std::min(in.source[k], in.target[k])),
                      static_cast<int>(std::max(in.source[k], in.target[k]))};
  return static_cast<unsigned>(
      std::clamp(sums[static_cast<std::size_t>(alpha ? state.op_alpha : state.op)], 0, 255));
}
unsigned byte_of(float number) {
  return number > 0 ? static_cast<unsigned>(std::min(number, 1.0F) * 255.0F + 0.5F) : 0;
}

// All pairs of bytes: the source's is the column, the target's the row.
TEST(PixelStates, BlendsEveryPairOfBytes) {
  using enum BlendFactor;
  constexpr std::array<std::pair<BlendFactor, BlendFactor>, kMaxColorTargets> kFactors{
      {{source_alpha, one_minus_source_alpha},
       {target_color, zero},
       {zero, source_color},
       {one, one},
       {one_minus_target_color, one},
       {target_alpha, one_minus_source_color},
       {source_alpha_saturate, target_alpha_saturate},
       {constant_color, one_minus_constant_alpha}}};
  NeutralFragment program;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const auto over_byte = [&](ir::F32 byte) {
      return b.BitcastF32ToI32(b.FMul32(byte, b.constant(1.0F / 255)));
    };
    const ir::F32 x = frame.column(), rest = b.FSub32(b.constant(255.0F), x);
    results.colors.assign(kMaxColorTargets, {over_byte(x), over_byte(rest), over_byte(x), over_byte(rest)});
  };
  program.interpreted = [](const Quad&, std::int32_t x, std::int32_t, Fragment& fragment) {
    const auto over_byte = [](std::int32_t byte) { return to_bits(static_cast<float>(byte) * (1.0F / 255)); };
    for (auto& color : fragment.colors)
      color = {over_byte(x), over_byte(255 - x), over_byte(x), over_byte(255 - x)};
  };
  const Engine engine;
  NeutralDraw draw(std::move(program), 256, 256);
  draw.output.blend_constant = {0.1F, 0.4F, 0.7F, 0.8F};
  std::vector<std::uint32_t> old(256 * 256);
  for (std::uint32_t n = 0; n < old.size(); ++n) {
    const std::uint32_t y = n >> 8;
    old[n] = y | y << 8 | (255 - y) << 16 | (y * 3 & 255) << 24;
  }
  for (unsigned k = 0; k < kMaxColorTargets; ++k) {
    draw.color(k, PixelFormat::rgba8);
    draw.fill(k, old);
    BlendState& blend = draw.output.blend[k];
    blend.enabled = blend.bytes = true;
    std::tie(blend.source, blend.target) = kFactors[k];
    std::tie(blend.target_alpha, blend.source_alpha) = kFactors[k];
    blend.op = static_cast<BlendOp>(k % 3);
    blend.op_alpha = static_cast<BlendOp>(k % 5);
  }
  draw.cover();
  const auto words = draw.run_everywhere(engine);
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    for (std::uint32_t n = 0; n < old.size(); ++n) {
      Bytes in;
      for (unsigned c = 0; c < 4; ++c) {
        in.source[c] = c % 2 == 0 ? n & 255 : 255 - (n & 255);
        in.target[c] = old[n] >> 8 * c & 255;
        in.constant[c] = byte_of(draw.output.blend_constant[c]);
      }
      for (unsigned c = 0; c < 4; ++c)
        ASSERT_EQ(words[k * old.size() + n] >> 8 * c & 255, blended_byte(draw.output.blend[k], c, in))
            << "target " << k << ", pixel " << n << ", component " << c;
    }
}

// Any numbers, in components of any width.
TEST(PixelStates, BytesOfAllUnormFormats) {
  struct Layout {
    PixelFormat format;
    std::array<unsigned, 4> bits;
  };
  constexpr std::array<Layout, 5> kLayouts{{{PixelFormat::rgba8, {8, 8, 8, 8}},
                                            {PixelFormat::rgb565, {5, 6, 5, 0}},
                                            {PixelFormat::rgba4, {4, 4, 4, 4}},
                                            {PixelFormat::rgb5a1, {5, 5, 5, 1}},
                                            {PixelFormat::rgb10a2, {10, 10, 10, 2}}}};
  const Engine engine;
  Random random(5);
  constexpr std::array kOdd{0.0F, -1.0F, INFINITY, NAN, 1e-40F, 2.0F, 1.0F, 0.5F};
  const auto any = [&] {
    return random.one_in(4) ? kOdd[random.below(kOdd.size())]
                            : static_cast<float>(random.below(1 << 24)) / (1 << 24);
  };
  for (unsigned round = 0; round < share(100); ++round) {
    const Components source{any(), any(), any(), any()};
    NeutralDraw draw(leave(source), 1, 1);
    for (float& constant : draw.output.blend_constant) constant = any();
    std::array<std::uint32_t, kLayouts.size()> old{};
    for (unsigned k = 0; k < kLayouts.size(); ++k) {
      draw.color(k, kLayouts[k].format);
      old[k] = static_cast<std::uint32_t>(random.next());
      draw.fill(k, {old[k]});
      BlendState& blend = draw.output.blend[k];
      blend.enabled = blend.bytes = true;
      for (BlendFactor* const factor :
           {&blend.source, &blend.target, &blend.source_alpha, &blend.target_alpha})
        *factor = static_cast<BlendFactor>(random.below(16));
      blend.op = static_cast<BlendOp>(random.below(5));
      blend.op_alpha = static_cast<BlendOp>(random.below(5));
    }
    draw.color(6, PixelFormat::srgb8);  // the engines agree
    draw.output.blend[6] = draw.output.blend[round % kLayouts.size()];
    draw.cover();
    const auto words = draw.run_everywhere(engine, "round " + std::to_string(round));
    for (unsigned k = 0; k < kLayouts.size(); ++k) {
      Bytes in;
      for (unsigned c = 0, shift = 0; c < 4; shift += kLayouts[k].bits[c], ++c) {
        const unsigned most = (1U << kLayouts[k].bits[c]) - 1;
        in.source[c] = byte_of(source[c]);
        in.constant[c] = byte_of(draw.output.blend_constant[c]);
        in.target[c] = most == 0 ? (c == 3 ? 255 : 0) : ((old[k] >> shift & most) * 510 / most + 1) / 2;
      }
      for (unsigned c = 0, shift = 0; c < 4; shift += kLayouts[k].bits[c], ++c) {
        const unsigned most = (1U << kLayouts[k].bits[c]) - 1;
        ASSERT_EQ(words[k] >> shift & most, (blended_byte(draw.output.blend[k], c, in) * most + 127) / 255)
            << "round " << round << ", target " << k << ", component " << c;
      }
    }
  }
}

// A launch runs again in the other way: that is other code.
TEST(PixelStates, BytesMayChange) {
  const Engine engine;
  NeutralDraw draw(leave({1, 0, 0.2F, 0.3F}), 1, 1);
  draw.color(0, PixelFormat::rgba8, 0x80202020);
  BlendState& blend = draw.output.blend[0];
  blend.enabled = true;
  blend.source = blend.source_alpha = BlendFactor::source_alpha;
  blend.target = blend.target_alpha = BlendFactor::one_minus_source_alpha;
  draw.cover();
  for (const bool bytes : {false, true, false}) {
    blend.bytes = bytes;
    EXPECT_EQ(draw.run_everywhere(engine)[0], bytes ? 0x70251663U : 0x71261663U);
  }
}

// What odd numbers become in each format: stored, blended by factors and by bytes, under masks.
TEST(PixelStates, AllFormatsAgree) {
  const Engine engine;
  Random random(11);
  constexpr std::array kOdd{0.0F,     -0.0F,    INFINITY, -INFINITY, NAN,  1e-40F, 65024.0F, 65536.0F,
                            0x1p-20F, 0x1p-14F, -1.0F,    -0.5F,     0.5F, 1.0F,   1e38F};
  const auto any = [&] {
    return random.one_in(2)   ? kOdd[random.below(kOdd.size())]
           : random.one_in(2) ? std::bit_cast<float>(static_cast<std::uint32_t>(random.next()))
                              : static_cast<float>(random.below(1 << 24)) / (1 << 23) - 1;
  };
  std::vector<PixelFormat> formats;
  for (unsigned n = 1; n <= static_cast<unsigned>(kLastPixelFormat); ++n)
    if (const auto format = static_cast<PixelFormat>(n); !is_depth(format)) formats.push_back(format);
  for (unsigned round = 0; round < share(40); ++round) {
    NeutralDraw draw(leave({any(), any(), any(), any()}), 1, 1);
    for (float& constant : draw.output.blend_constant) constant = any();
    for (unsigned k = 0; k < kMaxColorTargets; ++k) {
      const PixelFormat format = formats[(round * kMaxColorTargets + k) % formats.size()];
      draw.color(k, format);
      std::vector<std::uint32_t> old((pixel_size(format) + 3) / 4);
      for (std::uint32_t& word : old) word = static_cast<std::uint32_t>(random.next());
      draw.fill(k, old);
      BlendState& blend = draw.output.blend[k];
      blend.enabled = random.one_in(2);
      blend.bytes = random.one_in(3);
      blend.op = static_cast<BlendOp>(random.below(5));
      blend.source = static_cast<BlendFactor>(random.below(16));
      blend.target = static_cast<BlendFactor>(random.below(16));
      if (random.one_in(2)) blend.write_mask = static_cast<std::uint8_t>(random.below(16));
    }
    draw.cover();
    draw.run_everywhere(engine, "round " + std::to_string(round));
  }
}

// Floats are blended as floats, and so are mixes.
TEST(PixelStates, OnlyUnormFormatsBlendAsBytes) {
  const Engine engine;
  const Components source{0.3F, 0.6F, 0.7F, 0.9F};
  for (const bool mixed : {false, true}) {
    std::array<std::vector<std::uint32_t>, 2> words;
    for (const bool bytes : {false, true}) {
      NeutralDraw draw(leave(source), 1, 1);
      constexpr std::array kFormats{PixelFormat::rgba16f, PixelFormat::rgba32f, PixelFormat::r32f,
                                    PixelFormat::rgba8};
      for (unsigned k = 0; k < (mixed ? 4U : 3U); ++k) {
        draw.color(k, kFormats[k], 0x3f3f3f3f);
        BlendState& blend = draw.output.blend[k];
        blend.enabled = true;
        blend.mixed = mixed;
        blend.bytes = bytes;
        blend.source = blend.target = BlendFactor::source_alpha;
        blend.mix = {
            .multiply = BlendMix::Multiply::target, .by = BlendMix::By::source_alpha, .invert_by = false};
      }
      draw.cover();
      words[bytes ? 1 : 0] = draw.run_everywhere(engine);
    }
    EXPECT_EQ(words[0], words[1]);
  }
}

}  // namespace
}  // namespace warpjit::test
