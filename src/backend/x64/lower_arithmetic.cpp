// Lowering of arithmetic for AVX2 and AVX-512.
#include "backend/x64/lower.h"

#include "ir/analysis/range.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;

namespace {
constexpr std::uint32_t kSignBit = 0x80000000u;
constexpr std::uint32_t kCanonicalNaN = 0x7fc00000u;
constexpr std::uint32_t kTwoTo16 = 0x47800000u, kTwoTo31 = 0x4f000000u, kTwoTo32 = 0x4f800000u;  // as f32
}  // namespace

Reg Arithmetic::multiply(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  Reg product = vvv(Op::Mul, left, source(b, p));
  code_.insts.back().prefer = 3;
  return product;
}

// a*b, then +0 where the product is NaN although both operands are ordered: only 0 * inf does that.
Reg Arithmetic::multiply_zero_inf(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  Source right = source(b, p);
  Reg product = vvv(Op::Mul, left, right);
  if (host_.mask_registers) {
    Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
    const InstRef invalid = add(Op::CmpFMasked, RegClass::mask);
    use(invalid, left);
    use_source(invalid, right);
    use(invalid, is_nan);
    invalid->imm = predicate::kOrdered;
    Reg where = invalid->def;
    const InstRef inst = add(Op::MergeZero, RegClass::vector);
    inst->flags |= lir::kTied;
    use(inst, product);
    use(inst, where);
    return inst->def;
  }
  Reg operand_nan = compare(Op::CmpF, left, right, predicate::kUnordered);
  Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
  Reg invalid = vvv(Op::AndNot, operand_nan, is_nan);
  return vvv(Op::AndNot, invalid, product);
}

Reg Arithmetic::multiply_add(Value a, Value b, Value c, std::uint32_t p) {
  auto folds = [&](Value v) {
    return !varying(v) && (is_constant(v) || (host_.broadcast_operands && is_uniform_load(v)));
  };
  if (folds(a)) std::swap(a, b);
  Reg left = vector(a, p);
  Source addend = folds(c) ? source(c, p) : reg_source(vector(c, p));
  Source right = addend.in_memory() ? reg_source(vector(b, p)) : source(b, p);
  const InstRef inst = add(Op::Fma, RegClass::vector);
  use(inst, left);
  use_source(inst, right);
  use_source(inst, addend);
  if (right.in_memory() || addend.in_memory()) inst->fold = 0;
  inst->prefer = 7;
  return inst->def;
}

// AVX-512: of the results that are rounded down and up the odd one; if they are not equal, one is. AVX2: the
// nearest sum and its error, by which it moves toward zero where it is too far, and becomes odd.
Reg Arithmetic::multiply_add_odd(Value a, Value b, Value c, std::uint32_t p) {
  const Reg left = vector(a, p), right = vector(b, p), addend = vector(c, p);
  const auto fma = [&](Op op, Reg third) {
    const InstRef inst = add(op, RegClass::vector);
    if (op != Op::Fma) inst->flags |= lir::kTied;
    for (Reg r : {left, right, third}) use(inst, r);
    if (op == Op::Fma) inst->prefer = 7;
    return inst->def;
  };
  if (host_.embedded_rounding) {
    const Reg down = fma(Op::FmaDown, addend), up = fma(Op::FmaUp, addend);
    const InstRef odd = add(Op::TestBits, RegClass::mask);
    use(odd, down);
    use_source(odd, constant_source(1));
    return blend(up, reg_source(down), odd->def);
  }
  const Reg sum = fma(Op::Fma, addend);
  const Reg rest = vvv(Op::Sub, addend, sum);
  const Reg of_product = fma(Op::Fma, rest), of_addend = vvv(Op::Sub, addend, vvv(Op::Add, sum, rest));
  const Reg error = vvv(Op::Add, of_product, of_addend);
  const Reg inexact = compare(Op::CmpF, error, reg_source(constant_vector(0)), predicate::kNeOrdered);
  const Reg too_far = with_immediate(Op::ShrS, vvv(Op::Xor, sum, error), 31);
  const Reg odd = vvv(Op::Or, vvv(Op::IAdd, sum, too_far), constant_source(1));
  return blend(sum, reg_source(odd), inexact);
}

Reg Arithmetic::multiplied(Op op, Reg a, Reg b, Reg c) {
  const InstRef inst = add(op, RegClass::vector);
  for (Reg r : {a, b, c}) use(inst, r);
  inst->prefer = 7;
  return inst->def;
}

// One step of Newton's method makes of a relative error e about e^2, and 3/2 e^2 of a root: with rounding
// less than 2^-23. From the middle between two halves, 1/x of a half has a distance of 2^-22 or more, its
// root one of 2^-21.44 (tests/backend/half_test.cpp goes through all). For zeros and infinities the step
// gives NaNs; the approximation is right. No number is a denormal, so that the mode does not matter.
Reg Arithmetic::unless_nan(Reg r, Reg otherwise) {
  constexpr std::uint32_t kNumbers = 0x11111100;  // of these `r`, of NaNs what was there before
  return fix_up(otherwise, r, kNumbers);
}

Reg Arithmetic::reciprocal_for_half(Reg x) {
  const Reg about = vv(Op::Reciprocal, x);
  const Reg error = multiplied(Op::Fnma, x, about, constant_vector(0x3f800000));
  return unless_nan(multiplied(Op::Fma, error, about, about), about);
}

Reg Arithmetic::reciprocal_root_for_half(Reg x) {
  const Reg about = vv(Op::ReciprocalRoot, x);
  const Reg error = multiplied(Op::Fnma, vvv(Op::Mul, x, about), about, constant_vector(0x3f800000));
  const Reg half = vvv(Op::Mul, about, constant_source(0x3f000000));
  return unless_nan(multiplied(Op::Fma, error, half, about), about);
}

Reg Arithmetic::negate(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return vvv(Op::Xor, r, constant_source(kSignBit));
}
Reg Arithmetic::absolute(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return vvv(Op::And, r, constant_source(~kSignBit));
}
// The host's minimum and maximum are the IR's.
Reg Arithmetic::max_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  return vvv(Op::Max, left, source(b, p));
}
Reg Arithmetic::min_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  return vvv(Op::Min, left, source(b, p));
}

Reg Tools::fix_up(Reg r, Reg x, std::uint32_t classes) {
  const InstRef inst = add(Op::FixUp, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, r);
  use(inst, x);
  use_source(inst, constant_source(classes));
  return inst->def;
}

// In code without denormals FixUp makes zeros of them.
Reg Tools::nan_as(std::uint32_t word, Reg r) {
  constexpr std::uint32_t kNumbers = 0x11111100;  // NaNs are the first two classes
  if (host_.mask_registers && !state_.flushing) return fix_up(constant_vector(word), r, kNumbers);
  Reg is_nan = compare(Op::CmpF, r, reg_source(r), predicate::kUnordered);
  return blend(r, constant_source(word), is_nan);
}
Reg Arithmetic::canonicalize_nan(Value a, std::uint32_t p) { return nan_as(kCanonicalNaN, vector(a, p)); }
Reg Arithmetic::canonicalize_nan_ones(Value a, std::uint32_t p) { return nan_as(0x7fffffff, vector(a, p)); }

bool Arithmetic::branch_if_nan(std::span<const Reg> values) {
  if (host_.mask_registers) return false;
  Reg any = lir::kNoReg;
  for (std::size_t n = 0; n < values.size(); n += 2) {  // one comparison looks at two
    Reg nan = compare(Op::CmpF, values[n], reg_source(values[std::min(n + 1, values.size() - 1)]),
                      predicate::kUnordered);
    any = any == lir::kNoReg ? nan : vvv(Op::Or, any, nan);
  }
  branch_if_any(any);
  return true;
}

// With the maximum NaN becomes 0. AVX-512 converts what is too large to all ones; AVX2 converts the upper
// half of the range less 2^31.
Reg Arithmetic::saturate_to_unsigned(Value a, std::uint32_t p) {
  Reg x = vvv(Op::Max, vector(a, p), constant_vector(0));
  if (host_.unsigned_conversions) return vv(Op::CvtToU, x);
  Reg high = compare(Op::CmpF, x, constant_source(kTwoTo31), predicate::kGe);
  Reg low = vvv(Op::Sub, x, vvv(Op::And, high, constant_vector(kTwoTo31)));
  Reg converted = vvv(Op::Xor, vv(Op::CvtToI, low), with_immediate(Op::Shl, high, 31));
  return vvv(Op::Or, converted, compare(Op::CmpF, x, constant_source(kTwoTo32), predicate::kGe));
}

// Both halves are exact, so that the sum is rounded once.
Reg Arithmetic::unsigned_to_float(Value a, std::uint32_t p) {
  Reg x = vector(a, p);
  if (host_.unsigned_conversions) return vv(Op::CvtToFU, x);
  Reg high = vv(Op::CvtToF, with_immediate(Op::ShrU, x, 16));
  Reg low = vv(Op::CvtToF, vvv(Op::And, x, constant_source(0xffff)));
  Reg scale = constant_vector(kTwoTo16);
  const InstRef inst = add(Op::Fma, RegClass::vector);
  for (Reg r : {high, scale, low}) use(inst, r);
  inst->prefer = 7;
  return inst->def;
}

// True if a NaN of this value is never a signaling one.
bool Arithmetic::quiet(Value v, int depth) const {
  const Opcode opcode = f_.definition_of(v).opcode;
  switch (opcode) {
    case Opcode::FNeg32:
    case Opcode::FAbs32:
      return depth != 0 && quiet(f_.operand(f_.definition(v), 0), depth - 1);
    case Opcode::ConstF32:
      return (constant(v) & 0x7fffffff) <= 0x7f800000;
    case Opcode::CanonicalizeNaNOnes32:
    case Opcode::HalfToF32:
      return true;
    case Opcode::FFlush32: {  // arithmetic only where something may be flushed
      const Value flushed = f_.operand(f_.definition(v), 0);
      return may_be_denormal(flushed) || (depth != 0 && quiet(flushed, depth - 1));
    }
    case Opcode::FMaxSelect32:
    case Opcode::FMinSelect32:
    case Opcode::FMaxNum32:
    case Opcode::FMinNum32:
      return false;
    default:
      return family(opcode) == ir::Family::float_arithmetic || family(opcode) == ir::Family::float_flush ||
             family(opcode) == ir::Family::canonical_nan;
  }
}

Reg Arithmetic::extreme_number(bool greater, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  // A constant that is chosen where the other operand is NaN or equal to it, with the same bits.
  if (is_constant(b)) {
    const auto word = static_cast<std::uint32_t>(constant(b));
    const std::uint32_t magnitude = word & 0x7fffffff;
    if (magnitude != 0 ? magnitude <= 0x7f800000 : word == (greater ? 0U : 0x80000000U))
      return vvv(greater ? Op::Max : Op::Min, left, right);
  }
  if (host_.number_extremes && quiet(a) && quiet(b))
    return vvv(greater ? Op::RangeMax : Op::RangeMin, left, right);
  // The host's gives b if the operands are equal, as zeros of different signs are, or unordered.
  Reg chosen = vvv(greater ? Op::Max : Op::Min, left, right);
  Reg equal = compare(Op::CmpF, left, reg_source(right), predicate::kEq);
  chosen = blend(chosen, reg_source(vvv(greater ? Op::And : Op::Or, left, right)), equal);
  Reg right_nan = compare(Op::CmpF, right, reg_source(right), predicate::kUnordered);
  return blend(chosen, reg_source(left), right_nan);
}

// cvttps2dq gives 0x80000000 for a value that does not fit: right if it is too small, corrected if it is too
// large or NaN.
Reg Arithmetic::saturate_to_int(Value a, std::uint32_t p) {
  if (ir::fits_i32(f_, a)) return int_or_lowest(a, p);
  Reg x = vector(a, p);
  Reg large = compare(Op::CmpF, x, constant_source(kTwoTo31), predicate::kGe);
  Reg ordered = compare(Op::CmpF, x, reg_source(x), predicate::kOrdered);
  if (host_.mask_registers) {
    const InstRef inst = add(Op::CvtToIZeroMask, RegClass::vector);
    use(inst, x);
    use(inst, ordered);
    return blend(inst->def, constant_source(0x7fffffffu), large);
  }
  Reg converted = vvv(Op::And, vv(Op::CvtToI, x), ordered);
  return blend(converted, constant_source(0x7fffffffu), large);
}

Reg Arithmetic::int_or_lowest(Value a, std::uint32_t p) {
  if (const Value number = rounded_even(a); number.valid()) return vv(Op::CvtToINearest, vector(number, p));
  return vv(Op::CvtToI, vector(a, p));
}

// Packing brings the bytes of four lanes together by component; a shuffle sorts them by lane.
Reg Arithmetic::pack_bytes(const std::array<Value, 4>& bytes, std::uint32_t p) {
  std::array<std::uint32_t, kMostHostLanes> by_lane{};
  for (std::uint32_t n = 0; n < by_lane.size(); ++n) by_lane[n] = 0x0c080400 + n % 4 * 0x01010101;
  Reg lower = vvv(Op::PackWords, vector(bytes[0], p), vector(bytes[1], p));
  Reg upper = vvv(Op::PackWords, vector(bytes[2], p), vector(bytes[3], p));
  const lir::Mem places = pool_mem({by_lane.data(), host_.lanes});
  return vvv(Op::ShuffleBytes, vvv(Op::PackHalves, lower, upper), Source{lir::kNoReg, places});
}

Reg Arithmetic::join_three(Opcode opcode, Reg a, Reg b, const Source& c) {
  constexpr int kAnd = 0x80, kOr = 0xfe, kXor = 0x96;
  return ternary(opcode == Opcode::IAnd32 ? kAnd : opcode == Opcode::IOr32 ? kOr : kXor, a, b, c);
}

Reg Arithmetic::merge(Reg a, Reg b, std::uint32_t mask, bool clears) {
  constexpr int kWhere = 0xe4, kBeside = 0xec;  // of a, b, c: c ? a : b; a & c | b
  return ternary(clears ? kWhere : kBeside, a, b, constant_source(mask));
}

// Counts of 32 and more do what the IR says.
Reg Arithmetic::shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) {
  static constexpr Op kOps[] = {Op::ShlV, Op::ShrUV, Op::ShrSV};
  Reg value = vector(a, p);
  return vvv(kOps[static_cast<std::size_t>(kind)], value, source(count, p));
}

}  // namespace warpjit::backend::x64
