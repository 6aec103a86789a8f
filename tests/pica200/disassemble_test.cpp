#include "frontend/pica200/assembly/disassemble.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/pica200/container/shbin.h"
#include "pica200/pica_test.h"
#include "random/pica200/random.h"
#include "support/share.h"
#include "support/source_dir.h"

namespace warpjit::pica200 {
namespace {

void expect_exact_round_trip(const Program& program) {
  const Program again = program_of(disassemble(program, {.exact = true}));
  EXPECT_EQ(again.code, program.code);
  EXPECT_EQ(again.descriptors, program.descriptors);
  EXPECT_EQ(again.entry, program.entry);
  EXPECT_EQ(again.stage, program.stage);
}

TEST(PicaDisassemble, ExactFormOfRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) expect_exact_round_trip(random_program(seed).program);
}

// Any words at all, defined or not.
TEST(PicaDisassemble, ExactFormOfRandomWords) {
  Program program;
  program.stage = Stage::geometry;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (int k = 0; k < kOpcodeCount; ++k) program.code.push_back(random_word(seed, static_cast<Opcode>(k)));
  for (std::uint32_t top = 0; top < 64; ++top) program.code.push_back(top << 26 | 0x123456);
  for (std::uint32_t k = 0; k < 128; ++k) program.descriptors.push_back(k * 0x9e3779b9);
  program.entry = 17;
  expect_exact_round_trip(program);
}

TEST(PicaDisassemble, ReadableForm) {
  const std::string bytes = read_example("branchy.shbin");
  const auto container = read_shbin(std::as_bytes(std::span(bytes)), "branchy.shbin");
  ASSERT_TRUE(container.ok());
  const Program program = *select_program(*container);
  const std::string text = disassemble(program);
  for (const char* line :
       {".proc main", "dp4     r1.x, modelView[0], r0", "callu   useLight0, proc_004",
        "cmp     c95.xxy, gt, le, r2.z", "ifc     cmp.x", "mov     r0.w, c95.xxy",
        "mul     r6.xyz, c95.z, r6.xyz", ".else", "ifu     useFog", "mad     r5, r4.x, lightCol[0], r5",
        ".setf    c95(0, 1, 0.5, 2)", ".fvec    modelView[4]\n", ".out     - position o0", "; 00b 4e07f006"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  DisassembleOptions plain;
  plain.names = plain.structure = plain.words = false;
  const std::string flat = disassemble(program, plain);
  for (const char* line : {"callu   b1, 0x004, 3", "ifc     cmp.x, 0x018, 5", "dp4     r1.x, c4, r0"})
    EXPECT_NE(flat.find(line), std::string::npos) << line << "\n" << flat;
  EXPECT_EQ(flat.find(".proc"), std::string::npos);
}

Container assembled(const std::string& text) {
  const SourceFile file{"listing", text};
  auto container = assemble(std::span(&file, 1));
  EXPECT_TRUE(container.ok()) << to_string(container.error()) << "\n" << text;
  return container ? *container : Container{};
}

// asm(disasm(x)) is x, byte by byte, in forms that are read and in the exact one.
void expect_round_trip(const Container& container, const std::string& what) {
  const auto bytes = write_shbin(container);
  for (const DisassembleOptions& options :
       {DisassembleOptions{}, DisassembleOptions{.words = false}, DisassembleOptions{.names = false},
        DisassembleOptions{.exact = true}}) {
    const std::string text = disassemble(container, options);
    const Container again = assembled(text);
    ASSERT_TRUE(equal_programs(again, container)) << what << "\n" << text;
    ASSERT_EQ(write_shbin(again), bytes) << what << "\n" << text;
    if (options.exact) continue;
    ASSERT_EQ(write_shbin(assembled(disassemble(again, options))), bytes) << what;
  }
}

Container container_of(const std::string& bytes, const std::string& name) {
  auto container = read_shbin(std::as_bytes(std::span(bytes)), name);
  EXPECT_TRUE(container.ok()) << name;
  return container ? *container : Container{};
}

TEST(PicaDisassemble, ContainersRoundTrip) {
  for (const char* name : {"mvp_light", "skin_loop", "branchy", "breakc_loop", "point_quads"}) {
    const Container container = container_of(read_example(std::string(name) + ".shbin"), name);
    expect_round_trip(container, name);
    // As source that is read, not in the exact form.
    EXPECT_EQ(disassemble(container).find(".op "), std::string::npos) << name;
    EXPECT_EQ(disassemble(container).find(".header"), std::string::npos) << name;
  }
}

TEST(PicaDisassemble, SharedContainersRoundTrip) {
  const std::filesystem::path folder = std::filesystem::path(tests::shared_file("corpus/pica200"));
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".shbin") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    expect_round_trip(container_of(bytes, entry.path().string()), entry.path().string());
    ++count;
  }
  EXPECT_GT(count, 3);
}

TEST(PicaDisassemble, RandomProgramsRoundTrip) {
  for (std::uint64_t seed = 0; seed < share(120); ++seed) {
    RandomOptions options;
    options.geometry = seed % 2 == 0;
    options.shared_ends = seed % 4 == 1;
    options.at_limit = seed % 16 == 3;
    options.size = 20 + static_cast<unsigned>(seed % 90);
    const RandomProgram random = random_program(seed, options);
    Container container;
    container.code = random.program.code;
    container.descriptors = random.program.descriptors;
    container.programs = {random.program};
    expect_round_trip(container, "seed " + std::to_string(seed));
  }
}

// Every table of several programs, with what only other assemblers write.
TEST(PicaDisassemble, TablesRoundTrip) {
  const SourceFile files[] = {
      {"v",
       ".fvec m[4], tint\n.ivec n\n.bool on[2]\n.constf k(1, -0.5, 0.25, 3)\n.consti j(1, 2, 3, 4)\n"
       ".setb on[1] true\n.in a\n.in b v5\n.out p position\n.out t texcoord0.st o3\n"
       ".proc main\ndp4 r0, m[0], a\nifu on[0]\nfor n\nmad r0, r0, tint, b\n.end\n.else\ncall f\n.end\n"
       "mov p, r0\nmov t, k\nend\n.end\n.proc f\nmov r0, m[aL+1]\n.end\n"},
      {"w",
       ".fvec tint, other\n.out c color\n.entry side\n.proc side\nmul c, tint, v0\nadd r0, other, r0\n"
       "end\n.end\n"},
      {"g",
       ".gsh fixed c20 c4 3\n.fvec scale\n.out q dummy\n.entry gmain\n.proc gmain\nsetemit 0, prim inv\n"
       "mul q, scale, v0\nemit\nend\n.end\n"}};
  auto made = assemble(files);
  ASSERT_TRUE(made.ok()) << to_string(made.error());
  expect_round_trip(*made, "three programs");
  EXPECT_EQ(disassemble(*made).find(".header"), std::string::npos) << disassemble(*made);
  const std::string text = disassemble(*made);
  for (const char* line :
       {".program 1", ".entry   gmain", ".gsh     fixed c20 c4 3", "mad     r0, r0, tint, b"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  Container odd = *made;
  ProgramInfo& info = odd.programs[0];
  info.version = 0;
  info.main_end = 1234;
  info.input_mask = 0xabc;
  info.output_mask = 0x123;
  info.merge_output_maps = true;
  info.geometry_mode = GeometryMode::fixed;
  info.fixed_vertices = 200;
  info.constants.push_back({{RegisterFile::c, 3}, {0x7f8001, 0x800000, 0x000001, 0xff0000}});
  info.constants.push_back({{RegisterFile::c, 3}, {0x7f8000, 0x3f0000, 0x7f0000, 0x123456}});
  info.outputs.push_back({static_cast<Semantic>(7), 15, 15, ""});
  info.outputs.push_back({Semantic::position, 2, 0, ""});
  odd.programs[1].symbols.insert(odd.programs[1].symbols.begin(), {"r1", {RegisterFile::b, 3}, 5});
  odd.programs[1].symbols.push_back({"tint", {RegisterFile::v, 3}, 5});
  odd.descriptors.push_back(0xffffffff);
  odd.code.push_back(0xffffffff);
  expect_round_trip(odd, "odd tables");
  odd.code[1] |= 0x300;  // bits that no field has
  expect_round_trip(odd, "unused bits");
}

// What the assembler would write or refuse in another way still comes as source that is read.
TEST(PicaDisassemble, OtherAssemblersRoundTrip) {
  const Container verbatim = assembled(
      ".verbatim\n.out p position\n.proc main\nsgei r0, r1, r2\nmadi r0, r1, r2, r3\nmul p, v0, v1\nsetemit "
      "3\n"
      "end\n.end\n");
  expect_round_trip(verbatim, "verbatim");
  EXPECT_TRUE(disassemble(verbatim).starts_with(".verbatim")) << disassemble(verbatim);
  EXPECT_EQ(disassemble(verbatim).find(".op "), std::string::npos);
  const Container plain =
      assembled(".out p position\n.proc main\nsge r0, r1, r2\nsge r0, r1, c2\nmov p, r0\nend\n.end\n");
  EXPECT_EQ(disassemble(plain).find(".verbatim"), std::string::npos);

  Container named = assembled(
      ".fvec a$b[2], plain\n.bool cmp\n.in a0 v3\n.out p position\n.proc main\nadd p, "
      "a$b[1], a0\nend\n.end\n");
  expect_round_trip(named, "periods");
  for (const char* line : {".fvec    a$b[2]", "a$b[1], a0", ".bool    cmp"})
    EXPECT_NE(disassemble(named).find(line), std::string::npos) << disassemble(named);
  EXPECT_EQ(disassemble(named).find(".unsorted"), std::string::npos);
  std::swap(named.programs[0].symbols[1], named.programs[0].symbols[3]);
  expect_round_trip(named, "another order");
  EXPECT_NE(disassemble(named).find(".unsorted"), std::string::npos);
  EXPECT_NE(disassemble(named).find("a$b[1], a0"), std::string::npos);
  named.programs[0].symbols.push_back({"_hidden", {RegisterFile::c, 9}, 9});
  named.programs[0].outputs.push_back({Semantic::color, 9, 15, ""});
  named.programs[0].outputs.push_back({Semantic::view, 0, 8, ""});
  expect_round_trip(named, "what picasso does not write");
  EXPECT_NE(disassemble(named).find(".symbol  _hidden c9"), std::string::npos) << disassemble(named);
  EXPECT_NE(disassemble(named).find(".output  2 o9"), std::string::npos) << disassemble(named);
}

TEST(PicaDisassemble, InvalidWordsSayWhy) {
  Container container = assembled(".out p position\n.proc main\nmov p, v0\nend\n.end\n");
  container.code.push_back(0x40000001);  // opcode 0x10
  container.code.push_back(0x7fffffff);  // 0x1f
  expect_round_trip(container, "undefined words");
  for (const bool exact : {false, true})
    for (const bool words : {false, true}) {
      const std::string text = disassemble(container, {.words = words, .exact = exact});
      for (const char* opcode : {"0x10", "0x1f"})
        EXPECT_NE(text.find("no instruction has the opcode " + std::string(opcode) + " (bits 26-31)"),
                  std::string::npos)
            << text;
    }
}

// Undefined words and wild targets are listed too.
TEST(PicaDisassemble, NeverFails) {
  Program program;
  std::uint32_t word = 3;
  for (int k = 0; k < 4096; ++k) program.code.push_back(word = word * 1664525 + 1013904223);
  program.entry = 4095;
  EXPECT_FALSE(disassemble(program).empty());
  EXPECT_FALSE(disassemble(Program{}).empty());
}

}  // namespace
}  // namespace warpjit::pica200
