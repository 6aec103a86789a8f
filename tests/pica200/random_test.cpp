#include "random/pica200/random.h"

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <vector>

#include "frontend/interpret/observer.h"
#include "frontend/pica200/facts/register_file.h"
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

// Keeps the registers as events give them, and ends the thread after some steps.
struct Recorder final : interpret::Observer {
  bool observes(const interpret::ObservedGroup&) override { return true; }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    EXPECT_EQ(lane, 0u);
    words[word] = value;
  }
  bool step() override {
    const auto& reads = event().reads;
    for (const auto& read : reads) wrong += read.value != words[read.word];
    for (const auto& write : event().writes) {
      wrong += write.before != words[write.word];
      words[write.word] = write.after;
    }
    addresses.push_back(event().address);
    happened_ever |= event().happened;
    values.push_back(std::bit_cast<float>(words[RegisterWords::kR]));
    loops.push_back(static_cast<std::int32_t>(words[RegisterWords::kAL]));
    return addresses.size() != most;
  }
  // What the thread left is what the events say.
  bool agrees(const ThreadState& state) const {
    for (unsigned n = 0; n < 128; ++n) {
      const unsigned word = RegisterWords::kO + n;
      std::uint32_t left = 0;
      std::memcpy(&left, n < 64 ? &state.o[n / 4][n % 4] : &state.r[n / 4 - 16][n % 4], 4);
      const bool nan = (words[word] & 0x7fffffff) > 0x7f800000;
      if (left != (nan ? 0x7fc00000 : words[word])) return false;
    }
    const auto address = [&](unsigned n) { return static_cast<std::int32_t>(words[RegisterWords::kA0 + n]); };
    return wrong == 0 && address(0) == state.a0[0] && address(1) == state.a0[1] && address(2) == state.aL &&
           (words[RegisterWords::kCmp] != 0) == state.cmp[0] &&
           (words[RegisterWords::kCmp + 1] != 0) == state.cmp[1];
  }
  std::array<std::uint32_t, RegisterWords::kCount> words{};
  std::vector<std::uint32_t> addresses;
  std::vector<float> values;  // r0.x after each step
  std::vector<std::int32_t> loops;
  std::size_t most = 0, wrong = 0;  // most: 0 is no end; wrong: of what events say of the values before them
  unsigned happened_ever = 0;
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
      Recorder all;
      ThreadState c = thread;
      ASSERT_TRUE(interpreter->run(random.uniforms, c, kRandomFuel, all));
      ASSERT_EQ(std::memcmp(a.o, c.o, sizeof a.o), 0) << seed;
      ASSERT_EQ(std::memcmp(a.r, c.r, sizeof a.r), 0) << seed;
      ASSERT_TRUE(a.aL == c.aL && a.a0[0] == c.a0[0] && a.a0[1] == c.a0[1]) << seed;
      ASSERT_TRUE(a.cmp[0] == c.cmp[0] && a.cmp[1] == c.cmp[1]) << seed;
      ASSERT_TRUE(all.agrees(c)) << seed;
      ASSERT_NE(all.happened_ever & interpret::kEnded, 0u) << seed;
      ASSERT_GE(all.addresses.size(), 1u);
      // Ended half-way, the thread is as the observer saw it.
      Recorder half;
      half.most = (all.addresses.size() + 1) / 2;
      ThreadState d = thread;
      const Status ended = interpreter->run(random.uniforms, d, kRandomFuel, half);
      ASSERT_FALSE(ended);
      ASSERT_EQ(ended.error().code, ErrorCode::cancelled);
      ASSERT_EQ(half.addresses.size(), half.most) << seed;
      ASSERT_TRUE(half.agrees(d)) << seed;
    }
  }
}

// A step for each instruction that is executed, loops and END included, in order.
TEST(PicaRandom, StepsAreInstructions) {
  const Program program =
      program_of_main("mov r0, v0\nfor i0\nadd r0, r0, v0\ncmp r0, eq, eq, v0\n.end\nmov o0, r0");
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
