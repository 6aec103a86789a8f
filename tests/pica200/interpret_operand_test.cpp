// Masks, swizzles, negation and relative addressing: docs/guests/pica200.md 4 and 5.
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

// One `mov o0, v0` and END with the given descriptor.
Program mov_with(const Descriptor& descriptor) {
  Program program;
  Instruction mov;
  mov.opcode = Opcode::mov;
  Instruction end;
  end.opcode = Opcode::end;
  program.code = {encode(mov), encode(end)};
  program.descriptors = {encode_descriptor(descriptor)};
  return program;
}

TEST(PicaOperands, EveryMaskSwizzleAndSign) {
  ThreadState start;
  for (int k = 0; k < 4; ++k) {
    start.v[0][k] = static_cast<float>(k + 1);
    start.o[0][k] = static_cast<float>(-10 - k);
  }
  for (unsigned selector = 0; selector < 256; ++selector)
    for (unsigned negate = 0; negate < 2; ++negate)
      for (unsigned mask = 0; mask < 16; mask += selector % 16 == 11 ? 1 : 15) {
        Descriptor descriptor;
        descriptor.mask = static_cast<std::uint8_t>(mask);
        descriptor.selector[0] = static_cast<std::uint8_t>(selector);
        descriptor.negate[0] = static_cast<std::uint8_t>(negate);
        const Finished result = run(mov_with(descriptor), start);
        ASSERT_TRUE(result.status);
        for (unsigned lane = 0; lane < 4; ++lane) {
          // x has the top two bits of the selector and bit 3 of the mask.
          const float value = start.v[0][selector >> (6 - 2 * lane) & 3] * (negate != 0 ? -1.0F : 1.0F);
          const bool written = (mask >> (3 - lane) & 1) != 0;
          EXPECT_EQ(result.state.o[0][lane], written ? value : start.o[0][lane]);
        }
      }
}

TEST(PicaOperands, SecondAndThirdSource) {
  ThreadState state;
  Uniforms uniforms;
  for (int k = 0; k < 4; ++k) {
    state.v[0][k] = static_cast<float>(k + 1);
    state.v[1][k] = static_cast<float>(10 * (k + 1));
    uniforms.c[7][k] = static_cast<float>(100 * (k + 1));
  }
  const Finished result = run(program_of_main("madi o0.yw, v0.wzyx, -v1.zwzw, c7.yyzz"), state, uniforms);
  EXPECT_EQ(result.state.o[0][0], 0.0F);
  EXPECT_EQ(result.state.o[0][1], 3.0F * -40.0F + 200.0F);
  EXPECT_EQ(result.state.o[0][2], 0.0F);
  EXPECT_EQ(result.state.o[0][3], 1.0F * -40.0F + 300.0F);
  const Finished wide_second = run(program_of_main("mad o0, v0, -c7.wzyx, v1"), state, uniforms);
  EXPECT_EQ(wide_second.state.o[0][1], 2.0F * -300.0F + 20.0F);
}

// pica200.md 5: the wide operand of each format, and the rule for the effective index.
float expected_index(int base, int offset) {
  if (offset < -128 || offset > 127) offset = 0;
  const int n = (base + offset) & 0x7F;
  return n <= 95 ? static_cast<float>(1000 + n) : 1.0F;
}

Uniforms numbered_uniforms() {
  Uniforms uniforms;
  for (int n = 0; n < 96; ++n)
    for (float& value : uniforms.c[n]) value = static_cast<float>(1000 + n);
  return uniforms;
}

TEST(PicaOperands, RelativeAddressing) {
  const Uniforms uniforms = numbered_uniforms();
  for (const int base : {0, 40, 95})
    for (const char* reg : {"a0.x", "a0.y", "aL"}) {
      const Program program = program_of_main("mov o0, c" + std::to_string(base) + "[" + reg + "]");
      const auto interpreter = Interpreter::prepare(program, program.entry);
      ASSERT_TRUE(interpreter.ok());
      for (int offset = -300; offset <= 300; ++offset) {
        ThreadState state;
        (reg[1] == 'L' ? state.aL : reg[3] == 'x' ? state.a0[0] : state.a0[1]) = offset;
        ASSERT_TRUE(interpreter->run(uniforms, state, 0));
        EXPECT_EQ(state.o[0][0], expected_index(base, offset)) << base << " " << reg << " " << offset;
      }
    }
  // Points on both sides of each bound, base c40.
  EXPECT_EQ(expected_index(40, 88), 1000);
  EXPECT_EQ(expected_index(40, 60), 1);
  EXPECT_EQ(expected_index(40, 87), 1);
  EXPECT_EQ(expected_index(40, 128), 1040);
  EXPECT_EQ(expected_index(40, -40), 1000);
  EXPECT_EQ(expected_index(40, -72), 1);
  EXPECT_EQ(expected_index(40, -73), 1095);
  EXPECT_EQ(expected_index(40, -127), 1041);
  EXPECT_EQ(expected_index(40, -129), 1040);
}

TEST(PicaOperands, RelativeAddressingOfEachFormat) {
  const Uniforms uniforms = numbered_uniforms();
  ThreadState state;
  state.a0[0] = 5;
  for (float& value : state.v[0]) value = 2.0F;
  const std::pair<const char*, float> cases[] = {
      {"add o0, c10[a0.x], v0", 1017.0F},      {"sgei o0, v0, c10[a0.x]", 0.0F},
      {"slti o0, v0, c10[a0.x]", 1.0F},        {"mad o0, v0, c10[a0.x], v0", 2032.0F},
      {"madi o0, v0, v0, c10[a0.x]", 1019.0F}, {"mov o0, -c10[a0.x+1].wzyx", -1016.0F}};
  for (const auto& [text, wanted] : cases)
    EXPECT_EQ(run(program_of_main(text), state, uniforms).state.o[0][0], wanted) << text;
}

// IDX with a v or r operand is ignored.
TEST(PicaOperands, IndexOfOtherFilesIsIgnored) {
  Program program = mov_with(decode_descriptor(0x36F));
  Instruction mov = *try_decode(program.code[0]);
  mov.idx = 1;
  program.code[0] = encode(mov);
  ThreadState state;
  state.a0[0] = 3;
  state.v[0][0] = 42;
  EXPECT_EQ(run(program, state).state.o[0][0], 42);
}

TEST(PicaOperands, MissingDescriptorWritesNothing) {
  Program program = mov_with({});
  program.descriptors.clear();
  ThreadState state;
  state.v[0][0] = 42;
  EXPECT_EQ(run(program, state).state.o[0][0], 0);
}

}  // namespace
}  // namespace warpjit::pica200
