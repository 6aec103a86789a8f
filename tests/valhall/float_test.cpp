#include <cmath>
#include <limits>

#include "base/random.h"
#include "frontend/valhall/interpret/numbers.h"
#include "random/words.h"
#include "support/share.h"
#include "valhall/evaluate.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kInf = 0x7f800000, kMinusInf = 0xff800000, kNan = 0x7fc00000, kMinusZero = 0x80000000;

// ---- Rounding

std::uint32_t half(double value, Round round = Round::nearest_even) { return round_to(kHalf, value, round); }

TEST(ValhallNumbers, RoundingToHalf) {
  EXPECT_EQ(half(1), 0x3c00U);
  EXPECT_EQ(half(-0.0), 0x8000U);
  EXPECT_EQ(half(65504), 0x7bffU);
  EXPECT_EQ(half(65519.99), 0x7bffU);
  EXPECT_EQ(half(65520), 0x7c00U);
  EXPECT_EQ(half(65520, Round::to_zero), 0x7bffU);
  EXPECT_EQ(half(1e300, Round::down), 0x7bffU);
  EXPECT_EQ(half(1e300, Round::up), 0x7c00U);
  EXPECT_EQ(half(-1e300, Round::down), 0xfc00U);
  EXPECT_EQ(half(-1e300, Round::up), 0xfbffU);
  EXPECT_EQ(half(0x1p-24), 0x0001U);
  EXPECT_EQ(half(0x1p-25), 0x0000U);  // a tie, to even
  EXPECT_EQ(half(0x1.000001p-25), 0x0001U);
  EXPECT_EQ(half(0x1p-1000, Round::up), 0x0001U);
  EXPECT_EQ(half(-0x1p-1000, Round::up), 0x8000U);
  EXPECT_EQ(half(0x1.ffbp-15), 0x03ffU);  // the greatest denormal
  EXPECT_EQ(half(0x1.ffcp-15), 0x0400U);  // carries into the exponent
  EXPECT_EQ(half(1 + 0x1p-11), 0x3c00U);
  EXPECT_EQ(half(1 + 0x3p-11), 0x3c02U);
  EXPECT_EQ(half(2 - 0x1p-11), 0x4000U);
  EXPECT_EQ(half(std::numeric_limits<double>::quiet_NaN()), 0x7e00U);
}

// Rounding by hand is the host's conversion, on every kind of double.
TEST(ValhallNumbers, RoundingToSingleIsTheHosts) {
  Random random{1};
  for (std::uint64_t n = 0; n < share(200000); ++n) {
    std::uint64_t word = random.next();
    if (n % 2 == 0)  // near the range of floats
      word = (word & 0x800fffffffffffff) | std::uint64_t{1023 - 160 + random.below(320)} << 52;
    if (n % 3 == 0) word &= ~std::uint64_t{0x1fffffff} | random.next() << 28;  // ties
    const double value = to_double(word);
    if (std::isnan(value)) continue;
    const std::uint32_t wanted = bits(static_cast<float>(value));
    ASSERT_EQ(round_by_hand(kSingle, value, Round::nearest_even), wanted) << std::hex << word;
    ASSERT_EQ(round_to(kSingle, value), wanted) << std::hex << word;
  }
}

TEST(ValhallNumbers, HalvesWidenAndComeBack) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const bool nan = (h & 0x7fff) > 0x7c00;
    ASSERT_EQ(half(half_value(h)), nan ? 0x7e00U : h);
    ASSERT_EQ(std::isnan(half_value(h)), nan);
    if (nan) {
      ASSERT_EQ(widen_half(h), (h & 0x8000) << 16 | 0x7fc00000 | (h & 0x3ff) << 13);
    }
  }
}

// A sum that is rounded to odd and then again is rounded once.
TEST(ValhallNumbers, SumsToOdd) {
  EXPECT_EQ(add_to_odd(1, 0x1p-60), 1 + 0x1p-52);
  EXPECT_EQ(add_to_odd(1, -0x1p-60), 1 - 0x1p-53);
  EXPECT_EQ(add_to_odd(-1, -0x1p-60), -1 - 0x1p-52);
  EXPECT_EQ(add_to_odd(1 + 0x1p-52, 0x1p-60), 1 + 0x1p-52);  // odd already
  EXPECT_EQ(add_to_odd(1, 2), 3);
  EXPECT_TRUE(std::signbit(add_to_odd(-0.0, -0.0)));
}

// ---- f32

TEST(ValhallSingle, SourcesAreSelectedThenChanged) {
  EXPECT_EQ(run("FADD.f32 r0, r1.h1, r2.neg", {0x40003c00, 0}), bits(2.0F));
  EXPECT_EQ(run("FADD.f32 r0, r1.neg.abs.h0, r2.neg", {0xbc00, 0}), bits(-1.0F));
  EXPECT_EQ(run("FADD.f32 r0, r1.abs, r2.neg", {bits(-3.0F), bits(1.0F)}), bits(2.0F));
  EXPECT_EQ(run("FADD.f32 r0, r1.h0, r2.neg", {0x0001, 0}),
            bits(0x1p-24F));  // a denormal f16 is a normal f32
}

TEST(ValhallSingle, SumsAndZeros) {
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kMinusZero, 0}), 0U);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kMinusZero, kMinusZero}), kMinusZero);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2.neg", {bits(1.0F), bits(1.0F)}), 0U);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kInf, kMinusInf}), kNan);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {0xffa00001, 0}), kNan);  // whatever came in
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {0x7f7fffff, 0x7f7fffff}), kInf);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {1, 1}), 2U);  // denormals
  EXPECT_EQ(run("FADD_IMM.f32 r0, r1, #0xC9400000", {bits(786433.0F)}), bits(1.0F));
  EXPECT_EQ(run("FADD_IMM.v2f16 r0, r1, #0x3C004000", {0x3c003c00}), 0x40004200U);
}

TEST(ValhallSingle, FusedProductsAreTheHosts) {
  Random random{2};
  for (std::uint64_t n = 0; n < share(100000); ++n) {
    std::uint32_t word[3];
    for (std::uint32_t& w : word)
      w = random.one_in(4) ? random::one_of(random, random::kFloatEdges)
                           : static_cast<std::uint32_t>(random.next());
    if (n % 2 == 0)  // near cancellation
      word[2] = bits(-to_float(word[0]) * to_float(word[1])) ^ random.below(4);
    const float expected = std::fma(to_float(word[0]), to_float(word[1]), to_float(word[2]));
    const std::uint64_t result = run("FMA.f32 r0, r1, r2, r3", {word[0], word[1], word[2]});
    ASSERT_EQ(result, std::isnan(expected) ? kNan : bits(expected))
        << std::hex << word[0] << ' ' << word[1] << ' ' << word[2];
    const float sum = to_float(word[0]) + to_float(word[2]);
    ASSERT_EQ(run("FADD.f32 r0, r1, r2", {word[0], word[2]}), std::isnan(sum) ? kNan : bits(sum));
  }
}

TEST(ValhallSingle, LeastAndGreatest) {
  EXPECT_EQ(run("FMIN.f32 r0, r1, r2", {kMinusZero, 0}), kMinusZero);
  EXPECT_EQ(run("FMIN.f32 r0, r1, r2", {0, kMinusZero}), kMinusZero);
  EXPECT_EQ(run("FMAX.f32 r0, r1, r2", {kMinusZero, 0}), 0U);
  EXPECT_EQ(run("FMAX.f32 r0, r1, r2", {0, kMinusZero}), 0U);
  EXPECT_EQ(run("FMIN.f32 r0, r1, r2", {kNan, bits(5.0F)}), bits(5.0F));
  EXPECT_EQ(run("FMAX.f32 r0, r1, r2", {bits(5.0F), 0x7f800001}), bits(5.0F));
  EXPECT_EQ(run("FMAX.f32 r0, r1, r2", {0xffc00005, 0x7f800001}), kNan);
  EXPECT_EQ(run("FMIN.f32 r0, r1, r2", {kMinusInf, bits(5.0F)}), kMinusInf);
  EXPECT_EQ(run("FMAX.f32 r0, r1, r2.neg", {bits(-7.0F), bits(5.0F)}), bits(-5.0F));
  EXPECT_EQ(run("FMAX.v2f16 r0, r1, r2", {0x7e00bc00, 0x3c008000}), 0x3c008000U);
}

TEST(ValhallSingle, Clamps) {
  const auto clamp = [](const char* how, std::uint32_t value) {
    return run(std::string("FADD.f32.") + how + " r0, r1, r2.neg", {value, 0});
  };
  EXPECT_EQ(clamp("clamp_0_1", bits(2.0F)), bits(1.0F));
  EXPECT_EQ(clamp("clamp_0_1", bits(0.25F)), bits(0.25F));
  EXPECT_EQ(clamp("clamp_0_1", bits(-2.0F)), 0U);
  EXPECT_EQ(clamp("clamp_0_1", kNan), 0U);
  EXPECT_EQ(clamp("clamp_0_1", kMinusZero), 0U);
  EXPECT_EQ(clamp("clamp_0_inf", kMinusZero), 0U);
  EXPECT_EQ(clamp("clamp_0_inf", kInf), kInf);
  EXPECT_EQ(clamp("clamp_0_inf", kMinusInf), 0U);
  EXPECT_EQ(clamp("clamp_m1_1", kMinusZero), kMinusZero);
  EXPECT_EQ(clamp("clamp_m1_1", kNan), bits(-1.0F));
  EXPECT_EQ(clamp("clamp_m1_1", bits(-1.0F)), bits(-1.0F));
  EXPECT_EQ(clamp("clamp_m1_1", kMinusInf), bits(-1.0F));
  EXPECT_EQ(clamp("clamp_m1_1", kInf), bits(1.0F));
}

TEST(ValhallSingle, NarrowWrites) {
  const FloatMode mode;
  EXPECT_EQ(run("FADD.f32 r0.h0, r1, r2", {bits(1.0F), bits(2.0F)}, mode, 0xaaaabbbb), 0xaaaa4200U);
  EXPECT_EQ(run("FADD.f32 r0.h1, r1, r2", {bits(1.0F), bits(2.0F)}, mode, 0xaaaabbbb), 0x4200bbbbU);
  EXPECT_EQ(run("FADD.f32 r0.none, r1, r2", {bits(1.0F), bits(2.0F)}, mode, 0xaaaabbbb), 0x42004200U);
  // Two roundings: to f32, which is a tie of f16, then to even.
  EXPECT_EQ(run("FADD.f32 r0.h0, r1, r2", {bits(1 + 0x1p-11F), bits(0x1p-40F)}, mode), 0x3c00U);
  EXPECT_EQ(run("FADD.f32.clamp_0_1 r0.h0, r1, r2", {bits(1e30F), 0}, mode), 0x3c00U);
  EXPECT_EQ(run("FADD.f32 r0.h0, r1, r2", {bits(65520.0F), 0}, mode), 0x7c00U);
}

TEST(ValhallSingle, Flushing) {
  const FloatMode dx11{.flush_single = true}, always{.flush_single = true, .flush_half = true};
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {0x007fffff, 0}, dx11), 0U);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2.neg", {0x807fffff, 0}, dx11), kMinusZero);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {0x00800001, 0x80800000}, dx11), 0U);  // of the result
  EXPECT_EQ(run("FADD.f32 r0, r1.h0, r2", {1, 0}, dx11), bits(0x1p-24F));
  EXPECT_EQ(run("FADD.f32 r0, r1.h0, r2", {1, 0}, always), 0U);
  EXPECT_EQ(run("FADD.v2f16 r0, r1, r2", {0x00010001, 0}, dx11), 0x00010001U);
  EXPECT_EQ(run("FADD.v2f16 r0, r1, r2.neg", {0x80010001, 0}, always), 0x80000000U);
  EXPECT_EQ(run("MOV.i32 r0, r1", {1}, always), 1U);
  EXPECT_EQ(run("CSEL.f32.eq r0, r1, r2, r3, r4", {1, 0, 5, 6}, always), 5U);
  EXPECT_EQ(run("CSEL.f32.eq r0, r1, r2, r3, r4", {1, 0, 5, 6}), 6U);
  EXPECT_EQ(run("F32_TO_S32.rtp r0, r1", {1}, always), 1U);
  EXPECT_EQ(run("F16_TO_F32 r0, r1.h0", {0x8001}, always), kMinusZero);
}

TEST(ValhallSingle, Suppression) {
  const FloatMode no_nan{.suppress_nan = true}, no_infinity{.suppress_infinity = true};
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kNan, 0}, no_nan), 0U);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kInf, 0}, no_nan), kInf);
  EXPECT_EQ(run("FADD.f32 r0, r1, r2", {kMinusInf, 0}, no_infinity), 0xff7fffffU);
  EXPECT_EQ(run("FADD.v2f16 r0, r1, r2", {0x7c00fc00, 0}, no_infinity), 0x7bfffbffU);
}

TEST(ValhallSingle, RescaledProducts) {
  const auto scale = [](const char* name, float a, float b, float c, std::int32_t exponent) {
    return run(std::string("FMA_RSCALE") + name + ".f32 r0, r1, r2, r3, r4",
               {bits(a), bits(b), bits(c), static_cast<std::uint32_t>(exponent)});
  };
  EXPECT_EQ(scale("", 3, 5, 1, 2), bits(64.0F));
  EXPECT_EQ(scale("", 3, 5, 1, -5), bits(0.5F));
  EXPECT_EQ(scale("", 1, 1, 0, 128), kInf);
  EXPECT_EQ(scale("", 1, 1, 0, INT32_MIN), 0U);
  EXPECT_EQ(scale("", -1, 1, 0, INT32_MAX), kMinusInf);
  EXPECT_EQ(scale("", 0, 1, -0.0F, INT32_MAX), 0U);
  EXPECT_EQ(
      scale("", 1e30F, 1e30F, 0, -200),
      bits(static_cast<float>(std::ldexp(static_cast<double>(1e30F) * static_cast<double>(1e30F), -200))));
  // One rounding: 1 + 2^-23 scaled into the denormals is not rounded before.
  EXPECT_EQ(scale("", 1 + 0x1p-23F, 1, 0x1p-60F, -149), 1U);
  EXPECT_EQ(scale("", 1.5F, 1, 0, -149), 2U);
  EXPECT_EQ(scale("", 1.5F, 1, -0x1p-60F, -149), 1U);
  EXPECT_EQ(scale("", 0, std::numeric_limits<float>::infinity(), 1, 0), kNan);
  EXPECT_EQ(scale("_N", 0, std::numeric_limits<float>::infinity(), 1, 0), bits(1.0F));
  EXPECT_EQ(scale("_N", -0.0F, 1, -0.0F, 0), 0U);
  EXPECT_EQ(scale("_LEFT", 0, std::numeric_limits<float>::infinity(), -0.0F, 5), 0U);
  EXPECT_EQ(scale("_LEFT", -0.0F, std::numeric_limits<float>::infinity(), -0.0F, 5), kMinusZero);
  EXPECT_EQ(scale("_LEFT", 2, 3, 0, 1), bits(12.0F));
}

TEST(ValhallSingle, Exponents) {
  EXPECT_EQ(run("LDEXP.f32 r0, r1, r2", {bits(1.5F), 3}), bits(12.0F));
  EXPECT_EQ(run("LDEXP.f32 r0, r1, r2", {bits(1.0F), 0x7fffffff}), kInf);
  EXPECT_EQ(run("LDEXP.f32.rtz r0, r1, r2", {bits(1.0F), 0x7fffffff}), 0x7f7fffffU);
  EXPECT_EQ(run("LDEXP.f32 r0, r1, r2", {bits(-1.0F), 0x80000000}), kMinusZero);
  EXPECT_EQ(run("LDEXP.f32.rtn r0, r1, r2", {bits(-1.0F), 0x80000000}), 0x80000001U);
  EXPECT_EQ(run("LDEXP.f32 r0, r1, r2", {kInf, 0x80000000}), kInf);
  EXPECT_EQ(run("LDEXP.f32 r0, r1, r2", {kMinusZero, 5}), kMinusZero);
  EXPECT_EQ(run("LDEXP.v2f16 r0, r1, r2", {0x3c003c00, 0xffff0001}), 0x38004000U);
  EXPECT_EQ(run("FREXPM.f32 r0, r1", {bits(-12.0F)}), bits(-0.75F));
  EXPECT_EQ(run("FREXPE.f32 r0, r1", {bits(-12.0F)}), 4U);
  EXPECT_EQ(run("FREXPE.f32.neg_result r0, r1", {bits(-12.0F)}), static_cast<std::uint32_t>(-4));
  EXPECT_EQ(run("FREXPM.f32 r0, r1.neg.abs", {bits(-12.0F)}), bits(-0.75F));
  EXPECT_EQ(run("FREXPM.f32 r0, r1.abs.h1", {0xc0000000}), bits(0.5F));
  EXPECT_EQ(run("FREXPM.f32 r0, r1", {1}), bits(0.5F));
  EXPECT_EQ(run("FREXPE.f32 r0, r1", {1}), static_cast<std::uint32_t>(-148));
  EXPECT_EQ(run("FREXPM.f32.log r0, r1", {bits(1.25F)}), bits(1.25F));
  EXPECT_EQ(run("FREXPE.f32.log r0, r1", {bits(1.25F)}), 0U);
  EXPECT_EQ(run("FREXPM.f32.log r0, r1", {bits(1.5F)}), bits(0.75F));
  EXPECT_EQ(run("FREXPE.f32.log r0, r1", {bits(1.5F)}), 1U);
  EXPECT_EQ(run("FREXPM.f32.sqrt r0, r1", {bits(8.0F)}), bits(0.5F));
  EXPECT_EQ(run("FREXPE.f32.sqrt r0, r1", {bits(8.0F)}), 2U);
  EXPECT_EQ(run("FREXPM.f32.sqrt r0, r1", {bits(4.0F)}), bits(0.25F));
  EXPECT_EQ(run("FREXPE.f32.sqrt r0, r1", {bits(4.0F)}), 2U);
  EXPECT_EQ(run("FREXPM.f32.sqrt r0, r1", {bits(0.125F)}), bits(0.5F));
  EXPECT_EQ(run("FREXPE.f32.sqrt r0, r1", {bits(0.125F)}), static_cast<std::uint32_t>(-1));
  for (const std::uint32_t same : {0U, kMinusZero, kInf, kMinusInf, kNan}) {
    EXPECT_EQ(run("FREXPM.f32 r0, r1", {same}), same);
    EXPECT_EQ(run("FREXPE.f32 r0, r1", {same}), 0U);
  }
  EXPECT_EQ(run("FREXPM.v2f16 r0, r1", {0xc2003c00}), 0xba003800U);
  EXPECT_EQ(run("FREXPE.v2f16 r0, r1", {0xc2003c00}), 0x00020001U);
  EXPECT_EQ(refusal("FREXPM.f32.sqrt.log r0, r1"),
            "FREXPM.f32: a range of `sqrt` and `log` together is not defined");
}

TEST(ValhallSingle, RoundingToIntegers) {
  EXPECT_EQ(run("FROUND.f32 r0, r1", {bits(2.5F)}), bits(2.0F));
  EXPECT_EQ(run("FROUND.f32 r0, r1", {bits(3.5F)}), bits(4.0F));
  EXPECT_EQ(run("FROUND.f32.rtp r0, r1", {bits(-0.5F)}), kMinusZero);
  EXPECT_EQ(run("FROUND.f32.rtn r0, r1", {bits(-0.5F)}), bits(-1.0F));
  EXPECT_EQ(run("FROUND.f32.rtz r0, r1", {bits(-1.9F)}), bits(-1.0F));
  EXPECT_EQ(run("FROUND.f32.rtn r0, r1.neg", {bits(0.0F)}), kMinusZero);
  EXPECT_EQ(run("FROUND.f32 r0, r1", {kInf}), kInf);
  EXPECT_EQ(run("FROUND.v2f16.rtn r0, r1", {0xb8004100}), 0xbc004000U);
}

TEST(ValhallSingle, Comparisons) {
  EXPECT_EQ(run("FCMP_OR.f32.lt.m1 r0, r1, r2, r3", {kMinusZero, 0, 0}), 0U);
  EXPECT_EQ(run("FCMP_OR.f32.eq.m1 r0, r1, r2, r3", {kMinusZero, 0, 0}), 0xffffffffU);
  EXPECT_EQ(run("FCMP_OR.f32.gtlt.i1 r0, r1, r2, r3", {kNan, 0, 0}), 0U);
  EXPECT_EQ(run("FCMP_OR.f32.ne.i1 r0, r1, r2, r3", {kNan, kNan, 0}), 1U);
  EXPECT_EQ(run("FCMP_OR.f32.le.i1 r0, r1, r2, r3", {kNan, kNan, 0}), 0U);
  EXPECT_EQ(run("FCMP_AND.f32.gt.f1 r0, r1.h1, r2, r3", {0x40000000, bits(1.5F), 1}), bits(1.0F));
  EXPECT_EQ(run("FCMP_OR.v2f16.gt.m1 r0, r1.h10, r2.h00, r3", {0x3c00c000, 0x0000, 0}), 0x0000ffffU);
  EXPECT_EQ(run("FCMP_AND.v2f16.ge.f1 r0, r1, r2.neg, r3", {0x3c00c000, 0x40004000, 0x00010001}),
            0x3c003c00U);
  EXPECT_EQ(refusal("FCMP_OR.f32.total.i1 r0, r1, r2, r3"),
            "FCMP_OR.f32: the comparison `total` is not defined");
}

// Modifiers that no known compiler writes.
TEST(ValhallSingle, DirectedRounding) {
  const std::uint32_t one = bits(1.0F), tiny = bits(0x1p-60F), minus_tiny = bits(-0x1p-60F);
  EXPECT_EQ(run("FADD.f32.rtp r0, r1, r2", {one, tiny}), one + 1);
  EXPECT_EQ(run("FADD.f32.rtn r0, r1, r2", {one, tiny}), one);
  EXPECT_EQ(run("FADD.f32.rtn r0, r1, r2", {one, minus_tiny}), one - 1);
  EXPECT_EQ(run("FADD.f32.rtz r0, r1, r2", {one, minus_tiny}), one - 1);
  EXPECT_EQ(run("FADD.f32.rtz r0, r1, r2", {0x7f7fffff, 0x7f7fffff}), 0x7f7fffffU);
  EXPECT_EQ(run("FADD.f32.rtn r0, r1, r2.neg", {one, one}), kMinusZero);
  EXPECT_EQ(run("FADD.f32.rtp r0, r1, r2.neg", {one, one}), 0U);
  EXPECT_EQ(run("FADD.f32.rtn r0, r1, r2", {0, kMinusZero}), kMinusZero);
  EXPECT_EQ(run("FADD.f32.rtn r0, r1, r2", {0, 0}), 0U);
  EXPECT_EQ(run("FMA.f32.rtp r0, r1, r2, r3", {one, one, tiny}), one + 1);
  EXPECT_EQ(run("FMA.f32.rtn r0, r1, r2, r3.neg", {one, one, one}), kMinusZero);
  EXPECT_EQ(run("FMA.v2f16.rtp r0, r1, r2, r3", {0x3c003c00, 0x3c003c00, 0x00018001}), 0x3c013c00U);
}

TEST(ValhallSingle, NansThatWin) {
  EXPECT_EQ(run("FMIN.f32.propagate_nan r0, r1, r2", {kNan, 0}), kNan);
  EXPECT_EQ(run("FMIN.f32.propagate_nan r0, r1, r2", {0, kNan}), kNan);
  EXPECT_EQ(run("FMAX.f32.propagate_nan r0, r1, r2", {kNan, kInf}), kNan);
  EXPECT_EQ(run("FMAX.v2f16.propagate_nan r0, r1, r2", {0x7c013c00, 0x40004000}), 0x7e004000U);
  EXPECT_EQ(run("FMAX.f32.propagate_nan r0, r1, r2", {bits(1.0F), bits(2.0F)}), bits(2.0F));
}

// ---- f16

// Products of two f16 and sums in f32 round twice; these three round once.
TEST(ValhallHalf, FusedProductsRoundOnce) {
  // 2 + 2^-10 + 2^-24 is above the tie, which f32 does not see.
  EXPECT_EQ(run("FMA.v2f16 r0, r1, r2, r3", {0x3c01, 0x4000, 0x0001}), 0x4001U);
  Random random{3};
  for (std::uint64_t n = 0; n < share(100000); ++n) {
    std::uint32_t word[3];
    for (std::uint32_t& w : word) w = static_cast<std::uint32_t>(random.next());
    if (n % 2 == 0)
      word[2] = half(-half_value(word[0] & 0xffff) * half_value(word[1] & 0xffff)) ^ random.below(4);
    const std::uint64_t result = run("FMA.v2f16 r0, r1, r2, r3", {word[0], word[1], word[2]});
    for (const unsigned shift : {0U, 16U}) {
      const double a = half_value(word[0] >> shift & 0xffff), b = half_value(word[1] >> shift & 0xffff),
                   c = half_value(word[2] >> shift & 0xffff);
      // long double holds the sum exactly where it has 64 bits; elsewhere the test is weaker.
      const long double exact = static_cast<long double>(a) * b + c;
      const std::uint32_t got = result >> shift & 0xffff;
      if (std::isnan(a * b + c)) {
        ASSERT_EQ(got, 0x7e00U);
        continue;
      }
      if (std::isinf(a * b + c) || (got & 0x7fff) == 0x7c00) {
        ASSERT_EQ(got & 0x7fff, 0x7c00U);
        ASSERT_TRUE(std::isinf(a * b + c) || std::fabs(a * b + c) >= 65520);
        continue;
      }
      // The result is a nearest one: no neighbour is nearer.
      const long double distance = std::fabs(static_cast<long double>(half_value(got)) - exact);
      for (const std::uint32_t other : {(got & 0x7fff) == 0 ? 0x8001U : got - 1, got + 1}) {
        if ((other & 0x7fff) >= 0x7c00) continue;
        ASSERT_LE(distance, std::fabs(static_cast<long double>(half_value(other)) - exact))
            << std::hex << word[0] << ' ' << word[1] << ' ' << word[2] << ": " << got;
      }
    }
  }
}

TEST(ValhallHalf, Elements) {
  EXPECT_EQ(run("FADD.v2f16 r0, r1, r2", {0x3c004000, 0x3c00c000}), 0x40000000U);
  EXPECT_EQ(run("FADD.v2f16 r0, r1.h10, r2", {0x3c004000, 0}), 0x40003c00U);
  EXPECT_EQ(run("FADD.v2f16 r0, r1.neg.abs.h00, r2", {0x3c00c000, 0}), 0xc000c000U);
  EXPECT_EQ(run("FADD.v2f16 r0, r1, r2", {0x7bff7bff, 0x7bff5000}), 0x7c007c00U);
  EXPECT_EQ(run("FADD.v2f16.clamp_0_1 r0, r1, r2", {0x4000c000, 0}), 0x3c000000U);
  EXPECT_EQ(run("FMIN.v2f16 r0, r1, r2", {0x80007e00, 0x00003c00}), 0x80003c00U);
  EXPECT_EQ(run("FADD.v2f16 r0.h1, r1, r2", {0x3c003c00, 0}, {}, 0xaaaabbbb), 0x3c00bbbbU);
}

// ---- Special functions

TEST(ValhallSpecial, Reciprocals) {
  Random random{4};
  for (std::uint64_t n = 0; n < share(50000); ++n) {
    const auto word = static_cast<std::uint32_t>(random.next());
    const float expected = 1.0F / to_float(word);
    ASSERT_EQ(run("FRCP.f32 r0, r1", {word}), std::isnan(expected) ? kNan : bits(expected))
        << std::hex << word;
  }
  EXPECT_EQ(run("FRCP.f32 r0, r1", {0}), kInf);
  EXPECT_EQ(run("FRCP.f32 r0, r1", {kMinusZero}), kMinusInf);
  EXPECT_EQ(run("FRCP.f32 r0, r1", {kMinusInf}), kMinusZero);
  EXPECT_EQ(run("FRCP.f32 r0, r1", {1}), kInf);
  EXPECT_EQ(run("FRCP.f32 r0, r1.neg.abs.h0", {0x4000}), bits(-0.5F));
  EXPECT_EQ(run("FRCP.f16 r0, r1.h10", {0x40000000}), 0x38003800U);
  EXPECT_EQ(run("FRCP.f16 r0.h1, r1", {0x4200}, {}, 0xaaaabbbb), 0x3555bbbbU);
}

TEST(ValhallSpecial, ReciprocalRoots) {
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {0}), kInf);
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {kMinusZero}), kMinusInf);
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {bits(-1.0F)}), kNan);
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {kInf}), 0U);
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {bits(4.0F)}), bits(0.5F));
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {bits(2.0F)}), 0x3f3504f3U);
  EXPECT_EQ(run("FRSQ.f32 r0, r1", {1}), 0x64b504f3U);
  EXPECT_EQ(run("FRSQ.f16 r0, r1", {0x3400}), 0x40004000U);
}

TEST(ValhallSpecial, Exponentials) {
  for (int k = -149; k < 128; ++k)
    EXPECT_EQ(run("FEXP.f32 r0, r1, r2", {0, bits(std::ldexp(static_cast<float>(k), 24))}),
              bits(static_cast<float>(std::ldexp(1.0, k))));
  EXPECT_EQ(run("FEXP.f32 r0, r1, r2", {0, bits(128 * 0x1p24F)}), kInf);
  EXPECT_EQ(run("FEXP.f32 r0, r1, r2", {0, kInf}), kInf);
  EXPECT_EQ(run("FEXP.f32 r0, r1, r2", {0, kMinusInf}), 0U);
  EXPECT_EQ(run("FEXP.f32 r0, r1, r2", {0, kNan}), kNan);
  EXPECT_EQ(run("FEXP.f32.clamp_0_1 r0, r1, r2", {0, bits(0x1p25F)}), bits(1.0F));
}

TEST(ValhallSpecial, Logarithms) {
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {bits(1.0F)}), 0x3fb8aa3bU);
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {bits(256.0F)}), 0x3fb8aa3bU);
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {kMinusZero}), kInf);
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {bits(-1.0F)}), kNan);
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {kInf}), kInf);
  EXPECT_EQ(run("FLOGD.f32 r0, r1", {kNan}), kNan);
  EXPECT_EQ(run("FADD_LSCALE.f32 r0, r1, r2", {bits(-1.0F), bits(12.0F)}), bits(-0.25F));
  EXPECT_EQ(run("FADD_LSCALE.f32 r0, r1, r2", {bits(-1.0F), bits(10.0F)}), bits(0.25F));
  EXPECT_EQ(run("FADD_LSCALE.f32 r0, r1.neg, r2", {bits(1.0F), kInf}), kInf);
  EXPECT_EQ(run("FADD_LSCALE.f32 r0, r1, r2", {bits(-1.0F), 0}), bits(-1.0F));
}

// What drivers make of a logarithm and an exponential.
TEST(ValhallSpecial, Powers) {
  const auto log2 = [](float x) {
    const auto e = run("FREXPE.f32.log r0, r1", {bits(x)});
    const auto exponent = run("S32_TO_F32 r0, r1", {e});
    const auto s = run("FADD_LSCALE.f32 r0, r1, r2", {bits(-1.0F), bits(x)});
    const auto d = run("FLOGD.f32 r0, r1", {bits(x)});
    return run("FMA.f32 r0, r1, r2, r3", {d, s, exponent});
  };
  EXPECT_EQ(log2(8.0F), bits(3.0F));
  EXPECT_EQ(log2(0x1p-140F), bits(-140.0F));
  EXPECT_EQ(log2(1.0F), 0U);
  EXPECT_NEAR(to_float(static_cast<std::uint32_t>(log2(10.0F))), 3.3219281F, 3e-7F);
  const auto y = run("FMA_RSCALE.f32 r0, r1, r2, r3, r4", {bits(0.5F), log2(10.0F), kMinusZero, 24});
  const auto i = run("F32_TO_S32 r0, r1", {y});
  EXPECT_NEAR(to_float(static_cast<std::uint32_t>(run("FEXP.f32 r0, r1, r2", {i, y}))), 3.1622777F, 5e-7F);
}

TEST(ValhallSpecial, Sines) {
  for (int k = 0; k < 64; ++k) {
    const auto word = static_cast<std::uint32_t>(k) | 0xabcd00c0U;  // the low six bits alone count
    const float s = to_float(static_cast<std::uint32_t>(run("FSIN_TABLE.u6 r0, r1", {word})));
    const float c = to_float(static_cast<std::uint32_t>(run("FCOS_TABLE.u6 r0, r1", {word})));
    const long double angle = k * 3.14159265358979323846264338327950288L / 32;
    EXPECT_NEAR(s, static_cast<float>(std::sin(angle)), 0x1p-25F) << k;
    EXPECT_NEAR(c, static_cast<float>(std::cos(angle)), 0x1p-25F) << k;
  }
  EXPECT_EQ(run("FSIN_TABLE.u6 r0, r1", {32}), 0U);
  EXPECT_EQ(run("FSIN_TABLE.u6 r0, r1", {48}), bits(-1.0F));
  EXPECT_EQ(run("FCOS_TABLE.u6 r0, r1", {16}), 0U);
  EXPECT_EQ(run("FCOS_TABLE.u6 r0, r1", {0}), bits(1.0F));
}

TEST(ValhallSpecial, Cubes) {
  const auto face = [](float x, float y, float z) {
    const auto word = run("CUBEFACE2 r0, r1, r2, r3", {bits(x), bits(y), bits(z)});
    EXPECT_EQ(word & 0x1fffffff, 0U);
    return word >> 29;
  };
  EXPECT_EQ(face(2, 1, 1), 0U);
  EXPECT_EQ(face(-2, 1, 1), 1U);
  EXPECT_EQ(face(1, 2, 1), 2U);
  EXPECT_EQ(face(1, -2, 1), 3U);
  EXPECT_EQ(face(1, 1, 2), 4U);
  EXPECT_EQ(face(1, 1, -2), 5U);
  EXPECT_EQ(face(1, 1, 1), 4U);   // z before y
  EXPECT_EQ(face(1, -1, 0), 3U);  // y before x
  EXPECT_EQ(face(0, 0, -0.0F), 5U);
  for (const std::uint32_t nan : {0x7fc00000U, 0xffc00000U, 0xffbfffffU})
    EXPECT_EQ(run("CUBEFACE2 r0, r1, r2, r3", {nan, 0, 0}) >> 29, nan >> 31) << nan;
  EXPECT_EQ(run("CUBEFACE2 r0, r1.neg, r2, r3", {0xffc00000, 0, 0}) >> 29, 0U);
  EXPECT_EQ(run("CUBEFACE2 r0, r1.neg.abs, r2, r3", {0x7fc00000, 0, 0}) >> 29, 1U);
  EXPECT_EQ(run("CUBEFACE1 r0, r1, r2, r3", {bits(-3.0F), bits(1.0F), bits(2.0F)}), bits(3.0F));
  EXPECT_EQ(run("CUBEFACE1 r0, r1, r2, r3", {bits(1.0F), bits(1.0F), bits(-4.0F)}), bits(4.0F));
  const float s[] = {-5, 5, 7, 7, 7, -7}, t[] = {-5, -5, 7, -7, -5, -5};
  for (std::uint32_t n = 0; n < 6; ++n) {
    EXPECT_EQ(run("CUBE_SSEL r0, r1, r2, r3", {bits(5.0F), bits(7.0F), n << 29}), bits(s[n])) << n;
    EXPECT_EQ(run("CUBE_TSEL r0, r1, r2, r3", {bits(5.0F), bits(7.0F), n << 29}), bits(t[n])) << n;
  }
}

}  // namespace
}  // namespace warpjit::valhall
