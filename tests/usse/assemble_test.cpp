#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

constexpr std::string_view kSource = R"(.stage fragment
.secondary
  vmov.f32.end pa0.x, sa4.xxxx
.primary
  phas.imm mode:0, rate:0, wait:7, temps:0, address:0
again:
  p0 vmad2.f32 r0.xy, pa0, -sa2.xxxx, |sa4|  // a comment
  !p0 br offset:out
  br offset:again
out: nop.end {unused 0x1}
  .word 0x0000000000000001 0xb800000000000000
)";

TEST(UsseAssemble, ProgramsSurvive) {
  const auto program = assemble(kSource, "a.usse");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(program->stage, Stage::fragment);
  EXPECT_EQ(program->secondary.size(), 1U);
  ASSERT_EQ(program->primary.size(), 7U);
  EXPECT_EQ(decode(program->primary[2])->value(Immediate::offset), 2);
  EXPECT_EQ(decode(program->primary[3])->value(Immediate::offset), -2);
  EXPECT_EQ(program->primary[4] & 1, 1U);
  for (const bool labels : {true, false}) {
    const auto again = assemble(disassemble(*program, {.labels = labels}), "a.usse");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(*again, *program);
  }
}

TEST(UsseAssemble, Words) {
  const auto program = assemble(".stage fragment\nnop.end\nvmov.f32 r0.x, pa2\n", "a.usse");
  ASSERT_TRUE(program.ok());
  const auto bytes = write_words(*program);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 16U);
  const auto again = read_words(*bytes, Stage::fragment, "a.usse");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *program);
  EXPECT_EQ(program->where(false, 1), "a.usse, primary word 1 (0x3800052081000040)");
  const auto both = assemble(kSource, "a.usse");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(write_words(*both).error().message, "bare words hold a primary program alone");
  EXPECT_EQ(read_words(std::span(*bytes).first(15), Stage::vertex, "b.bin").error().message,
            "USSE instructions are 8 bytes each, but there are 15");
  EXPECT_FALSE(read_words({}, Stage::vertex, "b.bin").ok());
}

std::string error_of(const std::string& text) {
  const auto program = assemble(text, "a.usse");
  return program ? "assembled" : to_string(program.error());
}

TEST(UsseAssemble, Errors) {
  EXPECT_EQ(error_of(""), "a.usse:1:1: a primary program without instructions");
  EXPECT_EQ(error_of("vfoo r0"), "a.usse:1:1: no instruction 'vfoo'");
  EXPECT_EQ(error_of("nop.end\n  vmad2.f32 r0.xy, pa2, sa4"), "a.usse:2:3: an operand is missing");
  EXPECT_EQ(error_of("nop.end r0"), "a.usse:1:1: an operand too many: 'r0'");
  EXPECT_EQ(error_of("vmov.f32 r0.xq, pa2"), "a.usse:1:1: expected a mask like .xy, found 'xq'");
  EXPECT_EQ(error_of("vmov.f32 r1, pa2"), "a.usse:1:1: the destination begins with an even register");
  EXPECT_EQ(error_of("vmov.f32 r0, q2"),
            "a.usse:1:1: expected a register like r4, pa2 or sa[2*idx1+4], found 'q2'");
  EXPECT_EQ(error_of("vmov.f32.fast r0, pa2"), "a.usse:1:1: this instruction has no modifier 'fast'");
  EXPECT_EQ(error_of("p2 sop2m.add.add.zero.zero r0, pa2, sa0"),
            "a.usse:1:1: this instruction has no predicate 'p2'");
  EXPECT_EQ(error_of("br offset:524288"), "a.usse:1:1: offset is out of range");
  EXPECT_EQ(error_of("br offset:-524288"), "assembled");
  EXPECT_EQ(error_of("br offset:gone"), "a.usse:1:1: no label 'gone'");
  EXPECT_EQ(error_of(".secondary\nl: nop.end\n.primary\nbr offset:l"), "a.usse:4:1: no label 'l'");
  EXPECT_EQ(error_of("l: nop\nl: nop"), "a.usse:2:1: the label 'l' is there already");
  EXPECT_EQ(error_of(".stage compute"), "a.usse:1:1: expected .stage vertex or fragment");
  EXPECT_EQ(error_of("nop {unused 1}"), "a.usse:1:1: expected {unused 0x...}");
  EXPECT_EQ(error_of("nop }"), "a.usse:1:1: expected {unused 0x...}");
  EXPECT_EQ(error_of("vmov.f32 r0 pa2"), "a.usse:1:1: expected a comma before 'pa2'");
  EXPECT_EQ(error_of("p0"), "a.usse:1:1: an instruction is missing");
}

}  // namespace
}  // namespace warpjit::usse
