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

// Counts steps, and what an observer must see: each state but the last one's is that before the next step.
struct Counter final : StepObserver {
  bool step(std::uint32_t address, const ThreadState& state) override {
    last = address;
    end = state;
    return ++steps != most;
  }
  std::uint64_t steps = 0, most = 0;  // 0: no end
  std::uint32_t last = 0;
  ThreadState end;
};

// The loop for newer hosts gives the bits of the portable one, and so does that with an observer.
TEST(PicaRandom, AllLoopsAgree) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomProgram random = random_program(seed);
    random.program.f24 = seed % 3 == 0;
    random.program.structural_scopes = seed % 5 == 0;
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
      Counter all;
      ThreadState c = thread;
      ASSERT_TRUE(interpreter->run(random.uniforms, c, kRandomFuel, all));
      ASSERT_EQ(std::memcmp(a.o, c.o, sizeof a.o), 0) << seed;
      ASSERT_EQ(std::memcmp(a.r, c.r, sizeof a.r), 0) << seed;
      ASSERT_TRUE(a.aL == c.aL && a.a0[0] == c.a0[0] && a.a0[1] == c.a0[1]) << seed;
      ASSERT_TRUE(a.cmp[0] == c.cmp[0] && a.cmp[1] == c.cmp[1]) << seed;
      ASSERT_GE(all.steps, 1u);
      // Ended half-way, the thread is as the observer saw it.
      Counter half;
      half.most = (all.steps + 1) / 2;
      ThreadState d = thread;
      ASSERT_TRUE(interpreter->run(random.uniforms, d, kRandomFuel, half));
      ASSERT_EQ(half.steps, half.most) << seed;
      canonicalize_outputs(half.end);
      ASSERT_EQ(std::memcmp(d.o, half.end.o, sizeof d.o), 0) << seed;
      ASSERT_EQ(std::memcmp(d.r, half.end.r, sizeof d.r), 0) << seed;
      ASSERT_EQ(d.aL, half.end.aL) << seed;
    }
  }
}

// A step for each instruction that is executed, loops and END included, in order.
TEST(PicaRandom, StepsAreInstructions) {
  const Program program =
      program_of_main("mov r0, v0\nfor i0\nadd r0, r0, v0\ncmp r0, eq, eq, v0\n.end\nmov o0, r0");
  struct Recorder final : StepObserver {
    bool step(std::uint32_t address, const ThreadState& state) override {
      addresses.push_back(address);
      values.push_back(state.r[0][0]);
      loops.push_back(state.aL);
      return true;
    }
    std::vector<std::uint32_t> addresses;
    std::vector<float> values;
    std::vector<std::int32_t> loops;
  };
  Uniforms uniforms;
  uniforms.i[0][0] = 1;
  uniforms.i[0][1] = 5;
  uniforms.i[0][2] = 2;
  ThreadState state;
  for (float& component : state.v[0]) component = 3;
  for (const bool structural : {false, true}) {
    Program other = program;
    other.structural_scopes = structural;
    for (const bool f24 : {false, true}) {
      other.f24 = f24;
      const auto interpreter = Interpreter::prepare(other, other.entry);
      ASSERT_TRUE(interpreter.ok());
      Recorder recorder;
      ThreadState thread = state;
      ASSERT_TRUE(interpreter->run(uniforms, thread, kRandomFuel, recorder));
      EXPECT_EQ(recorder.addresses, (std::vector<std::uint32_t>{0, 1, 2, 3, 2, 3, 4, 5}));
      EXPECT_EQ(recorder.values, (std::vector<float>{3, 3, 6, 6, 9, 9, 9, 9}));
      EXPECT_EQ(recorder.loops, (std::vector<std::int32_t>{0, 5, 5, 7, 7, 9, 9, 9}));
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
