#include "frontend/tesla/facts/instruction_facts.h"

namespace warpjit::tesla {
namespace {

frontend::FloatFormats formats_of(Type type) {
  return {.half = type == Type::f16, .single = type == Type::f32, .upper = type == Type::f64};
}

// Types are those of the instruction's row in encoding.inc, which has none for interpolation.
frontend::InstructionFacts facts_of(const Instruction& i) {
  if (i.opcode == Opcode::interp) {
    const frontend::FloatFormats floats = formats_of(i.flat != 0 ? Type::none : Type::f32);
    return {.results = floats, .operands = floats};
  }
  // What `set` compares floats for is a mask.
  const bool gives_mask = i.opcode == Opcode::fset || i.opcode == Opcode::dset;
  return {.results = gives_mask ? frontend::FloatFormats() : formats_of(i.type),
          .operands = formats_of(i.source_type != Type::none ? i.source_type : i.type),
          .calls = i.opcode == Opcode::call};
}

}  // namespace

std::vector<frontend::InstructionFacts> instruction_facts(const Program& program) {
  std::vector<frontend::InstructionFacts> facts;
  for (std::uint32_t address = 0; address < 4 * program.code.size();) {
    const auto instruction = decode(program.type, program.code, address);
    if (!instruction) {
      address += 4;
      continue;
    }
    facts.push_back(facts_of(*instruction));
    facts.back().address = address;
    address += 4 * instruction->words();
  }
  return facts;
}

}  // namespace warpjit::tesla
