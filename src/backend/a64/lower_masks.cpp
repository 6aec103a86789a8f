// Masks: all ones or zeros in each lane of a vector.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

Reg Lowering::mask_op(MaskOp op, Reg a, Reg b) {
  static constexpr Op kOps[] = {Op::And, Op::Or, Op::Xor, Op::AndNot};
  return vvv(kOps[static_cast<std::size_t>(op)], a, b);
}

Reg Lowering::mask_from_bool(Reg scalar) {
  const InstRef negated = add(Op::SNeg, RegClass::scalar);  // 0 or all ones
  use(negated, scalar);
  Reg ones = negated->def;
  const InstRef inst = add(Op::BroadcastScalar, RegClass::vector);
  use(inst, ones);
  return inst->def;
}

// Half of the lanes in one instruction, the other half in the move to a scalar register: less latency than
// UMAXV has.
void Lowering::branch_if_any(Reg mask) {
  Reg pairs = vv(Op::AnyPairs, mask);
  use(add(Op::BranchMask), pairs);
}

Reg Lowering::swizzle_quads(Reg r, std::uint64_t lanes) {
  std::array<std::uint32_t, 4> bytes;
  for (std::uint32_t n = 0; n < 4; ++n)
    bytes[n] = 0x03020100u + static_cast<std::uint32_t>(lanes >> (2 * n) & 3) * 0x04040404u;
  return vvv(Op::TableLanes, r, vector_of(bytes));
}

Reg Lowering::select_lanes(Mask m, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && constant(v) == 0; };
  if (is_zero(b)) return vvv(Op::And, m.reg, vector(a, p));
  if (is_zero(a)) return vvv(Op::AndNot, m.reg, vector(b, p));
  Reg if_false = vector(b, p), if_true = vector(a, p);
  return blend(if_false, reg_source(if_true), m.reg);
}

}  // namespace warpjit::backend::a64
