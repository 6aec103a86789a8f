#include <map>

#include "frontend/pica200/container/shbin.h"
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

// The community's assembler made the .shbin files of the first five; ours must give the same bytes, today
// and later.
TEST(PicaAssemble, ExamplesByteForByte) {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"mvp_light.shbin", {"mvp_light.v.pica"}},
      {"skin_loop.shbin", {"skin_loop.v.pica"}},
      {"branchy.shbin", {"branchy.v.pica"}},
      {"breakc_loop.shbin", {"breakc_loop.v.pica"}},
      {"point_quads.shbin", {"point_quads.v.pica", "point_quads.g.pica"}},
      {"flat_quads.shbin", {"point_quads.v.pica", "flat_quads.g.pica"}},
      {"blended_triangles.shbin", {"point_quads.v.pica", "blended_triangles.g.pica"}},
      {"kept_registers.shbin", {"point_quads.v.pica", "kept_registers.g.pica"}},
      {"trail.shbin", {"point_quads.v.pica", "trail.g.pica"}}};
  for (const auto& [binary, sources] : cases) {
    std::vector<SourceFile> files;
    for (const char* source : sources) files.push_back({source, read_example(source)});
    const auto container = assemble(files);
    ASSERT_TRUE(container.ok()) << to_string(container.error());
    const auto bytes = write_shbin(*container);
    const std::string wanted = read_example(binary);
    ASSERT_EQ(bytes.size(), wanted.size()) << binary;
    for (std::size_t k = 0; k < bytes.size(); ++k)
      ASSERT_EQ(std::to_integer<unsigned char>(bytes[k]), static_cast<unsigned char>(wanted[k]))
          << binary << " byte " << k;
  }
}

std::string error_of(const std::string& text) {
  const SourceFile file{"x.pica", text};
  const auto result = assemble(std::span(&file, 1));
  return result ? "no error" : to_string(result.error());
}
std::string error_in_main(const std::string& line) {
  return error_of(".proc main\n" + line + "\nend\n.end\n");
}

TEST(PicaAssemble, Errors) {
  const std::pair<const char*, const char*> in_main[] = {
      {"frob r0, r1",
       "x.pica:2:1: there is no instruction 'frob'; there are add, dp3, dp4, dph, dst, ex2, lg2, litp, mul, "
       "sge, slt, flr, max, min, rcp, rsq, mova, mov, dphi, dsti, sgei, slti, break, nop, end, breakc, call, "
       "callc, callu, ifu, ifc, for, emit, setemit, jmpc, jmpu, cmp, madi, mad"},
      {"add r0, r1",
       "x.pica:2:11: expected ',', found the end of the line; it is written add destination, source, source"},
      {"add r0, r1, r2, r3",
       "x.pica:2:15: expected the end of the line, found ','; it is written add destination, source, source"},
      {"mad r0, r1",
       "x.pica:2:11: expected ',', found the end of the line; it is written mad destination, source, source, "
       "source"},
      {"cmp r0, gt, gt,",
       "x.pica:2:16: expected an operand, found the end of the line; it is written cmp source, eq, eq, "
       "source"},
      {"ifc", "x.pica:2:4: expected an operand, found the end of the line; it is written ifc cmp.x"},
      {"for", "x.pica:2:4: expected an operand, found the end of the line; it is written for i0"},
      {"jmpu b0", "x.pica:2:8: expected ',', found the end of the line; it is written jmpu b0, name"},
      {"setemit",
       "x.pica:2:8: expected an operand, found the end of the line; it is written setemit 0[, prim inv]"},
      {"nop r0", "x.pica:2:5: expected the end of the line, found 'r0'; it is written nop"},
      {"mov r0, nothing", "x.pica:2:9: 'nothing' is not defined, and no register is called so"},
      {"mov c1, r0", "x.pica:2:5: 'c1' cannot be written; o0 to o15 and r0 to r15 can"},
      {"mov r0, o1", "x.pica:2:9: o1 cannot be read here; v0 to v15, r0 to r15 and c0 to c95 can"},
      {"mov r0.xq1, r1",
       "x.pica:2:8: 'xq1' is not a choice of up to four components out of xyzw, rgba or stpq"},
      {"add r0, c1, c2",
       "x.pica:2:13: only one operand may be a c register; copy the other one to a temporary register (mov) "
       "before"},
      {"add r0, r1, c2",
       "x.pica:2:13: this operand of add cannot be a c register, source 1 can; exchange the operands or copy "
       "it to a temporary register (mov) before"},
      {"mad r0, c1, r1, r2",
       "x.pica:2:9: this operand of mad cannot be a c register, source 2 or 3 can; exchange the operands or "
       "copy it to a temporary register (mov) before"},
      {"mov r0, c90[6]",
       "x.pica:2:9: the index 6 leads past the float uniform registers c0 to c95; 'c90' takes -90 to 5"},
      {"mov r0, v1[aL]", "x.pica:2:9: only c registers can be addressed relatively, not v1"},
      {"mov r0, c1[r0]",
       "x.pica:2:12: expected a number or an address register, a0.x (or a0), a0.y (or a1), aL (or a2, lcnt), "
       "found 'r0'"},
      {"mova r0, v0", "x.pica:2:6: mova writes a0.x (or a0), a0.y (or a1) or a0.xy (or a01), not 'r0'"},
      {"cmp r0, gt, xx, r1", "x.pica:2:13: expected eq, ne, lt, le, gt or ge, found 'xx'"},
      {"ifc cmp.z", "x.pica:2:9: cmp has only x and y"},
      {"ifu !b0", "x.pica:2:5: only jmpu can invert its condition"},
      {"ifu i0", "x.pica:2:5: 'i0' is not one of the bool uniform registers b0 to b15"},
      {"call nobody", "x.pica:2:6: there is no procedure 'nobody'; there are 'main'"},
      {"jmpc cmp.x, nowhere", "x.pica:2:13: there is no label 'nowhere' in this file; it has no labels"},
      {"setemit 4", "x.pica:2:9: 4 is outside 0 to 2"},
      {"mov r0, r1 @", "x.pica:2:12: unexpected character"},
      {".else", "x.pica:2:1: .else belongs to no ifc or ifu"},
      {".proc inner", "x.pica:2:1: a procedure cannot be inside another block"},
      {".frob",
       "x.pica:2:1: there is no directive '.frob'; there are .proc, .else, .end, .alias, .set, .fvec, .ivec, "
       ".bool, .constf, .consti, .constfa, .in, .out, .entry, .nodvle, .gsh, .setf, .seti and .setb, and "
       "those of listings"}};
  for (const auto& [line, wanted] : in_main) EXPECT_EQ(error_in_main(line), wanted);
  const std::pair<const char*, const char*> whole[] = {
      {"mov r0, r1\n", "x.pica:1:1: an instruction must be inside a procedure"},
      {".proc f\nend\n.end\n", "x.pica:1:1: there is no procedure 'main' to start at; there are 'f'"},
      {".entry g\n.proc f\nend\n.end\n", "x.pica:1:8: there is no procedure 'g' to start at; there are 'f'"},
      {".proc main\nend\n", "x.pica:1:1: this is not closed by .end"},
      {".end\n", "x.pica:1:1: .end closes nothing"},
      {".fvec a[90], b[10]\n",
       "x.pica:1:14: there are not 10 free float uniform registers left: of c0 to c95 at most 6 lie free "
       "together"},
      {".fvec a\n.bool a\n", "x.pica:2:7: 'a' is already defined"},
      {".fvec r1\n", "x.pica:1:7: 'r1' is a register's name: one of o, v, r, c, i or b and digits"},
      {".fvec a[4]\n.alias b a[96]\n",
       "x.pica:2:10: the index 96 leads past the float uniform registers c0 to c95; 'a' takes 0 to 95"},
      {".constf k(1.0/0, 2, 3, 4)\n", "x.pica:1:14: a division by zero"},
      {".constf k((1.0, 2, 3, 4)\n", "x.pica:1:15: expected ')', found ','"},
      {".constf k(1.0*, 2, 3, 4)\n", "x.pica:1:15: expected a number, found ','"},
      {".consti k(1/2, 2, 3, 4)\n",
       "x.pica:1:11: this is not an integer; a whole number of -128 to 255 belongs here"},
      {".fvec a[200*2]\n", "x.pica:1:9: 400 is outside 1 to 96"},
      {".set\n", "x.pica:1:5: expected a name"},
      {".set n\n", "x.pica:1:7: expected a number, found the end of the line"},
      {".set n 1 2\n", "x.pica:1:10: expected the end of the line, found '2'"},
      {".set n 97\n.fvec a[n]\n", "x.pica:2:9: 97 is outside 1 to 96"},
      {".out t texcoord0.sq2\n", "x.pica:1:18: expected components out of xyzw, rgba or stpq, found 'sq2'"},
      {".gsh pint c0\n",
       "x.pica:1:6: expected point, variable (or subdivision) or fixed (or particle), found 'pint'"},
      {".gsh point v0\n", "x.pica:1:12: expected c0 to c95, found 'v0'"},
      {".gsh variable c0\n", "x.pica:1:17: expected a number, found the end of the line"},
      {".gsh fixed 3\n", "x.pica:1:12: expected a c register, found '3'"},
      {".gsh fixed c4 c4 3\n",
       "x.pica:1:1: the vertices begin at c4, among the program's own uniforms, which begin at c4; these "
       "must lie "
       "after the vertices"},
      {".gsh gmain\n.proc main\nend\n.end\n",
       "x.pica:1:6: there is no procedure 'gmain' to start at; there are 'main'; modes are point, variable "
       "(or "
       "subdivision) and fixed (or particle)"},
      {".constf k(1e39, 0, 0, 0)\n",
       "x.pica:1:11: this number is out of range: magnitudes are 0, or 1.4e-45 to 3.4028235e38"},
      {".program 2\n", "x.pica:1:10: 2 is outside 0 to 1"},
      {".header frob=1\n",
       "x.pica:1:9: a program has no field 'frob'; its fields are version, merge, end, inputs, outputs, "
       "mode, start, variable, fixed"},
      {".header merge=2\n", "x.pica:1:15: 2 is outside 0 to 1"},
      {".symbol a r0\n",
       "x.pica:1:11: expected an input or a uniform register, one of v0 to v15, c0 to c95, i0 to i3 and b0 "
       "to b15"},
      {".fvec a[4] c94\n",
       "x.pica:1:12: there are not 4 free float uniform registers left: of c0 to c95 at most 2 lie free "
       "together"},
      {".out x nonsense\n",
       "x.pica:1:8: 'nonsense' is not the meaning of an output; these are position, normalquat, color, "
       "texcoord0, texcoord0w, texcoord1, texcoord2, view, dummy"},
      {".constf k(1, 2, 3)\n", "x.pica:1:18: expected ',', found ')'"},
      {".consti k(1, 2, 3, 256)\n", "x.pica:1:20: 256 is outside -128 to 255"},
      {".in v v16\n", "x.pica:1:7: expected v0 to v15, found 'v16'"}};
  for (const auto& [text, wanted] : whole) EXPECT_EQ(error_of(text), wanted);
}

Container container_of(std::initializer_list<std::string> texts) {
  std::vector<SourceFile> files;
  for (const std::string& text : texts) files.push_back({"file" + std::to_string(files.size()), text});
  auto container = assemble(files);
  EXPECT_TRUE(container.ok()) << to_string(container.error());
  return container ? *container : Container{};
}

constexpr char kBody[] = ".proc main\nend\n.end\n";

TEST(PicaAssemble, ConstantExpressions) {
  const Program program = program_of(
      ".set half 1/2\n.set count (2+1)*2\n.constf k(1.0/128.0, -(2+3)*half, 2*-3+10/4, half)\n"
      ".consti i(count, count-1, 255-250, 0x10)\n.constfa a[1+1]\n.constfa (half+half, 2-1-1, .5*2, 1e1/10)\n"
      ".constfa (1, 2, 3, 4)\n.end\n.setf c5(3/4, 0, 0, 0)\n.proc main\nmov r0, a[2-1]\nmov r1, c4[aL+2*3]\n"
      "setemit half*4\nend\n.end\n");
  const auto floats = [&](std::size_t k) { return program.constants.at(k).floats(); };
  EXPECT_EQ(floats(0), (std::array<float, 4>{1.0F / 128, -2.5F, -3.5F, 0.5F}));
  EXPECT_EQ(program.constants.at(1).raw, (std::array<std::uint32_t, 4>{6, 5, 5, 16}));
  EXPECT_EQ(floats(2), (std::array<float, 4>{1, 0, 1, 1}));
  EXPECT_EQ(floats(4)[0], 0.75F);
  EXPECT_EQ(source_register(try_decode(program.code[0])->src1), (Register{RegisterFile::c, 94}));
  EXPECT_EQ(source_register(try_decode(program.code[1])->src1), (Register{RegisterFile::c, 10}));
  EXPECT_EQ(try_decode(program.code[1])->idx, 3);
  EXPECT_EQ(try_decode(program.code[2])->vertex, 2);
}

TEST(PicaAssemble, UpperCase) {
  const std::string text =
      ".fvec M[4]\n.alias one c95\n.setf c95(1, 1, 1, 1)\n.out o position\n.proc main\ndp4 r0.x, M[0], v0\n"
      "cmp r0.x, gt, le, r1\nifc cmp.x\nmov r1, one\n.else\nrcp r1, r0\n.end\nmov o, r1\nend\n.end\n";
  std::string upper = text;
  for (const auto& [word, instead] : std::map<std::string, std::string>{{"dp4", "DP4"},
                                                                        {"\ncmp ", "\nCMP "},
                                                                        {"gt, le", "GT, Le"},
                                                                        {"ifc", "IfC"},
                                                                        {".else", ".ELSE"},
                                                                        {"rcp", "RCP"},
                                                                        {"mov", "MOV"},
                                                                        {"end", "END"},
                                                                        {".fvec", ".FVEC"},
                                                                        {".proc", ".Proc"}})
    for (std::size_t at = 0; (at = upper.find(word, at)) != std::string::npos; at += instead.size())
      upper.replace(at, word.size(), instead);
  EXPECT_EQ(write_shbin(container_of({upper})), write_shbin(container_of({text})));
}

TEST(PicaAssemble, OutputComponents) {
  for (const char* letters : {"xy", "st", "rg", "yx"}) {
    const Program program = program_of(".out t texcoord0." + std::string(letters) + "\n" + kBody);
    EXPECT_EQ(program.outputs.at(0).mask, 3) << letters;
  }
  EXPECT_EQ(program_of(std::string(".out t color.ba\n") + kBody).outputs.at(0).mask, 12);
}

// Names stand for their first register; what lies after an array is reached like the array.
TEST(PicaAssemble, IndicesBeyondAnArray) {
  const Program program = program_of(
      ".fvec a[2], b[2]\n.in v\n.proc main\nmov r0, a[3]\nmov r0, b[-1]\nmov r0, v[2]\nmov r0, "
      "a[a0.x+7]\nend\n"
      ".end\n");
  const unsigned wanted[] = {0x23, 0x21, 0x02, 0x27};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(try_decode(program.code[k])->src1, wanted[k]) << k;
}

TEST(PicaAssemble, GeometryPrograms) {
  // By its instructions alone.
  EXPECT_EQ(program_of(".proc main\nsetemit 0\nend\n.end\n").stage, Stage::geometry);
  EXPECT_EQ(program_of(".proc main\nemit\nend\n.end\n").stage, Stage::geometry);
  EXPECT_EQ(program_of(kBody).stage, Stage::vertex);
  const struct {
    const char* text;
    GeometryMode mode;
    unsigned start, variable, fixed, first_free;
  } cases[] = {{"", GeometryMode::point, 0, 0, 0, 0},
               {"point", GeometryMode::point, 0, 0, 0, 0},
               {"POINT c3", GeometryMode::point, 0, 0, 0, 3},
               {"variable 3", GeometryMode::variable, 0, 3, 0, 0},
               {"variable c40 3", GeometryMode::variable, 0, 3, 0, 40},
               {"fixed c8 4", GeometryMode::fixed, 8, 0, 4, 0},
               {"fixed c20 c8 2*2", GeometryMode::fixed, 8, 0, 4, 20},
               {"fixed free c8 4", GeometryMode::fixed, 8, 0, 4, 12},
               {"begin", GeometryMode::point, 0, 0, 0, 0}};
  for (const auto& c : cases) {
    const Program program = program_of(".alias free c12\n.gsh " + std::string(c.text) +
                                       "\n.fvec u\n.proc begin\nnop\n.end\n" + kBody);
    EXPECT_EQ(program.stage, Stage::geometry) << c.text;
    EXPECT_EQ(program.geometry_mode, c.mode) << c.text;
    EXPECT_EQ(program.fixed_start, c.start) << c.text;
    EXPECT_EQ(program.variable_vertices, c.variable) << c.text;
    EXPECT_EQ(program.fixed_vertices, c.fixed) << c.text;
    EXPECT_EQ(program.symbols.at(0).first.index, c.first_free) << c.text;
    EXPECT_EQ(program.entry, std::string(c.text) == "begin" ? 0U : 1U) << c.text;
  }
}

// Vertex programs, and geometry programs without a mode, share their uniforms by name; constants lie where
// each file has room.
TEST(PicaAssemble, SharedUniforms) {
  const std::string vertex = ".fvec m[4], tint\n.bool on\n.constf k(1, 2, 3, 4)\n" + std::string(kBody);
  const auto rest = [](const std::string& gsh) {
    return gsh + "\n.fvec own[2], tint\n.bool other, on\n.constf k(1, 2, 3, 4)\n.entry g\n.proc g\n" +
           (gsh.empty() ? "" : "emit\n") + "end\n.end\n";
  };
  const auto registers = [&](const std::string& second) {
    const Container container = container_of({vertex, second});
    std::string text;
    for (const Symbol& symbol : container.programs.at(1).symbols)
      text += symbol.name + "=" + name(symbol.first) + " ";
    return text + "k=" + name(container.programs.at(1).constants.at(0).reg);
  };
  const std::string shared = "tint=c4 own=c5 on=b0 other=b1 k=c95",
                    alone = "own=c0 tint=c2 other=b0 on=b1 k=c95";
  EXPECT_EQ(registers(rest("")), shared);
  EXPECT_EQ(registers(rest(".gsh")), shared);
  EXPECT_EQ(registers(rest(".gsh g")), shared);
  EXPECT_EQ(registers(rest(".gsh point")), alone);
  EXPECT_EQ(registers(rest(".gsh point c0")), alone);
  const SourceFile files[] = {{"v", vertex}, {"w", ".fvec tint[2]\n"}};
  EXPECT_EQ(to_string(assemble(files).error()), "w:1:7: 'tint' is 1 float uniform registers in another file");
}

TEST(PicaAssemble, HostileTextAssemblesOrSaysWhere) {
  const std::string text = read_example("branchy.v.pica");
  unsigned errors = 0;
  const auto check = [&](const std::string& hostile) {
    const std::string error = error_of(hostile);
    if (error == "no error") return;
    ++errors;
    EXPECT_TRUE(error.starts_with("x.pica")) << error;
  };
  for (std::size_t length = 0; length <= text.size(); ++length) check(text.substr(0, length));
  std::uint32_t random = 1;
  for (int k = 0; k < 2000; ++k) {
    std::string changed = text;
    for (int flips = 0; flips < 3; ++flips) {
      random = random * 1664525 + 1013904223;
      changed[(random >> 8) % changed.size()] = static_cast<char>(random >> 24);
    }
    check(changed);
  }
  EXPECT_GT(errors, 1000U);
}

Opcode opcode_at(const Program& program, std::uint32_t address) {
  return try_decode(program.code.at(address))->opcode;
}

TEST(PicaAssemble, ChoosesInvertedForms) {
  const std::pair<const char*, Opcode> cases[] = {
      {"dph r0, r1, c2", Opcode::dphi},    {"dph r0, c1, r2", Opcode::dph},
      {"dphi r0, c1, r2", Opcode::dph},    {"dst r0, r1, c2", Opcode::dsti},
      {"sge r0, r1, c2", Opcode::sgei},    {"slt r0, r1, c2", Opcode::slti},
      {"slti r0, r1, r2", Opcode::slti},   {"mad r0, r1, r2, c3", Opcode::madi},
      {"mad r0, r1, c2, r3", Opcode::mad}, {"madi r0, r1, c2, r3", Opcode::mad}};
  for (const auto& [text, opcode] : cases) EXPECT_EQ(opcode_at(program_of_main(text), 0), opcode) << text;
}

TEST(PicaAssemble, PadsScopes) {
  // call in the last slot; nested .end; empty blocks; a label at the end of a block.
  const Program program = program_of(
      ".proc main\nifu b0\ncall f\n.else\n.end\nfor i0\nifu b1\nnop\n.end\n.end\nifu b2\njmpu b3, "
      "out\nout:\n.end\nend\n.end\n"
      ".proc f\n.end\n");
  const Instruction first = *try_decode(program.code[0]);
  EXPECT_EQ(first.target, 3);  // ifu, call, nop | nop |
  EXPECT_EQ(first.num, 1);
  EXPECT_EQ(opcode_at(program, 2), Opcode::nop);
  EXPECT_EQ(opcode_at(program, 3), Opcode::nop);
  EXPECT_EQ(opcode_at(program, 4), Opcode::loop);
  EXPECT_EQ(try_decode(program.code[4])->target, 7);  // ifu, nop, padding
  EXPECT_EQ(opcode_at(program, 7), Opcode::nop);
  EXPECT_EQ(opcode_at(program, 9), Opcode::jmpu);
  EXPECT_EQ(try_decode(program.code[9])->target, 10);
  EXPECT_EQ(opcode_at(program, 10), Opcode::nop);
  EXPECT_EQ(opcode_at(program, 12), Opcode::nop);  // f
  EXPECT_EQ(program.code.size(), 13U);
}

TEST(PicaAssemble, Directives) {
  const Program program = program_of(R"(
.fvec a, b[3]
.ivec n
.bool flag, other
.constf one(1.0, -2.5, .5, 1e3)
.consti steps(3, 0, 255, -1)
.constfa table[]
.constfa (1, 0, 0, 0)
.constfa (2, 0, 0, 0)
.end
.setf c50(4, 5, 6, 7)
.seti i1(1, 2, 3, 4)
.setb b15 true
.setb other on
.in position v3
.in second
.out - texcoord0.xy o4
.out clr color
.alias ones one.xxxx
.alias minus -ones
.proc main
  mov r0, minus.y
  mov clr.xy, table[1]
  end
.end
)");
  const auto symbol = [&](const char* name) { return *program.find_symbol(name); };
  EXPECT_EQ(symbol("a").first, (Register{RegisterFile::c, 0}));
  EXPECT_EQ(symbol("b").first, (Register{RegisterFile::c, 1}));
  EXPECT_EQ(symbol("b").last, 3);
  EXPECT_EQ(symbol("n").first, (Register{RegisterFile::i, 0}));
  EXPECT_EQ(symbol("other").first, (Register{RegisterFile::b, 1}));
  EXPECT_EQ(symbol("position").first, (Register{RegisterFile::v, 3}));
  EXPECT_EQ(symbol("second").first, (Register{RegisterFile::v, 0}));
  EXPECT_EQ(program.input_mask, 9);
  EXPECT_EQ(program.output_mask, 0x11);
  EXPECT_EQ(program.outputs[0].mask, 3);
  EXPECT_EQ(program.find_output("clr")->reg, 0);
  EXPECT_EQ(program.find_output("color")->reg, 0);

  Uniforms uniforms;
  apply_constants(program, uniforms);
  EXPECT_EQ(uniforms.c[95][1], -2.5F);
  EXPECT_EQ(uniforms.c[95][3], 1000.0F);
  EXPECT_EQ(uniforms.c[94][0], 2.0F);
  EXPECT_EQ(uniforms.c[93][0], 1.0F);
  EXPECT_EQ(uniforms.c[50][3], 7.0F);
  EXPECT_EQ(uniforms.i[3][2], 255);
  EXPECT_EQ(uniforms.i[3][3], 255);
  EXPECT_EQ(uniforms.i[1][3], 4);
  EXPECT_EQ(uniforms.b, 0x8002);
  const Finished result = run(program, {}, uniforms);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.state.r[0][2], -1.0F);
  EXPECT_EQ(result.state.o[0][0], 2.0F);
}

TEST(PicaAssemble, SharedProceduresOfAFileWithoutProgram) {
  const SourceFile files[] = {{"lib.pica", ".nodvle\n.proc twice\nadd r0, r0, r0\n.end\n"},
                              {"v.pica", ".proc main\nmov r0, v0\ncall twice\nmov o0, r0\nend\n.end\n"}};
  const auto container = assemble(files);
  ASSERT_TRUE(container.ok()) << to_string(container.error());
  ASSERT_EQ(container->programs.size(), 1U);
  const auto program = select_program(*container);
  ThreadState state;
  state.v[0][0] = 21;
  EXPECT_EQ(run(*program, state).state.o[0][0], 42);
}

TEST(PicaAssemble, GeometryModes) {
  const auto info = [](const std::string& gsh) {
    return program_of(gsh + "\n.fvec a\n.proc main\nend\n.end\n");
  };
  const Program variable = info(".gsh variable c32 3"), fixed = info(".gsh fixed c48 c8 6");
  EXPECT_EQ(variable.stage, Stage::geometry);
  EXPECT_EQ(variable.geometry_mode, GeometryMode::variable);
  EXPECT_EQ(variable.variable_vertices, 3);
  EXPECT_EQ(variable.find_symbol("a")->first.index, 32);
  EXPECT_EQ(fixed.geometry_mode, GeometryMode::fixed);
  EXPECT_EQ(fixed.fixed_start, 8);
  EXPECT_EQ(fixed.fixed_vertices, 6);
}

// More than 32 descriptors before a MAD: an entry moves up to make room for it.
TEST(PicaAssemble, DescriptorsOfMadStayLow) {
  std::string body;
  const char* letters = "xyzw";
  for (int k = 0; k < 60; ++k)
    body += std::string("mov r0, v0.") + letters[k & 3] + letters[k >> 2 & 3] + letters[k >> 4] + "x\n";
  std::string mads;
  for (int k = 0; k < 20; ++k)
    mads += std::string("mad r1, v0.") + letters[k & 3] + letters[k >> 2 & 3] + "yw, v0.wzyx, v0\n";
  const Program program = program_of_main(body + mads + "mov o0, r0\nmov o1, r1\n");
  ThreadState state;
  for (int k = 0; k < 4; ++k) state.v[0][k] = static_cast<float>(k + 1);
  const Finished result = run(program, state);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.state.o[0][0], 4.0F);  // the last: .wzwx of k = 59
  EXPECT_EQ(result.state.o[1][2], 2.0F * 2.0F + 3.0F);
  for (int k = 0; k < 60; ++k) {  // all MOVs still have their swizzles
    const Descriptor d =
        program.descriptor(try_decode(program.code[static_cast<std::size_t>(k)])->descriptor);
    EXPECT_EQ(selected(d.selector[0], 0), static_cast<unsigned>(k & 3));
    EXPECT_EQ(selected(d.selector[0], 1), static_cast<unsigned>(k >> 2 & 3));
  }
  std::string too_many;
  for (int k = 0; k < 64; ++k)
    too_many +=
        std::string("mad r1, v0.") + letters[k & 3] + letters[k >> 2 & 3] + letters[k >> 4] + "w, v0, v0\n";
  EXPECT_NE(error_in_main(too_many).find("too many different operand descriptors"), std::string::npos);
}

}  // namespace
}  // namespace warpjit::pica200
