#include "base/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace warpjit {
namespace {

TEST(Hash, DependsOnBytesLengthAndSeedOnly) {
  std::vector<std::uint8_t> bytes(100, 0x5a);
  const auto hash = [&](std::size_t size, std::uint64_t seed = 0) {
    return hash_bytes(std::as_bytes(std::span(bytes)).first(size), seed);
  };
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    EXPECT_TRUE(seen.insert(hash(size)).second) << size;
  EXPECT_NE(hash(40), hash(40, 1));
  std::vector<std::uint8_t> shifted(101, 0x5a);  // the same bytes at another alignment
  EXPECT_EQ(hash_bytes(std::as_bytes(std::span(shifted)).subspan(1, 40)), hash(40));
  std::fill(bytes.begin(), bytes.end(), 0);  // zeros of different lengths differ, too
  seen.clear();
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    EXPECT_TRUE(seen.insert(hash(size)).second) << size;
}

TEST(Hash, EveryBitCounts) {
  std::array<std::uint32_t, 9> words{};
  std::set<std::uint64_t> seen{hash_of(std::span<const std::uint32_t>(words))};
  for (std::uint32_t& word : words) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      word ^= std::uint32_t{1} << bit;
      EXPECT_TRUE(seen.insert(hash_of(std::span<const std::uint32_t>(words))).second);
      word ^= std::uint32_t{1} << bit;
    }
  }
}

}  // namespace
}  // namespace warpjit
