// Lowering of arithmetic for NEON.
#include "backend/a64/lower.h"

#include "ir/analysis/range.h"

namespace warpjit::backend::a64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

// a * uniform, by a lane of the uniform's quad.
Reg Arithmetic::lane_product(Op op, Reg a, Value uniform) {
  const std::int32_t offset = table_offset(uniform);
  Reg r = vvv(op, a, quads_.of(offset));
  code_.insts.back().imm = Quads::lane_of(offset);
  return r;
}

Reg Arithmetic::multiply(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  if (!varying(b) && is_uniform_load(b)) return lane_product(Op::MulLane, left, b);
  return vvv(Op::Mul, left, vector(b, p));
}

// FMULX differs from FMUL only for 0 * inf, where it gives 2 and FMUL gives a NaN.
Reg Arithmetic::multiply_zero_inf(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), product, extended;
  if (!varying(b) && is_uniform_load(b)) {
    product = lane_product(Op::MulLane, left, b);
    extended = lane_product(Op::MulXLane, left, b);
  } else {
    Reg right = vector(b, p);
    product = vvv(Op::Mul, left, right);
    extended = vvv(Op::MulX, left, right);
  }
  return vvv(Op::And, product, vvv(Op::ICmpEq, product, extended));
}

Reg Arithmetic::multiply_add(Value a, Value b, Value c, std::uint32_t p) {
  auto in_table = [&](Value v) { return !varying(v) && is_uniform_load(v); };
  if (in_table(a)) std::swap(a, b);
  Reg left = vector(a, p);
  const bool by_lane = in_table(b);
  Reg right = by_lane ? quads_.of(table_offset(b)) : vector(b, p);
  Reg addend = vector(c, p);
  const InstRef inst = add(by_lane ? Op::FmlaLane : Op::Fmla, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, addend);
  use(inst, left);
  use(inst, right);
  if (by_lane) inst->imm = Quads::lane_of(table_offset(b));
  return inst->def;
}

// The nearest sum and its error, by which it moves toward zero where it is too far, and becomes odd.
Reg Arithmetic::multiply_add_odd(Value a, Value b, Value c, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p), addend = vector(c, p);
  const auto fma = [&](Reg third) {
    const InstRef inst = add(Op::Fmla, RegClass::vector);
    inst->flags |= lir::kTied;
    for (Reg r : {third, left, right}) use(inst, r);
    return inst->def;
  };
  Reg sum = fma(addend);
  Reg rest = vvv(Op::Sub, addend, sum);
  Reg of_product = fma(rest), of_addend = vvv(Op::Sub, addend, vvv(Op::Add, sum, rest));
  Reg error = vvv(Op::Add, of_product, of_addend);
  Reg inexact = vv(Op::CmpGtZero, vv(Op::Abs, error));  // not that of infinities, which is a NaN
  Reg too_far = with_immediate(Op::ShrS, vvv(Op::Xor, sum, error), 31);
  Reg odd = vvv(Op::Or, vvv(Op::IAdd, sum, too_far), constant_vector(1));
  return blend(sum, reg_source(odd), inexact);
}

// True if a NaN that NEON, with FPCR.DN set, computes as this value is always the default NaN, 0x7fc00000.
bool Arithmetic::gives_default_nan(Value v) const {
  const Opcode op = f_.definition_of(v).opcode;
  return (ir::info(op).makes_denormals && op != Opcode::FFmaOdd32) || op == Opcode::FFloor32 ||
         op == Opcode::CanonicalizeNaN32 || op == Opcode::I32ToF32;
}

// True if the value is never a signaling NaN.
bool Arithmetic::quiet(Value v) const {
  const Opcode op = f_.definition_of(v).opcode;
  if (op == Opcode::FNeg32 || op == Opcode::FAbs32) v = f_.operand(f_.definition(v), 0);
  return gives_default_nan(v);
}

// The IR's maximum gives b when an operand is NaN or both are equal. maxNum differs from it for a signaling
// NaN, for b a NaN and for the order of zeros; with a constant on one side none of that can come.
Reg Arithmetic::max_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  if (is_constant_number(f_, b, kSignBit) && quiet(a)) return vvv(Op::MaxNum, left, right);
  if (is_constant_number(f_, a, 0)) return vvv(Op::MaxIeee, left, right);
  return blend(right, reg_source(left), compare(Op::CmpGt, left, right));
}
Reg Arithmetic::min_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  if (is_constant_number(f_, b, 0) && quiet(a)) return vvv(Op::MinNum, left, right);
  if (is_constant_number(f_, a, kSignBit)) return vvv(Op::MinIeee, left, right);
  return blend(right, reg_source(left), compare(Op::CmpGt, right, left));
}

// If a NaN may have other bits, an operation that leaves numbers unchanged makes it the default NaN.
Reg Arithmetic::canonicalize_nan(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  if (gives_default_nan(a)) return r;
  if (state_.flushing && may_be_denormal(a))
    return blend(constant_vector(0x7fc00000), reg_source(r), compare(Op::CmpEq, r, r));
  return vvv(Op::MaxIeee, r, r);
}

Reg Arithmetic::canonicalize_nan_ones(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return blend(constant_vector(0x7fffffff), reg_source(r), compare(Op::CmpEq, r, r));
}

Reg Arithmetic::saturate_to_int(Value a, std::uint32_t p) {
  if (const Value number = rounded_even(a); number.valid()) return vv(Op::CvtToINearest, vector(number, p));
  return vv(Op::CvtToI, vector(a, p));
}

Reg Arithmetic::int_or_lowest(Value a, std::uint32_t p) {
  constexpr std::uint32_t kTwoTo31 = 0x4f000000;
  Reg saturated = saturate_to_int(a, p);
  if (ir::fits_i32(f_, a)) return saturated;
  Reg fits = compare(Op::CmpAbsGt, constant_vector(kTwoTo31), vector(a, p));
  return blend(constant_vector(kSignBit), reg_source(saturated), fits);
}

// maxNum gives the other operand for a quiet NaN only: a signaling one is replaced by that before.
Reg Arithmetic::extreme_number(bool greater, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  Reg first = quiet(a) ? left : blend(right, reg_source(left), compare(Op::CmpEq, left, left));
  Reg second = quiet(b) ? right : blend(left, reg_source(right), compare(Op::CmpEq, right, right));
  return vvv(greater ? Op::MaxNum : Op::MinNum, first, second);
}

// The host shifts by the low byte of the count, to the left or, if it is negative, to the right; by 32 or
// more it does what the IR says.
Reg Arithmetic::shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) {
  Reg value = vector(a, p), by = vector(count, p);
  if (ir::upper_bound(f_, count) > 127) by = vvv(Op::IMinU, by, constant_vector(32));
  if (kind != Shift::left) by = vv(Op::INeg, by);
  return vvv(kind == Shift::right_signed ? Op::ShlSignedA : Op::ShlSigned, value, by);
}

}  // namespace warpjit::backend::a64
