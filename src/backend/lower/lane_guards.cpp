#include "backend/lower/lane_guards.h"

#include "ir/analysis/lane_comparison.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;

std::optional<LaneBound> LaneGuards::bound(const ir::Function& f, Value guard) {
  const std::optional<ir::LaneComparison> found = ir::lane_comparison(f, guard);
  if (!found || found->opcode == Opcode::IEq32 || found->opcode == Opcode::INe32) return std::nullopt;
  const bool is_unsigned = found->opcode == Opcode::ILtU32 || found->opcode == Opcode::ILeU32;
  const bool strict = found->opcode == Opcode::ILtS32 || found->opcode == Opcode::ILtU32;
  // lane < n, lane <= n: below n, n + 1. n < lane, n <= lane: at least n + 1, n.
  return LaneBound{found->number, found->lane_first == found->negated, found->lane_first != strict,
                   is_unsigned};
}

bool LaneGuards::tells_all(Value guard) const {
  if (is_constant(guard) || !varying(guard)) return false;
  const std::optional<LaneBound> found = bound(f_, guard);
  return found && !(found->at_least && found->is_unsigned && found->plus_one);  // which all never have
}

bool LaneGuards::branch_unless_all(Value guard) {
  if (!tells_all(guard)) return false;
  const std::optional<LaneBound> found = bound(f_, guard);
  const std::int32_t more = found->plus_one ? 1 : 0;
  const Condition less = found->is_unsigned ? Condition::less_u : Condition::less_s;
  Reg number = scalar(found->number);
  if (!found->at_least) {
    const InstRef branch = add(Op::BranchCompare);
    use(branch, number);
    branch->imm = pack_condition(less, static_cast<std::int32_t>(parts_ * host_.lanes) - more);
    return true;
  }
  Reg most = scalar_imm(static_cast<std::uint32_t>(-more));
  const InstRef branch = add(Op::BranchCompare);
  use(branch, most);
  use(branch, number);
  branch->imm = pack_condition(less);
  return true;
}

Reg LaneGuards::clamped(const LaneBound& bound) {
  const std::int32_t more = bound.plus_one ? 1 : 0;
  const Condition less = bound.is_unsigned ? Condition::less_u : Condition::less_s;
  const auto extreme = [&](Op op, Reg a, std::int32_t b) {
    return scalar_extreme(op, a, scalar_imm(static_cast<std::uint32_t>(b)), less);
  };
  Reg n = extreme(Op::SMin, scalar(bound.number), static_cast<std::int32_t>(parts_ * host_.lanes) - more);
  if (!bound.is_unsigned) n = extreme(Op::SMax, n, -more);
  return more != 0 ? scalar_op_imm(Op::SAddImm, n, more) : n;
}

}  // namespace warpjit::backend
