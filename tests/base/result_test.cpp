#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace warpjit {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error{ErrorCode::bad_input, "odd number", std::to_string(value)};
  return value / 2;
}

Result<int> quarter(int value) {
  WARPJIT_TRY(const int once, half(value));
  WARPJIT_TRY(const int twice, half(once));
  return twice;
}

Status check_even(int value) {
  WARPJIT_CHECK(half(value));
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = half(6);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 3);
  const Result<int> bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::bad_input);
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(5).error().where, "5");
  EXPECT_EQ(quarter(6).error().where, "3");
}

TEST(Result, CheckPassesTheErrorOn) {
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_EQ(check_even(3).error().message, "odd number");
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 4);
}

TEST(Error, Text) {
  EXPECT_EQ(to_string(Error{ErrorCode::fault, "no such word", "a.shbin"}), "a.shbin: no such word");
  EXPECT_EQ(to_string(Error{ErrorCode::fault, "no such word", ""}), "no such word");
  EXPECT_EQ(where_word("a.shbin", 12, 0x4e000000), "a.shbin, word 12 (0x4e000000)");
  EXPECT_EQ(where_word("", 1, 2), "word 1 (0x00000002)");
  for (int code = 0; code <= static_cast<int>(ErrorCode::outside); ++code) {
    EXPECT_STRNE(name(static_cast<ErrorCode>(code)), "error");
  }
}

}  // namespace
}  // namespace warpjit
