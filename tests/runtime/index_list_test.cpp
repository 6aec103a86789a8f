#include "device/pica200/index_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace warpjit::pica200 {
namespace {

template <class Index>
void check(IndexList& list, const std::vector<Index>& indices) {
  list.build(std::span<const Index>(indices));
  const std::set<std::uint32_t> distinct(indices.begin(), indices.end());
  ASSERT_EQ(list.count(), distinct.size());
  ASSERT_EQ(list.first(), *distinct.begin());
  ASSERT_EQ(list.last(), *distinct.rbegin());
  ASSERT_EQ(list.dense(), *distinct.rbegin() - *distinct.begin() + 1 == distinct.size());
  ASSERT_EQ(list.remapped().size(), indices.size());
  std::vector<std::uint32_t> numbers(distinct.begin(), distinct.end());
  for (std::size_t k = 0; k < indices.size(); ++k) ASSERT_EQ(numbers[list.remapped()[k]], indices[k]);
  if (list.dense()) {
    ASSERT_TRUE(list.numbers().empty());
    return;
  }
  numbers.resize(numbers.size() + IndexList::kSpare, numbers.back());
  ASSERT_TRUE(std::equal(numbers.begin(), numbers.end(), list.numbers().begin(), list.numbers().end()));
}

TEST(IndexList, DistinctVerticesAscending) {
  IndexList list;
  check<std::uint16_t>(list, {5, 3, 5, 9, 3});
  check<std::uint16_t>(list, {7});
  check<std::uint16_t>(list, {65535, 0});
  check<std::uint8_t>(list, {255, 0, 1, 255});
  check<std::uint8_t>(list, {2, 1, 0, 0, 1, 3});
}

TEST(IndexList, EveryIndexAtOnce) {
  IndexList list;
  std::vector<std::uint16_t> all(65536);
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<std::uint16_t>(n * 7);
  check(list, all);
  EXPECT_TRUE(list.dense());
}

// One list after the other: nothing of a former one stays.
TEST(IndexList, RandomLists) {
  IndexList list;
  std::mt19937 random(1);
  for (int n = 0; n < 500; ++n) {
    const std::uint32_t range = 1 + random() % (n % 2 != 0 ? 20 : 65536), base = random() % (65537 - range);
    std::vector<std::uint16_t> indices(1 + random() % 200);
    for (std::uint16_t& index : indices) index = static_cast<std::uint16_t>(base + random() % range);
    check(list, indices);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace warpjit::pica200
