// Lowering of i1 logic, selects and operations across lanes.
#include <algorithm>

#include "backend/lower/lower.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;

// Negations of operands and results are kept apart from the registers: De Morgan in place of instructions.
Mask Lowering::combine(MaskOp op, Mask a, Mask b) {
  switch (op) {
    case MaskOp::xor_:
      return {mask_op(op, a.reg, b.reg), a.inverted != b.inverted};
    case MaskOp::or_: {
      const Mask both = combine(MaskOp::and_, {a.reg, !a.inverted}, {b.reg, !b.inverted});
      return {both.reg, !both.inverted};
    }
    case MaskOp::and_not:
      return combine(MaskOp::and_, {a.reg, !a.inverted}, b);
    case MaskOp::and_:
      break;
  }
  if (a.inverted && b.inverted) return {mask_op(MaskOp::or_, a.reg, b.reg), true};
  if (a.inverted) return {mask_op(MaskOp::and_not, a.reg, b.reg), false};
  if (b.inverted) return {mask_op(MaskOp::and_not, b.reg, a.reg), false};
  return {mask_op(MaskOp::and_, a.reg, b.reg), false};
}

void Lowering::logic(ir::Inst i, MaskOp op) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (op == MaskOp::and_not) std::swap(a, b);  // the IR negates its second operand
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const Mask left = mask_or_inverse(a, p), right = mask_or_inverse(b, p);
      define_mask(result, p, combine(op, left, right));
    }
    return;
  }
  Reg left = scalar(a), right = scalar(b);
  static constexpr Op kScalar[] = {Op::SAnd, Op::SOr, Op::SXor, Op::SAnd};
  if (op == MaskOp::and_not) left = scalar_op_imm(Op::SXorImm, left, 1);
  define(result, 0, scalar_op(kScalar[static_cast<std::size_t>(op)], left, right));
}

void Lowering::lower_And1(ir::Inst i) { logic(i, MaskOp::and_); }
void Lowering::lower_Or1(ir::Inst i) { logic(i, MaskOp::or_); }
void Lowering::lower_Xor1(ir::Inst i) { logic(i, MaskOp::xor_); }
void Lowering::lower_AndNot1(ir::Inst i) { logic(i, MaskOp::and_not); }

void Lowering::lower_Not1(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  if (is_made_where_read(result)) return;
  if (!varying(result)) return define(result, 0, scalar_op_imm(Op::SXorImm, scalar(a), 1));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Mask m = mask_or_inverse(a, p);
    define_mask(result, p, {m.reg, !m.inverted});
  }
}

void Lowering::select(ir::Inst i, bool floating) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result) && !floating) {
    Reg if_false = scalar(b), if_true = scalar(a), bit = scalar(condition);
    return define(result, 0, scalar_select(bit, if_true, if_false));
  }
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    const Mask m = mask_or_inverse(condition, p);
    define(result, p, m.inverted ? select_lanes({m.reg, false}, b, a, p) : select_lanes(m, a, b, p));
  }
}

void Lowering::lower_SelectF32(ir::Inst i) { select(i, true); }
void Lowering::lower_SelectI32(ir::Inst i) { select(i, false); }

void Lowering::lower_SelectI1(ir::Inst i) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result)) return select(i, false);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg c = mask(condition, p), if_true = mask(a, p), if_false = mask(b, p);
    define(result, p, select_masks(c, if_true, if_false));
  }
}

// Does only the branch of its block read the result, so that it becomes part of the branch?
bool Lowering::only_feeds_branch(ir::Inst i) const {
  ir::Inst end = f_.terminator(f_.inst(i).block);
  return use_count_[f_.result(i).id] == 1 && f_.inst(end).opcode == Opcode::Branch &&
         f_.operand(end, 0) == f_.result(i);
}

Reg Lowering::any_part(Value v) {
  Mask any = mask_or_inverse(v, 0);
  for (std::uint32_t p = 1; p < parts_of(v); ++p) any = combine(MaskOp::or_, any, mask_or_inverse(v, p));
  return any.inverted ? mask_not(any.reg) : any.reg;
}

void Lowering::lower_AnyLane(ir::Inst i) {
  if (only_feeds_branch(i)) return;
  Reg bits = any_bits(any_part(operand(i, 0)));
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::not_equal, 0));
}

// Does b hold in any lane in which a does?
Reg Lowering::any_both(Value a, Value b, bool negate_b) {
  Reg any = lir::kNoReg;
  for (std::uint32_t p = 0; p < std::max(parts_of(a), parts_of(b)); ++p) {
    Mask second = mask_or_inverse(b, p);
    second.inverted ^= negate_b;
    const Mask both = combine(MaskOp::and_, mask_or_inverse(a, p), second);
    Reg m = both.inverted ? mask_not(both.reg) : both.reg;
    any = p == 0 ? m : mask_op(MaskOp::or_, any, m);
  }
  return any_bits(any);
}

void Lowering::lower_AnyActive(ir::Inst i) {
  Reg bits = any_both(operand(i, 0), operand(i, 1), false);
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::not_equal, 0));
}

void Lowering::lower_AllActive(ir::Inst i) {
  Reg bits = any_both(operand(i, 0), operand(i, 1), true);
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::equal, 0));
}

void Lowering::stop_if_any(Reg mask, std::int64_t reason) {
  const InstRef inst = add(Op::StopIfAny);
  use(inst, mask);
  inst->imm = reason;
}

void Lowering::lower_MinLaneU32(ir::Inst i) {
  Value a = operand(i, 0);
  Reg least = vector(a, 0);
  for (std::uint32_t p = 1; p < parts_of(a); ++p) least = vvv(Op::IMinU, least, vector(a, p));
  define_from_vector(i, min_over_lanes(least));
}

}  // namespace warpjit::backend
