// The table of what operations cost, and the code that measures it.
#include "backend/cost.h"

#include <gtest/gtest.h>

#include <array>

#include "backend/kernel.h"
#include "base/float_environment.h"

namespace warpjit::backend {
namespace {

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
        const Executable executable(*code);
        alignas(64) std::array<std::uint32_t, kProbeTable / 4> table{};
        KernelArgs args{};
        args.table = table.data();
        args.group_count = 3;
        const FloatEnvironment environment;
        reinterpret_cast<void (*)(KernelArgs*)>(executable.kernel())(&args);
        EXPECT_EQ(args.group_count, 0u);
      }
  }
}

TEST(Costs, BothMakersHaveTheSameRows) {
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

TEST(Costs, OfWhatHasNoRow) {
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
