// Blending as A + B * C, and what depth bias and bounds make of depth (docs/pixels.md 7 and 9), on every
// engine; blending of bytes. Expected numbers are worked out by hand.
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

// --- Blending by A + B * C
// -----------------------------------------------------------------------------------

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

// --- Blending of bytes
// ---------------------------------------------------------------------------------------

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
TEST(PixelStates, BytesAreOfUnormFormatsAlone) {
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

// --- Depth -------------------------------------------------------------------------------------------------

NeutralFragment nothing() {
  NeutralFragment program;
  program.compiled = [](ir::Builder&, NeutralFrame&, NeutralResults&) {};
  program.interpreted = [](const Quad&, std::int32_t, std::int32_t, Fragment&) {};
  return program;
}

struct Biased {
  PixelFormat format = PixelFormat::d32f;
  RasterState::DepthBias bias{};
  std::array<float, 3> z{};  // at (0, 0), (8, 0), (0, 8)
  Topology topology = Topology::triangles;
};
// The depth of pixel (0, 0), and of the pixel below it.
std::array<std::uint32_t, 2> biased_depth(const Engine& engine, const Biased& c) {
  NeutralDraw draw(nothing(), 2, 2);
  draw.depth(c.format);
  draw.raster.topology = c.topology;
  draw.raster.depth_bias = c.bias;
  draw.raster.line_width = draw.raster.point_size = 8;
  draw.output.depth.test = true;
  draw.output.depth.compare = Compare::always;
  if (c.topology == Topology::points) {
    draw.vertex(0, 0, c.z[0], 1);
  } else {
    draw.vertex(0, 0, c.z[0], 1);
    draw.vertex(8, 0, c.z[1], 1);
    if (c.topology == Topology::triangles) draw.vertex(0, 8, c.z[2], 1);
  }
  const auto words = draw.run_everywhere(engine);
  if (c.format == PixelFormat::d16) return {words[0] & 0xffff, words[1] & 0xffff};
  return {words[0], words[2]};
}

TEST(PixelStates, DepthBias) {
  const Engine engine;
  const auto depth = [&](const Biased& c) { return biased_depth(engine, c); };
  using Pair = std::array<std::uint32_t, 2>;
  const auto floats = [](float upper, float lower) { return Pair{to_bits(upper), to_bits(lower)}; };
  const std::array<float, 3> level{0.5F, 0.5F, 0.5F}, slope{0.25F, 0.25F + 1.0F / 8, 0.25F - 1.0F / 4};
  // Units: of d32f by the largest depth, which is 2^-1.
  EXPECT_EQ(depth({PixelFormat::d32f, {4, 0, 0}, level}), floats(0.5F + 0x1p-22F, 0.5F + 0x1p-22F));
  EXPECT_EQ(depth({PixelFormat::d32f, {-4, 0, 0}, level}), floats(0.5F - 0x1p-22F, 0.5F - 0x1p-22F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 0, 0}, {0, 0, 0}}), floats(0, 0));  // 2^-129
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p30F, 0, 0}, {0, 0, 0}}), floats(0x1p-119F, 0x1p-119F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 0, 0}, {0.125F, 0.125F, 0.1875F}}),
            depth({PixelFormat::d32f, {0, 0, 0}, {0.140625F, 0.140625F, 0.203125F}}));
  EXPECT_EQ(depth({PixelFormat::d24s8, {4, 0, 0}, level}),
            (Pair{0x800003, 0x800003}));  // of 8388611.49999976
  EXPECT_EQ(depth({PixelFormat::d24s8, {-4, 0, 0}, level}), (Pair{0x7ffffc, 0x7ffffc}));
  EXPECT_EQ(depth({PixelFormat::d16, {4, 0, 0}, level}), (Pair{0x8004, 0x8004}));
  // Slope: the larger change, 1/32 from row to row; depth falls there and rises 1/64 from column to column.
  const float first = 0.25F + 1.0F / 128 - 1.0F / 64;
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 0, 0}, slope}), floats(first, first - 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, 0}, slope}), floats(first + 1.0F / 32, first));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -2, 0}, slope}), floats(first - 1.0F / 16, first - 3.0F / 32));
  // Both, and clamps.
  EXPECT_EQ(depth({PixelFormat::d32f, {1024, 1, 0}, slope})[0], to_bits(first + 1.0F / 32 + 0x1p-15F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, 1.0F / 64}, slope})[0], to_bits(first + 1.0F / 64));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, -1.0F / 64}, slope})[0], to_bits(first + 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -1, -1.0F / 64}, slope})[0], to_bits(first - 1.0F / 64));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -1, 1.0F / 64}, slope})[0], to_bits(first - 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {NAN, 0, 0}, level}), floats(0.5F, 0.5F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, INFINITY, 0}, level}), floats(0.5F, 0.5F));  // infinity * 0
  EXPECT_EQ(depth({PixelFormat::d32f, {INFINITY, 0, 0.25F}, level}), floats(0.75F, 0.75F));
  // It is limited as all depth is.
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 100, 0}, slope}), floats(1, 1));
  EXPECT_EQ(depth({PixelFormat::d24s8, {-0x1p24F, 0, 0}, level}), (Pair{0, 0}));
  // Only of triangles.
  for (const Topology topology : {Topology::points, Topology::lines})
    EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 1, 0}, level, topology})[0], to_bits(0.5F));
}

TEST(PixelStates, DepthBounds) {
  const Engine engine;
  const auto depth = [&](float z, bool clips, bool exports, const std::array<float, 2>& bounds) {
    NeutralFragment program = nothing();
    program.facts.exports_depth = exports;
    if (exports) {
      program.compiled = [=](ir::Builder& b, NeutralFrame&, NeutralResults& results) {
        results.depth = b.BitcastF32ToI32(b.constant(z));
      };
      program.interpreted = [=](const Quad&, std::int32_t, std::int32_t, Fragment& fragment) {
        fragment.depth = to_bits(z);
      };
    }
    NeutralDraw draw(program, 1, 1);
    draw.depth(PixelFormat::d32f, 0x12345678);
    draw.raster.clip_near = draw.raster.clip_far = clips;
    draw.raster.depth_bounds = draw.raster.clip_bounds = bounds;
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.cover(exports ? 0.5F : z);
    return to_float(draw.run_everywhere(engine)[0]);
  };
  const float untouched = to_float(0x12345678);
  const std::array<float, 2> bounds{0.25F, 0.75F};
  for (const bool clips : {false, true})
    for (const float z : {0.25F, 0.5F, 0.75F}) EXPECT_EQ(depth(z, clips, false, bounds), z);
  EXPECT_EQ(depth(0.2F, true, false, bounds), untouched);
  EXPECT_EQ(depth(0.8F, true, false, bounds), untouched);
  EXPECT_EQ(depth(0.2F, false, false, bounds), 0.25F);
  EXPECT_EQ(depth(-3, false, false, bounds), 0.25F);
  EXPECT_EQ(depth(0.8F, false, false, bounds), 0.75F);
  EXPECT_EQ(depth(3, false, false, bounds), 0.75F);
  for (const float z : {-INFINITY, -1.0F, 0.2F, NAN}) EXPECT_EQ(depth(z, true, true, bounds), 0.25F);
  for (const float z : {0.8F, 1.0F, INFINITY}) EXPECT_EQ(depth(z, true, true, bounds), 0.75F);
  EXPECT_EQ(depth(0.5F, true, true, bounds), 0.5F);
  EXPECT_EQ(depth(0.7F, true, true, {0.5F, 0.5F}), 0.5F);
  EXPECT_EQ(depth(2, false, false, {0, 1}), 1);
}

TEST(PixelStates, StatesAreChecked) {
  NeutralDraw draw(nothing(), 1, 1);
  const auto refused = [&](const auto& change) {
    RasterState state;
    change(state);
    return !draw.launch.set_raster_state(state);
  };
  for (const std::array<float, 2>& bounds :
       {std::array{-0.5F, 1.0F}, {0.0F, 1.5F}, {0.6F, 0.5F}, {NAN, 1.0F}, {0.0F, NAN}})
    EXPECT_TRUE(refused([&](RasterState& state) { state.depth_bounds = bounds; }));
  EXPECT_FALSE(refused([](RasterState& state) { state.depth_bounds = {0.5F, 0.5F}; }));
  OutputState output;
  output.blend[1].mix_alpha.by = static_cast<BlendMix::By>(7);
  EXPECT_FALSE(draw.launch.set_output_state(output));
  output.blend[1].mix_alpha.by = BlendMix::By::constant;
  EXPECT_TRUE(draw.launch.set_output_state(output));
  output.blend[7].mix.add = static_cast<BlendMix::Add>(3);
  EXPECT_FALSE(draw.launch.set_output_state(output));
  output.blend[7].mix.add = BlendMix::Add::target;
  output.blend[7].mix.multiply = static_cast<BlendMix::Multiply>(4);
  EXPECT_FALSE(draw.launch.set_output_state(output));
}

// The near plane is behind the eye's depth 0, as blitters of drivers have it: nothing is cut, depth is
// limited.
TEST(PixelStates, ClipBounds) {
  const Engine engine;
  const auto depth = [&](float z, const std::array<float, 2>& bounds) {
    NeutralDraw draw(nothing(), 1, 1);
    draw.depth(PixelFormat::d32f, 0x12345678);
    draw.raster.clip_bounds = bounds;
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.cover(z);
    return to_float(draw.run_everywhere(engine)[0]);
  };
  const float untouched = to_float(0x12345678);
  EXPECT_EQ(depth(-0.5F, {-1, 1}), 0);
  EXPECT_EQ(depth(-1.5F, {-1, 1}), untouched);
  EXPECT_EQ(depth(2, {-1, 3}), 1);
  EXPECT_EQ(depth(4, {-1, 3}), untouched);
  NeutralDraw draw(nothing(), 1, 1);
  RasterState state;
  state.clip_bounds = {1, 0.5F};
  EXPECT_FALSE(draw.launch.set_raster_state(state));
  state.clip_bounds = {NAN, 1};
  EXPECT_FALSE(draw.launch.set_raster_state(state));
}

// --- Samples and counts ------------------------------------------------------------------------------------

// What is interpolated, as the colour.
NeutralFragment first_slot() {
  NeutralFragment program;
  program.uses = {{.slot = 4, .plane = pixels::SlotUse::Plane::linear}};
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const ir::I32 value = b.BitcastF32ToI32(frame.value(0));
    results.colors = {{value, value, value, value}};
  };
  program.interpreted = [](const Quad& quad, std::int32_t x, std::int32_t y, Fragment& fragment) {
    fragment.colors[0].fill(quad.primitive->value(0, x, y));
  };
  return program;
}

// A triangle over the left half of a pixel: samples there are covered. Depth is that of the sample, the slot
// that of the centre. Both grow by 1/8 from column to column.
TEST(PixelStates, SamplePoint) {
  const Engine engine;
  for (const auto& [x, y, covered] : {std::tuple(64, 128, true),
                                      {192, 128, false},
                                      {96, 32, true},
                                      {127, 255, true},
                                      {129, 0, false},
                                      {128, 128, false}}) {
    SCOPED_TRACE(testing::Message() << x << ", " << y);
    NeutralDraw draw(first_slot(), 1, 1);
    draw.color(0, PixelFormat::r32f);
    draw.depth(PixelFormat::d32f);
    draw.raster.sample_point = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)};
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.vertex(0.5F, -4, 0.0625F, 1, {to_bits(0.0625F)});
    draw.vertex(0.5F, 4, 0.0625F, 1, {to_bits(0.0625F)});
    draw.vertex(-7.5F, 0, 0.0625F + 1, 1, {to_bits(0.0625F + 1)});
    draw.raster.depth_bounds = {0, 1};
    const auto words = draw.run_everywhere(engine);
    const float depth = 0.0625F - (static_cast<float>(x) / 256 - 0.5F) / 8;
    EXPECT_EQ(words[0], covered ? to_bits(0.0625F) : 0);
    EXPECT_EQ(words[1], covered ? to_bits(depth) : 0);
  }
}

// Points and lines have samples, too: where they end, and the coordinate of a sprite at the centre.
TEST(PixelStates, SamplePointOfPointsAndLines) {
  const Engine engine;
  for (const Topology topology : {Topology::points, Topology::lines}) {
    NeutralFragment program = first_slot();
    if (topology == Topology::points) program.uses[0].sprite = pixels::SlotUse::Sprite::from_left;
    for (const bool covered : {true, false}) {
      NeutralDraw draw(program, 2, 1);
      draw.color(0, PixelFormat::r32f);
      draw.raster.topology = topology;
      draw.raster.point_size = draw.raster.line_width = 1;
      draw.raster.sample_point = {static_cast<std::uint8_t>(covered ? 32 : 224), 128};
      draw.vertex(0.25F, 0.5F, 0, 1, {0});  // points: columns -0.25 to 0.75
      if (topology == Topology::lines) draw.vertex(0.75F, 0.5F, 0, 1, {to_bits(1.0F)});
      const auto words = draw.run_everywhere(engine);
      const bool of_point = topology == Topology::points;
      const bool drawn = of_point ? covered : false;
      EXPECT_EQ(words[0], drawn ? to_bits(0.75F) : 0) << covered;
    }
  }
}

// Passes are added to what is there; tests and discards take pixels away.
TEST(PixelStates, PassCounts) {
  const Engine engine;
  NeutralDraw draw(nothing(), 3, 2);
  draw.count_passed(5);
  draw.cover();
  draw.cover();
  for (const std::uint32_t count : draw.run_everywhere(engine)) EXPECT_EQ(count, 7U);
  // Depth less: the second time nothing passes.
  draw.depth(PixelFormat::d32f, to_bits(1.0F));
  draw.output.depth.test = true;
  std::vector<std::uint32_t> words = draw.run_everywhere(engine);
  for (std::size_t n = 6; n < 12; ++n) EXPECT_EQ(words[n], 6U);
  NeutralFragment program = nothing();
  program.facts.discards = true;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    results.live = b.And1(results.live, b.FLt32(frame.column(), b.constant(1.0F)));
  };
  program.interpreted = [](const Quad&, std::int32_t x, std::int32_t, Fragment& fragment) {
    fragment.live = x < 1;
  };
  for (const bool early : {false, true}) {
    NeutralDraw other(program, 3, 2);
    other.count_passed();
    other.output.early_tests = early;
    other.cover();
    EXPECT_EQ(other.run_everywhere(engine), (std::vector<std::uint32_t>{1, 0, 0, 1, 0, 0}));
  }
}

TEST(PixelStates, PassCountsAreChecked) {
  NeutralDraw draw(nothing(), 2, 2);
  draw.cover();
  std::array<std::uint32_t, 4> words{};
  const TargetBuffer other{words.data(), sizeof words, 8, PixelFormat::r32i};
  EXPECT_EQ(draw.launch.bind_pass_counts(other).error().message,
            "r32i is not the format of counts: r32ui is");
  draw.output.count_passed = true;
  ASSERT_TRUE(draw.launch.set_raster_state(draw.raster) && draw.launch.set_output_state(draw.output));
  const Engine engine;
  EXPECT_EQ(engine.run(draw.launch).error().message, "count_passed is set, and no counts are bound");
  ASSERT_TRUE(draw.launch.bind_pass_counts({words.data(), 12, 8, PixelFormat::r32ui}).ok());
  EXPECT_EQ(engine.run(draw.launch).error().message, "the target needs 16 bytes and has 12");
}

// A launch runs again with other bounds: the kernel reads them, and one without bounds is another.
TEST(PixelStates, BoundsMayChange) {
  const Engine engine;
  NeutralDraw draw(nothing(), 1, 1);
  draw.depth(PixelFormat::d32f);
  draw.raster.clip_near = draw.raster.clip_far = false;
  draw.output.depth.test = true;
  draw.output.depth.compare = Compare::always;
  draw.cover(2);
  for (const float most : {0.75F, 0.5F, 1.0F, 0.25F}) {
    draw.raster.depth_bounds = {0, most};
    EXPECT_EQ(to_float(draw.run_everywhere(engine)[0]), most);
  }
}

}  // namespace
}  // namespace warpjit::test
