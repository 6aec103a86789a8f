// What differs between processors.
#include "backend/processor.h"

#include <gtest/gtest.h>

#include <vector>

#include "backend/target.h"

namespace warpjit::backend {
namespace {

// Ends of two instructions in a loop that took 60 clocks each on an EPYC of Zen 5, and some beside them that
// took 2.
TEST(ModeGuesses, NumbersAreThoseThatWereMeasured) {
  for (const std::uintptr_t end : {0x4d, 0x7d, 0x81, 0xb1, 0xc9, 0x107, 0x14f, 0x204, 0x24c, 0x407, 0x505,
                                   0x704, 0x885, 0x9cf, 0x100d, 0x1045, 0x1839, 0x1fbf + 5})
    EXPECT_EQ(mode_guess_number(end), mode_guess_number(0x5)) << std::hex << end;
  for (const std::uintptr_t end : {0x2005 + 5, 0x1fd6 + 5, 0x1f6a + 5, 0x1091 + 5, 0x99 + 5})
    EXPECT_EQ(mode_guess_number(end), mode_guess_number(0x25 + 5)) << std::hex << end;
  for (const std::uintptr_t end : {0x4c, 0x4e, 0x6d, 0x80, 0x203, 0x887, 0x1805})
    EXPECT_NE(mode_guess_number(end), mode_guess_number(0x5)) << std::hex << end;
}

TEST(ModeGuesses, AreWrongWhereTwoModesShareANumber) {
  constexpr std::uintptr_t kCode = 1 << 14;  // addresses above do not matter
  const auto wrong = [&](const std::vector<ModeChange>& changes) {
    return wrong_mode_guesses(changes, kCode);
  };
  EXPECT_EQ(wrong({}), 0u);
  EXPECT_EQ(wrong({{0x5, 1}, {0x4c, 2}}), 0u);
  EXPECT_EQ(wrong({{0x5, 1}, {0x4d, 1}}), 0u);
  EXPECT_EQ(wrong({{0x5, 1}, {0x4d, 2}}), 2u);
  EXPECT_EQ(wrong({{0x5, 1}, {0x4d, 2}, {0x81, 2}, {0x4c, 3}}), 3u);
  // Where code lies decides.
  EXPECT_EQ(wrong_mode_guesses(std::vector<ModeChange>{{0x56a + 6, 1}, {0x6b9 + 6, 2}}, kCode), 2u);
  EXPECT_EQ(wrong_mode_guesses(std::vector<ModeChange>{{0x56a + 6, 1}, {0x6b9 + 6, 2}}, kCode + 64), 0u);
}

}  // namespace
}  // namespace warpjit::backend
