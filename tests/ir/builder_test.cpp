#include "ir/builder.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"

namespace warpjit::ir {
namespace {

// What must not compile.
template <class B>
concept AddsInteger = requires(B b, F32 f, I32 i) {
  b.FAdd32(f, i);
};
template <class B>
concept AddsOne = requires(B b, F32 f) {
  b.FAdd32(f);
};
template <class B>
concept AddsFloats = requires(B b, F32 f) {
  b.FAdd32(f, f);
};
template <class B>
concept LoadsWithoutImmediate = requires(B b) {
  b.LoadInput();
};
template <class B>
concept LoadsWithImmediate = requires(B b) {
  b.LoadInput(1);
};
template <class B>
concept AddsUntyped = requires(B b, Value v) {
  b.FAdd32(v, v);
};
template <class B>
concept MakesPhiByRow = requires(B b) {
  b.Phi();
};
static_assert(AddsFloats<Builder> && !AddsInteger<Builder> && !AddsOne<Builder> && !AddsUntyped<Builder>);
static_assert(LoadsWithImmediate<Builder> && !LoadsWithoutImmediate<Builder> && !MakesPhiByRow<Builder>);

TEST(Builder, PrintsItsFunction) {
  Function f;
  f.name = "a \"b\"\n";
  f.input_count = f.output_count = 1;
  f.uniform_bytes = 64;
  Builder b(f);
  const Block entry = f.add_block(2), left = f.add_block(), right = f.add_block(), join = f.add_block();
  b.set_block(entry);
  b.set_guest_address(3);
  auto [x, y, z, w] = b.LoadInput(0);
  const I1 less = b.FLt32(x, b.constant(1.0f));
  b.branch(less, left, right);
  b.set_block(left);
  const F32 sum = b.FAdd32(x, y);
  b.jump(join);
  b.set_block(right);
  const F32 product = b.FMul32(z, b.LoadUniformF32(16));
  b.jump(join);
  const F32 both = b.phi<F32>(join);
  const std::array<Value, 2> arrivals = {sum, product};
  f.set_operands(f.definition(both), arrivals);
  b.set_block(join);
  b.StoreOutput(b.constant(true), both, y, z, w, 0);
  b.ret();
  EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error());
  EXPECT_EQ(print(f), R"(function "a \"b\"\x0a" thread inputs 1 outputs 1 uniform 64 slots 0 {
b0: @0x2
  %0 : i1 launch = ConstI1 true
  %1 : f32 launch = ConstF32 0x3f800000  ; 1
  %2 : f32, %3 : f32, %4 : f32, %5 : f32 = LoadInput 0 @0x3
  %6 : i1 = FLt32 %2, %1 @0x3
  Branch %6, b1, b2 @0x3
b1: <- b0
  %7 : f32 = FAdd32 %2, %3 @0x3
  Jump b3 @0x3
b2: <- b0
  %8 : f32 launch = LoadUniformF32 16 @0x3
  %9 : f32 = FMul32 %4, %8 @0x3
  Jump b3 @0x3
b3: <- b1, b2
  %10 : f32 = Phi b1: %7, b2: %9 @0x3
  StoreOutput 0, %0, %10, %3, %4, %5 @0x3
  Return @0x3
}
)");
}

TEST(Builder, MakesEachConstantOnce) {
  Function f;
  const Block entry = f.add_block(), next = f.add_block();
  Builder b(f);
  b.set_block(entry);
  b.jump(next);
  b.set_block(next);
  std::vector<Value> made;
  for (std::int32_t k = 0; k < 300; ++k) made.push_back(b.constant(k));
  for (std::int32_t k = 0; k < 300; ++k) EXPECT_EQ(Value(b.constant(k)), made[static_cast<std::size_t>(k)]);
  EXPECT_NE(Value(b.constant(0.0f)), Value(b.constant(0)));
  EXPECT_NE(Value(b.constant(0.0f)), Value(b.constant(-0.0f)));
  // A constant that was removed as dead comes back.
  f.remove(f.definition(made[7]));
  EXPECT_EQ(Value(b.constant(7)), made[7]);
  EXPECT_EQ(f.definition_of(made[7]).block, entry);
  b.ret();
  EXPECT_TRUE(verify(f).ok());
}

}  // namespace
}  // namespace warpjit::ir
