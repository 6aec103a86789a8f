#include "base/recent_cache.h"

#include <gtest/gtest.h>

#include <memory>

namespace warpjit {
namespace {

const auto is = [](int wanted) { return [wanted](int value) { return value == wanted; }; };

TEST(RecentCache, FindsByHashAndComparison) {
  RecentCache<int> cache(100);
  EXPECT_EQ(cache.find(1, is(1)), nullptr);
  cache.add(7, 10, 1);
  cache.add(7, 10, 2);  // the same hash
  cache.add(8, 10, 3);
  ASSERT_NE(cache.find(7, is(1)), nullptr);
  EXPECT_EQ(*cache.find(7, is(1)), 1);
  EXPECT_EQ(*cache.find(7, is(2)), 2);
  EXPECT_EQ(*cache.find(8, is(3)), 3);
  EXPECT_EQ(cache.find(8, is(1)), nullptr);
  EXPECT_EQ(cache.bytes(), 30u);
}

TEST(RecentCache, TheLeastRecentlyUsedGoFirst) {
  RecentCache<int> cache(30);
  for (const int n : {1, 2, 3}) cache.add(5, 10, n);
  EXPECT_NE(cache.find(5, is(1)), nullptr);  // 2 is the oldest now
  cache.add(5, 10, 4);
  EXPECT_EQ(cache.find(5, is(2)), nullptr);
  for (const int n : {1, 3, 4}) EXPECT_NE(cache.find(5, is(n)), nullptr) << n;
  cache.add(6, 25, 5);  // takes the place of all but none other fits beside it
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.bytes(), 25u);
}

TEST(RecentCache, AValueThatIsTooLargeStaysAlone) {
  RecentCache<std::unique_ptr<int>> cache(10);
  cache.add(1, 5, std::make_unique<int>(1));
  EXPECT_EQ(*cache.add(2, 1000, std::make_unique<int>(2)), 2);
  EXPECT_EQ(cache.size(), 1u);
  cache.add(3, 5, std::make_unique<int>(3));
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.bytes(), 5u);
}

}  // namespace
}  // namespace warpjit
