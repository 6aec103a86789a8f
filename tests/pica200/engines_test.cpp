// All engines on the same PICA200 programs: guest interpreter, IR interpreter in both forms, machine code for
// both targets. The guest interpreter is the reference; the others must give the same bits.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "support/pica_cases.h"
#include "support/pica_engines.h"
#include "support/share.h"

namespace warpjit::tests {
namespace {

using backend::Target;

struct Engine {
  const char* name;
  std::function<EngineResult(const PicaLaunch&)> run;
  std::optional<Target> target;
};

std::vector<Engine> engines(bool structural = false) {
  std::vector<Engine> list = {
      {"thread form", run_thread_form, {}},
      {"group form, 16 lanes", [](const PicaLaunch& l) { return run_group_form(l, 16, false); }, {}},
      {"dispatcher, 8 lanes", [](const PicaLaunch& l) { return run_group_form(l, 8, true); }, {}},
  };
  if (!structural) list.push_back({"dynamic stacks", run_dynamic_form, {}});
  for (Target target : backend::kPlainTargets) {
    if (!backend::runs_here(target)) continue;
    auto add = [&](const char* name, JitOptions options) {
      options.target = target;
      list.push_back({name, [options](const PicaLaunch& l) { return run_jit(l, options); }, target});
    };
    add("machine code", {});
    add("machine code, 2 parts, 4 registers", {target, 2, 4, false});
    add("machine code, 1 part, 5 registers", {target, 1, 5, false});
    add("machine code of the dispatcher", {target, 0, 0, true});
  }
  return list;
}

std::string label(const Engine& engine) {
  return std::string(engine.name) + (engine.target ? " " + std::string(name(*engine.target)) : "");
}

void compare_engines(const PicaLaunch& launch, const std::string& what) {
  const EngineResult wanted = run_guest(launch);
  for (const Engine& engine : engines(launch.program.structural_scopes)) {
    const std::string wrong = difference(wanted, engine.run(launch));
    ASSERT_TRUE(wrong.empty()) << what << ", " << label(engine) << ": " << wrong << "\n"
                               << pica200::disassemble(launch.program);
  }
}

PicaLaunch random_launch(std::uint64_t seed, const pica200::RandomOptions& options = {}) {
  pica200::RandomProgram random = pica200::random_program(seed, options);
  PicaLaunch launch{std::move(random.program), random.uniforms, std::move(random.threads)};
  launch.generic_booleans = seed % 3 == 0;
  return launch;
}

TEST(PicaEngines, RandomProgramsAgree) {
  for (std::uint64_t seed = 0; seed < share(150) && !testing::Test::HasFatalFailure(); ++seed)
    compare_engines(random_launch(seed), "seed " + std::to_string(seed));
}

TEST(PicaEngines, RandomStraightLineProgramsAgree) {
  pica200::RandomOptions options;
  options.flow = options.jumps = false;
  options.threads = 37;  // more than a group, and not a whole number of them
  for (std::uint64_t seed = 0; seed < share(60) && !testing::Test::HasFatalFailure(); ++seed)
    compare_engines(random_launch(seed, options), "straight-line seed " + std::to_string(seed));
}

// Programs whose scope stacks unfold beyond the bound of static discovery, or lead past the end on paper
// only.
TEST(PicaEngines, UnfoldingStacksAgree) {
  for (std::uint64_t seed : {3051u, 3243u, 3766u, 12388u})
    compare_engines(random_launch(seed), "seed " + std::to_string(seed));
}

// Control that comes to word 4095 ends the thread (pica200.md 9).
TEST(PicaEngines, ProgramsThatEndAtTheLastAddressAgree) {
  pica200::RandomOptions options;
  options.at_limit = true;
  for (std::uint64_t seed = 0; seed < share(40) && !testing::Test::HasFatalFailure(); ++seed) {
    options.shared_ends = seed % 4 == 0;
    compare_engines(random_launch(seed, options), "at the limit, seed " + std::to_string(seed));
  }
}

// Assembles words in the exact form, after `first` NOPs; `last` words after them are undefined.
pica200::Program words_from(unsigned first, const std::string& lines, unsigned last) {
  std::string text = ".exact vertex " + std::to_string(first) + "\n.desc 0x0006c36f\n";
  for (unsigned k = 0; k < first; ++k) text += ".op nop\n";
  text += lines;
  for (unsigned k = 0; k < last; ++k) text += ".word 0xffffffff\n";
  const pica200::SourceFile source = {"words.pica", text};
  const auto container = pica200::assemble(std::span(&source, 1));
  EXPECT_TRUE(container.ok()) << to_string(container.error());
  const auto program = pica200::select_program(*container);
  EXPECT_TRUE(program.ok());
  return *program;
}

TEST(PicaEngines, StructuralScopesAgree) {
  pica200::RandomOptions options;
  options.structural = true;
  for (std::uint64_t seed = 0; seed < share(120) && !testing::Test::HasFatalFailure(); ++seed) {
    options.shared_ends = seed % 4 != 0;
    compare_engines(random_launch(seed, options), "structural, seed " + std::to_string(seed));
  }
}

// What ends where another scope ends. c0.x = 1, c1.x = 10, c2.x = 100; i0 and i1 run twice and three times.
TEST(PicaEngines, StructuralScopesCloseTogether) {
  const auto add = [](int c) { return ".op add dst=r0 src2=r0 src1=c" + std::to_string(c) + "\n"; };
  const std::string outer = ".op for uniform=0 target=", inner = ".op for uniform=1 target=",
                    unless = ".op ifu uniform=0 ", when = ".op ifu uniform=1 ", end = ".op end\n",
                    jump = ".op jmpu uniform=0 num=1 target=";
  const struct {
    const char* what;
    std::string lines;
    float structural, hardware;
    int aL;
  } cases[] = {
      {"two LOOPs", outer + "2\n" + inner + "2\n" + add(0) + add(1) + end, 16, 13, 2},
      {"three LOOPs", outer + "3\n" + inner + "3\n" + outer + "3\n" + add(0) + add(1) + end, 22, 12, 2},
      {"an IF in a LOOP", outer + "2\n" + when + "target=3 num=0\n" + add(0) + add(1) + end, 12, 12, 2},
      {"an IF not taken in a LOOP", outer + "2\n" + unless + "target=3 num=0\n" + add(0) + add(1) + end, 10,
       10, 2},
      {"an IF with ELSE in a LOOP",
       outer + "3\n" + when + "target=3 num=1\n" + add(0) + add(1) + add(2) + end, 102, 101, 2},
      {"an IF in an IF",
       when + "target=3 num=1\n" + when + "target=3 num=0\n" + add(0) + add(1) + add(2) + end, 101, 111, 0},
      {"a CALL last in a LOOP", outer + "1\n.op call target=4 num=1\n" + add(1) + end + add(0), 12, 10, 2},
      {"an IF last in a procedure",
       ".op call target=3 num=2\n" + add(1) + end + when + "target=5 num=0\n" + add(0) + add(2) + end, 11,
       101, 0},
      {"a CALL last in a procedure",
       ".op call target=3 num=2\n" + add(1) + end + add(0) + ".op call target=5 num=1\n" + add(2) + end, 111,
       111, 0},
      {"a LOOP without a body", outer + "0\n" + add(0) + end, 1, 1, 2},
      {"a LOOP without a body in a LOOP", outer + "1\n" + inner + "1\n" + add(0) + end, 1, 1, 2},
      {"a jump in the last place", outer + "2\n" + add(0) + jump + "4\n" + add(1) + add(2) + end, 101, 112,
       0},
      {"a jump to the end of a LOOP", outer + "2\n" + jump + "3\n" + add(0) + add(1) + end, 10, 10, 0},
      {"a jump out of an IF in a LOOP",
       outer + "4\n" + when + "target=3 num=0\n" + jump + "4\n" + add(1) + add(0) + end, 2, 22, 2},
      {"BREAK in a procedure",
       outer + "2\n.op call target=4 num=2\n" + add(1) + end + add(0) + ".op break\n" + end, 1, 1, 0},
  };
  for (const auto& c : cases) {
    PicaLaunch launch{words_from(0, c.lines, 0), {}, {pica200::ThreadState{}}};
    for (float& lane : launch.uniforms.c[0]) lane = 1;
    for (float& lane : launch.uniforms.c[1]) lane = 10;
    for (float& lane : launch.uniforms.c[2]) lane = 100;
    launch.uniforms.b = 2;
    for (unsigned n = 0; n < 2; ++n)
      launch.uniforms.i[n][0] = static_cast<std::uint8_t>(1 + n), launch.uniforms.i[n][2] = 1;
    for (const bool structural : {false, true}) {
      launch.program.structural_scopes = structural;
      ASSERT_NO_FATAL_FAILURE(compare_engines(launch, c.what));
      const EngineResult result = run_guest(launch);
      ASSERT_FALSE(result.error) << c.what << ": " << to_string(*result.error);
      EXPECT_EQ(exit_state(result, 0).r[0][0], structural ? c.structural : c.hardware)
          << c.what << (structural ? ", structural" : "");
      if (!structural) continue;
      EXPECT_EQ(exit_state(result, 0).aL, c.aL) << c.what;
    }
  }
}

TEST(PicaEngines, TheLastAddressEndsAThread) {
  const std::string add = ".op add dst=r0 src2=r0 src1=c0\n";
  const struct {
    const char* what;
    unsigned first;
    std::string lines;
    unsigned last;
    float sum;
  } cases[] = {
      {"falls into it", 4092, add + add + add, 1, 3},
      {"falls behind a program of 4095 words", 4093, add + add, 0, 2},
      {"the entry", 4095, "", 1, 0},
      {"jumps to it from a short program", 0, add + ".op jmpu num=1 target=4095\n" + add + ".op end\n", 0, 1},
      {"an IF skips to it", 0, add + ".op ifu uniform=0 target=4095 num=0\n" + add + ".op end\n", 0, 1},
      {"a LOOP ends at it", 4093, ".op for uniform=1 target=4094\n" + add, 1, 3},
      {"a LOOP would end behind it", 4093, ".op for uniform=1 target=4095\n" + add, 1, 1},
      {"a CALL ends at it", 4090,
       ".op call target=4094 num=1\n" + add + ".op jmpu num=1 target=4095\n.op end\n" + add, 1, 2},
      {"a BREAK leads to it", 4092, ".op for uniform=1 target=4094\n" + add + ".op break\n", 1, 1},
  };
  for (const auto& c : cases) {
    PicaLaunch launch{words_from(c.first, c.lines, c.last), {}, {pica200::ThreadState{}}};
    for (float& lane : launch.uniforms.c[0]) lane = 1;
    launch.uniforms.i[1][0] = 2;
    ASSERT_NO_FATAL_FAILURE(compare_engines(launch, c.what));
    const EngineResult result = run_guest(launch);
    ASSERT_FALSE(result.error) << c.what << ": " << to_string(*result.error);
    EXPECT_EQ(exit_state(result, 0).r[0][0], c.sum) << c.what;
  }
  // The program has no other address after its last word.
  const PicaLaunch past{words_from(0, add + ".op nop\n", 0), {}, {pica200::ThreadState{}}};
  for (const Engine& engine : engines()) EXPECT_TRUE(engine.run(past).error) << label(engine);
}

TEST(PicaEngines, SharedGateCases) {
  const std::string path = pica_cases_path();
  if (!std::ifstream(path)) GTEST_SKIP() << path << " is not there";
  const auto cases = load_pica_cases(path);
  ASSERT_TRUE(cases.ok()) << to_string(cases.error());
  int runs = 0, structural = 0;
  for (const PicaCase& test : *cases) {
    // The mode makes no difference where scopes do not end together. One emulator's test has them do so.
    const bool together = test.name.starts_with("Nested loop, shared end");
    if (test.tier != "gate" && !together) continue;
    for (const PicaRun& wanted : test.runs) {
      if (wanted.geometry) continue;
      if (!in_share(runs++) && !together) continue;
      PicaLaunch launch{test.program, test.uniforms, {wanted.start}};
      launch.program.structural_scopes = together || runs % 2 == 0;
      structural += together;
      for (const Engine& engine : engines(launch.program.structural_scopes)) {
        const EngineResult result = engine.run(launch);
        ASSERT_FALSE(result.error) << test.name << ", " << label(engine) << ": " << to_string(*result.error);
        const pica200::ThreadState state = exit_state(result, 0);
        for (const PicaExpectation& expected : wanted.expect)
          if (const auto wrong = mismatch(expected, state))
            ADD_FAILURE() << test.name << ", " << label(engine) << ": " << *wrong;
      }
    }
  }
  EXPECT_GT(runs, 300);
  EXPECT_EQ(structural, 8);
}

TEST(PicaEngines, EndlessLoopsRunOutOfFuelEverywhere) {
  const pica200::SourceFile source = {"endless.v.pica", R"(
.proc main
again:
  add r0, r0, r0
  cmp r1.xx, eq, eq, r1.xx
  jmpc cmp.x, again
  nop
  end
.end
)"};
  auto container = pica200::assemble(std::span(&source, 1));
  ASSERT_TRUE(container.ok()) << to_string(container.error());
  auto program = pica200::select_program(*container);
  ASSERT_TRUE(program.ok());
  PicaLaunch launch{*program, {}, {pica200::ThreadState{}}};
  launch.fuel = 1000;
  const EngineResult guest = run_guest(launch);
  ASSERT_TRUE(guest.error);
  EXPECT_EQ(guest.error->code, ErrorCode::out_of_fuel);
  for (const Engine& engine : engines()) {
    const EngineResult result = engine.run(launch);
    ASSERT_TRUE(result.error) << label(engine);
    EXPECT_EQ(result.error->code, ErrorCode::out_of_fuel)
        << label(engine) << ": " << to_string(*result.error);
  }
}

}  // namespace
}  // namespace warpjit::tests
