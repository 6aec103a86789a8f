#include "base/bits.h"

#include <gtest/gtest.h>

namespace warpjit {
namespace {

TEST(Bits, Extract) {
  EXPECT_EQ(bits(0x12345678u, 8, 12), 0x456u);
  EXPECT_EQ(bits(0x12345678u, 0, 32), 0x12345678u);
  EXPECT_EQ(bits(0xffffffffu, 31, 1), 1u);
  EXPECT_EQ(bits(0xffffffffu, 5, 0), 0u);
  EXPECT_EQ(bits(std::uint64_t{0xfedcba9876543210}, 60, 4), 0xfu);
  EXPECT_EQ(bits(std::uint8_t{0xa5}, 4, 4), 0xau);
}

TEST(Bits, InsertIsTheInverse) {
  EXPECT_EQ(with_bits(0xffffffffu, 8, 12, 0u), 0xfff000ffu);
  EXPECT_EQ(with_bits(0u, 8, 4, 0xabcu), 0xc00u);
  EXPECT_EQ(with_bits(0u, 0, 32, 0xdeadbeefu), 0xdeadbeefu);
  for (unsigned lo = 0; lo < 32; ++lo) {
    for (unsigned width = 0; lo + width <= 32; ++width) {
      const std::uint32_t word = 0x9e3779b9u;
      EXPECT_EQ(with_bits(word, lo, width, bits(word, lo, width)), word);
      EXPECT_EQ(bits(with_bits(word, lo, width, 0x5bd1e995u), lo, width),
                0x5bd1e995u & low_mask<std::uint32_t>(width));
    }
  }
}

TEST(Bits, SignExtend) {
  EXPECT_EQ(sign_extend(0x7fu, 8), 127);
  EXPECT_EQ(sign_extend(0x80u, 8), -128);
  EXPECT_EQ(sign_extend(0xf80u, 8), -128);
  EXPECT_EQ(sign_extend(1u, 1), -1);
  EXPECT_EQ(sign_extend(0x80000000u, 32), INT32_MIN);
  EXPECT_EQ(sign_extend(std::uint64_t{1} << 40, 41), -(std::int64_t{1} << 40));
}

TEST(Bits, FloatsAsWords) {
  EXPECT_EQ(to_bits(1.0f), 0x3f800000u);
  EXPECT_EQ(to_float(0x3f800000u), 1.0f);
  EXPECT_EQ(to_double(to_bits(-2.5)), -2.5);
}

static_assert(bits(0xf0u, 4, 4) == 0xf && sign_extend(0xfu, 4) == -1);

}  // namespace
}  // namespace warpjit
