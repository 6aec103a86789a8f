#include <cstring>

#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

constexpr const char* kProgram = R"(.stage vertex
// counts down
  IADD_IMM.i32 r0, 0x0, #0x8
loop:
  IADD_IMM.i32 r0, ^r0, #0xFFFFFFFF
  BRANCHZ.eq.reconverge r0, offset:done   // ahead
  BRANCHZ.eq.reconverge 0x0, offset:loop
done: NOP.end
  .word 0x0 0x8000000000000001
)";

TEST(ValhallAssemble, ProgramsWithLabels) {
  const auto program = assemble(kProgram, "count.valhall");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(program->stage, Stage::vertex);
  const std::vector<std::uint64_t> words = {0x0110c000000008c0, 0x0110c0ffffffff40, 0x501fc01000000100,
                                            0x501fc017fffffdc0, 0x7800c00000000000, 0,
                                            0x8000000000000001};
  EXPECT_EQ(program->code, words);

  EXPECT_EQ(disassemble(*program, {.words = false}), R"(.stage vertex
  IADD_IMM.i32 r0, 0x0, #0x8
l8:
  IADD_IMM.i32 r0, ^r0, #0xFFFFFFFF
  BRANCHZ.eq.reconverge r0, offset:l20
  BRANCHZ.eq.reconverge 0x0, offset:l8
l20:
  NOP.end
  .word 0x0 // padding, which runs as NOP
  .word 0x8000000000000001 // bit 63 is set, which no instruction has
)");
  const std::string with_words = disassemble(*program);
  const std::string last = "\n  NOP.end" + std::string(61, ' ') + "// 0020: 7800c00000000000\n";
  EXPECT_NE(with_words.find(last), std::string::npos) << with_words;
  for (const DisassembleOptions options :
       {DisassembleOptions{}, DisassembleOptions{.words = false}, DisassembleOptions{.labels = false}}) {
    const auto again = assemble(disassemble(*program, options), "count.valhall");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(*again, *program);
  }
}

TEST(ValhallAssemble, BranchesOutOfTheCodeHaveNoLabels) {
  const auto program = assemble("BRANCHZ r0, offset:7\nBRANCHZ r0, offset:-3\n", "a");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(disassemble(*program, {.words = false}), "  BRANCHZ r0, offset:7\n  BRANCHZ r0, offset:-3\n");
}

TEST(ValhallAssemble, ModifiersComeInAnyOrder) {
  const auto word = [](const char* text) { return *assemble_instruction(text); };
  EXPECT_EQ(word("LOAD.i16.slot1.wait0.unsigned.h1 @r2, r0, offset:0"),
            word("LOAD.i16.h1.unsigned.slot1.wait0 @r2, r0, offset:0"));
  EXPECT_EQ(word("FADD.f32 r0, r1.abs.h0.neg, r2"), word("FADD.f32 r0, r1.neg.abs.h0, r2"));
  // A word with a dot in it is one modifier.
  const auto wide = decode(word("VAR_TEX_DUAL.slot0.center_store.f.16.32.2d.zero @r0:r1, u0, r2"));
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->register_width, 2);
}

// Other listings call some instructions otherwise.
TEST(ValhallAssemble, OtherMnemonics) {
  const std::pair<const char*, const char*> kNames[] = {
      {"LEA_BUFFER.slot0 @r2:r3, r0, r2", "LEA_PKA.slot0 @r2:r3, r0, r2"},
      {"LD_PKA.i64.unsigned.slot1 @r0:r1, u0, u1", "LD_BUFFER.i64.unsigned.slot1 @r0:r1, u0, u1"},
      {"CUBEFACE2_V9 r5, r2, r6, r4", "CUBEFACE2 r5, r2, r6, r4"}};
  for (const auto& [other, own] : kNames) {
    const auto word = assemble_instruction(other);
    ASSERT_TRUE(word.ok()) << to_string(word.error());
    EXPECT_EQ(*word, *assemble_instruction(own));
    EXPECT_EQ(disassemble(*decode(*word)), own);
  }
}

TEST(ValhallAssemble, ConstantsByValueOrNumber) {
  const auto word = [](const char* text) { return *assemble_instruction(text); };
  EXPECT_EQ(word("MOV.i32 r0, 0x3F800000"), word("MOV.i32 r0, k16"));
  EXPECT_EQ(word("MOV.i32 r0, 0"), word("MOV.i32 r0, k0"));
  EXPECT_NE(word("MOV.i32 r0, k21"), word("MOV.i32 r0, k0"));
  EXPECT_EQ(disassemble(*decode(word("MOV.i32 r0, k21"))), "MOV.i32 r0, k21");
}

std::string error_of(const std::string& text) {
  const auto word = assemble_instruction(text);
  return word ? "assembled" : word.error().message;
}

TEST(ValhallAssemble, Errors) {
  EXPECT_EQ(error_of(""), "an instruction is missing");
  EXPECT_EQ(error_of("FOO r0"), "no instruction 'FOO'");
  EXPECT_EQ(error_of("FADD.f64 r0, r1, r2"), "FADD has no type 'f64', but f32, v2f16");
  // What there is in place of what there is not.
  const auto expect_words = [](const std::string& text, const std::string& begin,
                               std::initializer_list<const char*> words) {
    const std::string message = error_of(text);
    EXPECT_EQ(message.substr(0, begin.size()), begin) << message;
    for (const char* word : words)
      EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  };
  expect_words("FADD.f32.saturate r0, r1, r2", "this instruction has no modifier 'saturate', but ",
               {"clamp: clamp_0_inf, clamp_m1_1, clamp_0_1", "rtp, rtn, rtz", "reconverge", "end"});
  expect_words("FADD.f32.clamp_0_1.clamp_0_1 r0, r1, r2",
               "this instruction has no modifier 'clamp_0_1', but ", {"rtp, rtn, rtz"});
  EXPECT_EQ(error_of("FADD.f32.clamp_0_1.clamp_0_1 r0, r1, r2").find("clamp_m1_1"), std::string::npos);
  expect_words("CSEL.u32 r0, r1, r2, r3, r4", "the modifier condition is missing: one of eq, gt, ge",
               {"gtlt"});
  EXPECT_EQ(error_of("FADD.f32 r0, r1"), "an operand is missing");
  EXPECT_EQ(error_of("FADD.f32 r0, r1, r2, r3"), "there are more operands than this instruction has");
  EXPECT_EQ(error_of("FADD.f32 r0 r1 r2"), "expected a comma before 'r1'");
  EXPECT_EQ(error_of("FADD.f32 r0, r1,"), "an operand is missing");
  EXPECT_EQ(error_of("FADD.f32 r64, r1, r2"), "expected a register r0 to r63, found 'r64'");
  EXPECT_EQ(error_of("FADD.f32 r0.b0, r1, r2"), "a destination has no part 'b0'");
  EXPECT_EQ(error_of("FADD.f32 r0, ^u1, r2"),
            "expected a register, uniform, special value or one of the 32 constants, found '^u1'");
  EXPECT_EQ(error_of("FADD.f32 r0, 0x3, r2"),
            "expected a register, uniform, special value or one of the 32 constants, found '0x3'");
  EXPECT_EQ(error_of("FADD.f32 r0, r1.neg.neg, r2"), "'neg' stands twice");
  EXPECT_EQ(error_of("FADD.f32 r0, r1.b0, r2"), "this source has no part 'b0', but h0, h1");
  EXPECT_EQ(error_of("FADD.f32 r0, r1.not, r2"), "this source cannot be inverted");
  EXPECT_EQ(error_of("U8_TO_U32 r0, r1"), "the part of 'r1' is missing: one of b0, b1, b2, b3");
  EXPECT_EQ(error_of("FADD.f32 r0, lane_id, u0"),
            "expected a register, uniform, special value or one of the 32 constants, found 'lane_id'");
  EXPECT_EQ(error_of("FADD.f32 r0, u0, u64"), "uniforms of one instruction are the two words of one slot");
  EXPECT_EQ(error_of("FADD.f32 r0, u0, u64 {unchecked}"),
            "sources are of two pages of uniforms and special values");
  EXPECT_EQ(error_of("STORE.i8.slot0 r0, r2, offset:0"),
            "expected staging registers like @r4:r5, found 'r0'");
  EXPECT_EQ(error_of("STORE.i8.slot0 @r0:r2, r2, offset:0"), "staging registers follow each other");
  EXPECT_EQ(error_of("STORE.i8.slot0 @r0:, r2, offset:0"),
            "expected staging registers like @r4:r5, found '@r0:'");
  EXPECT_EQ(error_of("STORE.i8.slot0 @r0, r2, 4"), "expected offset:NUMBER, found '4'");
  EXPECT_EQ(error_of("STORE.i8.slot0 @r0, r2, offset:x"), "expected a number, found 'x'");
  EXPECT_EQ(error_of("STORE.i8.slot0 @r0, r2, offset:32768"), "the value is not from -32768 to 32767");
  EXPECT_EQ(error_of("SHADDX.u64 r0, r2, r4, shift:0x8"), "the value is not from 0 to 7");
  EXPECT_EQ(error_of("IADD_IMM.i32 r0, r1, 4"), "expected #CONSTANT, found '4'");
  EXPECT_EQ(error_of("BRANCHZ r0, offset:there"), "there are no labels here");
  EXPECT_EQ(error_of("NOP {unused 5}"), "expected {unused 0x...} or {unchecked}");
  EXPECT_EQ(error_of("NOP }"), "'}' without '{'");
}

TEST(ValhallAssemble, ErrorsOfAProgramHavePositions) {
  const auto error_in = [](const std::string& text) {
    const auto program = assemble(text, "a.valhall");
    return program ? "assembled" : to_string(program.error());
  };
  EXPECT_EQ(error_in("NOP\n  FADD.f32 r0, r1\n"), "a.valhall:2:3: an operand is missing");
  EXPECT_EQ(error_in("BRANCHZ r0, offset:there\n"), "a.valhall:1:1: no label 'there'");
  EXPECT_EQ(error_in("a:\na: NOP\n"), "a.valhall:2:1: the label 'a' is there already");
  const auto sized = assemble(".shared 1024\n.local 0x40\nNOP.end\n", "a.valhall");
  ASSERT_TRUE(sized.ok());
  EXPECT_EQ(sized->shared_bytes, 1024U);
  EXPECT_EQ(sized->local_bytes, 64U);
  EXPECT_EQ(assemble(disassemble(*sized), "a.valhall")->shared_bytes, 1024U);
  EXPECT_EQ(error_in(".local 65537\n"), "a.valhall:1:1: expected up to 65536 bytes");
  EXPECT_EQ(error_in(".stage geometry\n"), "a.valhall:1:1: expected .stage compute, vertex or fragment");
  EXPECT_EQ(error_in(".kernel a\n"), "a.valhall:1:1: unknown directive '.kernel'");
  EXPECT_EQ(error_in(".word x\n"), "a.valhall:1:7: expected a number, found 'x'");
  EXPECT_EQ(error_in("// nothing\n"), "a.valhall:2:1: a program without instructions");
}

TEST(ValhallProgram, BareBinaries) {
  std::vector<std::byte> bytes(12);
  EXPECT_EQ(to_string(read_words(bytes, Stage::compute, "a.bin").error()),
            "a.bin: Valhall instructions are 8 bytes each, but there are 12");
  EXPECT_FALSE(read_words({}, Stage::compute, "a.bin").ok());
  bytes.resize(16);
  bytes[0] = std::byte{0x02};
  bytes[15] = std::byte{0x78};
  const auto program = read_words(bytes, Stage::vertex, "a.bin");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->code, (std::vector<std::uint64_t>{2, 0x7800000000000000}));
  EXPECT_EQ(write_words(*program), bytes);
  EXPECT_EQ(program->where(8), "a.bin, byte 0x8 (0x7800000000000000)");
}

}  // namespace
}  // namespace warpjit::valhall
