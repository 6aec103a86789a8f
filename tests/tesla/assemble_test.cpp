#include "frontend/tesla/container/cubin.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

struct Line {
  const char* text;
  std::uint64_t word;
};

TEST(TeslaAssemble, Instructions) {
  // Words of docs/guests/tesla.md 2 to 13, one of each kind.
  const Line lines[] = {
      {"mov $r3 $c1", 0x200017800000000d},
      {"mov $r19 $a4", 0x400007840000004d},
      {"mov $r24 $physid", 0x6000078000000061},
      {"mov $c0 $r2", 0xa000078000000401},
      {"join shl $a7 $r52 0xc", 0xc0000782000c681d},
      {"st b8 s[0x21] $r0l", 0xe040078000004201},
      {"st b32 s[$a1+0x40] $r3", 0xe420c78004002001},
      {"mov b32 $r39 $r0 {short}", 0x1000809c},
      {"mov b16 $r3l 0x9c160680", 0x09c1606b10000019},
      {"mov b32 $r3 1.5", 0x03fc00031000800d},
      {"(l013) mov b32 $r60 $r0", 0x0402c780100000f1},
      {"ld $r58 b32 c10[$a4++0x10]", 0},
      {"exit ld $r56l u16 c9[0x194a]", 0x2240478110194bc1},
      {"ld lock $c0 $r50 b32 s[$a4+0x4]", 0},
      {"vote any $c1", 0x6000079010000201},
      {"(lg $c0) bra 0x118", 0x0000028010023003},
      {"call lim 0xa04340", 0},
      {"add sat b32 $c1 $r64 $r38 $r80", 0},
      {"addc b32 # $r0 $r2 $c0", 0},
      {"set $c0 # le u32 $r3 $r63", 0x6400c7c8303f07fd},
      {"shr u32 $r6 $r0 0x1", 0xe410078030010019},
      {"mul $r7 u16 $r5l u16 $r0h {short}", 0x4001141c},
      {"add $r7 (mul u16 $r5h $r0l) $r7 {short}", 0x6000161c},
      {"cvt u32 $r1 u16 u16 s[0xc]", 0x04200780a0004c05},
      {"cvt rn f32 $r2 u32 $r1", 0x44004780a0000209},
      {"add f32 $r7 (mul b32 s[$a1] $r8) $r7", 0x0021c780e408c01d},
      {"quadop f32 sub subr sub subr $r5 dx $r2 $r2", 0x89808780c0140415},
      {"ld b32 $r28 g2[$r23]", 0x80c00780d0022e71},
      {"red add u32 g2[$r117] $r116", 0xc0c00780d002ebd1},
      {"ld add u64 $r108d g2[$r28] $r126d", 0xe0800780d17e39b1},
      {"bar inc wait 0x0 all", 0x0000400086000003},
      {"exit nop", 0xe0000781f0000001},
  };
  for (const Line& line : lines) {
    const auto word = assemble_instruction(ProgramType::compute, line.text);
    ASSERT_TRUE(word.ok()) << line.text << ": " << to_string(word.error());
    if (line.word != 0) {
      EXPECT_EQ(*word, line.word) << line.text;
    }
    const auto again = try_decode(ProgramType::compute, static_cast<std::uint32_t>(*word),
                                  static_cast<std::uint32_t>(*word >> 32));
    ASSERT_TRUE(again) << line.text;
    EXPECT_EQ(assemble_instruction(ProgramType::compute, disassemble(*again)).value(), *word) << line.text;
  }
}

TEST(TeslaAssemble, ModifiersComeInAnyOrder) {
  EXPECT_EQ(*assemble_instruction(ProgramType::compute, "add sat b16 $r0l $r0l $r0l"),
            *assemble_instruction(ProgramType::compute, "add b16 sat $r0l $r0l $r0l"));
}

TEST(TeslaAssemble, TablesOfLabels) {
  const Program table = program_of(".const c2[0x0] #end 3 #start\nstart:\nbra c2[0x0]\nend:\nexit nop\n");
  EXPECT_EQ(table.constants[0].words, (std::vector<std::uint32_t>{8, 3, 0}));
  EXPECT_EQ(program_of(disassemble(table)).constants, table.constants);
  const auto missing = assemble("exit nop\n.const c2[0x0] 1 #there\n", "f");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(to_string(missing.error()), "f:2:18: no label 'there'");
}

TEST(TeslaAssemble, ProgramWithLabelsAndDirectives) {
  const Program program = program_of(
      ".kernel k\n.registers 5\n.shared 0x40\n.const c1[0x8] 1 0x2 -1\n"
      "loop: mov b32 $r0 $r1 {short}\n  mov b32 $r1 $r0 {short} // comment\n"
      "  (lg $c0) bra #loop\n  bra #end\nend:\n  exit nop\n");
  EXPECT_EQ(program.name, "k");
  EXPECT_EQ(program.registers, 5U);
  EXPECT_EQ(program.shared_bytes, 64U);
  ASSERT_EQ(program.constants.size(), 1U);
  EXPECT_EQ(program.constants[0].offset, 8U);
  EXPECT_EQ(program.constants[0].words, (std::vector<std::uint32_t>{1, 2, 0xffffffff}));
  EXPECT_EQ(program.code, (std::vector<std::uint32_t>{0x10008200, 0x10008004, 0x10000003, 0x00000280,
                                                      0x10003003, 0x00000780, 0xf0000001, 0xe0000781}));
  Program again = program_of(disassemble(program));
  EXPECT_EQ(again, program);
  again = program_of(disassemble(program, {.words = false, .labels = false}));
  EXPECT_EQ(again, program);
}

TEST(TeslaAssemble, SeveralKernels) {
  const auto container = assemble(".kernel a\nexit nop\n.kernel b\nnop\nexit nop\n", "x");
  ASSERT_TRUE(container.ok());
  ASSERT_EQ(container->programs.size(), 2U);
  EXPECT_EQ(select_program(*container, "b")->code.size(), 4U);
  EXPECT_FALSE(select_program(*container, ""));
  EXPECT_FALSE(select_program(*container, "c"));
}

TEST(TeslaAssemble, AnyWordsSurviveListing) {
  Program program;
  std::uint32_t word = 7;
  for (int k = 0; k < 3000; ++k) {
    word = word * 1664525 + 1013904223;
    program.code.push_back(k % 3 == 0 ? word : word & 0x3fffffff);
  }
  program.source_name = "test.tesla";
  EXPECT_EQ(program_of(disassemble(program)).code, program.code);
}

TEST(TeslaAssemble, InvalidWordsSayWhy) {
  Program program;
  program.code = {0x20000001, 0x20000780,  // no such opcode
                  0x10000000,              // short
                  0x10008001, 0x0423c780,  // a long one that begins between
                  0x10000000,              // short, too
                  0xa0000001, 0x0000c780,  // a conversion of no type
                  0xf0000001};             // cut off
  const std::string text = disassemble(program);
  for (const char* why :
       {"// 0000: 20000001  undefined opcode", "a long instruction is not aligned to 8 bytes",
        "the code ends inside a long instruction"})
    EXPECT_NE(text.find(why), std::string::npos) << why << text;
  EXPECT_EQ(program_of(text).code, program.code);
  EXPECT_NE(disassemble(program, {.words = false}).find("// undefined opcode"), std::string::npos);
  EXPECT_EQ(program_of(disassemble(program, {.words = false})).code, program.code);
}

TEST(TeslaAssemble, Errors) {
  const auto message = [](const char* text) {
    const auto result = assemble(text, "e.tesla");
    return result ? std::string("assembled") : to_string(result.error());
  };
  EXPECT_EQ(message("\n frob $r0\n"), "e.tesla:2:2: no instruction 'frob'");
  EXPECT_EQ(message("add $r0"), "e.tesla:1:1: no form of 'add' takes these operands");
  EXPECT_EQ(message("bra #nowhere"), "e.tesla:1:1: no label 'nowhere'");
  EXPECT_EQ(message("a:\na:\nnop"), "e.tesla:2:1: the label 'a' is there already");
  EXPECT_EQ(message("mov b32 $r0 $r1 {short}\nnop"),
            "e.tesla:2:1: a long instruction starts at a multiple of 8 bytes: short ones come in pairs");
  EXPECT_EQ(message("mov b32 $r64 $r1 {short}"),
            "e.tesla:1:1: a register, offset or constant of 'mov' is out of range");
  EXPECT_EQ(message("mov b32 $r128 $r1"), "e.tesla:1:1: no form of 'mov' takes these operands");
  EXPECT_EQ(message("(zz $c0) nop"),
            "e.tesla:1:1: unknown condition 'zz'; there are: never l e le g lg ge lge u lu eu leu gu lgu geu "
            "always o c a s ns na nc no");
  EXPECT_EQ(message("rcp half $r0 $r1"), "e.tesla:1:1: 'rcp' has no modifier 'half'; there are: f32 neg abs");
  EXPECT_EQ(message("and b32 sat $r0 $r1 $r2"),
            "e.tesla:1:1: 'and' has no modifier 'sat'; there are: b16 b32 not");
  EXPECT_EQ(message("emit twice"), "e.tesla:1:1: 'emit' has no modifier 'twice', and no other");
  EXPECT_EQ(message(".registers"), "e.tesla:1:1: expected one number");
  EXPECT_EQ(message(".registers 129\nnop"), "e.tesla: registers: 129, at most 128");
  EXPECT_EQ(message(".kernel a\n.kernel b\nnop"), "e.tesla:2:10: a kernel without instructions");
  EXPECT_EQ(message(".frob 1"), "e.tesla:1:1: unknown directive '.frob'");
  EXPECT_EQ(message("nop {unused 5}"), "e.tesla:1:1: expected {unused 0x...} or {short}");
  // Two operands of c[] do not exist in one instruction, and only one operand is indexed.
  EXPECT_NE(message("add $r0 (mul u16 $r0l c0[0x0]) c0[0x4]"), "assembled");
  EXPECT_NE(message("add $r0 (mul u24 b32 s[$a1] c0[$a1]) $r4"), "assembled");
}

TEST(TeslaAssemble, StateOfGraphicsPrograms) {
  const char* const source =
      ".kernel v\n.type vertex\n.attributes 0xf 0x100\n.builtin-attributes 0x11\n.results 0 1 2 0x41\nexit "
      "nop\n"
      ".kernel g\n.type geometry\n.results 0 1 2 3\n.output 2\n.vertices 7\nexit nop\n"
      ".kernel f\n.type fragment\n.interpolants 0x8040404\n.noperspective 0 0x10\n.control "
      "0x101\n.result-count 5\n"
      ".pixel-center-integer 1\n.primitive-id-slot 6\n.two-sided 1\n.color-slots 0x1020804\nexit nop\n";
  const auto container = assemble(source, "s");
  ASSERT_TRUE(container.ok()) << to_string(container.error());
  ASSERT_EQ(container->programs.size(), 3U);
  const GraphicsState &v = container->programs[0].graphics, &g = container->programs[1].graphics,
                      &f = container->programs[2].graphics;
  EXPECT_EQ(v.attributes, (std::array<std::uint32_t, 2>{0xf, 0x100}));
  EXPECT_EQ(v.vertex_results, (std::vector<std::uint8_t>{0, 1, 2, 0x41}));
  EXPECT_EQ(g.geometry_results.size(), 4U);
  EXPECT_EQ(g.geometry_output, 2U);
  EXPECT_EQ(g.geometry_vertices, 7U);
  EXPECT_EQ(f.noperspective, (std::array<std::uint32_t, 4>{0, 0x10, 0, 0}));
  EXPECT_EQ(f.fragment_results, 5U);
  EXPECT_TRUE(f.pixel_center_integer && f.two_sided);
  // Listings and text cubins keep all of it.
  const auto cubin = read_text_cubin(write_text_cubin(*container), "s");
  ASSERT_TRUE(cubin.ok()) << to_string(cubin.error());
  for (std::size_t k = 0; k < 3; ++k) {
    const auto again = assemble(disassemble(container->programs[k]), "s");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_TRUE(again->programs.at(0) == container->programs[k]) << disassemble(container->programs[k]);
    EXPECT_TRUE(cubin->programs.at(k) == container->programs[k]);
  }
  EXPECT_EQ(select_program(*container, "", ProgramType::geometry)->name, "g");
  EXPECT_FALSE(select_program(*container, "g", ProgramType::vertex));
  EXPECT_FALSE(select_program(*container, "", ProgramType::compute));
  for (const char* wrong :
       {".interpolants 4\n", ".type vertex\n.interpolants 4\n", ".type vertex\n.results 256\n",
        ".type vertex\n.results\n", ".type fragment\n.two-sided 2\n", ".type fragment\n.control 1 2\n",
        ".type fragment\n.noperspective 1 2 3 4 5\n", ".type geometry\n.vertices 1025\n"})
    EXPECT_FALSE(assemble(std::string(wrong) + "exit nop\n", "s").ok()) << wrong;
}

}  // namespace
}  // namespace warpjit::tesla
