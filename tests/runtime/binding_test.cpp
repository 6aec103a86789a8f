#include "runtime/work/binding.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Binding, LastRowMayBeShorterThanTheStride) {
  EXPECT_TRUE(in_bounds({4096, 4 * 32 + 12, 32, 12}, 5));
  EXPECT_FALSE(in_bounds({4096, 4 * 32 + 11, 32, 12}, 5));
  EXPECT_TRUE(in_bounds({4096, 12, 1000, 12}, 1));
  EXPECT_FALSE(in_bounds({4096, 12, 1000, 12}, 2));
  EXPECT_TRUE(in_bounds({4096, 12, 0, 12}, kMax));
  EXPECT_TRUE(in_bounds({0, 0, 0, 12}, 0));
}

TEST(Binding, BoundsDoNotOverflow) {
  EXPECT_FALSE(in_bounds({4096, 1 << 20, kMax, 16}, 2));
  EXPECT_FALSE(in_bounds({4096, 1 << 20, kMax / 2 + 1, 16}, 3));
  EXPECT_FALSE(in_bounds({4096, 1 << 20, 16, 16}, kMax));
  EXPECT_FALSE(in_bounds({4096, kMax, 16, 16}, 2));
  EXPECT_FALSE(in_bounds({~std::uintptr_t{0} - 8, 64, 16, 16}, 1));
  EXPECT_FALSE(in_bounds({0, 64, 16, 16}, 1));
  EXPECT_FALSE(bounds_error({4096, 8, 16, 16}, 3, "input v1").message.empty());
  EXPECT_EQ(bounds_error({0, 8, 16, 16}, 3, "input v1").where, "input v1");
}

// The truth by enumeration. rows_overlap may say yes too often, but for equal strides it must be exact.
bool really_overlap(const RowSpan& a, const RowSpan& b, std::uint64_t count) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::uint64_t k = 0; k < a.row; ++k) bytes.insert(a.address + n * a.stride + k);
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::uint64_t k = 0; k < b.row; ++k)
      if (bytes.contains(b.address + n * b.stride + k)) return true;
  return false;
}

TEST(Binding, OverlapAgreesWithEnumeration) {
  for (const std::uint64_t count : {1u, 2u, 3u, 7u})
    for (const std::uint64_t stride : {8u, 12u, 24u})
      for (const std::uint64_t row_a : {4u, 8u})
        for (const std::uint64_t row_b : {4u, 12u})
          for (std::uint64_t at = 0; at < 240; at += 2) {
            const RowSpan a{1100, 1000, stride, row_a}, b{1000 + at, 1000, stride, row_b};
            const bool truth = really_overlap(a, b, count), said = rows_overlap(a, b, count);
            EXPECT_EQ(said, rows_overlap(b, a, count));
            EXPECT_TRUE(said || !truth) << count << ' ' << stride << ' ' << at;
            // Exact where rows fit the stride and the lattices span each other.
            if (said && !truth) {
              const std::uint64_t distance =
                  a.address > b.address ? a.address - b.address : b.address - a.address;
              EXPECT_TRUE(row_b > stride || (count - 1) * stride <= distance)
                  << count << ' ' << stride << ' ' << at;
            }
          }
}

TEST(Binding, InterleavedRowsDoNotOverlap) {
  const RowSpan position{4096, 3200, 32, 16}, color{4112, 3184, 32, 16};
  EXPECT_FALSE(rows_overlap(position, color, 100));
  EXPECT_FALSE(rows_overlap(color, position, 100));
  EXPECT_TRUE(rows_overlap(position, {4111, 3184, 32, 16}, 100));
  EXPECT_TRUE(rows_overlap(position, position, 100));
  EXPECT_TRUE(overlaps_itself({4096, 64, 8, 16}, 2));
  EXPECT_TRUE(overlaps_itself({4096, 64, 0, 16}, 2));
  EXPECT_FALSE(overlaps_itself({4096, 64, 0, 16}, 1));
}

}  // namespace
}  // namespace warpjit::runtime
