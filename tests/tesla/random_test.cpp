#include "frontend/tesla/random.h"

#include "support/share.h"
#include "tesla/interpret_test.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

TEST(TeslaRandom, KernelsEndAndBothLoopsAgree) {
  std::uint64_t instructions = 0;
  std::uint32_t deepest = 0;
  for (std::uint64_t seed = 1; seed <= share(500); ++seed) {
    RandomKernel kernel = random_kernel(seed);
    Launch constants;
    constants.constants[0] = std::as_bytes(std::span(kernel.c0));
    auto interpreter = Interpreter::prepare(kernel.program, {}, targets_of(kernel.program, constants));
    ASSERT_TRUE(interpreter.ok()) << seed << ": " << to_string(interpreter.error());
    std::vector<std::uint32_t> results[2];
    for (const HostCode code : {HostCode::best, HostCode::portable}) {
      std::vector<std::uint32_t>& g1 = results[code == HostCode::best ? 0 : 1];
      g1.assign(kernel.g1_words, 0);
      std::vector<std::uint32_t> g0 = kernel.g0;
      Launch launch;
      launch.grid = {kernel.grid[0], kernel.grid[1], 1};
      launch.block = kernel.block;
      launch.fuel = kRandomFuel;
      launch.constants[0] = std::as_bytes(std::span(kernel.c0));
      launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(g0))}};
      launch.globals[1] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(g1))}};
      RunReport report;
      const Status status = interpreter->run(launch, report, code);
      ASSERT_TRUE(status.ok()) << seed << ": " << to_string(status.error()) << '\n'
                               << disassemble(kernel.program);
      EXPECT_EQ(g0, kernel.g0);
      if (report.first_fault) {
        // Only the word of a lane that is beyond the block.
        EXPECT_EQ(report.first_fault->space, Operand::Kind::shared)
            << seed << ": " << to_string(*report.first_fault);
      }
      instructions += report.warp_instructions;
      deepest = std::max(deepest, report.deepest_stack);
    }
    ASSERT_EQ(results[0], results[1]) << seed;
    EXPECT_EQ(program_of(disassemble(kernel.program)).code, kernel.program.code) << seed;
  }
  EXPECT_GT(instructions, share(100000));
  EXPECT_GT(deepest, 8U);
  RecordProperty("instructions", static_cast<int>(instructions));
}

TEST(TeslaRandom, SeedsRepeat) {
  EXPECT_EQ(random_kernel(7).program, random_kernel(7).program);
  EXPECT_NE(random_kernel(7).program.code, random_kernel(8).program.code);
}

}  // namespace
}  // namespace warpjit::tesla
