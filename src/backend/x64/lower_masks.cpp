// Masks: k registers on AVX-512, vectors on AVX2.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

Reg Lowering::mask_op(MaskOp op, Reg a, Reg b) {
  static constexpr Op kOps[][2] = {
      {Op::And, Op::KAnd}, {Op::Or, Op::KOr}, {Op::Xor, Op::KXor}, {Op::AndNot, Op::KAndNot}};
  const InstRef inst = add(kOps[static_cast<std::size_t>(op)][v4()], mask_class());
  use(inst, a);
  use(inst, b);
  return inst->def;
}

Reg Lowering::mask_not(Reg a) {
  if (!v4()) return vvv(Op::Xor, a, constant_vector(~0u));
  const InstRef inst = add(Op::KNot, RegClass::mask);
  use(inst, a);
  return inst->def;
}

Reg Lowering::mask_constant(bool value) {
  if (!v4()) return constant_vector(value ? ~0u : 0);
  const InstRef inst = add(value ? Op::KOnes : Op::KZero, RegClass::mask);
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Lowering::mask_from_bool(Reg scalar) {
  const InstRef negated = add(Op::SNeg, RegClass::scalar);  // 0 or all ones
  negated->flags |= lir::kTied;
  use(negated, scalar);
  Reg ones = negated->def;
  const InstRef inst =
      v4() ? add(Op::KFromScalar, RegClass::mask) : add(Op::BroadcastScalar, RegClass::vector);
  use(inst, ones);
  return inst->def;
}

Reg Lowering::any_bits(Reg mask) {
  const InstRef inst = add(v4() ? Op::KToScalar : Op::MaskToScalar, RegClass::scalar);
  use(inst, mask);
  return inst->def;
}

Reg Lowering::vector_from_mask(Reg mask) { return v4() ? zero_where_not(constant_vector(~0u), mask) : mask; }

Reg Lowering::mask_from_vector(Reg r) {
  return v4() ? compare(Op::CmpI, r, reg_source(constant_vector(0)), integer_predicate::kLt) : r;
}

Reg Lowering::bool_from_mask(Reg mask) { return scalar_op_imm(Op::SAndImm, any_bits(mask), 1); }

Reg Lowering::select_lanes(Mask m, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && constant(v) == 0; };
  if (is_zero(b)) return zero_where_not(vector(a, p), m.reg);
  if (is_zero(a) && !v4()) return vvv(Op::AndNot, m.reg, vector(b, p));
  Reg if_false = vector(b, p);
  return blend(if_false, source(a, p), m.reg);
}

Reg Lowering::zero_where_not(Reg r, Reg mask) {
  if (!v4()) return vvv(Op::And, mask, r);
  const InstRef inst = add(Op::MoveZeroMask, RegClass::vector);
  use(inst, r);
  use(inst, mask);
  return inst->def;
}

Reg Lowering::select_masks(Reg m, Reg a, Reg b) {
  if (!v4()) return blend(b, reg_source(a), m);
  Reg from_true = mask_op(MaskOp::and_, a, m);
  return mask_op(MaskOp::or_, from_true, mask_op(MaskOp::and_not, m, b));
}

}  // namespace warpjit::backend::x64
