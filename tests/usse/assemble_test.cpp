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

// What stands before the instructions, in the form that listings have.
TEST(UsseAssemble, InterfacesSurvive) {
  constexpr std::string_view kFragment = R"(.stage fragment
.registers pa:14 sa:40 r:6
.flags replaces_depth reads_color
.literal sa:6 0x3f800000
.sampler unit:3 sa:8
.control unit:1 word:2 sa:12
.cube unit:1
.input texcoord9 f16 3 words:2
.texel texcoord0 native unit:3 words:1 by_w centroid own
.input color1 u8 4 words:1
.input color0 f32 2 words:2
.input point c10 2 words:1
.texel point f32 unit:1 words:4
.input position f32 1 words:1
.output u8 3 pa:2
  nop.end
)";
  constexpr std::string_view kVertex = R"(.stage vertex
.registers pa:20 sa:256 r:0
.results position color1 fog texcoord0.xy texcoord3.xyzw.half texcoord9.zw point_size clip0 clip7
.reads 0xfff00
.numbers index:7 instance:8
  nop.end
)";
  for (const std::string_view text : {kFragment, kVertex}) {
    const auto program = assemble(text, "a.usse");
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    EXPECT_EQ(disassemble(*program, {.words = false}), text);
  }
  const auto fragment = assemble(kFragment, "a.usse");
  EXPECT_EQ(fragment->dependent_samplers.size(), 5U);
  EXPECT_EQ(fragment->fragment.inputs[1].sampled->projection, FragmentInput::Projection::by_w);
  // Inputs have the words that containers have for them.
  EXPECT_EQ(fragment->fragment.inputs[0].raw, (std::array<std::uint32_t, 4>{0x2080900f, 0, 0x10, 0}));
  EXPECT_EQ(fragment->fragment.inputs[1].raw, (std::array<std::uint32_t, 4>{0xf210, 3, 0, 0x40}));
  const auto vertex = assemble(kVertex, "a.usse");
  EXPECT_EQ(vertex->vertex.words, 4 + 4 + 2 + 2 + 2 + 2 + 1 + 2);
  const auto all = assemble(".registers pa:6\n.results position\nnop.end", "a.usse");
  EXPECT_EQ(all->vertex.live, 0x3fU);
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
  EXPECT_EQ(error_of(".input texcoord0 f32 2"), "a.usse:1:1: .input belongs to fragment programs");
  const std::string fragment = ".stage fragment\n";
  EXPECT_EQ(error_of(fragment + ".results position"), "a.usse:2:1: .results belongs to vertex programs");
  EXPECT_EQ(error_of(fragment + ".input texcoord10 f32 2"),
            "a.usse:2:8: expected texcoord0 to texcoord9, color0, color1, fog, position or point, found "
            "'texcoord10'");
  EXPECT_EQ(error_of(fragment + ".input fog u8 2"),
            "a.usse:2:12: expected f32, f16 or c10: colours alone are bytes, found 'u8'");
  EXPECT_EQ(error_of(fragment + ".input fog f32 5"), "a.usse:2:16: expected 1 to 4 components, found '5'");
  EXPECT_EQ(error_of(fragment + ".input fog f32 1 words:5"),
            "a.usse:2:18: expected words:number, up to 4, found 'words:5'");
  EXPECT_EQ(error_of(fragment + ".texel texcoord0 f16 unit:16 words:1"),
            "a.usse:2:22: expected unit:number, up to 15, found 'unit:16'");
  EXPECT_EQ(error_of(".sampler unit:0 sa:253\nnop.end"),
            "a.usse:1:17: expected sa:number, up to 252, found 'sa:253'");
  EXPECT_EQ(error_of(".registers pa:257"),
            "a.usse:1:12: expected pa:, sa: or r: and a number up to 256, found "
            "'pa:257'");
  EXPECT_EQ(error_of(".flags fast"), "a.usse:1:8: expected a flag, found 'fast'");
  EXPECT_EQ(error_of(".results"), "a.usse:1:1: expected position behind '.results'");
  EXPECT_EQ(error_of(".results position texcoord0.zx"),
            "a.usse:1:19: expected color0, color1, fog, texcoord0.xy, point_size, clip0 or the like, found "
            "'texcoord0.zx'");
  EXPECT_EQ(error_of(fragment + ".registers pa:1\n.input texcoord0 f32 2\nnop.end"),
            "a.usse: the inputs are 2 words, but there are 1 primary attributes");
}

}  // namespace
}  // namespace warpjit::usse
