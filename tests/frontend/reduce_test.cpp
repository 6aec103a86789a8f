#include "random/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace warpjit::random {
namespace {

constexpr std::array<std::uint32_t, 1> kNop{0};
constexpr std::array<std::uint32_t, 2> kLongNop{0, 9};

TEST(Reduce, KeepsWhatMatters) {
  std::vector<std::uint32_t> code{1, 2, 3, 0, 5};
  const auto shows = [&] { return std::ranges::count(code, 3U) == 1 && code.size() == 5; };
  EXPECT_EQ(replace_by_nops(code, kNop, shows), 3U);
  EXPECT_EQ(code, (std::vector<std::uint32_t>{0, 0, 3, 0, 0}));
}

TEST(Reduce, TriesAgainWhatMatteredBefore) {
  // 1 may go only after 2.
  std::vector<std::uint32_t> code{1, 2};
  EXPECT_EQ(replace_by_nops(code, kNop, [&] { return code[0] == 1 || code[1] != 2; }), 2U);
  EXPECT_EQ(code, (std::vector<std::uint32_t>{0, 0}));
}

TEST(Reduce, LongInstructionsGoAsAWhole) {
  std::vector<std::uint32_t> code{1, 2, 3, 4, 0, 9, 5};
  const auto shows = [&] { return code[2] == 3; };
  EXPECT_EQ(replace_by_nops(code, kLongNop, shows), 1U);
  EXPECT_EQ(code, (std::vector<std::uint32_t>{0, 9, 3, 4, 0, 9, 5}));  // an incomplete one stays
}

}  // namespace
}  // namespace warpjit::random
