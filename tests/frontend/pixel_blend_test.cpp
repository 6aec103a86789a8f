// The scalar oracle of work over pixels, blending (docs/pixels.md 9). Expected numbers are worked out
// by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "base/srgb.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"
#include "frontend/pixel_words.h"

namespace warpjit::interpret {
namespace {

// Over floats, where nothing is limited: the results of s = (0.5, 0.25, 4, 0.75) on d = (2, 8, 0.125, 0.5),
// both factors the same.
Color blend_floats(const std::function<void(BlendState&)>& change, const Color& source, const Color& target) {
  return shade(PixelFormat::rgba32f, source, {target},
               [&](OutputState& state) {
                 state.blend[0].enabled = true;
                 state.blend_constant = {0.5F, 2, 4, 0.25F};
                 change(state.blend[0]);
               })
      .words;
}

TEST(PixelBlend, Factors) {
  const Color source = color(0.5F, 0.25F, 4, 0.75F), target = color(2, 8, 0.125F, 0.5F);
  struct Row {
    BlendFactor factor;
    std::array<float, 4> values;
  };
  using B = BlendFactor;
  const Row rows[] = {
      {B::zero, {0, 0, 0, 0}},
      {B::one, {1, 1, 1, 1}},
      {B::source_color, {0.5F, 0.25F, 4, 0.75F}},
      {B::one_minus_source_color, {0.5F, 0.75F, -3, 0.25F}},
      {B::source_alpha, {0.75F, 0.75F, 0.75F, 0.75F}},
      {B::one_minus_source_alpha, {0.25F, 0.25F, 0.25F, 0.25F}},
      {B::target_color, {2, 8, 0.125F, 0.5F}},
      {B::one_minus_target_color, {-1, -7, 0.875F, 0.5F}},
      {B::target_alpha, {0.5F, 0.5F, 0.5F, 0.5F}},
      {B::one_minus_target_alpha, {0.5F, 0.5F, 0.5F, 0.5F}},
      {B::constant_color, {0.5F, 2, 4, 0.25F}},
      {B::one_minus_constant_color, {0.5F, -1, -3, 0.75F}},
      {B::constant_alpha, {0.25F, 0.25F, 0.25F, 0.25F}},
      {B::one_minus_constant_alpha, {0.75F, 0.75F, 0.75F, 0.75F}},
      {B::source_alpha_saturate, {0.5F, 0.5F, 0.5F, 1}},
      {B::target_alpha_saturate, {0.25F, 0.25F, 0.25F, 1}},
  };
  for (const Row& row : rows) {
    const Color of_source = blend_floats(
        [&](BlendState& state) {
          state.source = state.source_alpha = row.factor;
          state.target = state.target_alpha = B::zero;
        },
        source, target);
    const Color of_target = blend_floats(
        [&](BlendState& state) {
          state.source = state.source_alpha = B::zero;
          state.target = state.target_alpha = row.factor;
        },
        source, target);
    for (std::size_t n = 0; n < 4; ++n) {
      const int number = static_cast<int>(row.factor);
      EXPECT_EQ(of_source[n], to_bits(to_float(source[n]) * row.values[n])) << number << ' ' << n;
      EXPECT_EQ(of_target[n], to_bits(to_float(target[n]) * row.values[n])) << number << ' ' << n;
    }
  }
  // The other side of the saturation.
  const Color saturated = blend_floats([](BlendState& state) { state.source = B::source_alpha_saturate; },
                                       color(1, 1, 1, 0.25F), color(0, 0, 0, 0.5F));
  EXPECT_EQ(saturated, color(0.25F, 0.25F, 0.25F, 0.25F));
  const Color by_target = blend_floats([](BlendState& state) { state.source = B::target_alpha_saturate; },
                                       color(1, 1, 1, 0.25F), color(0, 0, 0, 0.5F));
  EXPECT_EQ(by_target, color(0.5F, 0.5F, 0.5F, 0.25F));
}

TEST(PixelBlend, Operations) {
  const auto operate = [](BlendOp op, BlendOp op_alpha) {
    return blend_floats(
        [&](BlendState& state) {
          state.source = state.target = BlendFactor::one;
          state.source_alpha = state.target_alpha = BlendFactor::constant_alpha;  // 1/4
          state.op = op;
          state.op_alpha = op_alpha;
        },
        color(3, -1, kNotANumber, 4), color(1, 5, 2, 8));
  };
  const std::uint32_t nan = 0x7fffffff;
  const auto with_blue = [](Color words, std::uint32_t blue) {
    words[2] = blue;
    return words;
  };
  EXPECT_EQ(operate(BlendOp::add, BlendOp::subtract), with_blue(color(4, 4, 0, -1), nan));
  EXPECT_EQ(operate(BlendOp::subtract, BlendOp::add), with_blue(color(2, -6, 0, 3), nan));
  EXPECT_EQ(operate(BlendOp::reverse_subtract, BlendOp::reverse_subtract),
            with_blue(color(-2, 6, 0, 1), nan));
  // No factors; a comparison that fails takes the target.
  EXPECT_EQ(operate(BlendOp::min, BlendOp::min), color(1, -1, 2, 4));
  EXPECT_EQ(operate(BlendOp::max, BlendOp::max), color(3, 5, 2, 8));
}

TEST(PixelBlend, OneAndZeroDoNotMultiply) {
  const Color result =
      blend_floats([](BlendState& state) { state.target = state.target_alpha = BlendFactor::zero; },
                   color(1, -0.0F, 0x1p-149F, 2), color(kInf, kNotANumber, kInf, kNotANumber));
  EXPECT_EQ(result, color(1, 0, 0, 2));
}

TEST(PixelBlend, EachOperationIsRounded) {
  // s * a + d * (1 - a): no product is fused with the sum.
  const float a = 0.6F, s = 0.7F, d = 0.4F;
  const float one_minus = 1 - a, left = s * a, right = d * one_minus, sum = left + right;
  const Color result = blend_floats(
      [](BlendState& state) {
        state.source = BlendFactor::source_alpha;
        state.target = BlendFactor::one_minus_source_alpha;
      },
      color(s, s, s, a), color(d, d, d, 0));
  EXPECT_EQ(result, color(sum, sum, sum, a));
  EXPECT_NE(sum, std::fma(s, a, right));
  EXPECT_NE(sum, std::fma(d, one_minus, left));
}

TEST(PixelBlend, UnormTargets) {
  const auto add = [](PixelFormat format, const Color& source, std::uint32_t before) {
    return shade(format, source, {{before}},
                 [](OutputState& state) {
                   state.blend[0].enabled = true;
                   state.blend[0].target = state.blend[0].target_alpha = BlendFactor::one;
                 })
        .words[0];
  };
  EXPECT_EQ(add(PixelFormat::rgba8, color(0.5F, 0, 1, 0), 0x01020304), 0x01ff0384U);
  // The source is limited first: -1 takes nothing away, 2 is 1.
  EXPECT_EQ(add(PixelFormat::rgba8, color(-1, kNotANumber, 0, 0), 0x01020304), 0x01020304U);
  EXPECT_EQ(shade(PixelFormat::rgba8, color(2, 2, 2, 2), {{0x80808080}},
                  [](OutputState& state) {
                    state.blend[0].enabled = true;
                    state.blend[0].source = state.blend[0].source_alpha = BlendFactor::constant_color;
                    state.blend_constant = {0.5F, 7, -1, 1};
                  })
                .words[0],
            0xff00ff80U);
  // A component that is missing: alpha is 1.
  EXPECT_EQ(shade(PixelFormat::rgb565, color(1, 1, 1, 1), {{0}},
                  [](OutputState& state) {
                    state.blend[0].enabled = true;
                    state.blend[0].source = BlendFactor::target_alpha;
                  })
                .words[0],
            0xffffU);
  // Not in float formats.
  EXPECT_EQ(add(PixelFormat::rgba16f, color(-1, 2, 0, 0), 0x3c003c00), 0x42000000U);
}

TEST(PixelBlend, ReadsBackWhatItStores) {
  // The target's own value is stored again, for each value of each format.
  const auto keep = [](PixelFormat format, std::uint32_t before) {
    return shade(format, {}, {{before}},
                 [](OutputState& state) {
                   state.blend[0].enabled = true;
                   state.blend[0].source = state.blend[0].source_alpha = BlendFactor::zero;
                   state.blend[0].target = state.blend[0].target_alpha = BlendFactor::one;
                 })
        .words[0];
  };
  for (std::uint32_t n = 0; n < 0x10000; n += 7) {
    ASSERT_EQ(keep(PixelFormat::rgb565, n), n);
    ASSERT_EQ(keep(PixelFormat::rgba4, n), n);
    ASSERT_EQ(keep(PixelFormat::rgb5a1, n), n);
  }
  for (std::uint32_t n = 0; n < 1024; ++n) {
    const std::uint32_t wide = n | n << 10 | n << 20 | (n & 3) << 30, bytes = (n & 255) * 0x01010101;
    ASSERT_EQ(keep(PixelFormat::rgb10a2, wide), wide);
    ASSERT_EQ(keep(PixelFormat::rgba8, bytes), bytes);
    ASSERT_EQ(keep(PixelFormat::srgb8, bytes), bytes);
  }
  // The numbers themselves: n * fl(1 / 15), and the quotient by 1023.
  EXPECT_EQ(decode(format_info(PixelFormat::rgba4).components[0], 7), to_bits(7 * (1 / 15.0F)));
  EXPECT_EQ(decode(format_info(PixelFormat::rgba8).components[0], 255), 0x3f800000U);
  EXPECT_EQ(decode(format_info(PixelFormat::rgb10a2).components[0], 1000), to_bits(1000 / 1023.0F));
  EXPECT_EQ(decode(format_info(PixelFormat::srgb8).components[0], 128), kSrgbDecoded[128]);
}

TEST(PixelBlend, IntegersAreNotBlended) {
  const auto enable = [](OutputState& state) {
    state.blend[0].enabled = true;
    state.blend[0].source = state.blend[0].source_alpha = BlendFactor::zero;
  };
  for (const PixelFormat format :
       {PixelFormat::r32i, PixelFormat::r32ui, PixelFormat::rgba8i, PixelFormat::rgba8ui})
    EXPECT_EQ(shade(format, {7, 0, 0, 0}, {{0x1234}}, enable).words[0], 7U);
}

}  // namespace
}  // namespace warpjit::interpret
