#include "frontend/pica200/facts/instruction_facts.h"

namespace warpjit::pica200 {

// All arithmetic is on f32. What else instructions read and write is in registers that hold no floats.
std::vector<frontend::InstructionFacts> instruction_facts(const Program& program) {
  std::vector<frontend::InstructionFacts> facts;
  for (std::uint32_t address = 0; address < program.code.size(); ++address) {
    const auto instruction = try_decode(program.code[address]);
    if (!instruction) continue;
    const frontend::FloatFormats floats{.single = instruction->info().reads[0] != 0};
    const Opcode opcode = instruction->opcode;
    facts.push_back({.address = address,
                     .results = floats,
                     .operands = floats,
                     .calls = opcode == Opcode::call || opcode == Opcode::callc || opcode == Opcode::callu});
  }
  return facts;
}

}  // namespace warpjit::pica200
