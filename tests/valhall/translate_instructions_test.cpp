// Every row of the encoding that computes, with random bits and edge values, on all engines.
#include <iterator>

#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/translate/translate.h"
#include "support/share.h"
#include "valhall/engines.h"
#include "valhall/random_words.h"
#include "valhall/run_program.h"

namespace warpjit::valhall {
namespace {

constexpr unsigned kFirst = 4, kRegisters = 24;  // r4 to r27 come from memory and go there again
constexpr std::uint32_t kThreads = 32, kRowWords = 32;

std::uint32_t random_operand(Random& random) {
  constexpr std::uint32_t kEdges[] = {
      0,          1,          2,          0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
      0x80000000, 0xffffffff, 0x00800000, 0x007fffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
      0x7f7fffff, 0x7fc00001, 0x33800000, 0x4b000000, 0x4f000000, 0xcf000001, 0x3f7fffff, 0x00800001,
      0x7f800001, 0xffc12345, 0x80000001, 0x00000020, 0x0000001f, 0x3c003c00, 0x7c00fc00, 0x7e000001,
      0x03ff0400, 0x83ff8400, 0x7bff7bff, 0x00010001, 0x80008000, 0x7fff8001, 0x3f400000, 0x3fbfffff,
      0xfffffff8, 0x000000fa, 0x42fe0000, 0xc3170000};
  const std::uint64_t x = random.next();
  if (x % 3 == 0) return kEdges[x / 4 % std::size(kEdges)];
  const auto word = static_cast<std::uint32_t>(x >> 32);
  // Half of the rest near 1.
  return x % 3 == 1 ? word : (word & 0x80ffffff) | 0x3f000000;
}

// Registers that the program keeps, and uniforms that the launch gives.
void settle(Instruction& i, Random& random) {
  i.unused = 0;
  i.flow = Flow::none;
  const bool wide = elements_of(i.type).bits == 64;
  i.destination = static_cast<std::uint8_t>(kFirst + i.destination % (kRegisters - 1));
  if (wide) i.destination &= ~1U;
  i.write_mask = static_cast<std::uint8_t>(wide || random.one_in(2) ? 3 : random.below(4));
  for (Source& source : i.source) {
    if (source.kind == Source::Kind::special) source.kind = Source::Kind::gpr;
    if (source.kind == Source::Kind::uniform) source.value %= 64;
    if (source.kind == Source::Kind::gpr)
      source.value = static_cast<std::uint8_t>(kFirst + source.value % (kRegisters - 1));
    if (source.wide && source.kind != Source::Kind::constant) source.value &= ~1U;
  }
}

std::string registers(unsigned first) {
  std::string text = "@";
  for (unsigned k = 0; k < 4; ++k) text += (k == 0 ? "r" : ":r") + std::to_string(first + k);
  return text;
}
std::vector<std::uint64_t> words_of_code(const std::string& text) {
  const auto program = assemble(text, "test");
  EXPECT_TRUE(program.ok()) << (program ? "" : to_string(program.error()));
  return program ? program->code : std::vector<std::uint64_t>{};
}

TEST(ValhallTranslateInstructions, EveryRow) {
  Random random{7};
  std::string loads = "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x7\n", stores;
  for (unsigned k = 0; k < kRegisters; k += 4) {
    const std::string rest = registers(kFirst + k) + ", r2, offset:" + std::to_string(4 * k) + "\n";
    loads += "LOAD.i128.unsigned.slot0 " + rest;
    stores += "STORE.i128.slot0 " + rest;
  }
  const std::vector<std::uint64_t> before = words_of_code(loads), after = words_of_code(stores + "NOP.end\n");
  std::size_t computed = 0, compiled = 0;
  std::uint64_t words = 0;
  for (const Pattern& pattern : patterns()) {
    for (unsigned k = 0; k < share(10); ++k) {
      // Under sanitizers a word takes a tenth of a second, and a ctest case has five minutes.
      if (!in_share(words++)) continue;
      auto instruction = decode(random_word(pattern, 0, random));
      if (!instruction || is_message(*instruction)) continue;
      settle(*instruction, random);
      if (!find_operation(*instruction)) instruction->write_mask = 3;
      if (!find_operation(*instruction)) continue;
      const auto word = encode(*instruction);
      ASSERT_TRUE(word.ok()) << to_string(word.error());
      ++computed;
      Program program;
      program.source_name = disassemble(*decode(*word));
      program.code = before;
      program.code.push_back(*word);
      program.code.insert(program.code.end(), after.begin(), after.end());
      program.mode = {.flush_single = random.one_in(5),
                      .flush_half = random.one_in(5),
                      .suppress_nan = random.one_in(8),
                      .suppress_infinity = random.one_in(8)};
      std::vector<std::uint32_t> memory(kThreads * kRowWords), uniforms(66);
      for (std::uint32_t& value : memory) value = random_operand(random);
      for (std::uint32_t& value : uniforms) value = random_operand(random);
      uniforms[0] = kMemoryLow, uniforms[1] = kMemoryHigh;
      frontend::Grid grid;
      grid.block = {kThreads, 1, 1};
      grid.high_words = {kMemoryHigh};
      grid.globals[0] = {{kMemoryLow, std::as_writable_bytes(std::span(memory))}};
      const auto bytes = std::as_bytes(std::span(uniforms));
      grid.parameters.assign(bytes.begin(), bytes.end());
      const auto code = find_reached(program);
      ASSERT_TRUE(code.ok());
      const bool translates =
          translate(program, *code, {.block = grid.block, .uniform_words = 66, .high_words = grid.high_words})
              .ok();
      if (!translates) continue;
      ++compiled;
      RunReport report;
      const Status status = run_everywhere(program, grid, report, true);
      EXPECT_TRUE(status.ok()) << to_string(status.error());
      if (HasFailure()) {
        ADD_FAILURE() << program.source_name << " mode " << program.mode.flush_single
                      << program.mode.flush_half << program.mode.suppress_nan
                      << program.mode.suppress_infinity;
        return;
      }
    }
  }
  EXPECT_GT(compiled * 10, computed * 9);
}

}  // namespace
}  // namespace warpjit::valhall
