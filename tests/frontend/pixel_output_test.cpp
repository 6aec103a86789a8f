// The scalar oracle of work over pixels, after the fragment program: tests, blending, formats (docs/pixels.md
// 9 and 10). Expected numbers are worked out by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/srgb.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"
#include "frontend/pixel_scene.h"

namespace warpjit::interpret {
namespace {

using Color = std::array<std::uint32_t, 4>;
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Color color(float r, float g, float b, float a) { return {to_bits(r), to_bits(g), to_bits(b), to_bits(a)}; }

// --- Arithmetic --------------------------------------------------------------------------------------------

TEST(PixelArithmetic, FlushesAfterRounding) {
  const std::uint32_t smallest = 0x00800000, sign = 0x80000000;
  EXPECT_EQ(f32::add(0x00400000, 0x00400000), 0U);  // operands first
  EXPECT_EQ(f32::add(smallest, 0x80800001), sign);
  EXPECT_EQ(f32::add(sign, sign), sign);
  EXPECT_EQ(f32::add(sign, 0), 0U);
  EXPECT_EQ(f32::add(f32::kInfinity, f32::kInfinity | sign), 0x7fffffffU);
  EXPECT_EQ(f32::add(0xffc00000, 0), 0x7fffffffU);
  EXPECT_EQ(f32::mul(f32::kInfinity, 1), 0x7fffffffU);  // the denormal is a zero
  EXPECT_EQ(f32::mul(to_bits(0x1p-100F), to_bits(-0x1p-27F)), sign);
  // 24 bits decide: (1 - 2^-24) rounds to the smallest normal, (1 - 2^-23) does not, though it has no
  // denormal neighbour either when IEEE rounds it.
  EXPECT_EQ(f32::mul(to_bits(0x1.fffffep-1F), to_bits(0x1p-126F)), 0U);
  EXPECT_EQ(f32::mul(to_bits(0x1.fffffep-1F), to_bits(0x1.000002p-126F)), smallest);
  EXPECT_EQ(f32::rounded(0x1.ffffffp-127), smallest);
  EXPECT_EQ(f32::rounded(0x1.fffffefffffffp-127), 0U);
  EXPECT_EQ(f32::rounded(-0x1.fffffefffffffp-127), sign);
  EXPECT_EQ(f32::mul(to_bits(0x1p100F), to_bits(0x1p100F)), f32::kInfinity);
  EXPECT_EQ(f32::sub(to_bits(1.0F), to_bits(0.25F)), to_bits(0.75F));
  // A coefficient is converted as IEEE does.
  EXPECT_EQ(f32::converted(0x1.fffffefffffffp-127), smallest);
  EXPECT_EQ(f32::converted(0x1.fffffdp-127), 0U);
}

// Products as docs/pixels.md defines them: exact in a double, rounded to 24 bits whatever the exponent, then
// flushed. Exponents are such that many results are next to the least normal number or to infinity.
TEST(PixelArithmetic, ProductsAreRoundedOnce) {
  Random random(1);
  const auto number = [&](std::uint32_t exponent) {
    const std::uint32_t sign_and_fraction = static_cast<std::uint32_t>(random.next()) & 0x807fffff;
    return sign_and_fraction | exponent << 23;
  };
  const auto defined = [](std::uint32_t a, std::uint32_t b) -> std::uint32_t {
    const double product = double{to_float(f32::flushed(a))} * double{to_float(f32::flushed(b))};
    if (std::isnan(product)) return 0x7fffffff;
    int exponent = 0;
    const double fraction = std::frexp(product, &exponent);  // at least 1/2
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(fraction, 24)), exponent - 24);
    if (std::fabs(rounded) < 0x1p-126) return std::signbit(product) ? 0x80000000 : 0;
    return to_bits(static_cast<float>(rounded));
  };
  for (int n = 0; n < 200'000; ++n) {
    const std::uint32_t of_a = random.below(256);
    const std::uint32_t of_product = (n % 2 == 0 ? 127 : 127 + 253) + random.below(4);
    const std::uint32_t a = number(of_a);
    const std::uint32_t b =
        number(std::clamp<std::uint32_t>(of_product - std::min(of_a, of_product), 0, 255));
    ASSERT_EQ(f32::mul(a, b), defined(a, b)) << std::hex << a << " " << b;
  }
}

TEST(PixelArithmetic, NearestIntegers) {
  for (const double x :
       {0.0, 0.25, 0.5, 1.5, 2.5, 2.500001, 0.49999999999999994, 16777214.5, 16777215.0, 67108863.5})
    for (const double signed_x : {x, -x})
      EXPECT_EQ(f32::nearest_integer(signed_x), std::nearbyint(signed_x)) << x;
}

// --- Formats -----------------------------------------------------------------------------------------------

// Draws `source` over a target of one pixel, which held `before`, and gives the words of its memory.
struct Shaded {
  std::array<std::uint32_t, 4> words;
  friend bool operator==(const Shaded&, const Shaded&) = default;
};
Shaded shade(PixelFormat format, const Color& source, Shaded before = {},
             const std::function<void(OutputState&)>& change = {}) {
  Scene scene(1, 1);
  scene.work.raster.topology = Topology::points;
  scene.vertex(0.5F, 0.5F);
  GuardedBytes& bytes = scene.color(format, format_info(format).bytes);
  std::memcpy(bytes.data(), before.words.data(), bytes.size());
  if (change) change(scene.work.output);
  EXPECT_TRUE(scene.draw([&](const Lane&, Fragment& fragment) { fragment.colors[0] = source; }).ok());
  Shaded after{};
  std::memcpy(after.words.data(), bytes.data(), bytes.size());
  return after;
}

TEST(PixelFormats, PlaceAndWidthOfComponents) {
  struct Row {
    PixelFormat format;
    std::array<std::uint32_t, 4> red, green, blue, alpha;
  };
  using F = PixelFormat;
  const std::uint32_t one = 0x3f800000;
  const Row rows[] = {
      {F::rgba8, {0xff}, {0xff00}, {0xff0000}, {0xff000000}},
      {F::srgb8, {0xff}, {0xff00}, {0xff0000}, {0xff000000}},
      {F::rgb565, {0x1f}, {0x7e0}, {0xf800}, {}},
      {F::rgba4, {0xf}, {0xf0}, {0xf00}, {0xf000}},
      {F::rgb5a1, {0x1f}, {0x3e0}, {0x7c00}, {0x8000}},
      {F::rgb10a2, {0x3ff}, {0xffc00}, {0x3ff00000}, {0xc0000000}},
      {F::rgba16f, {0x3c00}, {0x3c000000}, {0, 0x3c00}, {0, 0x3c000000}},
      {F::rgba32f, {one}, {0, one}, {0, 0, one}, {0, 0, 0, one}},
      {F::r32f, {one}, {}, {}, {}},
      {F::rgba32i, {one}, {0, one}, {0, 0, one}, {0, 0, 0, one}},
      {F::rgba32ui, {one}, {0, one}, {0, 0, one}, {0, 0, 0, one}},
      {F::r32i, {one}, {}, {}, {}},
      {F::r32ui, {one}, {}, {}, {}},
      {F::rgba8i, {0x7f}, {0x7f00}, {0x7f0000}, {0x7f000000}},
      {F::rgba8ui, {0xff}, {0xff00}, {0xff0000}, {0xff000000}},
      {F::r8, {0xff}, {}, {}, {}},
      {F::rg8, {0xff}, {0xff00}, {}, {}},
      {F::r16, {0xffff}, {}, {}, {}},
      {F::rg16, {0xffff}, {0xffff0000}, {}, {}},
      {F::rgba16, {0xffff}, {0xffff0000}, {0, 0xffff}, {0, 0xffff0000}},
      {F::r8_snorm, {0x7f}, {}, {}, {}},
      {F::rg8_snorm, {0x7f}, {0x7f00}, {}, {}},
      {F::rgba8_snorm, {0x7f}, {0x7f00}, {0x7f0000}, {0x7f000000}},
      {F::r16_snorm, {0x7fff}, {}, {}, {}},
      {F::rg16_snorm, {0x7fff}, {0x7fff0000}, {}, {}},
      {F::rgba16_snorm, {0x7fff}, {0x7fff0000}, {0, 0x7fff}, {0, 0x7fff0000}},
      {F::r16f, {0x3c00}, {}, {}, {}},
      {F::rg16f, {0x3c00}, {0x3c000000}, {}, {}},
      {F::rg32f, {one}, {0, one}, {}, {}},
      {F::r11g11b10f, {0x3c0}, {0x3c0 << 11}, {0x1e0U << 22}, {}},
      {F::r8i, {0x7f}, {}, {}, {}},
      {F::r8ui, {0xff}, {}, {}, {}},
      {F::rg8i, {0x7f}, {0x7f00}, {}, {}},
      {F::rg8ui, {0xff}, {0xff00}, {}, {}},
      {F::r16i, {0x7fff}, {}, {}, {}},
      {F::r16ui, {0xffff}, {}, {}, {}},
      {F::rg16i, {0x7fff}, {0x7fff0000}, {}, {}},
      {F::rg16ui, {0xffff}, {0xffff0000}, {}, {}},
      {F::rgba16i, {0x7fff}, {0x7fff0000}, {0, 0x7fff}, {0, 0x7fff0000}},
      {F::rgba16ui, {0xffff}, {0xffff0000}, {0, 0xffff}, {0, 0xffff0000}},
      {F::rg32i, {one}, {0, one}, {}, {}},
      {F::rg32ui, {one}, {0, one}, {}, {}},
      {F::rgb10a2ui, {0x3ff}, {0xffc00}, {0x3ff00000}, {0xc0000000}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(shade(row.format, color(1, 0, 0, 0)).words, row.red) << static_cast<int>(row.format);
    EXPECT_EQ(shade(row.format, color(0, 1, 0, 0)).words, row.green) << static_cast<int>(row.format);
    EXPECT_EQ(shade(row.format, color(0, 0, 1, 0)).words, row.blue) << static_cast<int>(row.format);
    EXPECT_EQ(shade(row.format, color(0, 0, 0, 1)).words, row.alpha) << static_cast<int>(row.format);
  }
}

TEST(PixelFormats, ComponentsThatAreNotWrittenStay) {
  const auto masked = [](PixelFormat format, std::uint8_t mask, Shaded before) {
    return shade(format, color(1, 1, 1, 1), before,
                 [&](OutputState& state) { state.blend[0].write_mask = mask; });
  };
  EXPECT_EQ(masked(PixelFormat::rgba8, 0b0101, {{0x01020304}}).words[0], 0x01ff03ffU);
  EXPECT_EQ(masked(PixelFormat::rgb565, 0b0010, {{0x0821}}).words[0], 0x0fe1U);
  EXPECT_EQ(masked(PixelFormat::rgb10a2, 0b1000, {{0x12345678}}).words[0], 0xd2345678U);
  EXPECT_EQ(masked(PixelFormat::rgba16f, 0b1010, {{1, 2}}).words,
            (std::array{0x3c000001U, 0x3c000002U, 0U, 0U}));
  EXPECT_EQ(masked(PixelFormat::rgba32i, 0, {{1, 2, 3, 4}}).words, (std::array{1U, 2U, 3U, 4U}));
}

TEST(PixelFormats, Unorm) {
  const auto byte = [](float value) { return shade(PixelFormat::rgba8, color(value, 0, 0, 0)).words[0]; };
  EXPECT_EQ(byte(kNotANumber), 0U);
  EXPECT_EQ(byte(-kInf), 0U);
  EXPECT_EQ(byte(-1), 0U);
  EXPECT_EQ(byte(kInf), 255U);
  EXPECT_EQ(byte(1.5F), 255U);
  EXPECT_EQ(byte(0x1p-149F), 0U);
  // 0.5 / 255 rounds down to a product that is exactly a half; ties go to even.
  EXPECT_EQ(byte(0.5F), 128U);  // 127.5
  EXPECT_EQ(byte(0.5F - 0x1p-25F), 127U);
  EXPECT_EQ(byte(254.5F / 255), 254U);
  EXPECT_EQ(byte(0.25F), 64U);  // 63.75
  const auto low = [](PixelFormat format, float value) {
    return shade(format, color(value, 0, 0, 0)).words[0];
  };
  EXPECT_EQ(low(PixelFormat::rgb565, 0.5F), 16U);                            // 15.5
  EXPECT_EQ(low(PixelFormat::rgba4, 0.5F), 8U);                              // 7.5
  EXPECT_EQ(low(PixelFormat::rgb10a2, 0.5F), 512U);                          // 511.5
  EXPECT_EQ(shade(PixelFormat::rgb5a1, color(0, 0, 0, 0.5F)).words[0], 0U);  // 0.5
  EXPECT_EQ(shade(PixelFormat::rgb5a1, color(0, 0, 0, 0.5F + 0x1p-24F)).words[0], 0x8000U);
}

TEST(PixelFormats, Srgb) {
  const auto byte = [](std::uint32_t word) { return shade(PixelFormat::srgb8, {word, 0, 0, 0}).words[0]; };
  for (std::uint32_t n = 0; n < 256; ++n) {
    EXPECT_EQ(byte(kSrgbDecoded[n]), n);
    if (n == 255) break;
    EXPECT_EQ(byte(kSrgbThresholds[n]), n + 1);
    EXPECT_EQ(byte(kSrgbThresholds[n] - 1), n);
  }
  EXPECT_EQ(byte(to_bits(kNotANumber)), 0U);
  EXPECT_EQ(byte(to_bits(-1.0F)), 0U);
  EXPECT_EQ(byte(to_bits(2.0F)), 255U);
  EXPECT_EQ(byte(to_bits(0.5F)), 188U);  // 187.52
  EXPECT_EQ(shade(PixelFormat::srgb8, color(0, 0, 0, 0.25F)).words[0], 0x40000000U);
}

TEST(PixelFormats, Half) {
  const std::pair<float, std::uint32_t> cases[] = {{0.0F, 0},
                                                   {-0.0F, 0x8000},
                                                   {1, 0x3c00},
                                                   {-2, 0xc000},
                                                   {65504, 0x7bff},
                                                   {65519.996F, 0x7bff},
                                                   {65520, 0x7c00},
                                                   {-1e30F, 0xfc00},
                                                   {kInf, 0x7c00},
                                                   {kNotANumber, 0x7fff},
                                                   {-kNotANumber, 0x7fff},
                                                   {0x1p-14F, 0x0400},
                                                   {0x1.ff8p-15F, 0x03ff},
                                                   {0x1.ffcp-15F, 0x0400},
                                                   {0x1p-24F, 1},
                                                   {0x1p-25F, 0},
                                                   {0x1.000002p-25F, 1},
                                                   {0x1.8p-24F, 2},
                                                   {-0x1p-149F, 0x8000},
                                                   {1 + 0x1p-11F, 0x3c00},
                                                   {1 + 0x1.8p-10F, 0x3c02},
                                                   {1 + 0x1.002p-11F, 0x3c01}};
  for (const auto& [number, half] : cases) EXPECT_EQ(to_half(to_bits(number)), half) << number;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const bool nan = (half & 0x7fff) > 0x7c00;
    ASSERT_EQ(to_half(from_half(half)), nan ? 0x7fff : half);
    ASSERT_EQ(from_half(half) == 0x7fffffff, nan);
  }
  EXPECT_EQ(from_half(0x3555), to_bits(0x1.554p-2F));
  EXPECT_EQ(from_half(0x8001), to_bits(-0x1p-24F));
}

TEST(PixelFormats, Snorm) {
  const auto byte = [](float value) { return shade(PixelFormat::r8_snorm, color(value, 0, 0, 0)).words[0]; };
  EXPECT_EQ(byte(kNotANumber), 0U);
  EXPECT_EQ(byte(-kInf), 0x81U);
  EXPECT_EQ(byte(-1), 0x81U);
  EXPECT_EQ(byte(kInf), 0x7fU);
  EXPECT_EQ(byte(0.5F), 64U);     // 63.5
  EXPECT_EQ(byte(-0.5F), 0xc0U);  // -63.5
  EXPECT_EQ(byte(-0.5F / 127), 0U);
  EXPECT_EQ(byte(-0x1p-149F), 0U);
  EXPECT_EQ(shade(PixelFormat::rg16_snorm, color(-1, 0.5F, 0, 0)).words[0], 0x40008001U);  // 16383.5
  const Component& component = format_info(PixelFormat::r8_snorm).components[0];
  EXPECT_EQ(decode(component, 0x80), to_bits(-1.0F));  // as -127
  EXPECT_EQ(decode(component, 0x81), to_bits(-1.0F));
  EXPECT_EQ(decode(component, 0xff), to_bits(-1.0F / 127));
  for (std::uint32_t n = 0; n < 256; ++n)
    if (n != 0x80) {
      ASSERT_EQ(encode(component, decode(component, n)), n);
    }
  const Component& wide = format_info(PixelFormat::r16_snorm).components[0];
  for (std::uint32_t n = 0; n < 0x10000; ++n)
    if (n != 0x8000) {
      ASSERT_EQ(encode(wide, decode(wide, n)), n);
    }
}

TEST(PixelFormats, FloatsWithoutSigns) {
  const std::pair<float, std::array<std::uint32_t, 2>> cases[] = {
      {0.0F, {0, 0}},
      {-0.0F, {0, 0}},
      {-1, {0, 0}},
      {-kInf, {0, 0}},
      {-0x1p-149F, {0, 0}},
      {1, {0x3c0, 0x1e0}},
      {65024, {0x7bf, 0x3df}},
      {64512, {0x7be, 0x3df}},
      {65536, {0x7bf, 0x3df}},  // the greatest finite ones
      {1e38F, {0x7bf, 0x3df}},
      {kInf, {0x7c0, 0x3e0}},
      {kNotANumber, {0x7ff, 0x3ff}},
      {-kNotANumber, {0x7ff, 0x3ff}},
      {0x1p-14F, {0x040, 0x020}},
      {0x1p-20F, {1, 0}},  // of 10 bits half a step, to even
      {0x1p-19F, {2, 1}},
      {0x1p-21F, {0, 0}},
      {0x1.000002p-21F, {1, 0}},
      {0x1.8p-20F, {2, 1}},
      {0x1.fcp-15F, {0x040, 0x020}},  // from a denormal to a normal number
      {1 + 0x1p-7F, {0x3c0, 0x1e0}},
      {1 + 0x1.8p-6F, {0x3c2, 0x1e1}},
      {1 + 0x1.002p-7F, {0x3c1, 0x1e0}},
      {2 - 0x1p-7F, {0x400, 0x200}}};
  for (const auto& [number, bits] : cases) {
    EXPECT_EQ(to_small(11, to_bits(number)), bits[0]) << number;
    EXPECT_EQ(to_small(10, to_bits(number)), bits[1]) << number;
  }
  for (const unsigned width : {10U, 11U})
    for (std::uint32_t n = 0; n < 1U << width; ++n) {
      const bool nan = n > 31U << (width - 5);
      ASSERT_EQ(to_small(width, from_small(width, n)), nan ? (1U << width) - 1 : n);
      ASSERT_EQ(from_small(width, n), nan ? 0x7fffffff : from_half(n << (15 - width)));
    }
}

TEST(PixelFormats, IntegersAndFloatsAsTheyAre) {
  const Color words = {0xffc12345, 0x00000001, 0x80000000, 0xdeadbeef};
  for (const PixelFormat format : {PixelFormat::rgba32f, PixelFormat::rgba32i, PixelFormat::rgba32ui})
    EXPECT_EQ(shade(format, words).words, words);
  EXPECT_EQ(
      shade(PixelFormat::rgba8i, {128, static_cast<std::uint32_t>(-129), 5, static_cast<std::uint32_t>(-7)})
          .words[0],
      0xf905807fU);
  EXPECT_EQ(shade(PixelFormat::rgba8ui, {256, ~0U, 5, 255}).words[0], 0xff05ffffU);
  EXPECT_EQ(shade(PixelFormat::rg16i, {0x8000, 0x80000000, 0, 0}).words[0], 0x80007fffU);
  EXPECT_EQ(shade(PixelFormat::rg16ui, {0x10000, 0x8001, 0, 0}).words[0], 0x8001ffffU);
  EXPECT_EQ(shade(PixelFormat::rgb10a2ui, {1024, 5, ~0U, 2}).words[0], 0xbff017ffU);
}

// --- Blending ----------------------------------------------------------------------------------------------

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

TEST(PixelBlend, NotOfIntegers) {
  const auto enable = [](OutputState& state) {
    state.blend[0].enabled = true;
    state.blend[0].source = state.blend[0].source_alpha = BlendFactor::zero;
  };
  for (const PixelFormat format :
       {PixelFormat::r32i, PixelFormat::r32ui, PixelFormat::rgba8i, PixelFormat::rgba8ui})
    EXPECT_EQ(shade(format, {7, 0, 0, 0}, {{0x1234}}, enable).words[0], 7U);
}

// --- Tests -------------------------------------------------------------------------------------------------

// One pixel with a depth target; gives the word after it and whether the colour was written.
struct Tested {
  std::uint32_t word;
  bool passed;
  friend bool operator==(const Tested&, const Tested&) = default;
};
Tested depth_test(PixelFormat format, std::uint32_t before, float exported,
                  const std::function<void(Scene&)>& change, bool front = true) {
  Scene scene(1, 1);
  scene.work.raster.positive_is_front = front;
  scene.vertex(0, 0).vertex(4, 0).vertex(0, 4);
  GuardedBytes& colors = scene.color(PixelFormat::r32f, 4);
  GuardedBytes& depths = scene.depth(format, format_info(format).bytes);
  std::memcpy(depths.data(), &before, depths.size());
  change(scene);
  FunctionProgram program([&](const Lane&, Fragment& fragment) {
    fragment.depth = to_bits(exported);
    set_color(fragment, {1, 1, 1, 1});
  });
  program.depth = true;
  EXPECT_TRUE(scene.draw(program).ok());
  Tested tested{};
  std::memcpy(&tested.word, depths.data(), depths.size());
  std::uint32_t written = 0;
  std::memcpy(&written, colors.data(), 4);
  tested.passed = written != 0;
  return tested;
}

TEST(PixelDepth, Comparisons) {
  struct Row {
    Compare compare;
    bool less, equal, greater, nan;
  };
  const Row rows[] = {
      {Compare::never, false, false, false, false},       {Compare::less, true, false, false, false},
      {Compare::equal, false, true, false, false},        {Compare::less_equal, true, true, false, false},
      {Compare::greater, false, false, true, false},      {Compare::not_equal, true, false, true, true},
      {Compare::greater_equal, false, true, true, false}, {Compare::always, true, true, true, true},
  };
  for (const Row& row : rows) {
    const auto passes = [&](PixelFormat format, float fragment, std::uint32_t stored) {
      const Tested tested = depth_test(format, stored, fragment, [&](Scene& scene) {
        scene.work.output.depth = {true, false, row.compare};
      });
      EXPECT_EQ(tested.word, stored);  // writes are off
      return tested.passed;
    };
    for (const auto& [format, half] : {std::pair{PixelFormat::d16, 0x8000U},
                                       {PixelFormat::d24s8, 0x55800000U},
                                       {PixelFormat::d32f, 0x3f000000U}}) {
      EXPECT_EQ(passes(format, 0.25F, half), row.less);
      EXPECT_EQ(passes(format, 0.5F, half), row.equal);
      EXPECT_EQ(passes(format, 0.75F, half), row.greater);
    }
    EXPECT_EQ(passes(PixelFormat::d32f, 0.5F, to_bits(kNotANumber)), row.nan);
  }
}

TEST(PixelDepth, Conversions) {
  const auto stored = [](PixelFormat format, float exported) {
    return depth_test(format, 0, exported,
                      [](Scene& scene) {
                        scene.work.output.depth = {true, true, Compare::always};
                      })
        .word;
  };
  for (const float zero : {0.0F, -0.0F, -1.0F, kNotANumber, -kInf}) {
    EXPECT_EQ(stored(PixelFormat::d16, zero), 0U);
    EXPECT_EQ(stored(PixelFormat::d24s8, zero), 0U);
    EXPECT_EQ(stored(PixelFormat::d32f, zero), 0U);
  }
  for (const float one : {1.0F, 1.5F, kInf}) {
    EXPECT_EQ(stored(PixelFormat::d16, one), 0xffffU);
    EXPECT_EQ(stored(PixelFormat::d24s8, one), 0xffffffU);
    EXPECT_EQ(stored(PixelFormat::d32f, one), 0x3f800000U);
  }
  EXPECT_EQ(stored(PixelFormat::d16, 0.5F), 0x8000U);      // 32767.5
  EXPECT_EQ(stored(PixelFormat::d24s8, 0.5F), 0x800000U);  // 8388607.5 fits into 24 bits
  // 1 - 2^-24 times 2^24 - 1 is 2^24 - 2 + 2^-24.
  EXPECT_EQ(stored(PixelFormat::d24s8, 0x1.fffffep-1F), 0xfffffeU);
  EXPECT_EQ(stored(PixelFormat::d32f, 0x1p-149F), 0U);  // a denormal counts as zero
  EXPECT_EQ(stored(PixelFormat::d32f, 0.3F), to_bits(0.3F));
}

TEST(PixelDepth, OfThePlaneIsLimited) {
  Scene scene(4, 1);
  scene.work.raster.clip_near = scene.work.raster.clip_far = false;
  scene.vertex(0, -1, 1, {}, -3).vertex(8, -1, 1, {}, 5).vertex(0, 3, 1, {}, -3);  // depth (x - 2) / 2
  GuardedBytes& depths = scene.depth(PixelFormat::d32f, 4);
  scene.work.output.depth = {true, true, Compare::always};
  ASSERT_TRUE(scene.draw([](const Lane&, Fragment& fragment) { fragment.depth = to_bits(0.3F); }).ok());
  std::array<float, 4> stored{};
  std::memcpy(stored.data(), depths.data(), sizeof stored);
  EXPECT_EQ(stored, (std::array{0.0F, 0.0F, 0.25F, 0.75F}));
}

TEST(PixelDepth, WritesNeedTheTest) {
  const auto word = [](DepthState state) {
    return depth_test(PixelFormat::d32f, 0x3f000000, 0.25F,
                      [&](Scene& scene) { scene.work.output.depth = state; });
  };
  EXPECT_EQ(word({false, true, Compare::less}), (Tested{0x3f000000, true}));
  EXPECT_EQ(word({true, true, Compare::less}), (Tested{0x3e800000, true}));
  EXPECT_EQ(word({true, true, Compare::greater}), (Tested{0x3f000000, false}));
  // Without a target a test passes.
  const Tested unbound = depth_test(PixelFormat::d32f, 0x3f000000, 0.25F, [](Scene& scene) {
    scene.work.output.depth = {true, true, Compare::never};
    scene.work.depth = {};
  });
  EXPECT_EQ(unbound, (Tested{0x3f000000, true}));
}

TEST(PixelStencil, Operations) {
  struct Row {
    StencilOp op;
    std::uint32_t of_0, of_255, of_0x5a;
  };
  const Row rows[] = {
      {StencilOp::keep, 0, 255, 0x5a},
      {StencilOp::zero, 0, 0, 0},
      {StencilOp::replace, 0x33, 0x33, 0x33},
      {StencilOp::increment_clamp, 1, 255, 0x5b},
      {StencilOp::decrement_clamp, 0, 254, 0x59},
      {StencilOp::invert, 255, 0, 0xa5},
      {StencilOp::increment_wrap, 1, 0, 0x5b},
      {StencilOp::decrement_wrap, 255, 254, 0x59},
  };
  const auto after = [](std::uint32_t before, const std::function<void(StencilFace&)>& change,
                        bool depth_passes) {
    return depth_test(PixelFormat::d24s8, before << 24 | 0x123456, 0, [&](Scene& scene) {
      scene.work.output.stencil.test = true;
      StencilFace& face = scene.work.output.stencil.front;
      face.reference = 0x33;
      change(face);
      scene.work.output.depth = {true, false, depth_passes ? Compare::always : Compare::never};
    });
  };
  for (const Row& row : rows) {
    for (const auto& [before, expected] :
         {std::pair{0U, row.of_0}, {255U, row.of_255}, {0x5aU, row.of_0x5a}}) {
      const std::uint32_t word = expected << 24 | 0x123456;
      EXPECT_EQ(after(
                    before, [&](StencilFace& face) { face.pass = row.op; }, true),
                (Tested{word, true}));
      EXPECT_EQ(after(
                    before, [&](StencilFace& face) { face.depth_fail = row.op; }, false),
                (Tested{word, false}));
      const auto fail = [&](StencilFace& face) {
        face.compare = Compare::never;
        face.fail = row.op;
      };
      EXPECT_EQ(after(before, fail, true), (Tested{word, false}));
    }
  }
}

TEST(PixelStencil, MasksFacesAndOrder) {
  const auto run = [](std::uint32_t before, const StencilFace& front, const StencilFace& back,
                      bool is_front) {
    return depth_test(
        PixelFormat::d24s8, before, 0.5F,
        [&](Scene& scene) {
          scene.work.output.stencil = {true, front, back};
          scene.work.output.depth = {true, true, Compare::less};
        },
        is_front);
  };
  StencilFace masked;
  masked.compare = Compare::less;  // 1 < stored & 3
  masked.reference = 0xf1;
  masked.read_mask = 0x03;
  masked.pass = StencilOp::replace;
  masked.write_mask = 0x3c;
  EXPECT_EQ(run(0x02ffffff, masked, {}, true), (Tested{0x32800000, true}));
  EXPECT_EQ(run(0x01ffffff, masked, {}, true), (Tested{0x01ffffff, false}));
  // Depth fails after the stencil test has passed.
  masked.depth_fail = StencilOp::invert;
  EXPECT_EQ(run(0x02000000, masked, {}, true), (Tested{0x3e000000, false}));
  // The other face.
  EXPECT_EQ(run(0x01ffffff, masked, {}, false), (Tested{0x01800000, true}));
  EXPECT_EQ(run(0x01ffffff, {}, masked, false), (Tested{0x01ffffff, false}));
  // Without depth test the stencil still changes.
  const Tested alone = depth_test(PixelFormat::d24s8, 0x02123456, 0.5F, [&](Scene& scene) {
    scene.work.output.stencil = {true, masked, masked};
  });
  EXPECT_EQ(alone, (Tested{0x32123456, true}));
  // Formats without stencil have no test.
  StencilFace never;
  never.compare = Compare::never;
  const Tested none = depth_test(PixelFormat::d32f, 0, 0.5F, [&](Scene& scene) {
    scene.work.output.stencil = {true, never, never};
  });
  EXPECT_TRUE(none.passed);
}

TEST(PixelAlpha, Test) {
  const auto passes = [](Compare compare, float alpha, PixelFormat format = PixelFormat::rgba32f) {
    const Shaded after = shade(format, color(1, 1, 1, alpha), {}, [&](OutputState& state) {
      state.alpha_test = true;
      state.alpha_compare = compare;
      state.alpha_reference = 0.5F;
    });
    return after.words[0] != 0;
  };
  EXPECT_TRUE(passes(Compare::greater, 0.75F));
  EXPECT_FALSE(passes(Compare::greater, 0.5F));
  EXPECT_TRUE(passes(Compare::greater_equal, 0.5F));
  EXPECT_FALSE(passes(Compare::greater_equal, kNotANumber));
  EXPECT_TRUE(passes(Compare::not_equal, kNotANumber));
  EXPECT_FALSE(passes(Compare::never, 1));
  EXPECT_TRUE(passes(Compare::never, 1, PixelFormat::rgba32i));  // integers have none
  // It comes before depth and stencil.
  const Tested tested = depth_test(PixelFormat::d24s8, 0x00ffffff, 0.5F, [](Scene& scene) {
    scene.work.output.alpha_test = true;
    scene.work.output.alpha_compare = Compare::less;
    scene.work.output.alpha_reference = 0.5F;
    scene.work.output.stencil.test = true;
    scene.work.output.stencil.front.fail = scene.work.output.stencil.front.pass = StencilOp::invert;
    scene.work.output.depth = {true, true, Compare::always};
  });
  EXPECT_EQ(tested, (Tested{0x00ffffff, false}));
}

// --- Which pixels ------------------------------------------------------------------------------------------

TEST(PixelOutput, HelpersAndDiscardedPixelsWriteNothing) {
  Scene scene(3, 3);
  scene.vertex(0, 0).vertex(4, 0).vertex(0, 4);
  GuardedBytes& colors = scene.color(PixelFormat::r32ui, 4, 0, 0xff);
  scene.depth(PixelFormat::d16, 2, 0xff);
  scene.work.output.depth.test = true;
  int runs = 0;
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment& fragment) {
                    ++runs;
                    fragment.colors[0][0] = static_cast<std::uint32_t>(10 * lane.y + lane.x);
                    fragment.live = lane.x != 1;
                  })
                  .ok());
  EXPECT_EQ(runs, 12);  // quads at (0,0), (2,0), (0,2)
  std::array<std::uint32_t, 9> words{};
  std::memcpy(words.data(), colors.data(), sizeof words);
  const std::uint32_t no = ~0U;
  EXPECT_EQ(words, (std::array{0U, no, 2U, 10U, no, no, 20U, no, no}));
}

TEST(PixelOutput, TargetsHaveColorsOfTheirOwn) {
  Scene scene(2, 2);
  scene.work.raster.topology = Topology::points;
  scene.work.raster.point_size = 2;
  scene.vertex(1, 1);
  GuardedBytes& first = scene.color(PixelFormat::r32ui, 4, 1);
  GuardedBytes& second = scene.color(PixelFormat::rgba8ui, 4, 6);
  scene.work.output.colors[2] = PixelFormat::rgba32f;  // not bound
  // Rows from the bottom of the memory up.
  scene.work.colors[6].data += 8;
  scene.work.colors[6].pitch = -8;
  ASSERT_TRUE(scene
                  .draw([&](const Lane& lane, Fragment& fragment) {
                    const auto place = static_cast<std::uint32_t>(2 * lane.y + lane.x);
                    fragment.colors[1][0] = 1 + place;
                    fragment.colors[6][0] = 11 + place;
                  })
                  .ok());
  const auto read = [](const GuardedBytes& bytes) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), bytes.data(), sizeof words);
    return words;
  };
  EXPECT_EQ(read(first), (std::array{1U, 2U, 3U, 4U}));
  EXPECT_EQ(read(second), (std::array{13U, 14U, 11U, 12U}));
}

// Later primitives see what earlier ones stored.
TEST(PixelOutput, PrimitivesInOrder) {
  Scene scene(1, 1);
  scene.work.raster.topology = Topology::points;
  for (int n = 0; n < 5; ++n) scene.vertex(0.5F, 0.5F);
  GuardedBytes& colors = scene.color(PixelFormat::rgba32f, 16);
  scene.work.output.blend[0].enabled = true;
  scene.work.output.blend[0].target = BlendFactor::constant_alpha;
  scene.work.output.blend_constant = {0, 0, 0, 10};
  ASSERT_TRUE(scene
                  .draw([](const Lane& lane, Fragment& fragment) {
                    set_color(fragment, {static_cast<float>(lane.primitive.number())});
                  })
                  .ok());
  float red = 0;
  std::memcpy(&red, colors.data(), 4);
  EXPECT_EQ(red, 1234);
}

}  // namespace
}  // namespace warpjit::interpret
