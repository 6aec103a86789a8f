// Source as picasso takes it: equal bytes, the same refusals, and warnings where it reads something else.
#include <bit>

#include "frontend/pica200/container/shbin.h"
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

struct Made {
  Program program;
  std::string error;
  std::vector<std::string> warnings;  // "where: message"
};
Made make(const std::string& text) {
  const SourceFile file{"x.pica", text};
  SourceNotes notes;
  Made made;
  const auto container = assemble(std::span(&file, 1), &notes);
  for (const Warning& warning : notes.warnings.list())
    made.warnings.push_back(warning.where + ": " + warning.message);
  if (!container) {
    made.error = to_string(container.error());
    return made;
  }
  made.program = *select_program(*container);
  return made;
}
Made make_main(const std::string& body, const std::string& before = {}) {
  return make(before + ".proc main\n" + body + "\nend\n.end\n");
}
Instruction first_instruction(const Made& made) {
  EXPECT_EQ(made.error, "");
  return made.program.code.empty() ? Instruction{} : *try_decode(made.program.code[0]);
}
Descriptor first_descriptor(const Made& made) {
  return made.program.descriptor(first_instruction(made).descriptor);
}
std::string table(const Program& program) {
  std::string text;
  for (const Symbol& symbol : program.symbols)
    text += symbol.name + "=" + name(symbol.first) + ".." + std::to_string(symbol.last) + " ";
  return text;
}

// What the formats of docs/guests/pica200.md 3, 4 and 12 make of this: inputs, then uniforms by register, the
// strings in that order; a name that begins with _ is not there, $ is stored as a period.
TEST(Picasso, BytesOfAContainer) {
  const SourceFile file{"x.pica",
                        ".in q v3\n.in p v1\n.bool flag\n.ivec loop\n.fvec _own, a$b[2]\n"
                        ".constfa k[2]\n.constfa (1, -2, 0.5, 0)\n.end\n"
                        ".out pos position\n.out uv texcoord0.xy\n.out - texcoord0w uv.p\n"
                        ".proc main\nmova a0, q.X\nsgei r01, p, r2\nmov pos, a$b[a0+1]\nmov uv.XYZ, _own\n"
                        "end\n.end\n"};
  const auto container = assemble(std::span(&file, 1));
  ASSERT_TRUE(container) << to_string(container.error());
  const std::uint32_t wanted[] = {0x424c5644, 1,          0x60,  // DVLB, one DVLE at 0x60
                                  0x504c5644, 0,          0x28,
                                  5,          0x3c,       3,
                                  0x54,       0,          0,
                                  0,  // DVLP: 5 words, 3 descriptors
                                  0x48003000, 0x26201901, 0x4c0a2001,
                                  0x4c220002, 0x88000000,  // mova, sge, mov, mov, end
                                  0x00000008, 0,          0x0006c36f,
                                  0,          0x0000036e, 0,  // masks x, xyzw, xyz
                                  0x454c5644, 0x00001002, 0,
                                  5,          0x0003000a, 0,  // DVLE: words 0 to 5, v1 and v3, o0 and o1
                                  0x40,       2,          0x68,
                                  0,          0x68,       3,
                                  0x80,       5,          0xa8,
                                  18,  // its tables
                                  0x005e0002, 0x3f0000,   0xc00000,
                                  0x3e0000,   0,  // c94
                                  0x005f0002, 0,          0,
                                  0,          0,  // c95
                                  0x00000000, 15,         0x00010003,
                                  3,          0x00010004, 4,  // o0, o1.xy, o1.z
                                  0,          0x00010001, 2,
                                  0x00030003, 4,          0x00120011,
                                  8,          0x00700070,  // p v1, q v3, a.b c1 to c2, loop i0
                                  13,         0x00780078,  // flag b0
                                  0x00710070, 0x00622e61, 0x706f6f6c,
                                  0x616c6600, 0x00000067};  // the names
  const std::vector<std::byte> bytes = write_shbin(*container);
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    words[k / 4] |= std::to_integer<std::uint32_t>(bytes[k]) << (k % 4 * 8);
  ASSERT_EQ(words.size(), std::size(wanted));
  for (std::size_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], wanted[k]) << "word " << k;
}

TEST(Picasso, AddressRegistersOfMova) {
  const std::pair<const char*, int> cases[] = {{"a0", kX},   {"A0", kX},   {"a0.x", kX},
                                               {"a0.X", kX}, {"a1", kY},   {"a0.y", kY},
                                               {"a01", kXY}, {"A01", kXY}, {"a0.xy", kXY}};
  for (const auto& [name, mask] : cases)
    EXPECT_EQ(first_descriptor(make_main("mova " + std::string(name) + ", v0")).mask, mask) << name;
  for (const char* name : {"a2", "a1.y", "a01.xy", "aL", "r0", "-a0", "a0[1]"})
    EXPECT_NE(make_main("mova " + std::string(name) + ", v0").error.find("a0.x (or a0), a0.y (or a1)"),
              std::string::npos)
        << name;
}

TEST(Picasso, AddressRegistersOfIndices) {
  const std::tuple<const char*, int, int> cases[] = {
      {"a0", 1, 0}, {"A0", 1, 0},   {"a1", 2, 0},     {"a2", 3, 0},   {"lcnt", 3, 0},   {"LCNT+3", 3, 3},
      {"aL", 3, 0}, {"a0+1", 1, 1}, {"a1 + 2", 2, 2}, {"a2+2", 3, 2}, {"a0.x+1", 1, 1}, {"a0.Y + 4", 2, 4}};
  for (const auto& [index, idx, offset] : cases) {
    const Instruction i =
        first_instruction(make_main("mov r0, m[" + std::string(index) + "]", ".fvec m[8]\n"));
    EXPECT_EQ(i.idx, idx) << index;
    EXPECT_EQ(i.src1, 0x20 + offset) << index;
  }
  EXPECT_NE(make_main("mov r0, c0[a3]").error.find("a0.x (or a0), a0.y (or a1), aL (or a2, lcnt)"),
            std::string::npos);
}

TEST(Picasso, Conditions) {
  const std::tuple<const char*, int, int, int> cases[] = {
      {"cmp.x & cmp.y", 1, 1, 1},   {"cmp.x && !cmp.y", 1, 1, 0}, {"cmp.x|cmp.y", 0, 1, 1},
      {"!cmp.y | !cmp.x", 0, 0, 0}, {"!!cmp.x", 2, 1, 1},         {"CMP.Y", 3, 1, 1},
      {"!!!cmp.X||cmp.y", 0, 0, 1}};
  for (const auto& [text, condition, x, y] : cases) {
    const Instruction i = first_instruction(make_main("breakc " + std::string(text)));
    EXPECT_EQ(i.condition, condition) << text;
    EXPECT_EQ(i.ref_x, x) << text;
    EXPECT_EQ(i.ref_y, y) << text;
  }
  for (const char* text : {"cmp.x &", "cmp.x &| cmp.y", "cmp.x & cmp.x", "cmp.x &&& cmp.y"})
    EXPECT_NE(make_main("breakc " + std::string(text)).error, "") << text;
}

// Only a letter of a register file and digits are taken.
TEST(Picasso, NamesSharedWithOpcodesAndRegisters) {
  for (const std::string name : {"cmp", "a0", "a1", "a2", "a01", "aL", "lcnt", "main", "add", "eq", "prim",
                                 "v", "c1x", "R3", "true"}) {
    const std::string head = ".out p position\n";
    EXPECT_EQ(make_main("add r1, " + name + ".x, v0", head + ".constf " + name + "(1, 2, 3, 4)\n").error, "")
        << name;
    EXPECT_EQ(make_main("mov p, " + name + "[1]", head + ".fvec " + name + "[2]\n").error, "") << name;
    EXPECT_EQ(make_main("mov p, " + name, head + ".alias " + name + " v1\n").error, "") << name;
    EXPECT_EQ(make_main("mov p, " + name, head + ".in " + name + "\n").error, "") << name;
    EXPECT_EQ(make_main("mov " + name + ", v0", ".out " + name + " position\n").error, "") << name;
    EXPECT_EQ(make_main("jmpu b0, " + name + "\nnop\n" + name + ":\nnop").error, "") << name;
  }
  for (const std::string name : {"c1", "v99", "r01", "b16", "i3", "o9"}) {
    EXPECT_NE(make(".fvec " + name + "\n").error.find("is a register's name"), std::string::npos) << name;
    EXPECT_NE(make(".alias " + name + " v1\n").error.find("is a register's name"), std::string::npos) << name;
  }
  // In brackets, as MOVA's destination and in a condition they are still what they were.
  const Made made = make_main("mova a0, v0\nnop\nmov r0, m[a0]\nifc cmp.x\nmov r1, a0\n.end",
                              ".fvec m[4]\n.constf a0(1, 2, 3, 4)\n.constf cmp(5, 6, 7, 8)\n");
  ASSERT_EQ(made.error, "");
  EXPECT_EQ(try_decode(made.program.code[2])->idx, 1);
  EXPECT_EQ(try_decode(made.program.code[4])->src1, 0x20 + 95);
}

TEST(Picasso, OutputsAtRegisters) {
  const struct {
    const char* lines;
    int reg, mask;
    Semantic semantic;
  } cases[] = {{".out uv texcoord0.xy\n.out - texcoord0w uv.p", 0, 4, Semantic::texcoord0w},
               {".out uv texcoord0.xy\n.out w TEXCOORD0W uv.Z", 0, 4, Semantic::texcoord0w},
               {".out a color\n.out b view o3.xyz", 3, 7, Semantic::view},
               {".out a color\n.out b view a[2].xyz", 2, 7, Semantic::view},
               {".alias t o5.zw\n.out b tcoord1 t", 5, 12, Semantic::texcoord1},
               {".out b tcoord1.xy o4", 4, 3, Semantic::texcoord1},
               {".out x dummy o9", 9, 15, Semantic::dummy}};
  for (const auto& c : cases) {
    const Made made = make_main("nop", std::string(c.lines) + "\n");
    ASSERT_EQ(made.error, "") << c.lines;
    const Output& output = made.program.outputs.back();
    EXPECT_EQ(output.reg, c.reg) << c.lines;
    EXPECT_EQ(output.mask, c.mask) << c.lines;
    EXPECT_EQ(output.semantic, c.semantic) << c.lines;
  }
  // The name stands for the whole register.
  EXPECT_EQ(first_descriptor(make_main("mov w, v0", ".out uv texcoord0.xy\n.out w texcoord0w uv.p\n")).mask,
            kXYZW);
}

TEST(Picasso, PlainForms) {
  const std::pair<const char*, Opcode> cases[] = {
      {"sgei r0, r1, r2", Opcode::sge},      {"slti r0, v1, r2", Opcode::slt},
      {"dphi r0, r1, r2", Opcode::dph},      {"dsti r0, r1, v2", Opcode::dst},
      {"madi r0, r1, r2, r3", Opcode::mad},  {"MADI r0, r1, c2, r3", Opcode::mad},
      {"madi r0, r1, r2, c3", Opcode::madi}, {"mad r0, r1, r2, c3[a0]", Opcode::madi},
      {"sgei r0, c1, r2", Opcode::sge},      {"sge r0, r1, c2", Opcode::sgei},
      {"dphi r0, r1, c2[a1]", Opcode::dphi}};
  for (const auto& [text, opcode] : cases)
    EXPECT_EQ(first_instruction(make_main(text)).opcode, opcode) << text;
  EXPECT_EQ(first_instruction(make_main("slti r0, r1, r2", ".verbatim\n")).opcode, Opcode::slti);
}

TEST(Picasso, GeometryModes) {
  const std::pair<const char*, GeometryMode> cases[] = {{"particle c24 c0 4", GeometryMode::fixed},
                                                        {"Particle c8 4", GeometryMode::fixed},
                                                        {"subdivision c48 3", GeometryMode::variable},
                                                        {"SUBDIVISION 3", GeometryMode::variable}};
  for (const auto& [mode, wanted] : cases)
    EXPECT_EQ(make_main("nop", ".gsh " + std::string(mode) + "\n").program.geometry_mode, wanted) << mode;
  EXPECT_NE(make(".gsh triangles c0\n").error.find("variable (or subdivision) or fixed (or particle)"),
            std::string::npos);
  EXPECT_NE(make(".fvec a\n.gsh point c0\n").error.find("must stand before"), std::string::npos);
  EXPECT_NE(make(".gsh point c0\n.gsh point c0\n").error.find("already"), std::string::npos);
  // b15 belongs to the hardware.
  EXPECT_NE(make(".gsh point c0\n.bool b[16]\n").error.find("at most 15 lie free"), std::string::npos);
  EXPECT_EQ(make_main("nop", ".bool b[16]\n").error, "");
}

TEST(Picasso, TableOfNames) {
  EXPECT_EQ(
      table(make_main("nop", ".bool z[2]\n.ivec y\n.fvec x[3], w\n.in b v9\n.in a v2\n.fvec _u\n.in _v v0\n")
                .program),
      "_v=v0..0 a=v2..2 b=v9..9 x=c0..2 w=c3..3 y=i0..0 z=b0..1 ");
  EXPECT_EQ(table(make_main("nop", ".bool z\n.fvec x\n.in b v9\n.in a v2\n.unsorted\n").program),
            "b=v9..9 a=v2..2 z=b0..0 x=c0..0 ");
  const Made made = make_main("mov r0, light$pos", ".fvec light$pos, _light$dir\n.bool $on\n");
  EXPECT_EQ(table(made.program), "light.pos=c0..0 .on=b0..0 ");
  EXPECT_NE(made.program.find_symbol("light.pos"), nullptr);
  EXPECT_EQ(made.program.find_symbol("light$pos"), nullptr);
}

TEST(Picasso, ShortArraysEndInZeros) {
  const Made made =
      make_main("mov r0, k[3]", ".constfa k[4]\n.constfa (1, 2, 3, 4)\n.constfa (5, 6, 7, 8)\n.end\n");
  ASSERT_EQ(made.program.constants.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(made.program.constants[k].reg.index, 92 + k);
  EXPECT_EQ(made.program.constants[1].floats(), (std::array<float, 4>{5, 6, 7, 8}));
  EXPECT_EQ(made.program.constants[2].floats(), (std::array<float, 4>{}));
  EXPECT_EQ(made.program.constants[3].floats(), (std::array<float, 4>{}));
  EXPECT_NE(make(".constfa k[]\n.end\n").error.find("has no elements"), std::string::npos);
  EXPECT_NE(make(".constfa k[2]\n").error.find("not closed by .end"), std::string::npos);
}

TEST(Picasso, SpellingOfOperands) {
  const Made made =
      make_main("mov r03.XYz, r015.WzyX", ".setb b00 TRUE\n.setb b01 Off\n.out q TexCoord1.ST\n");
  const Instruction i = first_instruction(made);
  EXPECT_EQ(i.dst, 0x13);
  EXPECT_EQ(i.src1, 0x1f);
  EXPECT_EQ(first_descriptor(made).mask, kXYZ);
  EXPECT_EQ(first_descriptor(made).selector[0], 0xe4);
  EXPECT_EQ(made.program.constants[0].raw[0], 1U);
  EXPECT_EQ(made.program.constants[1].raw[0], 0U);
  EXPECT_EQ(made.program.outputs[0].mask, 3);
  EXPECT_EQ(make_main("nop", ".constf k(1.5f, 2F, -.5f, 1e1f)\n").program.constants[0].floats(),
            (std::array<float, 4>{1.5F, 2, -.5F, 10}));
  EXPECT_EQ(make("  .proc main\nagain: .alias q r1\n here: nop\n end\n.end\n").error, "");
}

TEST(Picasso, Refusals) {
  const std::pair<const char*, const char*> in_main[] = {
      {"mul r0, v0, v1",
       "x.pica:2:13: v0 and v1 are two input registers, of which an instruction can name one: the hardware "
       "reads "
       "wrong values; copy one to a temporary register (mov) before"},
      {"cmp v2, eq, eq, -v3.x", "x.pica:2:17: v2 and v3 are two input registers"},
      {"mad r0, v1, r0, v2", "x.pica:2:17: v1 and v2 are two input registers"},
      {"mad r0, v1, v1, v4", "x.pica:2:17: v1 and v4 are two input registers"},
      {"dst r0, v1, v0", "x.pica:2:13: v1 and v0 are two input registers"},
      {"setemit 3", "x.pica:2:9: 3 is outside 0 to 2"},
      {"setemit 0, gmain", "expected prim (or primitive) or inv (or invert), found 'gmain'"},
      {"mov v0, r1", "x.pica:2:5: 'v0' cannot be written; o0 to o15 and r0 to r15 can"},
      {"mov -r0, r1", "x.pica:2:5: a destination cannot be negated"},
      {"add r0, c0.x, -o1.y", "x.pica:2:15: o1 cannot be read here"},
      {"mov r0, c5[2][1]", "expected the end of the line"},
      {"mov r0, c1[.5]", "this is not an integer"},
      {"mov r0,, r1", "expected a register or a name"},
      {"mov R3, r1", "x.pica:2:5: 'R3' is not defined"},
      {"mov r0, c96", "x.pica:2:9: there is no register 'c96'; the float uniform registers are c0 to c95"},
      {"mov r16, r0", "x.pica:2:5: there is no register 'r16'; the temporary registers are r0 to r15"},
      {"mov r0, v16", "the input registers are v0 to v15"},
      {"ifu b16", "the bool uniform registers are b0 to b15"},
      {"for i4", "the integer uniform registers are i0 to i3"}};
  for (const auto& [line, wanted] : in_main) {
    const std::string error = make_main(line).error;
    EXPECT_NE(error.find(wanted), std::string::npos) << line << "\n" << error;
  }
  const std::pair<const char*, const char*> whole[] = {
      {".out p position o9\n", "o9 can only be a dummy output; o0 to o6 can have a meaning"},
      {".out p color o7\n", "o7 can only be a dummy output"},
      {".out p position\n.out q color o0\n", "o0.xyzw is an output already, position"},
      {".out p texcoord0.xy o1\n.out q color o1.yz\n", "o1.y is an output already, texcoord0"},
      {".out p color.xyz o1.xy\n", "the components stand twice"},
      {".out p normal\n",
       "'normal' is not the meaning of an output; these are position, normalquat, color, texcoord0, "
       "texcoord0w, "
       "texcoord1, texcoord2, view, dummy"},
      {".out p 7\n", "an output's meaning: position, normalquat"},
      {".gsh point c0\n.out p dummy o7\n", "a geometry program has the outputs o0 to o6"},
      {".nodvle\n.proc f\nnop\n.end\n", "x.pica:1:1: there is no program"},
      {"", "there is no program"},
      {"; nothing\n", "there is no program"}};
  for (const auto& [text, wanted] : whole)
    EXPECT_NE(make(text).error.find(wanted), std::string::npos) << text << make(text).error;
  EXPECT_EQ(make_main("add r0, v3, v3\nmad r0, v1, r1, v1\nmov r1, v15").error, "");
  const Made verbatim = make_main("mul r0, v0, v1\nsetemit 3", ".verbatim\n");
  EXPECT_EQ(verbatim.error, "");
  ASSERT_EQ(verbatim.warnings.size(), 1U);
  EXPECT_NE(verbatim.warnings[0].find("x.pica:3:13: v0 and v1 are two input registers"), std::string::npos);
}

// A mode merges output maps where an output is a dummy; programs without one share with the vertex programs.
TEST(Picasso, MergedOutputMaps) {
  const std::string rest = ".out q dummy\n.proc main\nsetemit 0\nmov q, v0\nend\n.end\n";
  EXPECT_TRUE(make(".gsh point c0\n" + rest).program.merge_output_maps);
  EXPECT_FALSE(make(".gsh\n" + rest).program.merge_output_maps);
  EXPECT_FALSE(make(rest).program.merge_output_maps);
}

// A file without a statement gives no program; beside others it may stand.
TEST(Picasso, EmptyFiles) {
  const SourceFile files[] = {{"a", "; only words\n"}, {"b", ".proc main\nend\n.end\n"}};
  const auto container = assemble(files);
  ASSERT_TRUE(container) << to_string(container.error());
  EXPECT_EQ(container->programs.size(), 1U);
}

TEST(Picasso, NumbersThatPicassoTruncates) {
  const std::pair<const char*, const char*> cases[] = {
      {".constf k(1.0/128.0, 2, 3, 4)\n", "x.pica:1:11: this is 0.0078125 here; picasso reads 1"},
      {".constf k(1, 2*3, 3, 4)\n", "x.pica:1:14: this is 6 here; picasso reads 2"},
      {".constf k(1, (2), 3, 4)\n", "x.pica:1:14: this is 2 here; picasso reads 0"},
      {".setf c3(1, - 2, 3, 4)\n", "x.pica:1:13: this is -2 here; picasso reads 0"},
      {".consti k(0x10, 2, 3, 4)\n", "x.pica:1:11: this is 16 here; picasso reads 0"},
      {".fvec a[2*3]\n", "x.pica:1:9: this is 6 here; picasso reads 2"},
      {".gsh variable c0 010\n", "x.pica:1:18: this is 10 here; picasso reads 8"},
      {".alias a c0[2*3]\n", "x.pica:1:13: the index is 6 here; picasso reads 2"},
      {".alias a c0[0x10]\n", "x.pica:1:13: the index is 16 here; picasso reads 0"},
      {".alias a c08\n", "x.pica:1:10: this is c8 here; picasso takes digits after a 0 as octal"},
      {".fvec a[4]\n.alias b a[4]\n", "x.pica:2:10: 'a' has the indices 0 to 3; index 4 is c4"},
      {".fvec a\n.alias b a[-1+2]\n", "x.pica:2:10: 'a' has the index 0 alone; index 1 is c1"}};
  for (const auto& [text, wanted] : cases) {
    const Made made = make_main("nop", text);
    EXPECT_EQ(made.error, "") << text;
    ASSERT_FALSE(made.warnings.empty()) << text;
    EXPECT_NE(made.warnings[0].find(wanted), std::string::npos) << text << made.warnings[0];
  }
  const Made relative = make_main("mov r0, c5[a0.x-1]\nmov r1, c5[aL+2*3]");
  ASSERT_EQ(relative.warnings.size(), 2U);
  EXPECT_NE(relative.warnings[0].find("x.pica:2:12: picasso does not add an address register"),
            std::string::npos);
  EXPECT_NE(relative.warnings[1].find("the index is 6 here; picasso reads 2"), std::string::npos);
  for (const char* text :
       {".constf k(1.0, -2, +3, 0x10)\n", ".constf k(1e3, .5, 1., inf)\n", ".constf k(nan, -inf, 0, 0)\n",
        ".consti k(1, -1, 255, 0)\n", ".set n 2*3\n.fvec a[n]\n.constf k(n, -n, n/2, 0)\n",
        ".alias a c5[2]\n.alias b c0[a0+3]\n", ".gsh variable c0 0x10\n", ".alias a c01\n.alias b r07\n"})
    EXPECT_TRUE(make_main("nop", text).warnings.empty()) << text << make_main("nop", text).warnings[0];
}

// picasso keeps whole selectors of DST and LITP, and lets a descriptor of MAD that lies above the 32nd change
// places with one that no MAD names.
TEST(Picasso, SharedDescriptors) {
  const auto count = [](const std::string& body) { return make_main(body).program.descriptors.size(); };
  EXPECT_EQ(count("dst r0, r1.xyzw, r2\ndst r0, r1.xyzz, r2"), 2U);
  EXPECT_EQ(count("dst r0, r1, r2.xyzw\ndsti r0, r1, c2.xyxw"), 2U);
  EXPECT_EQ(count("litp r0, r1.xyzw\nlitp r0, r1.xyxw"), 2U);
  EXPECT_EQ(count("dph r0, r1.xyzw, r2\ndphi r0, r1.xyzx, c2"), 1U);
  EXPECT_EQ(count("rcp r0, r1.xyzw\nrsq r0, r1.x"), 1U);
  std::string body;
  const char* letters = "xyzw";
  for (int k = 0; k < 40; ++k)
    body += std::string("add r0, r1.") + letters[k & 3] + letters[k >> 2 & 3] + letters[k >> 4] + "x, r2\n";
  const Made made = make_main(body + "mad r0, r1.zyzx, r2, r3");  // the selectors of k = 38
  ASSERT_EQ(made.error, "");
  EXPECT_EQ(made.program.descriptors.size(), 40U);
  EXPECT_EQ(try_decode(made.program.code[40])->descriptor, 0);
  EXPECT_EQ(try_decode(made.program.code[38])->descriptor, 0);
  EXPECT_EQ(try_decode(made.program.code[0])->descriptor, 38);
}

// A BREAK may be the last word of a branch, not of a LOOP.
TEST(Picasso, PaddingAfterBreaks) {
  const Made made =
      make_main("for i0\nifc cmp.x\nbreak\n.else\nbreakc cmp.y\n.end\n.end\nfor i1\nbreakc cmp.x\n.end");
  ASSERT_EQ(made.error, "");
  const std::vector<Opcode> wanted = {Opcode::loop,   Opcode::ifc, Opcode::break_,
                                      Opcode::breakc, Opcode::nop, Opcode::loop,
                                      Opcode::breakc, Opcode::nop, Opcode::end};
  std::vector<Opcode> got;
  for (const std::uint32_t word : made.program.code) got.push_back(try_decode(word)->opcode);
  EXPECT_EQ(got, wanted);
}

}  // namespace
}  // namespace warpjit::pica200
