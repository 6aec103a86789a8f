// Compute kernels through the engine: every engine and target gives the guest interpreter's bits.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "frontend/tesla/shader.h"
#include "random/tesla/random.h"
#include "runtime/compute_ways.h"
#include "runtime/engine/engine.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "warpjit/tesla.hpp"

namespace warpjit {

using namespace compute_test;

namespace {

std::string read_example(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(tests::source_file("examples/tesla/" + name + ".tesla")).rdbuf();
  return text.str();
}

Program example(const std::string& name) {
  auto program = tesla::load_assembly(read_example(name), {.source_name = name});
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

// An example's launch: everything lies in g14 from 0x1000 on.
struct Example {
  const char* name;
  std::uint32_t grid_x, grid_y;
  std::array<std::uint32_t, 3> block;
  std::size_t words;
  bool floats;
  std::vector<std::uint32_t> parameters;
};

std::vector<Example> examples() {
  return {
      {"saxpy", 4, 1, {64, 1, 1}, 400, true, {0x1000, 0x1000 + 800, bits(3), 190}},
      {"hash", 2, 1, {128, 1, 1}, 256, false, {0x1000, 5}},
      {"collatz", 2, 1, {64, 1, 1}, 128, false, {0x1000}},
  };
}

std::vector<std::uint32_t> data(std::size_t words, bool floats) {
  std::vector<std::uint32_t> memory(words);
  for (std::size_t k = 0; k < words; ++k)
    memory[k] = floats ? bits(static_cast<float>(k * 7 % 100)) : static_cast<std::uint32_t>(k + 1);
  return memory;
}

struct Outcome {
  std::vector<std::uint32_t> memory;
  Report report;
};

Outcome run(const Engine& engine, const Example& e, const HookedOptions& options) {
  Outcome outcome{data(e.words, e.floats), {}};
  Launch launch(example(e.name));
  EXPECT_TRUE(launch.set_grid(e.grid_x, e.grid_y));
  EXPECT_TRUE(launch.set_block(e.block[0], e.block[1], e.block[2]));
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(e.parameters))));
  EXPECT_TRUE(launch.map_memory("g14", 0x1000, outcome.memory.data(), outcome.memory.size() * 4).ok());
  auto report = engine.run(launch, with_hooks(engine, options));
  EXPECT_TRUE(report.ok()) << e.name << ": " << to_string(report.error());
  if (report) outcome.report = *report;
  EXPECT_FALSE(outcome.report.fault) << outcome.report.fault->what << " " << outcome.report.fault->where;
  return outcome;
}

TEST(Compute, ExamplesGiveTheSameBitsOnEveryEngine) {
  EngineOptions options;
  options.checks = true;
  const Engine engine(options);
  for (const Example& e : examples()) {
    HookedOptions guest;
    guest.engine = EngineKind::guest;
    const Outcome wanted = run(engine, e, guest);
    EXPECT_NE(wanted.memory, data(e.words, e.floats)) << e.name;
    for (const HookedOptions& way : ways(engine)) {
      const Outcome got = run(engine, e, way);
      EXPECT_EQ(got.memory, wanted.memory) << e.name << " " << name(way.target);
      EXPECT_EQ(got.report.engine, way.engine) << e.name << ": " << got.report.interpreted_because;
    }
  }
}

TEST(Compute, RandomKernelsGiveTheSameBitsOnEveryEngine) {
  const Engine engine, wide_engine;
  wide_engine.state().set_hooks({.parts = 8});
  std::uint64_t wide = 0;  // runs in which several warps were one group
  for (std::uint64_t seed = 1; seed <= share(120); ++seed) {
    tesla::RandomOptions options{.quads = seed % 2 == 0};
    options.lanes_meet = seed % 4 != 1;
    const tesla::RandomKernel kernel = tesla::random_kernel(seed, options);
    const auto shader = tesla::Shader::make(kernel.program);
    ASSERT_TRUE(shader.ok()) << to_string(shader.error());
    const auto run = [&](const Engine& runs, const HookedOptions& way, std::vector<std::uint32_t>& g1) {
      Launch launch{Program(*shader)};
      EXPECT_TRUE(launch.set_grid(kernel.grid[0], kernel.grid[1]));
      EXPECT_TRUE(launch.set_block(kernel.block[0], kernel.block[1], kernel.block[2]));
      launch.set_fuel(tesla::kRandomFuel);
      std::vector<std::uint32_t> g0 = kernel.g0;
      EXPECT_TRUE(launch.bind_constants("c0", kernel.c0.data(), kernel.c0.size() * 4).ok());
      EXPECT_TRUE(launch.map_memory("g0", 0, g0.data(), g0.size() * 4).ok());
      g1.assign(kernel.g1_words, 0);
      EXPECT_TRUE(launch.map_memory("g1", 0, g1.data(), g1.size() * 4).ok());
      return runs.run(launch, with_hooks(runs, way));
    };
    HookedOptions guest;
    guest.engine = EngineKind::guest;
    std::vector<std::uint32_t> wanted, got;
    const auto oracle = run(engine, guest, wanted);
    ASSERT_TRUE(oracle.ok()) << seed << ": " << to_string(oracle.error());
    for (const HookedOptions& way : ways(engine)) {
      const bool many = !options.lanes_meet && way.engine == EngineKind::jit && !way.dispatch_all;
      const auto report = run(many ? wide_engine : engine, way, got);
      ASSERT_TRUE(report.ok()) << seed << ": " << to_string(report.error());
      ASSERT_EQ(report->engine, way.engine) << seed << ": " << report->interpreted_because;
      wide += report->lanes > 32 ? 1 : 0;
      ASSERT_EQ(got, wanted) << "seed " << seed << " " << name(way.engine) << " " << name(way.target)
                             << (way.dispatch_all ? " dispatched" : "");
    }
  }
  EXPECT_TRUE(wide != 0 || engine.info().targets.empty() || share(8) != 8);  // few seeds may have none
}

// The last warp has lanes that no thread has: their numbers, which quadop sees, are the same in all engines.
TEST(Compute, LanesWithoutThreadsHaveNumbers) {
  auto program = tesla::load_assembly(
      ".kernel k\n.registers 8\n.shared 0x14\n"
      "mov b32 $r2 u16 s[0x2]\nmov b32 $r3 u16 s[0x4]\n"  // columns, rows
      "shr u32 $r4 $r0 0x1a\nmul $r4 u24 $r4 $r3\nshr u32 $r5 $r0 0x10\nand b32 $r5 $r5 0x3ff\n"
      "add b32 $r4 $r4 $r5\nmul $r4 u24 $r4 $r2\nand b32 $r5 $r0 0xffff\nadd b32 $r4 $r4 $r5\n"
      "shl b32 $r4 $r4 0x2\nadd b32 $r4 b32 s[0x10] $r4\n"
      "quadop f32 add add add add $r1 l3 $r0 $r63\nexit st b32 g14[$r4] $r1\n",
      {.source_name = "k"});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const Engine engine{EngineOptions()};
  for (const std::array<std::uint32_t, 3>& block :
       {std::array<std::uint32_t, 3>{90, 1, 1}, {15, 6, 1}, {15, 2, 3}, {1, 1, 45}, {1, 45, 1}}) {
    const auto run = [&](const HookedOptions& way) {
      std::vector<std::uint32_t> memory(128);
      Launch launch(*program);
      EXPECT_TRUE(launch.set_block(block[0], block[1], block[2]));
      const std::uint32_t parameters[] = {0x1000};
      EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
      EXPECT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), memory.size() * 4).ok());
      const auto report = engine.run(launch, with_hooks(engine, way));
      EXPECT_TRUE(report.ok()) << to_string(report.error());
      EXPECT_FALSE(report->fault);
      return memory;
    };
    HookedOptions guest;
    guest.engine = EngineKind::guest;
    const auto wanted = run(guest);
    for (const HookedOptions& way : ways(engine)) EXPECT_EQ(run(way), wanted) << block[0] << ' ' << block[1];
  }
}

// Blocks that run one after the other in a single call are told apart.
TEST(Compute, FaultsNameTheBlock) {
  auto program = tesla::load_assembly(
      ".kernel k\n.registers 4\n.shared 0x14\n"
      "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 u16 s[0xe]\nmov b32 $r3 u16 s[0x8]\n"
      "add $r1 (mul u16 $r2l $r3l) $r1\n"  // number of the block
      "shl b32 $r1 $r1 0x6\nand b32 $r0 $r0 0xffff\nadd b32 $r1 $r1 $r0\nshl b32 $r1 $r1 0x2\n"
      "add b32 $r1 b32 s[0x10] $r1\nexit st b32 g14[$r1] $r1\n",
      {.source_name = "k"});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const Engine engine{EngineOptions()};
  HookedOptions guest;
  guest.engine = EngineKind::guest;
  std::vector<HookedOptions> all = ways(engine);
  all.push_back(guest);
  for (const HookedOptions& way : all) {
    constexpr std::uint32_t kBlocks = 5 * 3, kWords = 11 * 64 + 40;  // the rest is outside
    std::vector<std::uint32_t> memory(kBlocks * 64);
    Launch launch(*program);
    EXPECT_TRUE(launch.set_grid(5, 3));
    EXPECT_TRUE(launch.set_block(64));
    const std::uint32_t parameters[] = {0x1000};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    ASSERT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), kWords * 4).ok());
    for (int run = 0; run < 2; ++run) {
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      ASSERT_TRUE(report->fault);
      EXPECT_EQ(report->fault->what, "store to g14[0x1ba0] by thread 40 of block (1, 2)");
    }
    for (std::uint32_t k = 0; k < memory.size(); ++k) ASSERT_EQ(memory[k], k < kWords ? 0x1000 + 4 * k : 0);
  }
}

TEST(Compute, FaultsNameThePlace) {
  const Engine engine{EngineOptions()};
  HookedOptions guest;
  guest.engine = EngineKind::guest;
  std::vector<HookedOptions> all = ways(engine);
  all.push_back(guest);
  for (const HookedOptions& way : all) {
    std::vector<std::uint32_t> memory(100);
    Launch launch(example("collatz"));
    EXPECT_TRUE(launch.set_grid(2));
    EXPECT_TRUE(launch.set_block(64));
    const std::uint32_t parameters[] = {0x1000};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    ASSERT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), memory.size() * 4).ok());
    const auto report = engine.run(launch, with_hooks(engine, way));
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    ASSERT_TRUE(report->fault);
    EXPECT_EQ(report->fault->what, "load from g14[0x1190] by thread 36 of block (1, 0)");
  }
}

TEST(Compute, BadLaunchesAreErrors) {
  const Engine engine{EngineOptions()};
  Launch launch(example("collatz"));
  EXPECT_TRUE(launch.set_block(513));
  EXPECT_EQ(engine.run(launch, {}).error().code, ErrorCode::bad_input);
  EXPECT_TRUE(launch.set_block(64));
  EXPECT_TRUE(launch.set_grid(0));
  EXPECT_EQ(engine.run(launch, {}).error().code, ErrorCode::bad_input);
  EXPECT_FALSE(launch.map_memory("g16", 0, nullptr, 0).ok());
  EXPECT_FALSE(launch.bind_constants("c16", nullptr, 0).ok());
}

// Many blocks run in one call of host code; each thread of each block has all of the fuel.
TEST(Compute, EveryBlockHasItsOwnFuel) {
  const Engine engine{EngineOptions()};
  Launch launch(kernel(
      "mov b32 $r1 64\nmov b32 $r2 1\nagain:\nsub b32 $c0 $r1 $r1 $r2\n(lg $c0) bra #again\nexit nop\n"));
  EXPECT_TRUE(launch.set_grid(300));
  EXPECT_TRUE(launch.set_block(32));
  launch.set_fuel(63);
  for (const HookedOptions& way : all_ways(engine)) {
    const auto report = engine.run(launch, with_hooks(engine, way));
    EXPECT_TRUE(report.ok()) << to_string(report.error());
  }
}

// What c[] holds then is where `bra c[]` goes, in each run.
TEST(Compute, BranchTablesMayChangeFromRunToRun) {
  const Engine engine{EngineOptions()};
  Launch launch(
      kernel("and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 $r3 1\n"
             "and b32 $r3 $r3 $r0\nshl $a1 $r3 0x2\nbra c5[$a1+0x8]\n"
             "mov b32 $r2 1\nst b32 g14[$r1] $r2\nexit nop\n"     // at 0x38
             "mov b32 $r2 2\nst b32 g14[$r1] $r2\nexit nop\n"));  // at 0x50
  EXPECT_TRUE(launch.set_block(64));
  const std::uint32_t first = 0x1000;
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&first, 1))));
  std::vector<std::uint32_t> table(4), memory(64);
  ASSERT_TRUE(launch.bind_constants("c5", table.data(), table.size() * 4).ok());
  ASSERT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), memory.size() * 4).ok());
  constexpr std::uint32_t kPlaces[] = {0x38, 0x50};
  for (const HookedOptions& way : all_ways(engine)) {
    for (unsigned k = 0; k < 4; ++k) {
      table = {3, 0x38, kPlaces[k % 2], kPlaces[k / 2]};
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      EXPECT_EQ(report->engine, way.engine) << report->interpreted_because;
      for (unsigned t = 0; t < 64; ++t) ASSERT_EQ(memory[t], 1 + (t % 2 == 0 ? k % 2 : k / 2));
    }
    table[3] = 0x34;  // within an instruction
    const auto report = engine.run(launch, with_hooks(engine, way));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::fault);
    EXPECT_NE(report.error().where.find("byte 0x30"), std::string::npos) << to_string(report.error());
  }
}

// Stores of all threads, some or none to one word: the last one's counts. One of the words may be outside.
TEST(Compute, TheLastThreadThatStoresToAWordIsSeen) {
  const Engine engine{EngineOptions()};
  constexpr std::uint32_t kThreads = 96, kFirst = 0x1000, kSingle = 8;  // words after those of threads
  std::uint32_t random = 5;
  const auto draw = [&](std::uint32_t below) {
    return (random = random * 1664525 + 1013904223) / 65536 % below;
  };
  for (std::uint32_t seed = 0; seed < share(60); ++seed) {
    std::string text =
        "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r1\nld b32 $r2 g14[$r1]\n"
        "mov b32 $r8 b32 s[0x14]\nmov b32 $r9 b32 s[0x18]\n";
    for (std::uint32_t n = 0; n < kSingle; ++n) {
      const bool shared = draw(3) == 0;
      const std::string source = draw(3) == 0 ? "$r9" : draw(2) == 0 ? "$r0" : "$r2";
      text += "mov b32 $r7 " + std::to_string(1u << n) + "\nand b32 $c0 # $r2 $r7\n";
      text += draw(5) == 0 ? "" : "(lg $c0) ";
      text += shared ? "st b32 s[0x40] " + source + "\nld $r3 b32 s[0x40]\nst b32 g14[$r8] $r3\n"
                     : "st b32 g14[$r8] " + source + "\n";
      text += "add b32 $r8 $r8 4\n";
    }
    const Program program = kernel(text + "exit nop\n");
    std::vector<std::uint32_t> start(kThreads + kSingle, 0x5eed);
    const std::uint32_t often = 1 + draw(60);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      start[t] = t << 16;
      for (std::uint32_t n = 0; n < kSingle; ++n)
        if (draw(often) == 0) start[t] |= 1u << n;
    }
    Launch launch(program);
    EXPECT_TRUE(launch.set_block(kThreads));
    const bool wrong = draw(4) == 0;  // addresses are not aligned
    const std::uint32_t parameters[] = {kFirst, kFirst + 4 * kThreads + (wrong ? 2 : 0), 0xabcd};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    if (!wrong) {
      ASSERT_NO_FATAL_FAILURE(expect_same_memory(engine, launch, kFirst, start)) << "seed " << seed << "\n"
                                                                                 << text;
      continue;
    }
    std::vector<std::uint32_t> memory = start;
    ASSERT_TRUE(launch.map_memory("g14", kFirst, memory.data(), memory.size() * 4).ok());
    std::string wanted;
    for (const HookedOptions& way : all_ways(engine)) {
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok());
      const std::string fault = report->fault ? report->fault->what : "none";
      if (wanted.empty()) wanted = fault;
      ASSERT_EQ(fault, wanted) << name(way.engine) << " " << name(way.target);
    }
  }
}

// The guest interpreter adds the warp.
TEST(Compute, ControlFlowFaultsHaveTheSameTextOnEveryEngine) {
  const Engine engine{EngineOptions()};
  const std::pair<const char*, const char*> faults[] = {
      {"join nop\n", "the control stack underflows"},
      {"break\n", "the control stack underflows"},
      {"quadpop\n", "the control stack underflows"},
      {"breakaddr #a\na:\njoin nop\n", "the control stack does not match"},
      {"call #a\na:\nbreak\n", "the control stack does not match"},
      {"call #f\nf:\nbreakaddr #f\nret\n", "the control stack does not match"},
      {"joinat #a\na:\nquadpop\n", "the control stack does not match"},
      {"f:\ncall #f\n", "the control stack overflows"},
      {"quadon\nexit nop\n", "control flow that parts quads which quadon holds together"},
      {"trap\n", "a trap instruction"}};
  for (const auto& [body, text] : faults) {
    Launch launch(kernel(body + std::string("exit nop\n")));
    EXPECT_TRUE(launch.set_block(64));
    for (const HookedOptions& way : all_ways(engine)) {
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_FALSE(report.ok()) << body << name(way.engine);
      EXPECT_EQ(report.error().code, ErrorCode::fault);
      EXPECT_TRUE(report.error().message.starts_with(text))
          << body << name(way.engine) << " " << name(way.target) << ": " << to_string(report.error());
    }
  }
}

TEST(Compute, EndlessLoopsInManyBlocksEnd) {
  const Engine engine{EngineOptions()};
  Launch launch(kernel("again:\nbra #again\n"));
  EXPECT_TRUE(launch.set_grid(300));
  EXPECT_TRUE(launch.set_block(64));
  launch.set_fuel(1000);
  for (const HookedOptions& way : all_ways(engine)) {
    const auto report = engine.run(launch, with_hooks(engine, way));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel);
  }
}

// Compilers need tables of blocks by values: a kernel for which these would be large is left to the
// interpreter, or refused where a target is asked for.
TEST(Compute, KernelsBeyondTheCompilersLimitsAreRefused) {
  const Engine engine{EngineOptions()};
  if (engine.info().targets.empty() || share(8) != 8) GTEST_SKIP() << "no target, or slow under sanitizers";
  std::string body =
      "and b32 $r0 $r0 0xffff\nshl b32 $r4 $r0 0x2\nadd b32 $r5 b32 s[0x10] $r4\nshl $a1 $r4 0x0\nmov b32 "
      "$r3 0\n";
  for (int k = 0; k < 4000; ++k)
    body += "add b32 $r6 $r5 " + std::to_string(k % 16 * 4) +
            "\nld b32 $r2 g14[$r6]\nadd b32 $r3 $r3 $r2\nst b32 s[$a1+0x20] $r3\n";
  Launch launch(kernel(body + "st b32 g14[$r5] $r3\nexit nop\n"));
  std::vector<std::uint32_t> memory(1024);
  ASSERT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), memory.size() * 4).ok());
  const std::uint32_t first = 0x1000;
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&first, 1))));
  EXPECT_TRUE(launch.set_block(64));
  HookedOptions way;
  way.engine = EngineKind::jit;
  way.target = engine.info().targets.front();
  const auto refused = engine.run(launch, with_hooks(engine, way));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::resource_limit) << to_string(refused.error());
}

}  // namespace
}  // namespace warpjit
