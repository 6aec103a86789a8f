// What the compilation of a program of n branches takes grows about as n does. Counted is the memory that is
// asked for, which nothing but the code itself changes.
#include <gtest/gtest.h>

#include <array>

#include "backend/counted_memory.h"
#include "backend/lower/choose_parts.h"
#include "backend/target.h"
#include "ir/builder.h"
#include "ir/pipeline.h"

namespace warpjit::backend {
namespace {

enum class Branches { uniform, divergent, mixed, storing };
struct Kind {
  const char* name;
  Branches branches;
  Target target;
  bool groups = false;  // of a fixed width
  bool in_turns = false;
  std::uint32_t most = 4000;  // branches; beyond them code exceeds a limit
};

// One branch after the other, each with values that change on one side.
ir::Function function_of(const Kind& kind, std::uint32_t count) {
  constexpr std::uint32_t kKept = 8, kUniforms = 32;
  ir::Function f;
  f.name = "branches";
  f.input_count = f.output_count = 1;
  f.uniform_bytes = 4 * kUniforms;
  if (kind.groups) f.group_lanes = 32, f.block_groups = 4;
  ir::Builder b(f);
  b.set_block(f.add_block());
  const auto input = b.LoadInput(0);
  const ir::I1 always = b.constant(true);
  std::array<ir::F32, kKept> kept;
  for (std::uint32_t k = 0; k < kKept; ++k) kept[k] = input[k % 4];
  for (std::uint32_t k = 0; k < count; ++k) {
    const ir::Block then = f.add_block(), join = f.add_block();
    ir::F32 &a = kept[k % kKept], &c = kept[(k + 1) % kKept];
    const bool uniform =
        kind.branches == Branches::uniform || (kind.branches == Branches::mixed && k % 2 != 0);
    b.branch(uniform ? b.INe32(b.LoadUniformI32(4 * (k % kUniforms)), b.constant(k / kUniforms))
                     : b.FLt32(a, b.constant(static_cast<float>(k))),
             then, join);
    b.set_block(then);
    const ir::F32 sum = b.FAdd32(a, kept[(k + 3) % kKept]), product = b.FMul32(c, kept[(k + 5) % kKept]);
    if (kind.branches == Branches::storing) b.StoreOutput(always, sum, product, a, c, 0);
    b.jump(join);
    b.set_block(join);
    const auto merged = [&](ir::F32 made, ir::F32 old) {
      const ir::F32 phi = b.phi<ir::F32>(join);
      std::array<ir::Value, 2> values = {made, old};
      if (f.block(join).predecessors[0] != then) std::swap(values[0], values[1]);
      f.set_operands(f.definition(phi), values);
      return phi;
    };
    a = merged(sum, a);
    c = merged(product, c);
  }
  b.StoreOutput(always, kept[0], kept[1], kept[2], kept[3], 0);
  b.ret();
  return f;
}

class Growth : public ::testing::TestWithParam<Kind> {};

TEST_P(Growth, IsAboutLinear) {
  const Kind& kind = GetParam();
  if (!built_in(kind.target)) GTEST_SKIP() << "no code for " << name(kind.target);
  std::size_t before = 0;
  for (std::uint32_t count = 500; count <= kind.most; count *= 2) {
    ir::Function function = function_of(kind, count);
    const std::size_t begin = requested_bytes();
    ir::PipelineOptions options;
    options.dispatch_all = kind.in_turns;
    options.group_lanes = [&](const ir::Function& f) { return choose_group_lanes(f, kind.target); };
    const auto program = ir::run_pipeline(std::move(function), options);
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    const auto code = compile(*program, kind.target, {});
    ASSERT_TRUE(code.ok()) << to_string(code.error());
    const std::size_t taken = requested_bytes() - begin;
    // Vectors that grow by doubling make steps.
    if (before != 0) {
      EXPECT_LT(static_cast<double>(taken), 2.4 * static_cast<double>(before))
          << count << " branches: " << taken << " bytes, half of them: " << before;
    }
    before = taken;
  }
}

constexpr Kind kKinds[] = {{"uniform", Branches::uniform, Target::x64_v4},
                           {"divergent", Branches::divergent, Target::x64_v3},
                           {"mixed", Branches::mixed, Target::a64},
                           {"storing", Branches::storing, Target::x64_v3},
                           {"of_groups", Branches::divergent, Target::x64_v4, true},
                           {"in_turns", Branches::divergent, Target::x64_v4, false, true, 2000}};

INSTANTIATE_TEST_SUITE_P(Kinds, Growth, ::testing::ValuesIn(kKinds),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace warpjit::backend
