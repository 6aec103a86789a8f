#include "random/pica200/random.h"

#include <cstring>
#include <set>

#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

TEST(PicaRandom, IsDeterministic) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomProgram a = random_program(seed), b = random_program(seed);
    EXPECT_EQ(a.program.code, b.program.code);
    EXPECT_EQ(a.program.descriptors, b.program.descriptors);
    EXPECT_EQ(bits(a.uniforms.c[3][1]), bits(b.uniforms.c[3][1]));
  }
  EXPECT_NE(random_program(1).program.code, random_program(2).program.code);
}

TEST(PicaRandom, ProgramsRunAndCoverTheOpcodes) {
  std::set<Opcode> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomOptions options;
    options.size = 20 + static_cast<unsigned>(seed % 200);
    const RandomProgram random = random_program(seed, options);
    ASSERT_LE(random.program.code.size(), kMaxCodeWords);
    for (std::uint32_t k = 0; k < random.program.code.size(); ++k) {
      const auto instruction = decode(random.program.code[k], k);
      ASSERT_TRUE(instruction.ok());
      seen.insert(instruction->opcode);
    }
    for (const ThreadState& thread : random.threads) {
      const Finished result = run(random.program, thread, random.uniforms, kRandomFuel);
      EXPECT_TRUE(result.status.ok()) << seed << ": " << to_string(result.status.error());
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kOpcodeCount - 2));  // all but EMIT and SETEMIT
}

// The loop for newer hosts gives the bits of the portable one.
TEST(PicaRandom, BothLoopsAgree) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const RandomProgram random = random_program(seed);
    const auto interpreter = Interpreter::prepare(random.program, random.program.entry);
    ASSERT_TRUE(interpreter.ok());
    for (const ThreadState& thread : random.threads) {
      ThreadState a = thread, b = thread;
      ASSERT_TRUE(interpreter->run(random.uniforms, a, kRandomFuel));
      ASSERT_TRUE(interpreter->run(random.uniforms, b, kRandomFuel, HostCode::portable));
      ASSERT_EQ(std::memcmp(a.o, b.o, sizeof a.o), 0) << seed;
      ASSERT_EQ(std::memcmp(a.r, b.r, sizeof a.r), 0) << seed;
      ASSERT_TRUE(a.aL == b.aL && a.a0[0] == b.a0[0] && a.a0[1] == b.a0[1]) << seed;
      ASSERT_TRUE(a.cmp[0] == b.cmp[0] && a.cmp[1] == b.cmp[1]) << seed;
    }
  }
}

TEST(PicaRandom, OptionsRestrict) {
  RandomOptions options;
  options.flow = options.relative = options.transcendental = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const std::uint32_t word : random_program(seed, options).program.code) {
      const Instruction i = *try_decode(word);
      EXPECT_TRUE((i.info().traits & kFlow) == 0 || i.opcode == Opcode::end);
      EXPECT_EQ(i.idx, 0);
      EXPECT_TRUE(i.opcode != Opcode::mova && i.opcode != Opcode::ex2 && i.opcode != Opcode::rsq);
    }
}

}  // namespace
}  // namespace warpjit::pica200
