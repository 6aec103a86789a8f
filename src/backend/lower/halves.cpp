#include "backend/lower/halves.h"

namespace warpjit::backend {

using lir::Reg;

template <class Make>
void HalfLowering::each_part(ir::Inst i, Make make) {
  if (halves_ == nullptr) return callouts_.call(i);
  define_parts(i, make);
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

void HalfLowering::with_constant(ir::Inst i, Op op, std::uint32_t word) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p);
    return vvv(op, a, constant_source(word));
  });
}

void HalfLowering::multiply_add(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(operand(i, 0), p), b = vector(operand(i, 1), p);
    return halves_->multiply_add(a, b, vector(operand(i, 2), p));
  });
}

void HalfLowering::of_bytes(ir::Inst i, bool upper) {
  each_part(i, [&](std::uint32_t p) { return halves_->of_bytes(vector(operand(i, 0), p), upper); });
}

void HalfLowering::of_floats(ir::Inst i) {
  const bool same = operand(i, 0) == operand(i, 1);
  each_part(i, [&](std::uint32_t p) {
    const Reg low = vector(operand(i, 0), p);
    return same ? halves_->twice(low) : halves_->of_singles(low, vector(operand(i, 1), p));
  });
}

}  // namespace warpjit::backend
