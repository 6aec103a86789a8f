#include "frontend/usse/facts/instruction_facts.h"

#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {
namespace {

frontend::FloatFormats formats_of(Type type) {
  return {.half = type == Type::f16, .single = type == Type::f32};
}

// The types are those of the instruction's row in encoding.inc. Integers count as no floats.
frontend::InstructionFacts facts_of(const Instruction& i) {
  const bool converts = i.group == Group::comp || i.group == Group::pck || i.group == Group::smp;
  return {.results = i.opcode == Opcode::tstmsk ? frontend::FloatFormats() : formats_of(i.type),
          .operands = formats_of(converts ? i.source_type : i.type),
          .calls = i.link};
}

}  // namespace

std::vector<frontend::InstructionFacts> instruction_facts(const Program& program) {
  std::vector<frontend::InstructionFacts> facts;
  std::uint32_t address = 0;
  for (const auto* code : {&program.primary, &program.secondary})
    for (const std::uint64_t word : *code) {
      if (const auto instruction = decode(word)) {
        facts.push_back(facts_of(*instruction));
        facts.back().address = address;
      }
      ++address;
    }
  return facts;
}

}  // namespace warpjit::usse
