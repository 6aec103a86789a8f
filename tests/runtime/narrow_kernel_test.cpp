// A kernel that is too large for the JIT in as many vectors a value as were chosen is tried with one.
#include "runtime/engine/engine.h"
#include "runtime/every_work.h"

namespace warpjit::test {
namespace {

// Threads that wide groups hold.
std::unique_ptr<WorkLaunch> wide_grid() {
  auto work = std::make_unique<WorkLaunch>(every_work::tesla_kernel(
      ".kernel k\n.registers 8\n.shared 0x20\nand b32 $r0 $r0 0xffff\nmov b32 $r2 0x1\ncvt rn f32 $r6 u32 "
      "$r0\n" +
      every_work::tesla_turns() +
      "shl b32 $r0 $r0 0x2\nadd b32 $r0 b32 s[0x10] $r0\nst b32 g14[$r0] $r6\nexit nop\n"));
  WorkLaunch::Words& out = work->result(256);
  EXPECT_TRUE(work->launch.set_block(256));
  constexpr std::array kParameters{0x1000U};
  EXPECT_TRUE(work->launch.set_parameters(std::as_bytes(std::span(kParameters))));
  EXPECT_TRUE(work->launch.map_memory("g14", 0x1000, out.data(), every_work::bytes(out)));
  return work;
}

class NarrowKernels : public ::testing::Test {
 protected:
  // The launch runs for the first time in an engine with the hooks, and leaves `results`.
  Report run(WorkLaunch& work, const runtime::TestHooks& hooks) {
    const Engine engine;
    engine.state().set_hooks(hooks);
    work.clear();
    const auto report = engine.run(work.launch, options_);
    EXPECT_TRUE(report) << to_string(report.error());
    return report ? *report : Report{};
  }
  void expect_narrow(WorkLaunch& work) {
    const Engine wide, narrow;
    narrow.state().set_hooks({.parts = 1});
    const auto large = wide.compile(work.launch, options_), small = narrow.compile(work.launch, options_);
    ASSERT_TRUE(large && small);
    ASSERT_LT(small->lanes, large->lanes);
    ASSERT_LT(small->code_bytes, large->code_bytes);
    const auto bytes = static_cast<std::uint32_t>(small->code_bytes);
    EXPECT_EQ(run(work, {}).lanes, large->lanes);
    const std::deque<WorkLaunch::Words> right = work.results;
    const Report retried = run(work, {.code_bytes = bytes});
    EXPECT_EQ(retried.engine, EngineKind::jit) << retried.interpreted_because;
    EXPECT_EQ(retried.lanes, small->lanes);
    EXPECT_EQ(work.results, right);
    const Report interpreted = run(work, {.code_bytes = bytes - 1});
    EXPECT_NE(interpreted.engine, EngineKind::jit);
    EXPECT_NE(interpreted.interpreted_because.find("bytes of code"), std::string::npos)
        << interpreted.interpreted_because;
    EXPECT_EQ(work.results, right);
  }

  const RunOptions options_{};
};

TEST_F(NarrowKernels, Rows) {
  if (!Engine().info().jit) GTEST_SKIP() << "no JIT";
  expect_narrow(*every_work::pica_rows(1));
}
TEST_F(NarrowKernels, Warps) {
  if (!Engine().info().jit) GTEST_SKIP() << "no JIT";
  expect_narrow(*wide_grid());
}

}  // namespace
}  // namespace warpjit::test
