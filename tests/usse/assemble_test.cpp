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

// A listing says of each word that it cannot read why, and assembles to the same words.
TEST(UsseAssemble, WordsThatAreNoInstructions) {
  std::vector<std::byte> bytes;
  for (const std::uint64_t word :
       {0xb800000000000001U, 0xf940050000000000U, 0xc800000000000000U, 0xe000400000000000U, 0x0UL})
    for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<std::byte>(word >> 8 * k));
  const auto program = read_words(bytes, Stage::fragment, "a.bin");
  ASSERT_TRUE(program.ok());
  for (const bool words : {false, true}) {
    const std::string listing = disassemble(*program, {.words = words});
    EXPECT_NE(listing.find("opcode 23 is not defined"), std::string::npos) << listing;
    EXPECT_NE(listing.find("i8mad2 is known by name alone"), std::string::npos) << listing;
    EXPECT_NE(listing.find("the value 1 of sample_type"), std::string::npos) << listing;
    const auto again = assemble(listing, "a.usse");
    ASSERT_TRUE(again.ok()) << to_string(again.error()) << listing;
    EXPECT_EQ(again->primary, program->primary);
  }
}

// Bare words say of no unit where its control words are: places count from unit 0 on, in order.
TEST(UsseAssemble, UnitsOfBareWords) {
  const std::string code =
      "smp.2d.f32.f32.drc0 r0, pa0, sa12, #0\nsmp.cube.f32.f32.drc0 r4, pa0, sa4, #0\n"
      "smp.2d.f32.f32.drc0 r8, pa0, sa12, #0\nnop.end\n";
  const auto program = assemble(".stage fragment\n" + code, "a.usse");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto again = read_words(*write_words(*program), Stage::fragment, "a.usse");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->dependent_samplers, program->dependent_samplers);
  ASSERT_EQ(again->dependent_samplers.size(), 8U);
  EXPECT_EQ(again->dependent_samplers[0], (DependentSampler{0, 0, 4}));
  EXPECT_EQ(again->dependent_samplers[7], (DependentSampler{1, 3, 15}));
  // What directives say holds.
  const auto given = assemble(".stage fragment\n.sampler unit:5 sa:12\n" + code, "a.usse");
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->dependent_samplers.size(), 4U);
  std::string many = ".stage fragment\n";
  for (unsigned n = 0; n < 20; ++n)
    many += "smp.2d.f32.f32.drc0 r0, pa0, sa" + std::to_string(4 * n) + ", #0\n";
  EXPECT_EQ(assemble(many + "nop.end\n", "a.usse")->dependent_samplers.size(), 64U);
}

std::string error_of(const std::string& text) {
  const auto program = assemble(text, "a.usse");
  return program ? "assembled" : to_string(program.error());
}

TEST(UsseAssemble, Errors) {
  EXPECT_EQ(error_of(""), "a.usse:1:1: a primary program without instructions");
  EXPECT_EQ(error_of("vfrx r0"), "a.usse:1:1: no instruction 'vfrx'; there are vfrc");
  EXPECT_EQ(error_of("vtst2 r0"), "a.usse:1:1: no instruction 'vtst2'; there are vtst, vtstmsk");
  EXPECT_EQ(error_of("nop.end\n  vmad2.f32 r0.xy, pa2, sa4"), "a.usse:2:3: an operand is missing: source 2");
  EXPECT_EQ(error_of("or r0, r1, r2"), "a.usse:1:1: an operand is missing: rot:NUMBER");
  EXPECT_EQ(error_of("vpck.f32 r0, pa0"),
            "a.usse:1:1: the modifier pack_source is missing: u8, s8, o8, u16, s16, f16, c10, f32");
  EXPECT_EQ(error_of("nop.end r0"), "a.usse:1:1: an operand too many: 'r0'");
  EXPECT_EQ(error_of("vmov.f32 r0.xq, pa2"), "a.usse:1:1: expected a mask like .xy, found 'xq'");
  EXPECT_EQ(error_of("vmov.f32 r1, pa2"), "a.usse:1:1: the destination begins with an even register");
  EXPECT_EQ(error_of("vmov.f32 r0, q2"),
            "a.usse:1:1: expected a register like r4, pa2, sa[idx1+4] or sa[2*idx1+4], found 'q2'; banks are "
            "r, pa, "
            "sa, o, i, c, g, # and idx");
  EXPECT_EQ(
      error_of(".foo"),
      "a.usse:1:1: unknown directive '.foo'; there are .stage, .primary, .secondary, .word, .registers, "
      ".flags, .literal, .sampler, .control, .cube, .input, .texel, .output, .results, .reads, .numbers");
  EXPECT_EQ(
      error_of("vrcp.f32.f32.fast r0, pa2.x"),
      "a.usse:1:1: this instruction has no modifier 'fast'; it has f32, f16, c10, skipinv, sync, nosched, "
      "end, rpt2, rpt3, rpt4, rpt5, rpt6, rpt7, rpt8, rpt9, rpt10, rpt11, rpt12, rpt13, rpt14, rpt15, "
      "rpt16");
  EXPECT_EQ(error_of("vrcp r0, pa2.x"), "a.usse:1:1: the modifier comp_type is missing: f32, f16, c10");
  EXPECT_EQ(
      error_of("vmad2.f32 r0.xy, pa2.wwxx, sa4, r6"),
      "a.usse:1:1: this source has no swizzle 'wwxx'; it has xxxx, yyyy, zzzz, wwww, xyzw, yzxw, xyww, zwxy");
  EXPECT_EQ(error_of("p2 sop2m.add.add.zero.zero r0, pa2, sa0"),
            "a.usse:1:1: this instruction has no predicate 'p2'; it has p0, p1, !p0");
  EXPECT_EQ(error_of("br offset:524288"), "a.usse:1:1: offset is out of range; it is -524288 to 524287");
  EXPECT_EQ(error_of("br offset:-524288"), "assembled");
  EXPECT_EQ(error_of("br offset:gone"), "a.usse:1:1: no label 'gone'");
  EXPECT_EQ(error_of(".secondary\nl: nop.end\n.primary\nbr offset:l"), "a.usse:4:1: no label 'l'");
  EXPECT_EQ(error_of("l: nop\nl: nop"), "a.usse:2:1: the label 'l' is there already");
  EXPECT_EQ(error_of(".stage compute"), "a.usse:1:1: expected .stage vertex or fragment");
  EXPECT_EQ(error_of("nop {unused 1}"), "a.usse:1:1: expected {unused 0x...}");
  EXPECT_EQ(error_of("nop }"), "a.usse:1:1: '}' without '{'");
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
  EXPECT_EQ(error_of(".flags fast"),
            "a.usse:1:8: expected a flag, one of per_instance, discards, replaces_depth, sprite_coordinate, "
            "native_color, reads_color, presampled, iterated, stores, output_undefined, uses_index, "
            "uses_instance, found 'fast'");
  EXPECT_EQ(error_of(".results"), "a.usse:1:1: expected position behind '.results'");
  EXPECT_EQ(error_of(".results position texcoord0.zx"),
            "a.usse:1:19: expected color0, color1, fog, texcoord0.xy, point_size, clip0 or the like, found "
            "'texcoord0.zx'");
  EXPECT_EQ(error_of(fragment + ".registers pa:1\n.input texcoord0 f32 2\nnop.end"),
            "a.usse: the inputs are 2 words, but there are 1 primary attributes");
}

}  // namespace
}  // namespace warpjit::usse
