#include "ir/analysis/lane_comparison.h"

namespace warpjit::ir {

std::optional<LaneComparison> lane_comparison(const Function& f, Value mask) {
  Inst i = f.definition(mask);
  const bool negated = f.inst(i).opcode == Opcode::Not1;
  if (negated) i = f.definition(f.operand(i, 0));
  const Opcode opcode = f.inst(i).opcode;
  if (family(opcode) != Family::integer_comparison) return std::nullopt;
  for (std::uint32_t k = 0; k < 2; ++k) {
    const Value lane = f.operand(i, k), number = f.operand(i, 1 - k);
    if (f.definition_of(lane).opcode == Opcode::LaneIndex &&
        f.value(number).uniformity != Uniformity::varying)
      return LaneComparison{opcode, k == 0, number, negated};
  }
  return std::nullopt;
}

}  // namespace warpjit::ir
