// Lowering of arithmetic of halves for NEON with FEAT_FP16. FPCR.DN makes 0x7e00 of every NaN that it gives.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using lir::InstRef;
using lir::Reg;

Reg Halves::multiply_add(Reg a, Reg b, Reg c) {
  const InstRef inst = add(Op::HalvesFmla, lir::RegClass::vector);
  inst->flags |= lir::kTied;
  for (Reg r : {c, a, b}) use(inst, r);
  return inst->def;
}

// maxNum gives the other operand for a quiet NaN only: a signaling one is made quiet before.
Reg Halves::extreme_number(bool greater, Reg a, Reg b, std::optional<std::uint32_t> constant) {
  const auto is_number = [](std::uint32_t half) { return (half & 0x7fff) <= 0x7c00; };
  const bool number = constant && is_number(*constant & 0xffff) && is_number(*constant >> 16);
  const Reg second = number ? b : canonicalize_nan(b);
  return vvv(greater ? Op::HalvesMaxNum : Op::HalvesMinNum, canonicalize_nan(a), second);
}

Reg Halves::low_bytes(Reg a, Reg b) {
  constexpr std::uint32_t kLower[] = {0xffff0200, 0xffff0604, 0xffff0a08, 0xffff0e0c},
                          kUpper[] = {0x0200ffff, 0x0604ffff, 0x0a08ffff, 0x0e0cffff};
  const Reg lower = vvv(Op::TableLanes, a, vector_of(kLower));
  return vvv(Op::Or, lower, vvv(Op::TableLanes, b, vector_of(kUpper)));
}

// As for x64.
Reg Halves::of_bytes(Reg a, bool upper) {
  constexpr std::uint32_t kLower[] = {0xff01ff00, 0xff05ff04, 0xff09ff08, 0xff0dff0c},
                          kUpper[] = {0xff03ff02, 0xff07ff06, 0xff0bff0a, 0xff0fff0e};
  const Reg bytes = vvv(Op::TableLanes, a, vector_of(upper ? kUpper : kLower));
  const Reg parts = add_halves(vvv(Op::Or, bytes, constant_vector(0x44004400)), constant_vector(0xc400c400));
  return multiply_add(parts, constant_vector(0x1c041c04), parts);
}

Reg Halves::compare(HalfCondition condition, Reg a, Reg b) {
  switch (condition) {
    case HalfCondition::equal:
      return vvv(Op::HalvesCmpEq, a, b);
    case HalfCondition::less:
      return vvv(Op::HalvesCmpGt, b, a);
    case HalfCondition::less_equal:
      break;
  }
  return vvv(Op::HalvesCmpGe, b, a);
}

}  // namespace warpjit::backend::a64
