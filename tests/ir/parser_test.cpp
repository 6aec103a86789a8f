#include "ir/parser.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

TEST(Parser, RoundTripsRandomFunctions) {
  for (std::uint64_t seed = 0; seed < share(300); ++seed) {
    const std::string text = print(testing::random_any_function(seed));
    const Result<Function> again = parse(text);
    ASSERT_TRUE(again.ok()) << seed << ": " << to_string(again.error()) << "\n" << text;
    ASSERT_EQ(print(*again), text) << seed;
  }
}

TEST(Parser, RoundTripsTheGroupForm) {
  const std::string text = R"(function "x \"\\\x00" group inputs 1 outputs 1 uniform 64 slots 2 {
b0:
  %0 : i1 launch = ConstI1 false
  %1 : i32 launch = ConstI32 0xffffffff  ; -1
  Jump b7
b2: <- b7 @0x9
  %2 : i32 group = MinLaneU32 %8
  StoreSlot 1, %0, %1 @0x12
  BurnFuel %0 @0xa
  Switch %2, b3, b7 backward
b3: <- b2
  Return
b7: <- b2, b0
  %3 : i32 group = Phi b2: %2, b0: %1
  %4 : f32 group, %5 : f32 group, %6 : f32, %7 : f32 group = LoadUniformRow 16 rows 2, %3
  %8 : i32 = LoadSlot 0
  Jump b2
}
)";
  const Result<Function> f = parse(text);
  ASSERT_TRUE(f.ok()) << to_string(f.error());
  EXPECT_EQ(print(*f), text);
}

void rejects(const std::string& text, const std::string& wanted) {
  const Result<Function> f = parse(text);
  ASSERT_FALSE(f.ok()) << text;
  EXPECT_NE(to_string(f.error()).find(wanted), std::string::npos) << to_string(f.error());
  EXPECT_NE(f.error().code, ErrorCode::internal);
}

TEST(Parser, ErrorsNameTheirPlace) {
  const std::string head = "function \"f\" thread inputs 1 outputs 1 uniform 64 slots 0 {\n";
  rejects("", "1:1: `function` expected");
  rejects("function f", "1:10: name in quotes expected");
  rejects("function \"f", "1:10: string without end");
  rejects("function \"f\\q\"", "unknown escape");
  rejects("function \"f\" warp", "`thread` or `group` expected");
  rejects("function \"f\" thread inputs 99999", "number is above");
  rejects("function \"f\" thread inputs 99999999999999999999999", "number too large");
  rejects(head, "block expected");
  rejects(head + "}", "no entry block");
  rejects(head + "b1: Return }", "empty entry block");
  rejects(head + "b0: Return } x", "text after the end");
  rejects(head + "b0: Return b0: Return }", "2:12: block stands twice");
  rejects(head + "b99999999: Return }", "block number too large");
  rejects(head + "b0:\n  Foo }", "3:3: no such opcode");
  rejects(head + "b0:\n  ? }", "3:3: unexpected character");
  rejects(head + "b0:\n  Jump b5 }", "target b5 does not exist");
  rejects(head + "b0:\n  Jump }", "block expected");
  rejects(head + "b0: <- b0 Return }", "not the block's predecessors");
  rejects(head + "b0: Jump b1 b1: Return }", "not the block's predecessors");
  rejects(head + "b0: %1 : f32 = LoadUniformF32 64 Return }", "outside the uniform table");
  rejects(head + "b0: %1 : f32 = FNeg32 %2 Return }", "%2 is not defined");
  rejects(head + "b0: %1 : i32 = FNeg32 %1 Return }", "result 0 of FNeg32 is f32");
  rejects(head + "b0: %1 : f32 = FNeg32 %1 Return }", "does not dominate");
  rejects(head + "b0: %1 : f32 = LoadUniformF32 0 %1 : f32 = FNeg32 %1 Return }", "defined twice");
  rejects(head + "b0: %1 : f32 = LoadUniformF32 0 %2 : f32 = FAdd32 %1 Return }", "`,` expected");
  rejects(head + "b0: %1 : f32 = StoreUniformF32 0 Return }", "has 0 results");
  rejects(head + "b0: %1 : f31 = LoadUniformF32 0 Return }", "type expected");
  rejects(head + "b0: %1 : f32 = ConstF32 0x100000000 Return }", "number is above");
  rejects(head + "b0: Return Return }", "terminator before the end");
  rejects(head + "b0: Jump b1 Jump b1 b1: <- b0 Return }", "two terminators");
  rejects(head + "b0: Jump b1 b1: <- b0 %0 : i32 = Phi Return }", "does not follow the order");
}

TEST(Parser, NumberedInputs) {
  const std::string text =
      "function \"f\" thread inputs 2 outputs 0 uniform 0 slots 0 {\nb0:\n"
      "  %0 : f32, %1 : f32, %2 : f32, %3 : f32 = LoadInput 0 numbered 1\n  Return\n}\n";
  const auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(print(*parsed), text);
  EXPECT_FALSE(parse("function \"f\" thread inputs 1 outputs 0 uniform 0 slots 0 {\nb0:\n"
                     "  %0 : f32, %1 : f32, %2 : f32, %3 : f32 = LoadInput 0 numbered 1\n  Return\n}\n")
                   .ok());
}

// Cuts and changes a valid text everywhere: never a crash, always an answer.
TEST(Parser, DamagedTextIsAnErrorWithAPlaceOrPrintsAgain) {
  testing::Random random(1);
  unsigned errors = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::string text = print(testing::random_any_function(seed)).substr(0, 1500);
    for (std::uint64_t k = 0; k < share(400); ++k) {
      std::string damaged = text;
      for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(damaged.size()));
        switch (random.below(3)) {
          case 0:
            damaged[at] = static_cast<char>(random.next());
            break;
          case 1:
            damaged.erase(at, random.below(8));
            break;
          default:
            damaged.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), 6));
            break;
        }
      }
      const auto function = parse(damaged);
      if (!function) {
        ++errors;
        EXPECT_TRUE(function.error().code == ErrorCode::bad_input ||
                    function.error().code == ErrorCode::resource_limit)
            << to_string(function.error());
        EXPECT_FALSE(function.error().where.empty());
      } else {
        const auto again = parse(print(*function));
        EXPECT_TRUE(again.ok()) << to_string(again.error());
      }
    }
  }
  EXPECT_GT(errors, share(3000));
}

}  // namespace
}  // namespace warpjit::ir
