// Vector<T, N>, in the form that the compiler has; vector_standard_test.cpp is the same for the standard form.
#include "base/vector.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#ifndef WARPJIT_VECTOR_SUITE
#define WARPJIT_VECTOR_SUITE Vector
#endif

namespace warpjit::vector_tests {
namespace {

using Words = Vector<std::uint32_t, 4>;
using Floats = Vector<float, 4>;
template <class To, class V>
To as(const V& vector) {
  return WARPJIT_BIT_CAST(To, vector);
}
using FourWords = std::array<std::uint32_t, 4>;
using FourInts = std::array<std::int32_t, 4>;
using FourFloats = std::array<float, 4>;

TEST(WARPJIT_VECTOR_SUITE, Arithmetic) {
  const Words a{1, 2, 0xffffffff, 0x80000000}, b{4, 3, 2, 1};
  EXPECT_EQ(as<FourWords>(a + b), (FourWords{5, 5, 1, 0x80000001}));
  EXPECT_EQ(as<FourWords>(b - 2), (FourWords{2, 1, 0, 0xffffffff}));
  EXPECT_EQ(as<FourWords>(8 - b), (FourWords{4, 5, 6, 7}));
  EXPECT_EQ(as<FourWords>(a * b), (FourWords{4, 6, 0xfffffffe, 0x80000000}));
  EXPECT_EQ(as<FourWords>((a & 0x80000001) | (~b ^ 0xf0)),
            (FourWords{0xffffff0b, 0xffffff0c, 0xffffff0d | 0x80000001, 0xffffff0e}));
  EXPECT_EQ(as<FourWords>((a >> 31) + (b << 4)), (FourWords{64, 48, 33, 17}));
  Words sum = a;
  sum |= b;
  sum[1] = 7;
  EXPECT_EQ(as<FourWords>(sum), (FourWords{5, 7, 0xffffffff, 0x80000001}));
  const Floats x{1.5F, -2, 0, 8};
  EXPECT_EQ(as<FourFloats>((x * 2 - x) / Floats{2, 2, 1, 4}), (FourFloats{0.75F, -1, 0, 2}));
}

TEST(WARPJIT_VECTOR_SUITE, NarrowLanesWrap) {
  const Vector<std::uint16_t, 8> a{65535, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ((as<std::array<std::uint16_t, 8>>(a + std::uint16_t{2})),
            (std::array<std::uint16_t, 8>{1, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(WARPJIT_VECTOR_SUITE, Comparisons) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Floats a{1, 2, nan, -0.0F}, b{1, 3, nan, 0};
  EXPECT_EQ(as<FourInts>(a == b), (FourInts{-1, 0, 0, -1}));
  EXPECT_EQ(as<FourInts>(a != b), (FourInts{0, -1, -1, 0}));
  EXPECT_EQ(as<FourInts>(a < b), (FourInts{0, -1, 0, 0}));
  EXPECT_EQ(as<FourInts>(a >= b), (FourInts{-1, 0, 0, -1}));
  EXPECT_EQ(as<FourInts>(a > 1), (FourInts{0, -1, 0, 0}));
  EXPECT_EQ(as<FourInts>(a <= 1), (FourInts{-1, 0, 0, -1}));
  const Vector<double, 2> wide{0, 1};
  EXPECT_EQ((as<std::array<std::int64_t, 2>>(wide == 0)), (std::array<std::int64_t, 2>{-1, 0}));
}

TEST(WARPJIT_VECTOR_SUITE, ShuffleAndConvert) {
  const Words a{0, 1, 2, 3}, b{4, 5, 6, 7};
  EXPECT_EQ(as<FourWords>(WARPJIT_SHUFFLE(a, b, 3, 0, 4, 7)), (FourWords{3, 0, 4, 7}));
  const Vector<float, 2> low{1, 2}, high{3, 4};
  EXPECT_EQ(as<FourFloats>(WARPJIT_SHUFFLE(low, high, 0, 1, 2, 3)), (FourFloats{1, 2, 3, 4}));
  using TwoFloats = Vector<float, 2>;
  const Vector<double, 2> doubles{0.1, 16777217};
  EXPECT_EQ((as<std::array<float, 2>>(WARPJIT_CONVERT(TwoFloats, doubles))),
            (std::array<float, 2>{0.1F, 16777216}));
}

}  // namespace
}  // namespace warpjit::vector_tests
