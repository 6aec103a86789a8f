#include "backend/lower/masks.h"

#include <algorithm>

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::Reg;

void MaskLowering::logic(ir::Inst i, MaskOp op) {
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

void MaskLowering::invert(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  if (is_made_where_read(result)) return;
  if (!varying(result)) return define(result, 0, scalar_op_imm(Op::SXorImm, scalar(a), 1));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Mask m = mask_or_inverse(a, p);
    define_mask(result, p, {m.reg, !m.inverted});
  }
}

void MaskLowering::select(ir::Inst i) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result) && f_.value(result).type != ir::Type::f32) {
    Reg if_false = scalar(b), if_true = scalar(a), bit = scalar(condition);
    return define(result, 0, scalar_select(bit, if_true, if_false));
  }
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    if (const PartLanes lanes = lanes_of(condition, p); lanes == PartLanes::none || lanes == PartLanes::all) {
      define(result, p, vector(lanes == PartLanes::all ? a : b, p));
      continue;
    }
    const Mask m = mask_or_inverse(condition, p);
    define(result, p,
           m.inverted ? masks_.select_lanes({m.reg, false}, b, a, p) : masks_.select_lanes(m, a, b, p));
  }
}

void MaskLowering::select_masks(ir::Inst i) {
  Value condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2), result = f_.result(i);
  if (!varying(result)) return select(i);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg c = mask(condition, p), if_true = mask(a, p), if_false = mask(b, p);
    define(result, p, masks_.select_masks(c, if_true, if_false));
  }
}

void MaskLowering::any_lane(ir::Inst i) {
  if (only_feeds_branch(i)) return;
  Reg bits = masks_.any_bits(any_part(operand(i, 0)));
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::not_equal, 0));
}

Reg MaskLowering::any_both(Value a, Value b, bool negate_b) {
  Reg any = lir::kNoReg;
  for (std::uint32_t p = 0; p < std::max(parts_of(a), parts_of(b)); ++p) {
    Mask second = mask_or_inverse(b, p);
    second.inverted ^= negate_b;
    const Mask both = among_live(combine(MaskOp::and_, mask_or_inverse(a, p), second));
    Reg m = both.inverted ? masks_.mask_not(both.reg) : both.reg;
    any = p == 0 ? m : masks_.mask_op(MaskOp::or_, any, m);
  }
  return masks_.any_bits(any);
}

void MaskLowering::any_active(ir::Inst i) {
  Reg bits = any_both(operand(i, 0), operand(i, 1), false);
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::not_equal, 0));
}

void MaskLowering::all_active(ir::Inst i) {
  Reg bits = any_both(operand(i, 0), operand(i, 1), true);
  define(f_.result(i), 0, scalar_compare_imm(bits, Condition::equal, 0));
}

}  // namespace warpjit::backend
