// Masks: all ones or zeros in each lane of a vector. Comparisons and selects.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

Mask Masks::compare_floats(Opcode op, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && (constant(v) & ~kSignBit) == 0; };
  struct Comparison {
    Opcode op;
    Op straight, with_zero;
    bool swap, inverted;
  };
  static constexpr Comparison kComparisons[] = {{Opcode::FEq32, Op::CmpEq, Op::CmpEqZero, false, false},
                                                {Opcode::FNe32, Op::CmpEq, Op::CmpEqZero, false, true},
                                                {Opcode::FGt32, Op::CmpGt, Op::CmpGtZero, false, false},
                                                {Opcode::FGe32, Op::CmpGe, Op::CmpGeZero, false, false},
                                                {Opcode::FLt32, Op::CmpGt, Op::CmpLtZero, true, false},
                                                {Opcode::FLe32, Op::CmpGe, Op::CmpLeZero, true, false}};
  for (const Comparison& known : kComparisons) {
    if (known.op != op) continue;
    Reg left = vector(a, p);
    if (is_zero(b)) return {compare_zero(known.with_zero, left), known.inverted};
    Reg right = vector(b, p);
    return {known.swap ? compare(known.straight, right, left) : compare(known.straight, left, right),
            known.inverted};
  }
  // Unordered: not (a equals itself and b equals itself).
  auto ordered = [&](Value v) {
    Reg r = vector(v, p);
    return compare(Op::CmpEq, r, r);
  };
  if (a == b || is_constant_number(f_, b, ~0u)) return {ordered(a), true};
  if (is_constant_number(f_, a, ~0u)) return {ordered(b), true};
  Reg left = ordered(a), right = ordered(b);
  return {vvv(Op::And, left, right), true};
}

Mask Masks::compare_integers(Condition condition, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  switch (condition) {
    case Condition::equal:
      return {compare(Op::ICmpEq, left, right)};
    case Condition::not_equal:
      return {compare(Op::ICmpEq, left, right), true};
    case Condition::less_s:
      return {compare(Op::ICmpGt, right, left)};
    case Condition::less_equal_s:
      return {compare(Op::ICmpGe, right, left)};
    case Condition::less_u:
      return {compare(Op::ICmpHi, right, left)};
    case Condition::less_equal_u:
      break;
  }
  return {compare(Op::ICmpHs, right, left)};
}

Reg Masks::mask_op(MaskOp op, Reg a, Reg b) {
  static constexpr Op kOps[] = {Op::And, Op::Or, Op::Xor, Op::AndNot};
  return vvv(kOps[static_cast<std::size_t>(op)], a, b);
}

Reg Masks::mask_from_bool(Reg scalar) {
  const InstRef negated = add(Op::SNeg, RegClass::scalar);  // 0 or all ones
  use(negated, scalar);
  Reg ones = negated->def;
  return spread(ones);
}

// Half of the lanes in one instruction, the other half in the move to a scalar register:
// that has less latency than UMAXV.
Reg Masks::to_test(Reg mask) { return vv(Op::AnyPairs, mask); }

Reg Masks::select_lanes(Mask m, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && constant(v) == 0; };
  if (is_zero(b)) return vvv(Op::And, m.reg, vector(a, p));
  if (is_zero(a)) return vvv(Op::AndNot, m.reg, vector(b, p));
  if (const Value step = step_from(b, a); step.valid()) return step_where(vector(b, p), step, m.reg);
  Reg if_false = vector(b, p), if_true = vector(a, p);
  return blend(if_false, reg_source(if_true), m.reg);
}

Reg Masks::select_masks(Reg m, Reg a, Reg b) { return blend(b, reg_source(a), m); }
Reg Masks::mask_not(Reg a) { return vv(Op::Not, a); }
Reg Masks::mask_constant(bool value) { return constant_vector(value ? ~0u : 0); }
Reg Masks::bool_from_mask(Reg mask) { return scalar_op_imm(Op::SAndImm, vector_to_scalar(mask), 1); }
Reg Masks::any_bits(Reg mask) { return vector_to_scalar(vv(Op::MaxAcross, mask)); }

}  // namespace warpjit::backend::a64
