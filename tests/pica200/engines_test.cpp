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

std::vector<Engine> engines() {
  std::vector<Engine> list = {
      {"thread form", run_thread_form, {}},
      {"dynamic stacks", run_dynamic_form, {}},
      {"group form, 16 lanes", [](const PicaLaunch& l) { return run_group_form(l, 16, false); }, {}},
      {"dispatcher, 8 lanes", [](const PicaLaunch& l) { return run_group_form(l, 8, true); }, {}},
  };
  for (Target target : backend::kTargets) {
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
  for (const Engine& engine : engines()) {
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

TEST(PicaEngines, SharedGateCases) {
  const std::string path = pica_cases_path();
  if (!std::ifstream(path)) GTEST_SKIP() << path << " is not there";
  const auto cases = load_pica_cases(path);
  ASSERT_TRUE(cases.ok()) << to_string(cases.error());
  int runs = 0;
  for (const PicaCase& test : *cases) {
    if (test.tier != "gate") continue;
    for (const PicaRun& wanted : test.runs) {
      if (wanted.geometry) continue;
      if (!in_share(runs++)) continue;
      const PicaLaunch launch{test.program, test.uniforms, {wanted.start}};
      for (const Engine& engine : engines()) {
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
