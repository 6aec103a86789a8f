#include "backend/lower/halves.h"

namespace warpjit::backend {

using lir::Reg;

template <class Make>
void HalfLowering::each_part(ir::Inst i, Make make) {
  if (halves_ == nullptr) return callouts_.call(i);
  const ir::Value result = f_.result(i);
  if (!varying(result)) return define_from_vector(i, make(0));
  for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, make(p));
}

void HalfLowering::binary(ir::Inst i, Reg (HostHalves::*make)(Reg, Reg)) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return (halves_->*make)(a, vector(operand(i, 1), p));
  });
}

void HalfLowering::unary(ir::Inst i, Reg (HostHalves::*make)(Reg)) {
  each_part(i, [&](std::uint32_t p) { return (halves_->*make)(vector(operand(i, 0), p)); });
}

void HalfLowering::extreme(ir::Inst i, bool greater) {
  const ir::Value b = operand(i, 1);
  std::optional<std::uint32_t> known;
  if (is_constant(b)) known = static_cast<std::uint32_t>(constant(b));
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return halves_->extreme_number(greater, a, vector(b, p), known);
  });
}

void HalfLowering::compare(ir::Inst i, HalfCondition condition) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return halves_->compare(condition, a, vector(operand(i, 1), p));
  });
}

void HalfLowering::lower_HalvesAdd(ir::Inst i) { binary(i, &HostHalves::add_halves); }
void HalfLowering::lower_HalvesMul(ir::Inst i) { binary(i, &HostHalves::multiply); }
void HalfLowering::lower_HalvesFma(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p), b = vector(operand(i, 1), p);
    return halves_->multiply_add(a, b, vector(operand(i, 2), p));
  });
}
void HalfLowering::lower_HalvesMaxNum(ir::Inst i) { extreme(i, true); }
void HalfLowering::lower_HalvesMinNum(ir::Inst i) { extreme(i, false); }
void HalfLowering::lower_HalvesNeg(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return vvv(Op::Xor, a, constant_source(0x80008000));
  });
}
void HalfLowering::lower_HalvesAbs(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return vvv(Op::And, a, constant_source(0x7fff7fff));
  });
}
void HalfLowering::lower_HalvesLow(ir::Inst i) { unary(i, &HostHalves::repeat_low); }
void HalfLowering::lower_HalvesHigh(ir::Inst i) { unary(i, &HostHalves::repeat_high); }
void HalfLowering::lower_HalvesSwap(ir::Inst i) { unary(i, &HostHalves::swap); }
void HalfLowering::lower_HalvesOfBytes(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return halves_->of_bytes(vector(operand(i, 0), p), false); });
}
void HalfLowering::lower_HalvesOfUpperBytes(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return halves_->of_bytes(vector(operand(i, 0), p), true); });
}
void HalfLowering::lower_HalvesLowBytes(ir::Inst i) { binary(i, &HostHalves::low_bytes); }
void HalfLowering::lower_HalvesEq(ir::Inst i) { compare(i, HalfCondition::equal); }
void HalfLowering::lower_HalvesLt(ir::Inst i) { compare(i, HalfCondition::less); }
void HalfLowering::lower_HalvesLe(ir::Inst i) { compare(i, HalfCondition::less_equal); }
void HalfLowering::lower_HalvesOfF32(ir::Inst i) {
  const bool same = operand(i, 0) == operand(i, 1);
  each_part(i, [&](std::uint32_t p) {
    const Reg low = vector(operand(i, 0), p);
    return same ? halves_->twice(low) : halves_->of_singles(low, vector(operand(i, 1), p));
  });
}
void HalfLowering::lower_CanonicalizeNaNHalves(ir::Inst i) { unary(i, &HostHalves::canonicalize_nan); }

}  // namespace warpjit::backend
