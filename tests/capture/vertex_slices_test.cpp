// Which vertices of a draw are left out together.
#include "capture/vertex_slices.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warpjit::capture {
namespace {

TEST(VertexSlices, AreWholeTrianglesWhereTheyMayBe) {
  EXPECT_EQ(VertexSlices{12}.slices(), 4u);
  EXPECT_EQ(VertexSlices{5}.slices(), 5u);
  EXPECT_EQ(VertexSlices{1}.slices(), 1u);
  EXPECT_EQ(VertexSlices{0}.slices(), 0u);
  EXPECT_EQ(VertexSlices{3000}.slices(), 64u);
  const VertexSlices many{std::uint64_t{1} << 40};
  EXPECT_EQ(many.begin_of(many.slices()), many.count);
  std::uint64_t before = 0;
  for (std::size_t n = 1; n <= 64; ++n) {
    const std::uint64_t begin = VertexSlices{3000}.begin_of(n);
    EXPECT_GT(begin, before);
    EXPECT_EQ(begin % 3, 0u);
    before = begin;
  }
  EXPECT_EQ(before, 3000u);
}

TEST(VertexSlices, KeepFromTheFirstToTheLastThatStays) {
  const VertexSlices slices{12};
  const auto kept = [&](std::vector<bool> left_out) {
    const auto range = slices.kept(left_out, 1);
    return std::pair(range.begin, range.end);
  };
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(kept({true, false, false, false, false}), Range(0, 12));
  EXPECT_EQ(kept({false, true, false, true, false}), Range(3, 12));
  EXPECT_EQ(kept({false, true, false, true, true}), Range(3, 6));
  EXPECT_EQ(kept({false, true, true, true, true}), Range(0, 12)) << "none would be no draw";
  EXPECT_EQ(VertexSlices{0}.kept({}, 0).size(), 0u);
}

}  // namespace
}  // namespace warpjit::capture
