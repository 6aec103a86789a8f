// The table of what operations cost, and the code that measures it.
#include "backend/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "backend/host.h"
#include "backend/kernel.h"
#include "base/float_environment.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::backend {
namespace {

void run_probe(const MachineCode& code) {
  const Executable executable(code);
  alignas(64) std::array<std::uint32_t, kProbeTable / 4> table{};
  KernelArgs args{};
  args.table = table.data();
  args.group_count = 3;
  const FloatEnvironment environment;
  reinterpret_cast<void (*)(KernelArgs*)>(executable.kernel())(&args);
  EXPECT_EQ(args.group_count, 0u);
}

TEST(Costs, ModeChangesAreMeasuredUnpredictedAndPredicted) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    if (find_host(target) == nullptr) GTEST_SKIP() << "built without it";
    for (const bool right : {false, true}) {
      const auto code = compile_mode_probe(target, right);
      ASSERT_TRUE(code) << to_string(code.error());
      EXPECT_EQ(code->alignment, right ? 512u : 64u);
      EXPECT_GE(code->statistics.instructions, 2 * kProbeRepeats);
      if (runs_here(target)) run_probe(*code);
    }
  }
  EXPECT_FALSE(compile_mode_probe(Target::a64, true));
}

TEST(Costs, EachRowHasCodeThatMeasuresIt) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    if (costs(target).empty()) GTEST_SKIP() << "built without it";
    for (const OperationCost& cost : costs(target))
      for (const bool dependent : {false, true}) {
        SCOPED_TRACE(std::string(name(target)) + ", operation " + std::to_string(static_cast<int>(cost.op)));
        EXPECT_GT(cost.clocks, 0);
        EXPECT_TRUE(cost.latency == 0 || cost.latency >= 1);
        EXPECT_EQ(clocks_of(target, cost.op), cost.clocks);
        const auto code = compile_probe(target, cost.op, dependent);
        ASSERT_TRUE(code) << to_string(code.error());
        EXPECT_GE(code->statistics.instructions, kProbeRepeats);
        EXPECT_EQ(code->statistics.spill_stores + code->statistics.spill_loads, 0u);
        if (!runs_here(target)) continue;
        run_probe(*code);
      }
  }
}

// A probe is a loop over groups of kProbeRepeats operations that wait for each other, or do not.
TEST(Costs, LoopsAreBoundByTheirOperations) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    if (costs(target).empty()) GTEST_SKIP() << "built without it";
    struct Case {
      Op op;
      Bound bound;
    };
    for (const auto& [op, bound] :
         {Case{Op::Mul, Bound::multiplications}, Case{Op::Fma, Bound::multiplications},
          Case{Op::And, Bound::vectors}, Case{Op::LoadFull, Bound::loads}, Case{Op::StoreFull, Bound::stores},
          Case{Op::Permute64, Bound::shuffles}, Case{Op::Gather, Bound::loads},
          Case{Op::Div, Bound::multiplications}}) {
      SCOPED_TRACE(std::string(name(target)) + ", operation " + std::to_string(static_cast<int>(op)));
      const auto apart = compile_probe(target, op, false);
      ASSERT_TRUE(apart) << to_string(apart.error());
      ASSERT_EQ(apart->loops.size(), 1u);
      const LoopCost& loop = apart->loops[0];
      // Where multiplications take all ports for vectors, these bound it as much.
      EXPECT_GE(loop.clocks[static_cast<std::size_t>(bound)], 0.97 * loop.turn()) << name(loop.bound());
      EXPECT_EQ(loop.depth, 0u);
      EXPECT_GE(loop.operations, kProbeRepeats);
      EXPECT_NEAR(loop.turn(),
                  kProbeRepeats * (op == Op::And ? 1 / vector_ports(target) : clocks_of(target, op)),
                  10);  // what is loaded and stored beside
      EXPECT_GE(apart->costs.size(), kProbeRepeats);
      EXPECT_TRUE(std::ranges::is_sorted(apart->costs, {}, &InstructionCost::offset));
      if (latency_of(target, op) <= 1) continue;
      const auto waiting = compile_probe(target, op, true);
      ASSERT_TRUE(waiting) << to_string(waiting.error());
      EXPECT_EQ(waiting->loops.at(0).bound(), Bound::chain) << name(waiting->loops.at(0).bound());
      EXPECT_NEAR(waiting->loops.at(0).turn(), kProbeRepeats * latency_of(target, op), 0.05 * kProbeRepeats);
    }
  }
}

// Two loops, one in the other, in the loop over groups; the inner one's sums wait for each other.
TEST(Costs, LoopsInLoops) {
  constexpr int kSums = 20;
  KernelBuilder k(1, 1, 16);
  const ir::Block outer = k.function.add_block(), inner = k.function.add_block(),
                  latch = k.function.add_block(), end = k.function.add_block();
  const auto in = k.b.LoadInput(0);
  k.b.jump(outer);
  const ir::I32 i = k.uniform_phi<ir::I32>(outer);
  const ir::F32 total = k.b.phi<ir::F32>(outer);
  k.b.set_block(outer);
  k.b.jump(inner);
  const ir::I32 j = k.uniform_phi<ir::I32>(inner);
  const ir::F32 sum = k.b.phi<ir::F32>(inner);
  k.b.set_block(inner);
  const ir::I32 next_j = k.b.IAdd32(j, k.b.constant(1));
  ir::F32 next_sum = sum;
  for (int n = 0; n < kSums; ++n) next_sum = k.b.FAdd32(next_sum, in[1]);
  k.b.BurnFuel(k.b.constant(true));
  k.b.branch(k.b.ILtU32(next_j, k.b.LoadUniformI32(4)), inner, latch);
  k.b.set_block(latch);
  const ir::I32 next_i = k.b.IAdd32(i, k.b.constant(1));
  k.b.BurnFuel(k.b.constant(true));
  k.b.branch(k.b.ILtU32(next_i, k.b.LoadUniformI32(0)), outer, end);
  k.arrive(i, {k.b.constant(0), next_i});
  k.arrive(total, {in[0], next_sum});
  k.arrive(j, {k.b.constant(0), next_j});
  k.arrive(sum, {total, next_sum});
  k.b.set_block(end);
  k.store(next_sum, in[0], in[1], in[2]);
  k.b.ret();
  ir::analyze_uniformity(k.function);
  ir::GroupProgram program;
  program.kernel = k.function;
  for (const Target target : {Target::x64_v3, Target::x64_v4, Target::a64}) {
    if (find_host(target) == nullptr) continue;
    SCOPED_TRACE(name(target));
    CompileOptions options;
    options.parts = 2;
    EXPECT_TRUE(compile(program, target, options)->loops.empty());
    options.costs = true;
    const auto code = compile(program, target, options);
    ASSERT_TRUE(code) << to_string(code.error());
    if (costs(target).empty()) {
      EXPECT_TRUE(code->loops.empty() && code->costs.empty());
      continue;
    }
    ASSERT_EQ(code->loops.size(), 3u);
    for (std::uint32_t n = 0; n < 3; ++n) {
      EXPECT_EQ(code->loops[n].depth, n);
      EXPECT_LT(code->loops[n].begin, code->loops[n].end);
      EXPECT_EQ(n == 0 || (code->loops[n].begin >= code->loops[n - 1].begin &&
                           code->loops[n].end <= code->loops[n - 1].end &&
                           code->loops[n].operations < code->loops[n - 1].operations),
                true);
    }
    EXPECT_EQ(code->loops[2].bound(), Bound::chain) << name(code->loops[2].bound());
    EXPECT_NEAR(code->loops[2].turn(), kSums * latency_of(target, Op::Add), 1);
    const std::string listing = list(*code);
    std::size_t at = 0;
    for (const char* mark : {"begin of loop 0", "begin of loop 1", "begin of loop 2", "end of loop 2",
                             "end of loop 1", "end of loop 0"}) {
      const std::size_t found = listing.find(mark, at);
      ASSERT_NE(found, std::string::npos) << mark << " in\n" << listing;
      at = found;
    }
  }
}

TEST(Costs, OperationsWithoutARowHaveThatOfOthers) {
  const Target target = Target::x64_v3;
  if (costs(target).empty()) GTEST_SKIP() << "built without it";
  for (const Maker on : {Maker::intel, Maker::amd}) {
    EXPECT_EQ(clocks_of(target, Op::Sub, on), clocks_of(target, Op::Add, on));
    EXPECT_EQ(latency_of(target, Op::Fnma, on), latency_of(target, Op::Fma, on));
    EXPECT_EQ(latency_of(target, Op::SAdd, on), 1);
    EXPECT_EQ(vector_ports(target, on), on == Maker::amd ? 4 : 3);
    EXPECT_EQ(vector_ports(Target::x64_v4, on), on == Maker::amd ? 4 : 2);
  }
  EXPECT_EQ(unit_of(Op::SAdd), Unit::none);
  EXPECT_EQ(unit_of(Op::Sub), Unit::adder);
}

TEST(Costs, BothVendorsHaveTheSameRows) {
  for (const Target target : {Target::x64_v3, Target::x64_v4}) {
    const auto intel = costs(target, Maker::intel), amd = costs(target, Maker::amd);
    ASSERT_EQ(intel.size(), amd.size());
    for (std::size_t k = 0; k < intel.size(); ++k) {
      EXPECT_EQ(intel[k].op, amd[k].op);
      EXPECT_EQ(intel[k].latency == 0, amd[k].latency == 0) << k;
      EXPECT_GT(amd[k].clocks, 0) << k;
      EXPECT_EQ(clocks_of(target, amd[k].op, Maker::amd), amd[k].clocks);
    }
  }
}

TEST(Costs, TargetsAndOperationsWithoutRows) {
  EXPECT_TRUE(costs(Target::a64).empty());
  EXPECT_EQ(clocks_of(Target::a64, Op::Add), 0);
  EXPECT_FALSE(compile_probe(Target::x64_v3, Op::Return, false));
  EXPECT_FALSE(compile_probe(Target::x64_v3, kClock, false));
  EXPECT_FALSE(compile_probe(Target::a64, kClock, true));
  if (!costs(Target::x64_v3).empty()) {
    EXPECT_TRUE(compile_probe(Target::x64_v3, kClock, true));
    EXPECT_LT(clocks_of(Target::x64_v3, Op::SAdd), clocks_of(Target::x64_v3, Op::Add));
  }
}

}  // namespace
}  // namespace warpjit::backend
