// Atomics of compute programs: what they give, what fails, lanes and host threads that meet.
#include <atomic>
#include <thread>

#include "valhall/run_one_thread.h"

namespace warpjit::valhall {
namespace {

// The value of word 0 after an atomic by one thread, and what it gave.
struct Updated {
  std::uint32_t memory, old;
};
Updated update(const std::string& operation, std::uint32_t memory, std::uint32_t operand) {
  GuestOptions options;
  options.memory = {memory, 0};
  options.uniforms = {operand};
  options.compiled = true;
  const Finished finished =
      run_source("MOV.i32 r4, u2\nATOM_RETURN.i32.slot0." + operation +
                     " @r5, @r4, u0, offset:0x0\nSTORE.i32.slot0.end @r5, u0, offset:4\n",
                 options);
  EXPECT_TRUE(finished.status.ok() && !finished.report.first_fault) << operation;
  return {finished.memory[0], finished.memory[1]};
}

TEST(ValhallMemory, AtomicOperations) {
  struct Case {
    const char* operation;
    std::uint32_t memory, operand, result;
  };
  constexpr Case kCases[] = {{"aadd", 0xffffffff, 2, 1},
                             {"asmin", 0x80000000, 1, 0x80000000},
                             {"asmin", 5, 0xffffffff, 0xffffffff},
                             {"asmax", 0x80000000, 1, 1},
                             {"aumin", 0x80000000, 1, 1},
                             {"aumax", 0x80000000, 1, 0x80000000},
                             {"aand", 0xff00ff00, 0x0ff0, 0x0f00},
                             {"aor", 0xf0, 0x0f, 0xff},
                             {"axor", 0xff, 0x0f, 0xf0},
                             {"axchg", 1, 2, 2},
                             {"aaddu", 0xfffffffe, 1, 0xffffffff},
                             {"aaddu", 0xfffffffe, 2, 0xffffffff},
                             {"aaddu", 1, 0xffffffff, 0xffffffff},
                             {"aaddu", 0x7fffffff, 1, 0x80000000},
                             {"aaddu", 0, 0, 0},
                             {"aadds", 0x7ffffffe, 1, 0x7fffffff},
                             {"aadds", 0x7fffffff, 1, 0x7fffffff},
                             {"aadds", 0x80000000, 0xffffffff, 0x80000000},
                             {"aadds", 0x80000000, 0x80000000, 0x80000000},
                             {"aadds", 0x80000000, 0x7fffffff, 0xffffffff},
                             {"aadds", 0xffffffff, 1, 0},
                             {"aadds", 1, 0x7fffffff, 0x7fffffff}};
  for (const Case& c : kCases) {
    const Updated updated = update(c.operation, c.memory, c.operand);
    EXPECT_EQ(updated.memory, c.result) << c.operation;
    EXPECT_EQ(updated.old, c.memory) << c.operation;
  }
  constexpr Case kOnes[] = {{"ainc", 0xffffffff, 0, 0},   {"adec", 0, 0, 0xffffffff},
                            {"aumax1", 0, 0, 1},          {"aumax1", 0x80000000, 0, 0x80000000},
                            {"asmax1", 0x80000000, 0, 1}, {"aor1", 6, 0, 7}};
  for (const Case& c : kOnes) {
    GuestOptions options;
    options.memory = {c.memory, 0};
    const std::string one = std::string("ATOM1_RETURN.i32.slot0.") + c.operation;
    const Finished silent = run_source(one + " @, u0, offset:0x0\nNOP.end\n", options);
    EXPECT_EQ(silent.memory[0], c.result) << c.operation;
    const Finished returned =
        run_source(one + " @r5, u0, offset:0x0\nSTORE.i32.slot0.end @r5, u0, offset:4\n", options);
    EXPECT_EQ(returned.memory[0], c.result) << c.operation;
    EXPECT_EQ(returned.memory[1], c.memory) << c.operation;
  }
}

TEST(ValhallMemory, CompareExchange) {
  for (const bool equal : {false, true}) {
    GuestOptions options;
    options.memory = {equal ? 7U : 8U, 0};
    const Finished finished = run_source(
        "IADD_IMM.i32 r4, 0x0, #1\nIADD_IMM.i32 r5, 0x0, #7\n"
        "ATOM_RETURN.i32.slot0.axchg.compare @r6, @r4:r5, u0, offset:0x0\n"
        "STORE.i32.slot0.end @r6, u0, offset:4\n",
        options);
    EXPECT_EQ(finished.memory[0], equal ? 1U : 8U);
    EXPECT_EQ(finished.memory[1], equal ? 7U : 8U);
    options.memory = {3, equal ? 7U : 8U, 0, 0};
    const Finished wide = run_source(
        "IADD_IMM.i32 r4, 0x0, #1\nIADD_IMM.i32 r5, 0x0, #2\nIADD_IMM.i32 r6, 0x0, #3\nIADD_IMM.i32 r7, 0x0, "
        "#7\n"
        "ATOM_RETURN.i64.slot0.axchg.compare @r4:r5, @r4:r5:r6:r7, u0, offset:0x0\n"
        "STORE.i64.slot0.end @r4:r5, u0, offset:8\n",
        options);
    EXPECT_EQ(wide.memory,
              (std::vector<std::uint32_t>{equal ? 1U : 3U, equal ? 2U : 8U, 3, equal ? 7U : 8U}));
  }
}

TEST(ValhallMemory, WideAtomics) {
  GuestOptions options;
  options.memory = {0xffffffff, 0, 0, 0};
  const Finished added = run_source(
      "IADD_IMM.i32 r4, 0x0, #1\nIADD_IMM.i32 r5, 0x0, #5\nATOM.i64.slot0.aadd @r4:r5, u0, offset:0x0\n"
      "ATOM1_RETURN.i64.slot0.adec @r6:r7, u0, offset:0x0\nSTORE.i64.slot0.end @r6:r7, u0, offset:8\n",
      options);
  EXPECT_EQ(added.memory, (std::vector<std::uint32_t>{0xffffffff, 5, 0, 6}));
  struct Sum {
    const char* operation;
    std::uint64_t memory, operand, result;
  };
  constexpr std::uint64_t kOnes = ~std::uint64_t{0}, kLeast = std::uint64_t{1} << 63;
  constexpr Sum kSums[] = {{"aaddu", kOnes - 1, 1, kOnes},
                           {"aaddu", kOnes - 1, 2, kOnes},
                           {"aaddu", 0xffffffff, 1, 0x100000000},
                           {"aadds", kLeast - 1, 1, kLeast - 1},
                           {"aadds", kLeast, kOnes, kLeast},
                           {"aadds", kLeast, kLeast - 1, kOnes},
                           {"aadds", 0x7fffffff, 0x7fffffff, 0xfffffffe}};
  for (const Sum& sum : kSums) {
    options.memory = {static_cast<std::uint32_t>(sum.memory), static_cast<std::uint32_t>(sum.memory >> 32)};
    options.uniforms = {static_cast<std::uint32_t>(sum.operand),
                        static_cast<std::uint32_t>(sum.operand >> 32)};
    options.compiled = true;
    const Finished run = run_source(std::string("MOV.i32 r4, u2\nMOV.i32 r5, u3\nATOM.i64.slot0.") +
                                        sum.operation + " @r4:r5, u0, offset:0x0\nNOP.end\n",
                                    options);
    EXPECT_EQ(run.memory[0] | std::uint64_t{run.memory[1]} << 32, sum.result) << sum.operation;
  }
}

TEST(ValhallMemory, AtomicsThatFail) {
  const auto faults = [](const std::string& type, std::uint32_t offset) {
    GuestOptions options;
    const OneThread one = run_one(
        "IADD_IMM.i32 r4, 0x0, #1\nIADD_IMM.i32 r6, 0x0, #9\nIADD_IMM.i32 r7, 0x0, #9\n"
        "ATOM_RETURN." +
            type +
            ", r8, offset:0x8\n"
            "IADD.u32 r6, r6, r7\nSTORE.i32.slot0 @r6, r2, offset:0\n",
        offset);
    EXPECT_TRUE(!one.fault().happened || one.fault().is_store);
    EXPECT_EQ(one.finished.memory[2] == pattern()[2], one.fault().happened);
    if (one.fault().happened) {
      EXPECT_EQ(one.word(0), type[1] == '6' ? 0U : 9U) << type;
    }
    return one.fault().happened;
  };
  const std::string narrow = "i32.slot0.aadd @r6, @r4", wide = "i64.slot0.aadd @r6:r7, @r4:r5";
  EXPECT_FALSE(faults(narrow, 0));
  EXPECT_TRUE(faults(narrow, 2));
  EXPECT_TRUE(faults(narrow, 56));
  EXPECT_TRUE(faults(wide, 4));
  EXPECT_TRUE(faults(wide, 56));
  EXPECT_TRUE(faults(wide, 0xfffffff0));
}

TEST(ValhallMemory, LanesTakeTurns) {
  const auto words =
      words_of("IADD_IMM.i32 r5, 0x0, #3\nATOM_RETURN.i32.slot0.aadd @r4, @r5, u0, offset:0xC0\n");
  for (std::uint32_t t = 0; t < 16; ++t) EXPECT_EQ(words[t], 3 * t);
}

TEST(ValhallMemory, AtomicAcrossHostThreads) {
  const auto program = assemble(
      "IADD_IMM.i32 r5, 0x0, #1\nATOM.i32.slot0.aadd @r5, u0, offset:0x0\n"
      "ATOM1_RETURN.i64.slot0.ainc @r6:r7, u0, offset:0x8\nNOP.end\n",
      "test");
  const auto interpreter = Interpreter::prepare(*program);
  ASSERT_TRUE(interpreter.ok());
  std::vector<std::uint32_t> memory(4);
  frontend::Grid grid;
  grid.grid = {400, 1, 1};
  grid.block = {64, 1, 1};
  grid.high_words = {kMemoryHigh};
  grid.globals[0] = {{kMemoryLow, std::as_writable_bytes(std::span(memory))}};
  const std::uint32_t uniforms[] = {kMemoryLow, kMemoryHigh};
  const auto bytes = std::as_bytes(std::span(uniforms));
  grid.parameters.assign(bytes.begin(), bytes.end());
  std::vector<std::thread> threads;
  std::atomic<bool> ok = true;
  for (unsigned n = 0; n < 4; ++n)
    threads.emplace_back([&, n] {
      RunReport report;
      if (!interpreter->run(grid, n * 100, 100, report) || report.first_fault) ok = false;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(ok);
  EXPECT_EQ(memory[0], 400 * 64U);
  EXPECT_EQ(memory[2], 400 * 64U);
}

}  // namespace
}  // namespace warpjit::valhall
