// The control-flow analyses, against their definitions on random functions and on small cases.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/range.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/pass/passes.h"
#include "ir/printer.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

using warpjit::testing::random_any_function;

// The blocks that a walk from `from` reaches without entering `without`.
std::vector<bool> reached(const Function& f, Block from, Block without) {
  std::vector<bool> seen(f.block_count());
  std::vector<Block> stack;
  if (from != without) stack.push_back(from), seen[from.id] = true;
  while (!stack.empty()) {
    const Block b = stack.back();
    stack.pop_back();
    for (Block s : f.block(b).successors)
      if (s != without && !seen[s.id]) seen[s.id] = true, stack.push_back(s);
  }
  return seen;
}

TEST(Dominators, AreBlocksOnEveryPath) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Function f = random_any_function(seed);
    const Dominators dominators(f);
    const std::vector<bool> all = reached(f, Function::entry(), Block{});
    for (std::uint32_t a = 0; a < f.block_count(); ++a) {
      const std::vector<bool> avoiding = reached(f, Function::entry(), Block{a});
      EXPECT_EQ(dominators.reachable(Block{a}), all[a]);
      for (std::uint32_t b = 0; b < f.block_count(); ++b)
        ASSERT_EQ(dominators.dominates(Block{a}, Block{b}), all[a] && all[b] && !avoiding[b])
            << "seed " << seed << ", b" << a << " and b" << b;
    }
  }
}

TEST(Loops, AreContiguousInATopologicalOrder) {
  int reducible = 0, nested = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Function f = random_any_function(seed);
    const Dominators dominators(f);
    const Loops loops(f, dominators);
    bool retreats = false;
    for (Block b : dominators.order())
      for (Block s : f.block(b).successors)
        retreats =
            retreats || (dominators.position(s) <= dominators.position(b) && !dominators.dominates(s, b));
    ASSERT_EQ(loops.reducible(), !retreats) << "seed " << seed;
    if (retreats) continue;
    ++reducible;
    ASSERT_EQ(loops.order().size(), dominators.order().size());
    for (Block b : loops.order()) {
      // A loop's blocks are those that reach its header without leaving what the header dominates.
      for (std::uint32_t k = 0; k < loops.loops().size(); ++k) {
        const Block header = loops.loop(k).header;
        bool inside = false;
        for (Block latch : f.block(header).predecessors) {
          if (!dominators.dominates(header, latch)) continue;
          inside = inside || b == header ||
                   (dominators.dominates(header, b) && (b == latch || reached(f, b, header)[latch.id]));
        }
        ASSERT_EQ(loops.contains(k, b), inside) << "seed " << seed << ", b" << b.id;
        nested += loops.loop(k).depth > 1 ? 1 : 0;
      }
      for (Block s : f.block(b).successors)
        ASSERT_TRUE(loops.position(s) > loops.position(b) || dominators.dominates(s, b));
    }
  }
  EXPECT_GT(reducible, 300);
  EXPECT_GT(nested, 100);
}

TEST(PostDominators, AreBlocksThatEveryLaneReachesInATurn) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Function f = random_any_function(seed);
    normalize_loops(f);
    const Dominators dominators(f);
    const Loops loops(f, dominators);
    if (!loops.reducible()) continue;
    const PostDominators turns(f, loops);
    // The same graph with each back edge led to the exits of its loop.
    Function acyclic = f;
    for (Block b : loops.order()) {
      auto& successors = acyclic.block(b).successors;
      if (successors.size() != 1 || loops.position(successors[0]) > loops.position(b)) continue;
      const std::uint32_t loop = loops.innermost(b);
      successors.clear();
      for (Block inside : loops.order())
        for (Block s : f.block(inside).successors)
          if (loops.contains(loop, inside) && !loops.contains(loop, s)) successors.push_back(s);
    }
    for (Block a : loops.order()) {
      for (Block b : loops.order()) {
        const std::vector<bool> avoiding = reached(acyclic, b, a);
        bool ends = false;
        for (Block end : loops.order()) ends = ends || (avoiding[end.id] && f.block(end).successors.empty());
        ASSERT_EQ(turns.dominates(a, b), !ends) << "seed " << seed << ", b" << a.id << " and b" << b.id;
      }
    }
  }
}

// A way out of an inner loop may lead right back to the header of the one around it.
TEST(PostDominators, ComeLaterInLoopsThatAreNotNormalized) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Function f = random_any_function(seed);
    const Dominators dominators(f);
    const Loops loops(f, dominators);
    if (!loops.reducible()) continue;
    const PostDominators turns(f, loops);
    for (Block b : loops.order()) {
      const Block next = turns.immediate(b);
      if (!next.valid()) continue;
      ASSERT_GT(loops.position(next), loops.position(b)) << "seed " << seed << ", b" << b.id;
    }
  }
}

TEST(Liveness, IsReadOnSomePath) {
  for (std::uint64_t seed = 0; seed < share(60); ++seed) {
    const Function f = random_any_function(seed);
    const Liveness liveness(f);
    const Dominators dominators(f);
    for (Block b : dominators.order()) {
      for (std::uint32_t v = 0; v < f.value_count(); ++v) {
        const Value value{v};
        bool wanted = false;  // at the end of b
        for (Block s : f.block(b).successors) {
          wanted = wanted || liveness.live_in(s, value);
          for (Inst i : f.insts(s))
            if (f.inst(i).opcode == Opcode::Phi)
              wanted = wanted || f.operand(i, static_cast<std::uint32_t>(f.predecessor_index(s, b))) == value;
        }
        ASSERT_EQ(liveness.live_out(b, value), wanted) << "seed " << seed;
        const bool defined_here = f.definition_of(value).block == b;
        bool read = false;
        for (Inst i : f.insts(b))
          if (f.inst(i).opcode != Opcode::Phi)
            for (Value operand : f.operands(i)) read = read || operand == value;
        ASSERT_EQ(liveness.live_in(b, value), !defined_here && (read || wanted)) << "seed " << seed;
      }
    }
  }
}

TEST(Range, BoundsOfNestedOperations) {
  Function f;
  f.input_count = 1;
  Builder b(f);
  b.set_block(f.add_block());
  const I32 any = b.BitcastF32ToI32(b.LoadInput(0)[0]), other = b.BitcastF32ToI32(b.LoadInput(0)[1]);
  const I32 low = b.IAnd32(any, b.constant(0x7f)), lower = b.IAnd32(other, b.constant(3));
  EXPECT_EQ(upper_bound(f, any), 0xffffffffu);
  EXPECT_EQ(upper_bound(f, b.constant(95)), 95u);
  EXPECT_EQ(upper_bound(f, low), 0x7fu);
  EXPECT_EQ(upper_bound(f, b.IAdd32(low, lower)), 0x82u);
  const F32 number = b.BitcastI32ToF32(any);
  const auto byte = [&](F32 least) {
    const F32 limited = b.FMinSelect32(b.FMaxSelect32(number, least), b.constant(1.0F));
    return b.FRoundEven32(b.FMul32(limited, b.constant(255.0F)));
  };
  EXPECT_EQ(upper_bound(f, b.F32ToI32Lowest(byte(b.constant(0.0F)))), 255u);
  EXPECT_EQ(upper_bound(f, b.F32ToI32Sat(byte(b.constant(0.0F)))), 255u);
  EXPECT_EQ(upper_bound(f, b.F32ToI32Sat(byte(b.constant(-1.0F)))), 0xffffffffu);
  EXPECT_EQ(upper_bound(f, b.F32ToI32Lowest(number)), 0xffffffffu);
  EXPECT_TRUE(fits_i32(f, byte(b.constant(-1.0F))));
  EXPECT_FALSE(fits_i32(f, number));
  EXPECT_EQ(upper_bound(f, b.IAdd32(any, lower)), 0xffffffffu);
  EXPECT_EQ(upper_bound(f, b.IOr32(low, lower)), 0x7fu);
  EXPECT_EQ(upper_bound(f, b.IShrU32(any, b.constant(24))), 0xffu);
  EXPECT_EQ(upper_bound(f, b.IShrU32(any, lower)), 0xffffffffu);
  EXPECT_EQ(upper_bound(f, b.IShl32(lower, b.constant(4))), 48u);
  EXPECT_EQ(upper_bound(f, b.IMul32(low, lower)), 0x7fu * 3);
  EXPECT_EQ(upper_bound(f, b.select(b.ILtU32(any, b.constant(96)), any, b.constant(5))), 95u);
  EXPECT_EQ(upper_bound(f, b.select(b.ILeU32(any, b.constant(96)), any, b.constant(500))), 500u);
  EXPECT_EQ(upper_bound(f, b.select(b.ILtU32(other, b.constant(96)), any, b.constant(5))), 0xffffffffu);
}

// Shapes as the text form shows them.
std::string shapes(const char* text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.ok()) << to_string(parsed.error());
  analyze_uniformity(*parsed);
  return print(*parsed);
}

TEST(Uniformity, KeepsTheCounterOfALoopThatLanesBreakOutOf) {
  const std::string text = shapes(R"(function "break" thread inputs 1 outputs 1 uniform 16 slots 0 {
b0:
  %0 : f32, %1 : f32, %2 : f32, %3 : f32 = LoadInput 0
  %4 : i32 = LoadUniformI32 0
  %5 : i32 = ConstI32 0
  %6 : i32 = ConstI32 1
  %7 : i1 = FLt32 %0, %1
  Jump b1
b1: <- b0, b2
  %8 : i32 = Phi b0: %5, b2: %9
  Branch %7, b3, b2
b2: <- b1
  %9 : i32 = IAdd32 %8, %6
  %10 : i1 = ILtU32 %9, %4
  Branch %10, b1 backward, b3
b3: <- b1, b2
  %11 : i32 = Phi b1: %8, b2: %9
  %12 : f32 = BitcastI32ToF32 %11
  StoreOutput 0, %7, %12, %12, %12, %12
  Return
})");
  EXPECT_NE(text.find("%5 : i32 launch = ConstI32"), std::string::npos) << text;
  EXPECT_NE(text.find("%8 : i32 group = Phi"), std::string::npos) << text;
  EXPECT_NE(text.find("%10 : i1 group = ILtU32"), std::string::npos) << text;
  EXPECT_NE(text.find("%11 : i32 = Phi"), std::string::npos) << text;
}

TEST(Uniformity, JoinsOfUniformBranchesStayUniform) {
  const char* const kText = R"(function "join" thread inputs 1 outputs 1 uniform 16 slots 0 {
b0:
  %0 : f32, %1 : f32, %2 : f32, %3 : f32 = LoadInput 0
  %4 : i32 = LoadUniformI32 0
  %5 : i32 = ConstI32 7
  %6 : i1 = FLt32 %0, %1
  %7 : i1 = ILtU32 %4, %5
  Branch %CONDITION, b1, b2
b1: <- b0
  Jump b2
b2: <- b0, b1
  %8 : i32 = Phi b0: %4, b1: %5
  Return
})";
  const auto with = [&](const char* condition) {
    std::string text = kText;
    text.replace(text.find("CONDITION"), 9, condition);
    return shapes(text.c_str());
  };
  EXPECT_NE(with("7").find("%8 : i32 group = Phi"), std::string::npos);
  EXPECT_NE(with("6").find("%8 : i32 = Phi"), std::string::npos);
}

}  // namespace
}  // namespace warpjit::ir
