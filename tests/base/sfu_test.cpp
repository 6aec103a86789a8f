// The special-function unit: its lanes against one word at a time, its square against the sum it stands for.
// What the functions compute is checked against vectors of the hardware's model (tests/tesla).
#include "base/sfu.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace warpjit::sfu {
namespace {

// Each partial product of a 17-bit number loses its low bits.
TEST(Sfu, SquareIsTheTruncatedSum) {
  for (std::uint32_t x = 0; x < 1U << 17; ++x) {
    std::uint32_t sum = 0;
    for (unsigned bit = 0; bit < 17; ++bit)
      if ((x >> bit & 1) != 0) sum += x >> (18 - bit);
    ASSERT_EQ(square(x), sum >> 1) << x;
  }
}

// All exponents with the corners of every segment, and words at even distances; with WARPJIT_EXHAUSTIVE=1
// all.
TEST(Sfu, LanesAreTheWords) {
  std::vector<std::uint32_t> x;
  for (std::uint32_t top = 0; top < 0x400; ++top)
    for (std::uint32_t segment = 0; segment < 0x80; segment += 3)
      for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0xffffU}) x.push_back(top << 22 | segment << 15 | low);
  const std::uint64_t step = std::getenv("WARPJIT_EXHAUSTIVE") != nullptr ? 1 : 9973;
  for (std::uint64_t next = 0; !x.empty();) {
    std::vector<std::uint32_t> results(x.size());
    for (std::size_t f = 0; f < static_cast<std::size_t>(Function::fast_rcp); ++f) {
      const auto function = static_cast<Function>(f);
      evaluate(function, x, results.data());
      for (std::size_t k = 0; k < x.size(); ++k)
        ASSERT_EQ(results[k], word_function(function)(x[k]))
            << "function " << f << " of 0x" << std::hex << x[k];
    }
    x.clear();
    for (; next < std::uint64_t{1} << 32 && x.size() < 65537; next += step)
      x.push_back(static_cast<std::uint32_t>(next));
  }
}

// What sfu.h says of their errors.
TEST(Sfu, FastFunctionsAreClose) {
  constexpr double kError = 0x1p-22;
  const auto real = [](std::uint32_t x) { return std::bit_cast<float>(x); };
  const auto close = [&](std::uint32_t got, double wanted) {
    return std::fabs(real(got) - wanted) <= std::fabs(wanted) * kError;
  };
  for (std::uint64_t next = 0; next < std::uint64_t{1} << 31; next += 1999) {
    const auto word = static_cast<std::uint32_t>(next), minus = word | 0x80000000;
    const double x = real(word);
    if (!(x >= 0x1p-126 && x < 0x1p126)) continue;
    ASSERT_TRUE(close(fast_rcp(minus), -1 / x)) << x;
    ASSERT_TRUE(close(fast_rsqrt(word), 1 / std::sqrt(x))) << x;
    ASSERT_TRUE(close(fast_lg2(word), std::log2(x))) << x;
    if (x < 128) {
      ASSERT_TRUE(close(fast_ex2(word), std::exp2(x))) << x;
    }
    if (x <= 126) {
      ASSERT_TRUE(close(fast_ex2(minus), std::exp2(-x))) << x;
    }
    if (x > 100) continue;
    ASSERT_NEAR(real(fast_sin(fast_presin(minus))), std::sin(-x), kError * (1 + x)) << x;
    ASSERT_NEAR(real(fast_cos(fast_presin(word))), std::cos(x), kError * (1 + x)) << x;
  }
}

TEST(Sfu, FastFunctionsOfSpecials) {
  constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff, kOne = 0x3f800000;
  for (const Function function :
       {Function::fast_rcp, Function::fast_rsqrt, Function::fast_lg2, Function::fast_presin,
        Function::fast_sin, Function::fast_cos, Function::fast_ex2})
    EXPECT_EQ(word_function(function)(0xff800001), kNan);
  EXPECT_EQ(fast_rcp(kSign | 0x7fffff), kSign | kInfinity);
  EXPECT_EQ(fast_rcp(kSign | 0x7f000000), kSign);  // of -2^127
  EXPECT_EQ(fast_rsqrt(kSign), kSign | kInfinity);
  EXPECT_EQ(fast_rsqrt(kInfinity), 0U);
  EXPECT_EQ(fast_rsqrt(kSign | kOne), kNan);
  EXPECT_EQ(fast_lg2(0x7fffff), kSign | kInfinity);
  EXPECT_EQ(fast_lg2(kOne), 0U);
  EXPECT_EQ(fast_lg2(kInfinity), kInfinity);
  EXPECT_EQ(fast_lg2(kSign | kOne), kNan);
  EXPECT_EQ(fast_ex2(0x7fffff), kOne);
  EXPECT_EQ(fast_ex2(0x43000000), kInfinity);  // of 128
  EXPECT_EQ(fast_ex2(0xc2fc0001), 0U);         // of less than -126
  EXPECT_EQ(fast_sin(kInfinity), kNan);
  EXPECT_EQ(fast_sin(0x3e800000), kOne);  // of a quarter
  EXPECT_EQ(fast_cos(0), kOne);
}

}  // namespace
}  // namespace warpjit::sfu
