// Every pattern of the encoding, with random bits and edge values, as IR against the guest interpreter.
#include "frontend/tesla/encoding/encoding.h"
#include "support/share.h"
#include "tesla/random_operands.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

// Registers that run_warp_ir keeps, and memory operands that mostly are there.
void settle(Instruction& i, Random& random) {
  i.unused = 0;
  i.marker = Instruction::Marker::none;
  for (Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
    operand->address %= 5;
    if (operand->address == 0) operand->post_increment = false;
    if (operand->kind == Operand::Kind::gpr) {
      operand->value %= operand->type == Type::b16 ? 120 : 60;
      if (operand->type == Type::b64) operand->value &= ~1U;
      if (operand->type == Type::b128) operand->value &= ~3U;
    } else if (operand->kind == Operand::Kind::address) {
      operand->value %= 5;
    } else if (operand->kind == Operand::Kind::global) {
      operand->value %= 60;
      operand->space %= 15;
    } else if (operand->is_memory() && !random.one_in(4)) {
      operand->value = operand->value % 4096 & ~15U;
    }
  }
  if (i.form == Form::immediate && (i.opcode == Opcode::imad || i.opcode == Opcode::fmad)) i.src[2] = i.dst;
}

void randomize(WarpRegisters& registers, Operands& random) {
  for (auto& row : registers.r)
    for (std::uint32_t& lane : row) lane = random.one_in(6) ? random.below(64) * 8 : random.word();
  for (unsigned k = 1; k < 5; ++k)
    for (std::uint32_t& lane : registers.a[k])
      lane = random.one_in(3) ? random.below(65536) : random.below(256) * 8;
  for (auto& row : registers.c)
    for (std::uint32_t& lane : row) lane = random.word() & 15;
}

TEST(TeslaTranslateInstructions, EveryRow) {
  Operands random{11};
  const std::vector<std::byte> constants = random_constants(random);
  Launch launch;
  launch.constants.fill(constants);
  launch.shared_bytes = 4096;
  int ran = 0;
  unsigned way = 0;
  for (const Pattern& pattern : patterns()) {
    if (pattern.opcode >= Opcode::bra || needs_texture(pattern.opcode)) continue;  // there are none
    for (unsigned k = 0; k < share(16); ++k) {
      const unsigned n = way++ % 16;
      std::uint64_t noise = random.next();
      for (unsigned less = n % 3; less > 0; --less) noise &= random.next();
      const std::uint64_t word = pattern.match | (noise & ~pattern.mask);
      auto instruction = try_decode(ProgramType::compute, static_cast<std::uint32_t>(word),
                                    static_cast<std::uint32_t>(word >> 32));
      if (!instruction) continue;
      settle(*instruction, random);
      const auto settled = encode(ProgramType::compute, *instruction);
      if (!settled) continue;
      Program program;
      program.source_name = "random";
      program.local_bytes = 4096;
      program.code = {static_cast<std::uint32_t>(*settled), static_cast<std::uint32_t>(*settled >> 32),
                      0xf0000001, 0xe0000781};
      if (!is_long_word(program.code[0])) program.code[1] = 0x1000a850;
      Modes modes;
      modes.saturated_nan_is_zero = n % 2 == 1;
      modes.zero_wins = n % 4 >= 2;
      modes.infinite_derivatives = n % 2 == 1;
      modes.fast_fmad = n % 8 >= 4;
      modes.fast_sfu = n % 16 >= 8;
      auto interpreter = Interpreter::prepare(program, modes);
      if (!interpreter) continue;
      WarpRegisters guest;
      randomize(guest, random);
      WarpRegisters plain = guest, optimized = guest;
      std::vector<std::uint64_t> memory[3];
      for (auto& m : memory) m.assign(64, 5);
      RunReport report;
      const auto bind = [&](std::size_t k) {
        for (std::uint32_t space = 0; space < 15; ++space)
          launch.globals[space] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory[k]))}};
      };
      bind(0);
      const Status status = interpreter->run_warp(launch, guest, report);
      ASSERT_TRUE(status.ok()) << to_string(status.error());
      const std::string name = disassemble(*instruction);
      bind(1);
      const IrOutcome first = run_warp_ir(program, modes, launch, plain, {.optimize = false, .verify = true});
      ASSERT_TRUE(first.status.ok()) << name << to_string(first.status.error());
      bind(2);
      const IrOutcome second = run_warp_ir(program, modes, launch, optimized, {.verify = true});
      ASSERT_TRUE(second.status.ok()) << name << to_string(second.status.error());
      expect_same_registers(guest, plain, name + ", plain");
      expect_same_registers(guest, optimized, name + ", optimized");
      EXPECT_TRUE(memory[0] == memory[1] && memory[0] == memory[2]) << name;
      EXPECT_EQ(report.first_fault.has_value(), first.faulted) << name;
      EXPECT_EQ(report.first_fault.has_value(), second.faulted) << name;
      if (testing::Test::HasFailure()) return;
      ++ran;
    }
  }
  EXPECT_GT(ran, static_cast<int>(share(1500)));
}

}  // namespace
}  // namespace warpjit::tesla
