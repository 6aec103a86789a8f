#include "base/small_vector.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpjit {
namespace {

using Small = SmallVector<int, 2>;

std::vector<int> values(const Small& v) { return {v.begin(), v.end()}; }

TEST(SmallVector, GrowsBeyondItsOwnRoom) {
  Small v;
  EXPECT_TRUE(v.empty());
  for (int k = 0; k < 9; ++k) v.push_back(k);
  EXPECT_EQ(values(v), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(v.front(), 0);
  EXPECT_EQ(v.back(), 8);
  v.pop_back();
  v.resize(10, -1);
  EXPECT_EQ(values(v), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, -1, -1}));
}

TEST(SmallVector, CopiesMovesAndSwapsShortAndLongOnes) {
  const Small shorter = {1}, longer = {1, 2, 3};
  for (const Small& from : {shorter, longer})
    for (const Small& to : {shorter, longer}) {
      Small copy = to;
      copy = from;
      EXPECT_EQ(copy, from);
      Small target = to;
      target = std::move(copy);
      EXPECT_EQ(target, from);
      Small a = from, b = to;
      a.swap(b);
      EXPECT_EQ(a, to);
      EXPECT_EQ(b, from);
    }
}

TEST(SmallVector, ErasesAndRemoves) {
  Small v = {1, 2, 3, 2};
  v.erase(v.begin());
  EXPECT_EQ(values(v), (std::vector<int>{2, 3, 2}));
  v.remove(2);
  EXPECT_EQ(values(v), (std::vector<int>{3}));
  v.assign(3, 7);
  EXPECT_EQ(values(v), (std::vector<int>{7, 7, 7}));
  v.clear();
  EXPECT_TRUE(v.empty());
}

}  // namespace
}  // namespace warpjit
