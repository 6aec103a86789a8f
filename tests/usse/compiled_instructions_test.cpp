// Random words of every row of the encoding table, in the guest interpreter and in the engines that
// translate.
#include "base/float_environment.h"
#include "support/share.h"
#include "usse/compiled_quad.h"
#include "usse/run_quad.h"

namespace warpjit::usse {
namespace {

// Words of which many are floats or halves of a usual size, some special.
std::uint32_t random_register(Random& random) {
  constexpr std::uint32_t kSpecial[] = {0,          1,          0x80000000, 0x3f800000, 0xbf800000,
                                        0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff, 0xffffffff,
                                        0x3c003c00, 0x7e007c00, 0x7fff7fff, 0x80008000, 0x00010001,
                                        0x00ff00ff, 0x007fffff, 0x437f0000};
  const auto bits = static_cast<std::uint32_t>(random.next());
  switch (random.below(6)) {
    case 0:
      return kSpecial[random.below(std::size(kSpecial))];
    case 1:
      return bits;
    case 2: {
      const auto half = [](std::uint32_t v) { return (v & 0x83ff) | (11 + (v >> 10 & 7)) << 10; };
      return half(bits & 0xffff) | half(bits >> 16) << 16;
    }
    case 3:
      return bits & 0xff;
    default:
      return (bits & 0x807fffff) | (120 + (bits >> 23 & 15)) << 23;
  }
}

struct State {
  Quad quad;
  std::vector<std::uint32_t> sa = std::vector<std::uint32_t>(kMaxRegisters);
};

State random_state(Random& random) {
  State state;
  for (auto* bank : {&state.quad.r, &state.quad.pa, &state.quad.o})
    for (LaneWords& words : *bank)
      for (std::uint32_t& lane : words) lane = random_register(random);
  for (auto& reg : state.quad.i)
    for (LaneWords& words : reg)
      for (std::uint32_t& lane : words) lane = random_register(random);
  for (std::uint8_t& p : state.quad.p) p = static_cast<std::uint8_t>(random.below(16));
  for (LaneWords& words : state.quad.idx)
    for (std::uint32_t& lane : words)
      lane = static_cast<std::uint32_t>(random.below(random.below(4) == 0 ? 300 : 20));
  for (std::uint32_t& word : state.sa) word = random_register(random);
  return state;
}

std::string difference(const State& wanted, const State& got) {
  char text[120];
  const auto differs = [&](const char* bank, unsigned n, const LaneWords& a, const LaneWords& b) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (a[lane] == b[lane]) continue;
      std::snprintf(text, sizeof text, "%s%u lane %u: wanted %08x, got %08x", bank, n, lane, a[lane],
                    b[lane]);
      return true;
    }
    return false;
  };
  for (unsigned n = 0; n < kMaxRegisters; ++n) {
    if (differs("r", n, wanted.quad.r[n], got.quad.r[n]) ||
        differs("pa", n, wanted.quad.pa[n], got.quad.pa[n]) ||
        differs("o", n, wanted.quad.o[n], got.quad.o[n]))
      return text;
    LaneWords a{}, b{};
    a.fill(wanted.sa[n]);
    b.fill(got.sa[n]);
    if (differs("sa", n, a, b)) return text;
  }
  for (unsigned n = 0; n < 16; ++n)
    if (differs("i.", n, wanted.quad.i[n / 4][n % 4], got.quad.i[n / 4][n % 4])) return text;
  for (unsigned n = 0; n < 2; ++n)
    if (differs("idx", n + 1, wanted.quad.idx[n], got.quad.idx[n])) return text;
  for (unsigned n = 0; n < 4; ++n)
    if (wanted.quad.p[n] != got.quad.p[n]) {
      std::snprintf(text, sizeof text, "p%u: wanted %x, got %x", n, wanted.quad.p[n], got.quad.p[n]);
      return text;
    }
  return {};
}

bool runs_alone(const Instruction& i) {
  return i.group != Group::flow && i.group != Group::memory && i.group != Group::smp &&
         i.group != Group::depthf && i.group != Group::moe;
}

class CompiledInstructions : public ::testing::TestWithParam<CompiledEngine> {};
INSTANTIATE_TEST_SUITE_P(Engines, CompiledInstructions, ::testing::ValuesIn(kCompiledEngines),
                         [](const auto& tested) { return std::to_string(static_cast<int>(tested.param)); });

TEST_P(CompiledInstructions, RandomWords) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  const char* const given = std::getenv("USSE_WORDS");
  const unsigned each =
      given != nullptr ? static_cast<unsigned>(std::atoi(given)) : static_cast<unsigned>(share(6));
  Random random(1);
  unsigned wrong = 0, run = 0;
  for (const Pattern& pattern : patterns()) {
    for (unsigned k = 0; k < each; ++k) {
      const std::uint64_t word = random_word(pattern, random);
      const auto instruction = decode(word);
      ASSERT_TRUE(instruction.ok());
      if (!runs_alone(*instruction) || !check_instruction(*instruction, true, Program(), false)) continue;
      const State before = random_state(random);
      State wanted = before, got = before;
      {
        const FloatEnvironment environment;
        QuadAlu(wanted.quad, {.sa = wanted.sa}).execute(*instruction, 15);
      }
      // Lanes of the interpreter write sa in an order that nothing defines.
      if (wanted.sa != before.sa) continue;
      Program program;
      program.primary = {word};
      const Status status = run_compiled(program, GetParam(), got.quad, got.sa);
      ++run;
      const std::string text = status ? difference(wanted, got) : to_string(status.error());
      if (text.empty()) continue;
      if (++wrong <= 40)
        ADD_FAILURE() << std::hex << word << ' ' << disassemble(*instruction) << ": " << text;
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << run;
}

// A half that is moved to `i` is an f32 there, and if it is a NaN its bits are moved up.
TEST_P(CompiledInstructions, NansOfHalvesInInternalRegisters) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  State state;
  state.quad.r[22].fill(0x7c01ff80);
  state.quad.r[23].fill(0x7e00fc00);
  Program program;
  program.primary = {
      *assemble_instruction("dual4.vssq.+vmov.f16.cfg3.unified pa10, i3.xyzw, i2.xxxx, i0.xyzw, -r22.xyzw")};
  State wanted = state;
  {
    const FloatEnvironment environment;
    QuadAlu(wanted.quad, {.sa = wanted.sa}).execute(*decode(program.primary[0]), 15);
  }
  ASSERT_TRUE(run_compiled(program, GetParam(), state.quad, state.sa).ok());
  EXPECT_EQ(difference(wanted, state), "");
  EXPECT_EQ(state.quad.i[3][0][0], 0x7ff00000U);
  EXPECT_EQ(state.quad.i[3][1][0], 0xffc02000U);
  EXPECT_EQ(state.quad.i[3][2][0], 0x7f800000U);
  EXPECT_EQ(state.quad.i[3][3][0], 0xffc00000U);
}

// Unsigned halves times signed bytes may be below 0.
TEST_P(CompiledInstructions, SumsOfHalvesSaturate) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  State state;
  state.quad.r[2] = {1000, 65535, 3, 65535};
  state.quad.r[4] = {0xfd00, 0x8000, 0x7f00, 0x7f00};  // the high byte: -3, -128, 127, 127
  Program program;
  program.primary = {*assemble_instruction("i16mad.u16sat.s8_1.high1 r0, r2, r4, -#117")};
  State wanted = state;
  QuadAlu(wanted.quad, {.sa = wanted.sa}).execute(*decode(program.primary[0]), 15);
  ASSERT_TRUE(run_compiled(program, GetParam(), state.quad, state.sa).ok());
  EXPECT_EQ(difference(wanted, state), "");
  EXPECT_EQ(state.quad.r[0], (LaneWords{0, 0, 3 * 127 - 117, 65535}));
}

// A half that is moved to an index keeps its bits, if it is a NaN, too.
TEST_P(CompiledInstructions, HalvesAsIndices) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  State state;
  state.quad.r[0] = {0x7fff0001, 0x7c017fff, 0xfe03fe03, 0x12345678};
  state.quad.idx[0].fill(0xffffffff);
  Program program;
  program.primary = {*assemble_instruction("vmov.f16 idx1.x, r0.xxxx")};
  State wanted = state;
  QuadAlu(wanted.quad, {.sa = wanted.sa}).execute(*decode(program.primary[0]), 15);
  ASSERT_TRUE(run_compiled(program, GetParam(), state.quad, state.sa).ok());
  EXPECT_EQ(difference(wanted, state), "");
  EXPECT_EQ(state.quad.idx[0], (LaneWords{1, 0x7fff, 0xfe03, 0x5678}));
}

}  // namespace
}  // namespace warpjit::usse
