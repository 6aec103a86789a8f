// Errors of the pieces of functions, over all mantissas.
#include "frontend/valhall/facts/special_functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontend/valhall/interpret/numbers.h"
#include "support/share.h"

namespace warpjit::valhall {
namespace {

constexpr math::ScalarOps kOps;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest distance to a function's values: in ulps of the correctly rounded value, and from that value.
struct Errors {
  double ulps = 0;
  std::int64_t steps = 0;
  void add(float got, double exact) {
    const auto rounded = static_cast<float>(exact);
    const double ulp =
        std::nextafter(std::fabs(rounded), kInfinity) - static_cast<double>(std::fabs(rounded));
    ulps = std::max(ulps, std::fabs(static_cast<double>(got) - exact) / ulp);
    steps = std::max(steps, std::abs(std::int64_t{std::bit_cast<std::int32_t>(got)} -
                                     std::bit_cast<std::int32_t>(rounded)));
  }
};
// All floats from low to high, or under sanitizers some.
template <class Function>
void for_floats(float low, float high, std::uint32_t stride, const Function& function) {
  stride *= share(2) == 2 ? 1 : 101;
  for (std::uint32_t word = to_bits(low); word < to_bits(high); word += stride) function(to_float(word));
}

TEST(ValhallSpecialFunctions, ReciprocalRoots) {
  Errors errors;
  for_floats(1.0F, 4.0F, 1,
             [&](float x) { errors.add(reciprocal_root(kOps, x), 1 / std::sqrt(static_cast<double>(x))); });
  EXPECT_LT(errors.ulps, 1.5);
  EXPECT_GT(errors.ulps, 1.3);
  EXPECT_EQ(errors.steps, 1);
}

TEST(ValhallSpecialFunctions, Logarithms) {
  Errors errors;
  for_floats(0.75F, 1.5F, 1, [&](float m) {
    const double t = static_cast<double>(m) - 1;
    if (t != 0) errors.add(log2_slope(kOps, m), std::log1p(t) / (t * 0.69314718055994530942));
  });
  EXPECT_LT(errors.ulps, 0.91);
  EXPECT_GT(errors.ulps, 0.8);
  EXPECT_EQ(errors.steps, 1);
  EXPECT_EQ(to_bits(log2_slope(kOps, 1.0F)), 0x3fb8aa3bU);
}

TEST(ValhallSpecialFunctions, Exponentials) {
  Errors errors;
  for (const float sign : {1.0F, -1.0F})
    for_floats(0x1p-6F, 126.0F, 13, [&](float y) {
      errors.add(exp2_scaled(kOps, sign * y * 0x1p24F), std::exp2(static_cast<double>(sign * y)));
    });
  EXPECT_LT(errors.ulps, 0.87);
  EXPECT_GT(errors.ulps, 0.7);
  EXPECT_EQ(errors.steps, 1);
  Errors denormals;
  for_floats(126.0F, 150.0F, 13, [&](float y) {
    denormals.add(exp2_scaled(kOps, -y * 0x1p24F), std::exp2(-static_cast<double>(y)));
  });
  EXPECT_LE(denormals.ulps, 1);
  EXPECT_EQ(denormals.steps, 1);
}

// One rounding to f16 of what has two as f32 would be a third; it does no harm.
TEST(ValhallSpecialFunctions, ReciprocalRootsOfHalves) {
  for (std::uint32_t half = 0; half < 0x7c00; ++half) {
    const double x = half_value(half);
    const float root = reciprocal_root(kOps, static_cast<float>(x));
    ASSERT_EQ(round_to(kHalf, static_cast<double>(root)), round_to(kHalf, 1 / std::sqrt(x))) << half;
  }
}

}  // namespace
}  // namespace warpjit::valhall
