// Edge values, exactness, and error bounds against MPFR on a stratified sample. (All inputs:
// math_exhaustive_test.cpp.)
#include "base/math.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "base/bits.h"
#include "support/share.h"

namespace warpjit {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kDenormal = 0x1p-149f;
constexpr double kBound = 0x1p-22;

struct Row {
  float x;
  float exp2, log2, rcp, rsqrt;
};

// Bit for bit, any NaN being as good as another.
void expect_same(float got, float wanted, const char* function, float x) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(got)) << function << "(" << x << ") = " << got;
  } else {
    EXPECT_EQ(to_bits(got), to_bits(wanted)) << function << "(" << x << ") = " << got << ", not " << wanted;
  }
}

TEST(Math, EdgeValues) {
  const Row rows[] = {
      {0.0f, 1, -kInfinity, kInfinity, kInfinity},
      {-0.0f, 1, -kInfinity, kInfinity, kInfinity},
      {1.0f, 2, 0.0f, 1, 1},
      {-1.0f, 0.5f, kNaN, -1, kNaN},
      {4.0f, 16, 2, 0.25f, 0.5f},
      {kInfinity, kInfinity, kInfinity, 0.0f, 0.0f},
      {-kInfinity, 0.0f, kNaN, 0.0f, kNaN},
      {kNaN, kNaN, kNaN, kNaN, kNaN},
      {to_float(0x7f800001), kNaN, kNaN, kNaN, kNaN},  // signaling
      {to_float(0xff800001), kNaN, kNaN, kNaN, kNaN},
      {to_float(0xffffffff), kNaN, kNaN, kNaN, kNaN},
      {to_float(0x7fc0007f), kNaN, kNaN, kNaN, kNaN},  // a payload that would reach an exponent field
      {kDenormal, 1, -149, kInfinity, 0x1.6a09e6p+74f},
      {-kDenormal, 1, kNaN, -kInfinity, kNaN},
      {0x1p-126f, 1, -126, 0x1p126f, 0x1p63f},
      {-0x1p-126f, 1, kNaN, -0x1p126f, kNaN},
      {0x1p127f, kInfinity, 127, 0x1p-127f, 0x1.6a09e6p-64f},
      {kMax, kInfinity, 128, 0x1p-128f, 0x1.000002p-64f},
      {-kMax, 0.0f, kNaN, -0x1p-128f, kNaN},
  };
  for (const Row& row : rows) {
    expect_same(math::exp2(row.x), row.exp2, "exp2", row.x);
    expect_same(math::log2(row.x), row.log2, "log2", row.x);
    expect_same(math::rcp(row.x), row.rcp, "rcp", row.x);
    expect_same(math::rsqrt(row.x), row.rsqrt, "rsqrt", row.x);
  }
}

TEST(Math, Exp2OverflowAndUnderflow) {
  EXPECT_EQ(math::exp2(128.0f), kInfinity);
  EXPECT_EQ(math::exp2(128.5f), kInfinity);
  EXPECT_LT(math::exp2(std::nextafter(128.0f, 0.0f)), kInfinity);
  EXPECT_EQ(math::exp2(-149.0f), kDenormal);
  EXPECT_EQ(math::exp2(-149.9f), kDenormal);  // rounds up
  EXPECT_EQ(to_bits(math::exp2(-150.5f)), 0u);
  EXPECT_EQ(to_bits(math::exp2(-200.0f)), 0u);
}

TEST(Math, ExactAtPowersOfTwo) {
  for (int n = -149; n <= 128; ++n) {
    const float power = static_cast<float>(std::ldexp(1.0, n));  // infinity for 128
    EXPECT_EQ(math::exp2(static_cast<float>(n)), power) << n;
    if (n < 128) {
      EXPECT_EQ(math::log2(power), static_cast<float>(n));
    }
  }
}

// A random number in every binade, edges of binades, and dense samples where the functions are delicate.
std::vector<float> sample() {
  std::mt19937 random(1);
  std::vector<float> values;
  for (std::uint32_t top = 0; top < 512; ++top) {
    for (std::uint64_t i = 0; i < share(1400); ++i)
      values.push_back(to_float(top << 23 | (random() & 0x7fffff)));
    for (std::uint32_t mantissa :
         {0u, 1u, 2u, 0x3504f2u, 0x3504f3u, 0x3504f4u, 0x400000u, 0x7ffffeu, 0x7fffffu}) {
      values.push_back(to_float(top << 23 | mantissa));
    }
  }
  for (std::uint32_t i = 0; i < 20000; ++i) {
    values.push_back(to_float(0x3f800000 - i));
    values.push_back(to_float(0x3f800000 + i));
  }
  const auto uniform = [&](float low, float high, int count) {
    std::uniform_real_distribution<float> distribution(low, high);
    for (int i = 0; i < count; ++i) values.push_back(distribution(random));
  };
  uniform(-1.5f, 1.5f, 100000);
  uniform(-151.0f, -125.0f, 100000);
  uniform(-126.0f, 128.0f, 100000);
  return values;
}

class Mpfr {
 public:
  Mpfr() { mpfr_init2(value_, 80); }
  ~Mpfr() { mpfr_clear(value_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// |got - exact| / |exact|, for finite nonzero exact values.
double relative_error(float got, mpfr_ptr exact) {
  Mpfr error;
  mpfr_d_sub(error, got, exact, MPFR_RNDN);
  mpfr_div(error, error, exact, MPFR_RNDN);
  return std::fabs(mpfr_get_d(error, MPFR_RNDN));
}

TEST(Math, ErrorsAgainstMpfr) {
  Mpfr x, exact;
  double worst_exp2 = 0, worst_log2 = 0, worst_rsqrt = 0, worst_denormal = 0;
  for (const float value : sample()) {
    if (!std::isfinite(value)) continue;
    mpfr_set_flt(x, value, MPFR_RNDN);

    if (std::fabs(value) < 160.0f) {
      mpfr_exp2(exact, x, MPFR_RNDN);
      const float got = math::exp2(value);
      if (value >= 128.0f) {
        ASSERT_EQ(got, kInfinity) << value;
      } else if (value >= -126.0f) {
        worst_exp2 = std::max(worst_exp2, relative_error(got, exact));
      } else {
        const double ulps = std::fabs(got - mpfr_get_d(exact, MPFR_RNDN)) / kDenormal;
        worst_denormal = std::max(worst_denormal, ulps);
      }
    }

    if (value > 0 && value != 1.0f) {
      mpfr_log2(exact, x, MPFR_RNDN);
      worst_log2 = std::max(worst_log2, relative_error(math::log2(value), exact));
      mpfr_rec_sqrt(exact, x, MPFR_RNDN);
      worst_rsqrt = std::max(worst_rsqrt, relative_error(math::rsqrt(value), exact));
    }
    if (value != 0) {
      // The quotient of two floats never lies so close to a tie that going through double would matter.
      ASSERT_EQ(math::rcp(value), static_cast<float>(1.0 / static_cast<double>(value))) << value;
    }
  }
  EXPECT_LE(worst_exp2, kBound);
  EXPECT_LE(worst_log2, kBound);
  EXPECT_LE(worst_rsqrt, kBound);
  EXPECT_LE(worst_denormal, 1.05);
}

}  // namespace
}  // namespace warpjit
