#include "random/tesla/random.h"

#include "base/bits.h"
#include "base/random.h"
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
  EXPECT_GT(deepest, share(500) == 500 ? 8U : 2U);
  RecordProperty("instructions", static_cast<int>(instructions));
}

// Planes and words of any bits.
struct RandomPrimitive final : interpret::Primitive {
  explicit RandomPrimitive(std::uint64_t seed) : random(seed) {
    for (unsigned k = 0; k < 16; ++k) words.push_back(static_cast<std::uint32_t>(random.next() >> 16));
    front = random.one_in(2);
  }
  bool front_facing() const override { return front; }
  std::uint32_t number() const override { return words[15]; }
  std::uint32_t value(unsigned use, std::int32_t x, std::int32_t y) const override {
    return use % 4 == 3 ? 0x7fffffff
                        : to_bits(static_cast<float>(x + 3 * y) * static_cast<float>(words[use] & 0xff));
  }
  std::uint32_t inverse_w(std::int32_t x, std::int32_t) const override {
    return to_bits(1.0F / static_cast<float>(x));
  }
  std::uint32_t value_at(unsigned use, std::int32_t x, std::int32_t y, float, float) const override {
    return value(use, x, y);
  }
  std::uint32_t inverse_w_at(std::int32_t x, std::int32_t y, float, float) const override {
    return inverse_w(x, y);
  }
  std::uint32_t depth(std::int32_t, std::int32_t y) const override {
    return to_bits(static_cast<float>(y) * 0.125F);
  }
  std::uint32_t flat(unsigned use) const override { return words[use]; }

  Random random;
  std::vector<std::uint32_t> words;
  bool front = false;
};

// Both loops agree, and so do quads that run together and one by one.
TEST(TeslaRandom, FragmentsDoNotDependOnOtherQuads) {
  std::uint64_t instructions = 0, discarded = 0, live = 0;
  for (std::uint64_t seed = 1; seed <= share(500); ++seed) {
    const RandomFragment fragment = random_fragment(seed, {.votes = false});
    EXPECT_EQ(program_of(disassemble(fragment.program)).code, fragment.program.code) << seed;
    const auto interpreter = Interpreter::prepare(fragment.program);
    ASSERT_TRUE(interpreter.ok()) << seed << ": " << to_string(interpreter.error());
    Launch launch;
    launch.constants[0] = std::as_bytes(std::span(fragment.c0));
    launch.fuel = kRandomFuel;
    const RandomPrimitive primitive(seed);
    std::vector<interpret::Quad> quads;
    for (std::int32_t k = 0; k < 8; ++k)
      quads.push_back({2 + 2 * (k % 4), 2 * (k / 4), static_cast<std::uint8_t>(15 - k), &primitive});
    std::vector<interpret::Fragment> together(32), portable(32), alone(32);
    RunReport report;
    const auto run = [&](HostCode code, std::size_t each, std::vector<interpret::Fragment>& into) {
      auto program = interpreter->make_fragment_program(launch, report, code);
      ASSERT_TRUE(program.ok());
      for (std::size_t first = 0; first < 8; first += each) {
        const Status status = (*program)->run(std::span(quads).subspan(first, each),
                                              std::span(into).subspan(4 * first, 4 * each));
        ASSERT_TRUE(status.ok()) << seed << ": " << to_string(status.error());
      }
    };
    run(HostCode::best, 8, together);
    instructions += report.warp_instructions;
    run(HostCode::portable, 8, portable);
    run(HostCode::best, 1, alone);
    // Some addresses in l[] lie outside.
    if (report.first_fault) {
      EXPECT_NE(to_string(*report.first_fault).find(" l["), std::string::npos)
          << seed << ": " << to_string(*report.first_fault);
    }
    for (std::size_t k = 0; k < 32; ++k) {
      EXPECT_EQ(together[k].colors, portable[k].colors) << seed << ", lane " << k;
      EXPECT_EQ(together[k].colors, alone[k].colors) << seed << ", lane " << k;
      EXPECT_EQ(together[k].live, alone[k].live) << seed << ", lane " << k;
      EXPECT_EQ(together[k].depth, alone[k].depth) << seed << ", lane " << k;
      (together[k].live ? live : discarded) += 1;
    }
  }
  EXPECT_GT(instructions, share(20000));
  EXPECT_GT(discarded, share(100));
  EXPECT_GT(live, discarded);
}

TEST(TeslaRandom, SeedsRepeat) {
  EXPECT_EQ(random_fragment(7).program, random_fragment(7).program);
  EXPECT_EQ(random_kernel(7).program, random_kernel(7).program);
  EXPECT_NE(random_kernel(7).program.code, random_kernel(8).program.code);
}

}  // namespace
}  // namespace warpjit::tesla
