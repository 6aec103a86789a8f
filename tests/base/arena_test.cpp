#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace warpjit {
namespace {

TEST(Arena, GivesAlignedInitializedDisjointArrays) {
  Arena arena(256);
  const std::span<std::uint8_t> bytes = arena.alloc<std::uint8_t>(3);
  const std::span<std::uint64_t> words = arena.alloc<std::uint64_t>(5);
  struct alignas(64) Line {
    int value = 7;
  };
  const std::span<Line> lines = arena.alloc<Line>(20);  // more than a block
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words.data()) % alignof(std::uint64_t), 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % 64, 0u);
  for (const std::uint64_t word : words) EXPECT_EQ(word, 0u);
  for (const Line& line : lines) EXPECT_EQ(line.value, 7);
  for (std::uint64_t& word : words) word = ~std::uint64_t{0};
  for (const std::uint8_t byte : bytes) EXPECT_EQ(byte, 0);
  EXPECT_EQ(lines[0].value, 7);
  EXPECT_TRUE(arena.alloc<int>(0).empty());
}

TEST(Arena, ResetReusesItsMemory) {
  Arena arena(1024);
  const auto fill = [&] {
    for (int i = 1; i < 100; ++i) {
      for (int& value : arena.alloc<int>(static_cast<std::size_t>(i))) {
        ASSERT_EQ(value, 0);
        value = i;
      }
    }
  };
  fill();
  const std::size_t capacity = arena.capacity();
  for (int round = 0; round < 5; ++round) {
    arena.reset();
    fill();
  }
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, ImpossibleSizesThrow) {
  Arena arena;
  EXPECT_THROW(arena.alloc<std::uint64_t>(SIZE_MAX / 4), std::bad_alloc);
}

}  // namespace
}  // namespace warpjit
