#include "frontend/pica200/assembly/disassemble.h"

#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/random.h"
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

void expect_exact_round_trip(const Program& program) {
  const Program again = program_of(disassemble_exact(program));
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
        "cmp     c95.x, gt, le, r2.z", "ifc     cmp.x", "mov     r0.w, c95.y", "mul     r6.xyz, c95.z, r6",
        ".else", "ifu     useFog", "mad     r5, r4.x, lightCol[0], r5", "; c95 = (0, 1, 0.5, 2)",
        "; modelView = c4..c7", "; o0.xyzw = position", "00b 4e07f006"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  DisassembleOptions plain;
  plain.names = plain.structure = plain.words = false;
  const std::string flat = disassemble(program, plain);
  for (const char* line : {"callu   b1, 0x004, 3", "ifc     cmp.x, 0x018, 5", "dp4     r1.x, c4, r0"})
    EXPECT_NE(flat.find(line), std::string::npos) << line << "\n" << flat;
  EXPECT_EQ(flat.find(".proc"), std::string::npos);
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
