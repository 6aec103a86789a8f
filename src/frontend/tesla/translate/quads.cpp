#include "frontend/tesla/translate/quads.h"

#include <algorithm>

namespace warpjit::tesla {
namespace {

bool writes_any(const Instruction& i, const RegisterSet& registers) {
  if (i.dst.kind != Operand::Kind::gpr) return false;
  const std::uint32_t first = i.dst.type == Type::b16 ? i.dst.value / 2 : i.dst.value;
  for (std::uint32_t r = first; r < first + 4 && r < kMaxRegisters; ++r)  // four at most
    if (registers[r]) return true;
  return false;
}

}  // namespace

bool reads_quad(const Instruction& i, const Program& program, const SampledTextures& textures,
                const Modes& modes) {
  return i.opcode == Opcode::quadop || i.opcode == Opcode::quadon || i.opcode == Opcode::vote ||
         takes_level_from_quad(i, program, textures, modes);
}

bool reads_quads(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                 const Modes& modes) {
  return std::ranges::any_of(code.instructions(), [&](const ReachedInstruction& reached) {
    return reads_quad(reached.instruction, program, textures, modes);
  });
}

RegisterSet read_by_parted_quads(const ReachedCode& code, const ControlFlow& flow,
                                 const std::vector<bool>& whole) {
  RegisterSet registers;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (whole[b]) continue;
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      if (i.opcode == Opcode::quadop && i.src[0].kind == Operand::Kind::gpr && i.src[0].value < kMaxRegisters)
        registers.set(i.src[0].value);
      pc += 4 * i.words();
    }
  }
  return registers;
}

void mark_writers(const ReachedCode& code, const ControlFlow& flow, const RegisterSet& registers,
                  std::vector<LaneEffects>& effects) {
  if (registers.none()) return;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      effects[b].writes_neighbours = effects[b].writes_neighbours || writes_any(i, registers);
      pc += 4 * i.words();
    }
}

void admit_kept(const ReachedCode& code, const ControlFlow& flow, std::vector<bool>& whole) {
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    bool all = true;
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      const bool reads_register = i.src[0].kind == Operand::Kind::gpr && i.src[0].type != Type::b16;
      all = all && i.opcode != Opcode::quadon && (i.opcode != Opcode::quadop || reads_register);
      pc += 4 * i.words();
    }
    if (all) whole[b] = true;
  }
}

}  // namespace warpjit::tesla
