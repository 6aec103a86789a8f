// With the default fuel an endless program, or one that would take hours, ends within two seconds of CPU time,
// on every engine, also where its translation is large.
#include "runtime/every_work.h"
#include "support/engine_ways.h"
#include "support/processor_time.h"

namespace warpjit::test {
namespace {

// Sanitizers slow code down by this much, and so does a build that is quick to make.
#if defined(WARPJIT_SANITIZED)
constexpr double kMost = 60;
#elif !defined(__OPTIMIZE__)
constexpr double kMost = 4;
#else
constexpr double kMost = 2;
#endif

class FuelTime : public ::testing::Test {
 protected:
  // `ends`: within the fuel.
  void expect_short(const Launch& launch, bool ends = false) {
    for (const EngineWay& way : engine_ways(engine_)) {
      SCOPED_TRACE(way.name);
      RunOptions options = way.options;
      options.threads = 1;
      const double begin = tests::processor_seconds();
      const auto report = engine_.run(launch, options);
      const double seconds = tests::processor_seconds() - begin;
      EXPECT_LT(seconds, kMost);
      if (ends) {
        EXPECT_TRUE(report) << to_string(report.error());
        continue;
      }
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().code, ErrorCode::out_of_fuel) << to_string(report.error());
      EXPECT_FALSE(report.error().where.empty());
    }
  }
  // 64 threads of a block; the thread's number in $r0, 5 in $r2, n in each other $rn.
  void expect_short_kernel(const std::string& body, bool ends = false) {
    std::string code =
        ".kernel k\n.registers 64\n.shared 0x20\nand b32 $r0 $r0 0xffff\nmov b32 $r1 1\nmov b32 $r2 5\n";
    for (unsigned n = 3; n < 60; ++n)
      code += "mov b32 $r" + std::to_string(n) + " " + std::to_string(n) + "\n";
    code += body + "shl b32 $r0 $r0 0x2\nadd b32 $r0 b32 s[0x10] $r0\n";
    for (unsigned n = 3; n < 60; ++n) code += "add b32 $r1 $r1 $r" + std::to_string(n) + "\n";
    std::vector<std::uint32_t> memory(64);
    Launch launch(every_work::tesla_kernel(code + "exit st b32 g14[$r0] $r1\n" + functions_));
    EXPECT_TRUE(launch.set_block(64));
    constexpr std::array kParameters{0x1000U};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(kParameters))));
    EXPECT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), 4 * memory.size()));
    expect_short(launch, ends);
  }

  // A number below `end`; the same ones in each test.
  unsigned number(unsigned end) {
    return static_cast<unsigned>((state_ = state_ * 6364136223846793005U + 1) >> 33) % end;
  }
  std::string tesla_register(unsigned first = 0) { return " $r" + std::to_string(first + number(50)); }

  std::string functions_;  // after the kernel's `exit`
  const Engine engine_;

 private:
  std::uint64_t state_ = 1;
};

TEST_F(FuelTime, EndlessLoopsOfEveryWork) {
  for (const WorkKind& kind : every_kind_of_work()) {
    SCOPED_TRACE(kind.name);
    expect_short(kind.make(0)->launch);
  }
}

// Functions that each call the next one twice: 2^28 calls.
TEST_F(FuelTime, NestedCalls) {
  constexpr int kFunctions = 28;
  for (int n = 0; n < kFunctions; ++n) {
    const std::string next = n + 1 < kFunctions ? "call #f" + std::to_string(n + 1) + "\n" : "";
    functions_ += "f" + std::to_string(n) + ":\nadd b32 $r3 $r3 $r4\n" + next + next + "ret\n";
  }
  expect_short_kernel("call #f0\n");
}
TEST_F(FuelTime, NestedCallsOfPica200) {
  std::string code = ".out outpos position\n";
  constexpr int kFunctions = 24;
  for (int n = kFunctions - 1; n >= 0; --n) {
    const std::string next = n + 1 < kFunctions ? "call f" + std::to_string(n + 1) + "\n" : "";
    code += ".proc f" + std::to_string(n) + "\nmul r2, r2, r3\n" + next + next + "add r3, r2, r1\n.end\n";
  }
  Launch launch(assemble(code + ".proc main\nmov r1, v0\ncall f0\nmov outpos, r3\nend\n.end\n"));
  std::vector<float> in(64, 0.5F), out(64);
  ASSERT_TRUE(launch.bind_input("v0", {in.data(), 256, 16, f32x4}));
  ASSERT_TRUE(launch.bind_output("o0", {out.data(), 256, 16, f32x4}));
  EXPECT_TRUE(launch.set_count(16));
  expect_short(launch);
}

// Conditional branches to any of as many places.
TEST_F(FuelTime, BranchesToAnywhere) {
  for (const unsigned count : {30U, 125U}) {
    SCOPED_TRACE(count);
    std::string code;
    for (unsigned n = 0; n < count; ++n)
      code += "set $c0 # ge u32" + tesla_register() + tesla_register() + "\n(lg $c0) bra #j" +
              std::to_string(number(count)) + "\nadd b32" + tesla_register(3) + tesla_register(3) +
              " $r0\nj" + std::to_string(n) + ":\nnop\n";
    expect_short_kernel(code);
  }
}
// With stores between them.
TEST_F(FuelTime, ValhallBranchesToAnywhere) {
  const auto any = [&] { return "r" + std::to_string(4 + number(50)); };
  for (const unsigned count : {63U, 252U})
    for (const bool stores : {false, true}) {
      SCOPED_TRACE(count);
      std::string code;
      for (unsigned n = 2; n < 56; ++n)
        code += "IADD_IMM.i32 r" + std::to_string(n) + ", 0x0, #" + std::to_string(n) + "\n";
      if (stores) code += "MOV.i32 r0, u0\nMOV.i32 r1, u1\n";
      for (unsigned n = 0; n < count; ++n) {
        code += "FCMP_OR.f32.gt.m1 r3, " + any() + ", " + any() + ", 0x0\nBRANCHZ r3.h0, offset:j" +
                std::to_string(number(count)) + "\nFADD.f32 " + any() + ", " + any() + ", " + any() + "\n";
        if (stores)
          code += "STORE.i32.slot0 @" + any() + ", r0, offset:" + std::to_string(4 * (n % 16)) + "\n";
        code += "j" + std::to_string(n) + ":\n";
      }
      // What comes out of them begins again.
      Launch launch(every_work::valhall_program(
          "compute", "again:\n" + code + "BRANCHZ.eq 0x0, offset:again\nNOP.end\n"));
      std::vector<std::uint32_t> memory(64);
      EXPECT_TRUE(launch.set_block(16));
      EXPECT_TRUE(launch.map_memory("mem", 0x10000, memory.data(), 4 * memory.size()));
      constexpr std::array kParameters{0x10000U, 0U};
      EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(kParameters))));
      expect_short(launch);
    }
}

TEST_F(FuelTime, StraightCode) {
  std::string code;
  for (int n = 0; n < 10000; ++n)
    code += "add b32" + tesla_register(3) + tesla_register(3) + tesla_register() + "\n";
  expect_short_kernel(code, true);
}

}  // namespace
}  // namespace warpjit::test
