#include "backend/nan_bits.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::Value;

// Hands operand k on as it is, up to the sign.
bool hands_on(Opcode opcode, std::uint32_t k) {
  switch (opcode) {
    case Opcode::Phi:
    case Opcode::BitcastF32ToI32:
    case Opcode::BitcastI32ToF32:
    case Opcode::FNeg32:
    case Opcode::FAbs32:
      return true;
    case Opcode::SelectF32:
    case Opcode::SelectI32:
      return k != 0;
    default:
      return false;
  }
}

// Pure operations on floats give the same for every NaN, or some NaN.
bool looks_at_bits(const ir::OpcodeInfo& row, std::uint32_t k) { return !row.pure || row.operands[k] != 'f'; }

}  // namespace

std::vector<char> seen_as_bits(const ir::Function& f) {
  std::vector<char> seen(f.value_count(), 0);
  std::vector<Value> work;
  const auto see = [&](Value v) {
    if (seen[v.id] != 0) return;
    seen[v.id] = 1;
    work.push_back(v);
  };
  const auto each_operand = [&](ir::Inst i, auto visit) {
    const auto operands = f.operands(i);
    for (std::uint32_t k = 0; k < operands.size(); ++k) visit(f.inst(i).opcode, k, operands[k]);
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b}))
      each_operand(i, [&](Opcode opcode, std::uint32_t k, Value v) {
        if (!hands_on(opcode, k) && looks_at_bits(ir::info(opcode), k)) see(v);
      });
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    each_operand(f.definition(v), [&](Opcode opcode, std::uint32_t k, Value from) {
      if (hands_on(opcode, k)) see(from);
    });
  }
  return seen;
}

}  // namespace warpjit::backend
