// What differs between processors.
#include "backend/processor.h"

#include <gtest/gtest.h>

namespace warpjit::backend {
namespace {

TEST(Tuning, HasARowForEachFamily) {
  EXPECT_EQ(tuning(Family::unknown), Tuning{});
  for (const Family one : {Family::amd, Family::zen3, Family::zen4, Family::zen5})
    EXPECT_NE(tuning(one), Tuning{});
  EXPECT_TRUE(tuning(Family::zen5).guesses_modes);
  EXPECT_EQ(tuning_here(), tuning(family()));
}

// Ends of two instructions in a loop that took 60 clocks each on an EPYC of Zen 5, and some beside them that
// took 2.
TEST(ModeGuesses, CountsAreThoseMeasured) {
  for (const std::uintptr_t end : {0x4d, 0x7d, 0x81, 0xb1, 0xc9, 0x107, 0x14f, 0x204, 0x24c, 0x407, 0x505,
                                   0x704, 0x885, 0x9cf, 0x100d, 0x1045, 0x1839, 0x1fbf + 5})
    EXPECT_EQ(mode_guess_number(end), mode_guess_number(0x5)) << std::hex << end;
  for (const std::uintptr_t end : {0x2005 + 5, 0x1fd6 + 5, 0x1f6a + 5, 0x1091 + 5, 0x99 + 5})
    EXPECT_EQ(mode_guess_number(end), mode_guess_number(0x25 + 5)) << std::hex << end;
  for (const std::uintptr_t end : {0x4c, 0x4e, 0x6d, 0x80, 0x203, 0x887, 0x1805})
    EXPECT_NE(mode_guess_number(end), mode_guess_number(0x5)) << std::hex << end;
}

}  // namespace
}  // namespace warpjit::backend
