// What registers are called.
#include "frontend/pica200/facts/register_titles.h"

#include <gtest/gtest.h>

namespace warpjit::pica200 {
namespace {

TEST(RegisterTitles, RangesCount) {
  EXPECT_EQ(register_title(0x040), "culling");
  EXPECT_EQ(register_title(0x0C0), "sources of combiner 0");
  EXPECT_EQ(register_title(0x0FC), "scales of combiner 5");
  EXPECT_EQ(register_title(0x0FD), "combiner buffer colour");
  EXPECT_EQ(register_title(0x149), "configuration of light 0");
  EXPECT_EQ(register_title(0x1B2), "diffuse of light 7");
  EXPECT_EQ(register_title(0x1BF), "");
  EXPECT_EQ(register_title(0x203), "offset of loader 0");
  EXPECT_EQ(register_title(0x226), "attributes 8 to 11, stride of loader 11");
  EXPECT_EQ(register_title(0x23D), "jump to list 1");
  EXPECT_EQ(register_title(0x2BA), "vertex unit: entry point");
  EXPECT_EQ(register_title(0x28D), "geometry unit: output mask");
  EXPECT_EQ(register_title(0x000), "");
  EXPECT_EQ(register_title(0xFFFF), "");
}

TEST(RegisterTitles, StandAfterNumbers) {
  EXPECT_EQ(with_register_titles("register 0x100, list at 0x20000100"),
            "register 0x100 (fragment mode, blending on), list at 0x20000100");
  EXPECT_EQ(with_register_titles("register 0x040 and register 0x0FD"),
            "register 0x040 (culling) and register 0x0FD (combiner buffer colour)");
  EXPECT_EQ(with_register_titles("register 0x000"), "register 0x000");
  EXPECT_EQ(with_register_titles("register 0x1"), "register 0x1");
  EXPECT_EQ(with_register_titles("register 0xzzz"), "register 0xzzz");
  EXPECT_EQ(with_register_titles(""), "");
}

}  // namespace
}  // namespace warpjit::pica200
