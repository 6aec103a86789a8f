// The scalar oracle of work over pixels: its arithmetic, and the formats of targets (docs/pixels.md 10).
// Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "base/srgb.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"
#include "frontend/pixel_words.h"

namespace warpjit::interpret {
namespace {

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

// Products as docs/pixels.md defines them: exact in a double, rounded to 24 bits for every exponent, then
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

}  // namespace
}  // namespace warpjit::interpret
