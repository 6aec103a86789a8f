// Fuel (kDefaultFuel): with as much as the thread that needs most, a run finishes; where a thread makes more
// than twice as many transfers, it ends. In every engine, however wide its groups are.
#include <gtest/gtest.h>

#include "shaders.h"
#include "support/hooks.h"
#include "warpjit/tesla.hpp"

namespace warpjit {
namespace {

using test::HookedOptions;
using test::Way;
using test::with_hooks;

class FuelOfKernels : public ::testing::Test {
 protected:
  // `threads` of a block run the body, after `mov b32 $r1 1` and with the thread's number in $r0. Thread k
  // makes no more than `most` transfers, and one of them makes that many.
  void expect(const std::string& name, const std::string& body, unsigned threads, std::uint64_t most,
              const tesla::Modes& modes = {}) {
    auto program = tesla::load_assembly(".kernel k\n.registers 16\n.shared 0x400\nmov b32 $r1 1\n" + body,
                                        {.entry = "k", .source_name = name}, modes);
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    Launch launch(*program);
    EXPECT_TRUE(launch.set_grid(2));
    EXPECT_TRUE(launch.set_block(threads));
    for (const Way& way : test::all_ways(engine_)) {
      if (way.options.generic) continue;
      SCOPED_TRACE(name + ", " + way.name + ", " + std::to_string(threads) + " threads");
      HookedOptions options = way.options;
      for (const std::uint64_t enough : {most, most + 1, 2 * most, ~std::uint64_t{0}}) {
        options.fuel = enough;
        const auto report = engine_.run(launch, with_hooks(engine_, options));
        EXPECT_TRUE(report.ok()) << enough << ": " << to_string(report.error());
      }
      for (const std::uint64_t little : {std::uint64_t{0}, most / 20, (most - 1) / 2}) {
        options.fuel = little;
        const auto report = engine_.run(launch, with_hooks(engine_, options));
        ASSERT_FALSE(report.ok()) << little;
        EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << little;
        EXPECT_NE(report.error().where.find("byte 0x"), std::string::npos) << report.error().where;
      }
    }
  }
  void expect(const std::string& name, const std::string& body, std::uint64_t most) {
    for (const unsigned threads : {20u, 64u, 256u}) expect(name, body, threads, most);
  }

  const Engine engine_{EngineOptions()};
};

// As many turns for each thread.
TEST_F(FuelOfKernels, UniformLoops) {
  expect("uniform", "mov b32 $r2 1001\nagain:\nsub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nexit nop\n",
         1000);
}

// Thread k makes 1000 - k % 16 turns.
const char kDivergent[] =
    "mov b32 $r3 0xf\nand b32 $r2 $r0 $r3\nmov b32 $r3 1001\nsub b32 $r2 $r3 $r2\njoinat #end\nagain:\n"
    "sub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nend:\njoin nop\nexit nop\n";
TEST_F(FuelOfKernels, DivergentLoops) { expect("divergent", kDivergent, 1000); }

// In its outer turn k, of 32, a thread with number k makes 100 inner turns, others make 2: the group makes
// 100 in each.
TEST_F(FuelOfKernels, NestedLoopsInWhichLanesTakeTurns) {
  expect("nested",
         "mov b32 $r3 0x1f\nand b32 $r4 $r0 $r3\nmov b32 $r5 0\nouter:\nmov b32 $r2 3\nmov b32 $r6 101\n"
         "sub b32 $c0 # $r5 $r4\n(e $c0) mov b32 $r2 $r6\njoinat #met\ninner:\nsub b32 $c0 $r2 $r2 $r1\n"
         "(lg $c0) bra #inner\nmet:\njoin nop\nadd b32 $r5 $r5 $r1\nmov b32 $r7 32\n"
         "sub b32 $c0 # $r5 $r7\n(lg $c0) bra #outer\nexit nop\n",
         31 * 2 + 100 + 31);
}

// A loop that is the same for all lanes, on one side of a branch that is not.
TEST_F(FuelOfKernels, UniformLoopsOfSomeLanes) {
  expect("some",
         "mov b32 $r3 3\nand b32 $r4 $r0 $r3\nmov b32 $r5 0\nouter:\nsub b32 $c0 # $r5 $r4\njoinat #met\n"
         "(lg $c0) bra #met\nmov b32 $r2 201\ninner:\nsub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #inner\nmet:\n"
         "join nop\nadd b32 $r5 $r5 $r1\nmov b32 $r7 4\nsub b32 $c0 # $r5 $r7\n(lg $c0) bra #outer\n"
         "exit nop\n",
         200 + 3);
}

TEST_F(FuelOfKernels, LoopsWithBarriers) {
  expect("barriers",
         "mov b32 $r2 301\nagain:\nbar inc wait 0x0 all\nsub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nexit "
         "nop\n",
         300);
}

// A function that comes after its callers is returned from backwards; one that comes before them is called
// backwards and returned from forwards.
TEST_F(FuelOfKernels, CallsAndReturns) {
  expect("after",
         "mov b32 $r2 101\nagain:\ncall #f\ncall #f\nsub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nexit nop\n"
         "f:\nadd b32 $r3 $r3 $r0\nret\n",
         100 + 2 * 101);
  expect("before",
         "mov b32 $r2 101\nbra #again\nf:\nadd b32 $r3 $r3 $r0\nret\nagain:\ncall #f\ncall #f\n"
         "sub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nexit nop\n",
         100 + 2 * 101);
}

// Odd threads return early, others at the end.
TEST_F(FuelOfKernels, DivergentReturns) {
  expect("returns",
         "mov b32 $r2 101\nagain:\ncall #f\nsub b32 $c0 $r2 $r2 $r1\n(lg $c0) bra #again\nexit nop\n"
         "f:\nand b32 $c1 # $r0 $r1\n(lg $c1) ret\nadd b32 $r3 $r3 $r0\nret\n",
         100 + 101);
}

// A break to an address before its own returns, too.
TEST_F(FuelOfKernels, BreaksBackwards) {
  expect("breaks",
         "mov b32 $r2 101\nagain:\nbreakaddr #back\nbra #far\nback:\nsub b32 $c0 $r2 $r2 $r1\n"
         "(lg $c0) bra #again\nexit nop\nfar:\nadd b32 $r3 $r3 $r0\nbreak\n",
         100 + 101);
}

// Functions that each call the next one twice. With 12 there are too many ways for blocks, so that the control
// stack is kept while the code runs.
std::string nested_calls(unsigned functions, const std::string& last) {
  std::string code = "call #f0\nexit nop\n";
  for (unsigned n = 0; n < functions; ++n) {
    const std::string number = std::to_string(n), next = "call #f" + std::to_string(n + 1) + "\n";
    code += "f" + number + ":\n";
    code += n + 1 < functions ? next + "add b32 $r3 $r3 $r0\n" + next : last;
    code += "ret\n";
  }
  return code;
}
TEST_F(FuelOfKernels, NestedCalls) {
  expect("nested calls", nested_calls(12, "add b32 $r4 $r4 $r0\n"), (1U << 12) - 1);
  expect("nested calls that part lanes",
         nested_calls(12, "and b32 $c1 # $r0 $r1\n(lg $c1) ret\nadd b32 $r4 $r4 $r0\n"), (1U << 12) - 1);
}
// Functions before their callers, and breaks, on the same stack.
TEST_F(FuelOfKernels, NestedCallsOfEarlierFunctions) {
  std::string code = "bra #main\n";
  constexpr int kFunctions = 12;
  for (int n = kFunctions - 1; n >= 0; --n) {
    const std::string next = "call #f" + std::to_string(n + 1) + "\n";
    code += "f" + std::to_string(n) + ":\n" + (n + 1 < kFunctions ? next + next : "") + "ret\n";
  }
  expect("earlier", code + "main:\ncall #f0\nexit nop\n", (1U << 12) - 1);
  code = "breakaddr #end\nbra #f0\nend:\nexit nop\n";
  for (int n = 0; n < kFunctions; ++n) {
    const std::string number = std::to_string(n), next = "bra #f" + std::to_string(n + 1) + "\n";
    code += "f" + number + ":\n";
    if (n + 1 < kFunctions)
      code += "breakaddr #a" + number + "\n" + next + "a" + number + ":\nbreakaddr #b" + number + "\n" +
              next + "b" + number + ":\n";
    code += "break\n";
  }
  expect("breaks", code, (1U << 12) - 1);
}

class FuelOfShaders : public ::testing::Test {
 protected:
  // v0.x turns; its own for each of the threads.
  static Program counting() {
    return test::assemble(
        ".out outpos position\n.constf k(1.0, 0.0, 0.0, 0.0)\n.proc main\nmov r0, k.yyyy\nagain:\n"
        "add r0, k.xxxx, r0\ncmp r0.xx, lt, lt, v0.xx\njmpc cmp.x, again\nmov o0, r0\nend\n.end\n");
  }
  const Engine engine_;
};

TEST_F(FuelOfShaders, Rows) {
  const Program program = counting();
  Launch launch(program);
  std::vector<float> turns(100), out(400);
  for (std::size_t n = 0; n < turns.size(); ++n) turns[n] = static_cast<float>(n % 7 == 0 ? 1001 : n);
  ASSERT_TRUE(launch.bind_input("v0", {turns.data(), 400, 4, f32x1}));
  ASSERT_TRUE(launch.bind_output("o0", {out.data(), 1600, 16, f32x4}));
  EXPECT_TRUE(launch.set_count(100));
  for (const Way& way : test::all_ways(engine_)) {
    HookedOptions options = way.options;
    for (const std::uint64_t enough : {1000, 1001, 5000}) {
      options.fuel = enough;
      EXPECT_TRUE(engine_.run(launch, with_hooks(engine_, options))) << way.name << ' ' << enough;
    }
    for (const std::uint64_t little : {0, 50, 499}) {
      options.fuel = little;
      const auto report = engine_.run(launch, with_hooks(engine_, options));
      ASSERT_FALSE(report) << way.name << ' ' << little;
      EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way.name;
    }
  }
}

// What makes an invocation depend on the one before keeps them in order, alone in their groups.
TEST_F(FuelOfShaders, GeometryInOrder) {
  const Program program = test::assemble(
      ".gsh point c0\n.out clip position\n.constf k(1.0, 0.0, 0.0, 301.0)\n.proc main\nadd r2, r2, v0\n"
      "mov r0, k.yyyy\nagain:\nadd r0, k.xxxx, r0\ncmp k.ww, gt, gt, r0.xx\njmpc cmp.x, again\nmov clip, r2\n"
      "setemit 0\nemit\nsetemit 1\nemit\nsetemit 2, prim\nemit\nend\n.end\n");
  Launch launch(program);
  std::vector<float> in(40), triangles(40 * 12);
  std::vector<std::uint8_t> inverted(40);
  ASSERT_TRUE(launch.bind_input("v0", {in.data(), in.size() * 4, 4, f32x1}));
  EXPECT_TRUE(launch.set_count(in.size()));
  GeometryInput input = launch.geometry_input();
  input.outputs = 1;
  input.max_triangles = 1;
  ASSERT_TRUE(launch.set_geometry_input(input));
  ASSERT_TRUE(
      launch.bind_triangles({triangles.data(), triangles.size() * 4, inverted.data(), inverted.size()}));
  for (const Way& way : test::all_ways(engine_)) {
    HookedOptions options = way.options;
    options.fuel = 300;
    const auto finished = engine_.run(launch, with_hooks(engine_, options));
    EXPECT_TRUE(finished) << way.name << ' ' << to_string(finished.error());
    options.fuel = 149;
    const auto report = engine_.run(launch, with_hooks(engine_, options));
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << way.name;
  }
}

}  // namespace
}  // namespace warpjit
