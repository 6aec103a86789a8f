// Masks: k registers with AVX-512, vectors with AVX2. Comparisons and selects.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

Mask Masks::compare_floats(Opcode op, Value a, Value b, std::uint32_t p) {
  struct Predicate {
    Opcode op;
    int straight, mirrored;  // mirrored: with the operands the other way round
  };
  static constexpr Predicate kPredicates[] = {
      {Opcode::FEq32, predicate::kEq, predicate::kEq}, {Opcode::FNe32, predicate::kNe, predicate::kNe},
      {Opcode::FLt32, predicate::kLt, predicate::kGt}, {Opcode::FLe32, predicate::kLe, predicate::kGe},
      {Opcode::FGt32, predicate::kGt, predicate::kLt}, {Opcode::FGe32, predicate::kGe, predicate::kLe}};
  int straight = predicate::kUnordered, mirrored = predicate::kUnordered;
  for (const Predicate& known : kPredicates)
    if (known.op == op) straight = known.straight, mirrored = known.mirrored;
  const bool swap = has_no_register(a);
  if (swap) std::swap(a, b);
  Reg left = vector(a, p);
  return {compare(Op::CmpF, left, source(b, p), swap ? mirrored : straight)};
}

Mask Masks::compare_integers(Condition condition, Value a, Value b, std::uint32_t p) {
  if (host_.mask_registers) {
    struct Predicate {
      int straight, mirrored;
    };
    static constexpr Predicate kEqual{integer_predicate::kEq, integer_predicate::kEq},
        kNotEqual{integer_predicate::kNe, integer_predicate::kNe},
        kLess{integer_predicate::kLt, integer_predicate::kGt},
        kLessEqual{integer_predicate::kLe, integer_predicate::kGe};
    static constexpr Predicate kPredicates[] = {kEqual, kNotEqual, kLess, kLessEqual, kLess, kLessEqual};
    const Predicate predicate = kPredicates[static_cast<int>(condition)];
    const bool is_unsigned = condition >= Condition::less_u;
    // The memory operand is the second one.
    const bool swap = has_no_register(a) || is_lane_number(a);
    if (swap) std::swap(a, b);
    Reg left = vector(a, p);
    return {compare(is_unsigned ? Op::CmpU : Op::CmpI, left, source(b, p),
                    swap ? predicate.mirrored : predicate.straight)};
  }
  const auto equal = [&] { return vvv(Op::ICmpEq, vector(a, p), source(b, p)); };
  switch (condition) {
    case Condition::equal:
      return {equal()};
    case Condition::not_equal:
      return {equal(), true};
    case Condition::less_s:
      return {vvv(Op::ICmpGt, vector(b, p), source(a, p))};
    case Condition::less_equal_s:
      return {vvv(Op::ICmpGt, vector(a, p), source(b, p)), true};
    case Condition::less_equal_u:
      return {vvv(Op::ICmpEq, vvv(Op::IMinU, vector(a, p), source(b, p)), vector(a, p))};
    case Condition::less_u:
      break;
  }
  return {vvv(Op::ICmpEq, vvv(Op::IMinU, vector(b, p), source(a, p)), vector(b, p)), true};
}

Reg Masks::mask_op(MaskOp op, Reg a, Reg b) {
  static constexpr Op kOps[][2] = {
      {Op::And, Op::KAnd}, {Op::Or, Op::KOr}, {Op::Xor, Op::KXor}, {Op::AndNot, Op::KAndNot}};
  const InstRef inst =
      add(kOps[static_cast<std::size_t>(op)][host_.mask_registers != 0 ? 1 : 0], mask_class());
  use(inst, a);
  if (host_.mask_registers)
    use(inst, b);
  else
    use_source(inst, reg_source(b));
  return inst->def;
}

Reg Masks::mask_not(Reg a) {
  if (!host_.mask_registers) return vvv(Op::Xor, a, constant_vector(~0u));
  const InstRef inst = add(Op::KNot, RegClass::mask);
  use(inst, a);
  return inst->def;
}

Reg Masks::mask_constant(bool value) {
  if (!host_.mask_registers) return constant_vector(value ? ~0u : 0);
  const InstRef inst = add(value ? Op::KOnes : Op::KZero, RegClass::mask);
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Masks::mask_from_bool(Reg scalar) {
  const InstRef negated = add(Op::SNeg, RegClass::scalar);  // 0 or all ones
  negated->flags |= lir::kTied;
  use(negated, scalar);
  Reg ones = negated->def;
  const InstRef inst = host_.mask_registers ? add(Op::KFromScalar, RegClass::mask)
                                            : add(Op::BroadcastScalar, RegClass::vector);
  use(inst, ones);
  return inst->def;
}

Reg Masks::any_bits(Reg mask) {
  const InstRef inst = add(host_.mask_registers ? Op::KToScalar : Op::MaskToScalar, RegClass::scalar);
  use(inst, mask);
  return inst->def;
}

Reg Masks::vector_from_mask(Reg mask) {
  return host_.mask_registers ? zero_where_not(constant_vector(~0u), mask) : mask;
}

Reg Masks::mask_from_vector(Reg r) {
  return host_.mask_registers ? compare(Op::CmpI, r, reg_source(constant_vector(0)), integer_predicate::kLt)
                              : r;
}

Reg Masks::lanes_with_bits(Reg r, const lir::Mem& bits) {
  const Source wanted{lir::kNoReg, bits};
  if (!host_.mask_registers) return vvv(Op::ICmpEq, vvv(Op::And, r, wanted), wanted);
  const InstRef inst = add(Op::TestBits, RegClass::mask);
  use(inst, r);
  use_source(inst, wanted);
  return inst->def;
}

Reg Masks::bool_from_mask(Reg mask) { return scalar_op_imm(Op::SAndImm, any_bits(mask), 1); }

Reg Masks::select_lanes(Mask m, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && constant(v) == 0; };
  const bool converts = host_.mask_registers && f_.definition_of(a).opcode == ir::Opcode::F32ToI32Lowest;
  if (is_zero(b) && converts && use_count(a) == 1) {
    Reg number = vector(f_.operand(f_.definition(a), 0), p);
    const InstRef inst = add(Op::CvtToIZeroMask, RegClass::vector);
    use(inst, number);
    use(inst, m.reg);
    return inst->def;
  }
  if (is_zero(b)) return zero_where_not(vector(a, p), m.reg);
  if (is_zero(a) && !host_.mask_registers) return vvv(Op::AndNot, m.reg, vector(b, p));
  if (const Value step = step_from(b, a); step.valid() && !host_.mask_registers)
    return step_where(vector(b, p), step, m.reg);
  Reg if_false = vector(b, p);
  return blend(if_false, source(a, p), m.reg);
}

Reg Masks::select_masks(Reg m, Reg a, Reg b) {
  if (!host_.mask_registers) return blend(b, reg_source(a), m);
  Reg from_true = mask_op(MaskOp::and_, a, m);
  return mask_op(MaskOp::or_, from_true, mask_op(MaskOp::and_not, m, b));
}

}  // namespace warpjit::backend::x64
