// Places as text.
#include <gtest/gtest.h>

#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

TEST(DebugPlace, IsItsText) {
  for (const char* text : {"draw 17 pixel 120,88 fragment 0", "draw 17 pixel 0,0 fragment 3 step 41",
                           "draw 3 vertex 5", "draw 0 vertex 5 program 1 step 2", "draw 2 invocation 4",
                           "draw 0 thread 3,0,0 block 1,2,0", "draw 4 secondary 1"}) {
    const auto place = DebugPlace::parse(text);
    ASSERT_TRUE(place.ok()) << to_string(place.error());
    EXPECT_EQ(place->text(), text);
  }
}

TEST(DebugPlace, LeavesOut) {
  const auto place = DebugPlace::parse("  thread 7\tblock 1,2\n");
  ASSERT_TRUE(place.ok()) << to_string(place.error());
  EXPECT_EQ(place->text(), "draw 0 thread 7,0,0 block 1,2,0");
  EXPECT_EQ(DebugPlace::parse("")->text(), "draw 0 vertex 0");
  EXPECT_EQ(DebugPlace::parse("launch 2 row 9")->text(), "draw 2 vertex 9");
}

TEST(DebugPlace, SaysWhatIsWrong) {
  const auto error = [](std::string_view text) {
    const auto place = DebugPlace::parse(text);
    return place.ok() ? std::string() : place.error().message;
  };
  EXPECT_NE(error("draw"), "");
  EXPECT_NE(error("draw x"), "");
  EXPECT_NE(error("draw 99999999999999999999999"), "");
  EXPECT_NE(error("pixel 1"), "");
  EXPECT_NE(error("pixel 1,2,3"), "");
  EXPECT_NE(error("pixel 1,"), "");
  EXPECT_NE(error("thread 1,2,3,4"), "");
  EXPECT_NE(error("secondary 2"), "");
  EXPECT_NE(error("vertex 1 pixel 2,3").find("one thread"), std::string::npos);
  EXPECT_NE(error("corner 1").find("draw N"), std::string::npos);
  // No byte of it reaches a terminal as a control character.
  EXPECT_EQ(error("\x1b[31m 1").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpjit::tests
