// Lowering of arithmetic, comparisons and conversions.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::Inst;
using lir::Reg;
using lir::RegClass;

namespace {
constexpr std::uint32_t kSignBit = 0x80000000u;
constexpr std::uint32_t kCanonicalNaN = 0x7fc00000u;
constexpr std::uint32_t kTwoTo31 = 0x4f000000u;  // as f32
constexpr std::int64_t kRoundDown = 9;           // toward -inf, no precision exception
}  // namespace

void Lowering::lower_ConstI1(ir::Inst) {}
void Lowering::lower_ConstI32(ir::Inst) {}
void Lowering::lower_ConstF32(ir::Inst) {}

// A vector operation of two operands; a commutative one takes its memory operand from either side.
void Lowering::binary(ir::Inst i, Op op, bool commutative) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (commutative && !varying(a) && (is_constant(a) || is_uniform_load(a))) std::swap(a, b);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg left = vector(a, p);
    Source right = source(b, p);
    define(result, p, vvv(op, left, right));
    if (commutative) code_.insts.back().prefer = 3;
  }
}

void Lowering::unary(ir::Inst i, Op op, std::int64_t imm) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Source a = source(operand(i, 0), p);
    define(result, p, vv(op, a, imm));
  }
}

void Lowering::with_constant(ir::Inst i, Op op, std::uint32_t word) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg a = vector(operand(i, 0), p);
    define(result, p, vvv(op, a, constant_source(word)));
  }
}

void Lowering::lower_FAdd32(ir::Inst i) { binary(i, Op::Add, true); }
void Lowering::lower_FSub32(ir::Inst i) { binary(i, Op::Sub, false); }
void Lowering::lower_FMul32(ir::Inst i) { binary(i, Op::Mul, true); }
void Lowering::lower_FDiv32(ir::Inst i) { binary(i, Op::Div, false); }
void Lowering::lower_FMaxSelect32(ir::Inst i) { binary(i, Op::Max, false); }
void Lowering::lower_FMinSelect32(ir::Inst i) { binary(i, Op::Min, false); }
void Lowering::lower_FSqrt32(ir::Inst i) { unary(i, Op::Sqrt); }
void Lowering::lower_FFloor32(ir::Inst i) { unary(i, Op::Round, kRoundDown); }
void Lowering::lower_I32ToF32(ir::Inst i) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Source a = source(operand(i, 0), p);
    define(result, p, vv(Op::CvtToF, a));
  }
}
void Lowering::lower_FNeg32(ir::Inst i) { with_constant(i, Op::Xor, kSignBit); }
void Lowering::lower_FAbs32(ir::Inst i) { with_constant(i, Op::And, ~kSignBit); }

void Lowering::lower_FFma32(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), c = operand(i, 2), result = f_.result(i);
  auto folds = [&](Value v) {
    return !varying(v) && (is_constant(v) || (host_.mask_registers && is_uniform_load(v)));
  };
  if (folds(a)) std::swap(a, b);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg left = vector(a, p);
    Source addend = folds(c) ? source(c, p) : reg_source(vector(c, p));
    Source right = addend.in_memory() ? reg_source(vector(b, p)) : source(b, p);
    Inst& inst = add(Op::Fma, RegClass::vector);
    use(inst, left);
    use_source(inst, right);
    use_source(inst, addend);
    if (right.in_memory() || addend.in_memory()) inst.fold = 0;
    inst.prefer = 7;
    define(result, p, inst.def);
  }
}

// a*b, then +0 where the product is NaN although both operands are ordered: only 0 * inf does that.
Reg Lowering::multiply_zero_inf(Value a, Value b, std::uint32_t part) {
  Reg left = vector(a, part);
  Source right = source(b, part);
  Reg product = vvv(Op::Mul, left, right);
  code_.insts.back().prefer = 0;
  if (host_.mask_registers) {
    Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
    Inst& invalid = add(Op::CmpFMasked, RegClass::mask);
    use(invalid, left);
    use_source(invalid, right);
    use(invalid, is_nan);
    invalid.imm = predicate::kOrdered;
    Reg where = invalid.def;
    Inst& inst = add(Op::MergeZero, RegClass::vector);
    inst.flags |= lir::kTied;
    use(inst, product);
    use(inst, where);
    return inst.def;
  }
  Reg operand_nan = compare(Op::CmpF, left, right, predicate::kUnordered);
  Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
  Reg invalid = vvv(Op::AndNot, operand_nan, reg_source(is_nan));
  return vvv(Op::AndNot, invalid, reg_source(product));
}

void Lowering::lower_FMulZeroInf32(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (!varying(a) && (is_constant(a) || is_uniform_load(a))) std::swap(a, b);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, multiply_zero_inf(a, b, p));
}

void Lowering::lower_CanonicalizeNaN32(ir::Inst i) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg a = vector(operand(i, 0), p);
    Reg is_nan = compare(Op::CmpF, a, reg_source(a), predicate::kUnordered);
    define(result, p, blend(a, constant_source(kCanonicalNaN), is_nan));
  }
}

void Lowering::lower_Exp2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_Log2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_RcpF32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_RsqrtF32(ir::Inst) { assert(false && "expand_math removes it"); }

// ---- comparisons

void Lowering::float_compare(ir::Inst i, int predicate, int mirrored) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (!varying(a) && (is_constant(a) || is_uniform_load(a))) {
    std::swap(a, b);
    predicate = mirrored;
  }
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    Reg left = vector(a, p);
    Source right = source(b, p);
    Reg m = compare(Op::CmpF, left, right, predicate);
    define(result, p, varying(result) ? m : scalar_from_mask(m));
  }
}

void Lowering::lower_FEq32(ir::Inst i) { float_compare(i, predicate::kEq, predicate::kEq); }
void Lowering::lower_FNe32(ir::Inst i) { float_compare(i, predicate::kNe, predicate::kNe); }
void Lowering::lower_FLt32(ir::Inst i) { float_compare(i, predicate::kLt, predicate::kGt); }
void Lowering::lower_FLe32(ir::Inst i) { float_compare(i, predicate::kLe, predicate::kGe); }
void Lowering::lower_FGt32(ir::Inst i) { float_compare(i, predicate::kGt, predicate::kLt); }
void Lowering::lower_FGe32(ir::Inst i) { float_compare(i, predicate::kGe, predicate::kLe); }
void Lowering::lower_FUnordered32(ir::Inst i) {
  float_compare(i, predicate::kUnordered, predicate::kUnordered);
}

Condition Lowering::branch_condition(Opcode op) const {
  switch (op) {
    case Opcode::IEq32:
      return Condition::equal;
    case Opcode::INe32:
      return Condition::not_equal;
    case Opcode::ILtS32:
      return Condition::less_s;
    case Opcode::ILeS32:
      return Condition::less_equal_s;
    case Opcode::ILtU32:
      return Condition::less_u;
    default:
      return Condition::less_equal_u;
  }
}

void Lowering::integer_compare(ir::Inst i, Condition condition) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (!varying(result)) {
    const ir::InstData& data = f_.inst(i);
    // A compare that only the branch of its block reads becomes part of the branch.
    ir::Inst end = f_.terminator(data.block);
    if (use_count_[result.id] == 1 && f_.inst(end).opcode == Opcode::Branch && operand(end, 0) == result)
      return;
    Reg left = scalar(a);
    Reg right = is_constant(b) ? lir::kNoReg : scalar(b);
    Inst& inst = add(Op::SCompare, RegClass::scalar);
    use(inst, left);
    if (right != lir::kNoReg) use(inst, right);
    inst.imm = right != lir::kNoReg ? pack_condition(condition)
                                    : pack_condition(condition, static_cast<std::int32_t>(constant(b)));
    define(result, 0, inst.def);
    return;
  }
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg left = vector(a, p);
    if (host_.mask_registers) {
      static constexpr int kPredicate[] = {integer_predicate::kEq, integer_predicate::kNe,
                                           integer_predicate::kLt, integer_predicate::kLe,
                                           integer_predicate::kLt, integer_predicate::kLe};
      bool is_unsigned = condition >= Condition::less_u;
      define(result, p,
             compare(is_unsigned ? Op::CmpU : Op::CmpI, left, source(b, p),
                     kPredicate[static_cast<int>(condition)]));
      continue;
    }
    auto negate = [&](Reg r) { return vvv(Op::Xor, r, reg_source(constant_vector(~0u))); };
    Reg right = vector(b, p), m = lir::kNoReg;
    switch (condition) {
      case Condition::equal:
        m = vvv(Op::ICmpEq, left, reg_source(right));
        break;
      case Condition::not_equal:
        m = negate(vvv(Op::ICmpEq, left, reg_source(right)));
        break;
      case Condition::less_s:
        m = vvv(Op::ICmpGt, right, reg_source(left));
        break;
      case Condition::less_equal_s:
        m = negate(vvv(Op::ICmpGt, left, reg_source(right)));
        break;
      case Condition::less_equal_u:
        m = vvv(Op::ICmpEq, vvv(Op::IMinU, left, reg_source(right)), reg_source(left));
        break;
      case Condition::less_u:
        m = negate(vvv(Op::ICmpEq, vvv(Op::IMinU, left, reg_source(right)), reg_source(right)));
        break;
    }
    define(result, p, m);
  }
}

void Lowering::lower_IEq32(ir::Inst i) { integer_compare(i, Condition::equal); }
void Lowering::lower_INe32(ir::Inst i) { integer_compare(i, Condition::not_equal); }
void Lowering::lower_ILtS32(ir::Inst i) { integer_compare(i, Condition::less_s); }
void Lowering::lower_ILeS32(ir::Inst i) { integer_compare(i, Condition::less_equal_s); }
void Lowering::lower_ILtU32(ir::Inst i) { integer_compare(i, Condition::less_u); }
void Lowering::lower_ILeU32(ir::Inst i) { integer_compare(i, Condition::less_equal_u); }

// ---- conversions

// cvttps2dq gives 0x80000000 for what does not fit: right for what is too small, mended for what is too large
// and for NaN.
Reg Lowering::saturate_to_int(Value a, std::uint32_t part) {
  Reg x = vector(a, part);
  Reg large = compare(Op::CmpF, x, constant_source(kTwoTo31), predicate::kGe);
  Reg ordered = compare(Op::CmpF, x, reg_source(x), predicate::kOrdered);
  if (host_.mask_registers) {
    Inst& inst = add(Op::CvtToIZeroMask, RegClass::vector);
    use(inst, x);
    use(inst, ordered);
    inst.flags |= lir::kZeroMask;
    return blend(inst.def, constant_source(0x7fffffffu), large);
  }
  Reg converted = vvv(Op::And, vv(Op::CvtToI, reg_source(x)), reg_source(ordered));
  return blend(converted, constant_source(0x7fffffffu), large);
}

void Lowering::define_from_vector(ir::Inst i, Reg r) {
  Inst& inst = add(Op::ToScalar, RegClass::scalar);
  use(inst, r);
  define(f_.result(i), 0, inst.def);
}

void Lowering::lower_F32ToI32Sat(ir::Inst i) {
  Value result = f_.result(i);
  if (!varying(result)) return define_from_vector(i, saturate_to_int(operand(i, 0), 0));
  for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, saturate_to_int(operand(i, 0), p));
}

void Lowering::lower_BitcastF32ToI32(ir::Inst i) {
  Value result = f_.result(i);
  if (!varying(result)) return define_from_vector(i, vector(operand(i, 0), 0));
  for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, vector(operand(i, 0), p));
}

void Lowering::lower_BitcastI32ToF32(ir::Inst i) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, vector(operand(i, 0), p));
}

// ---- integers

void Lowering::integer_binary(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op, bool commutative) {
  Value result = f_.result(i);
  if (varying(result)) return binary(i, vector_op, commutative);
  Value a = operand(i, 0), b = operand(i, 1);
  if (commutative && is_constant(a)) std::swap(a, b);
  Reg left = scalar(a);
  if (is_constant(b) && scalar_imm_op != Op::Jump) {
    define(result, 0, scalar_tied_imm(scalar_imm_op, left, static_cast<std::int32_t>(constant(b))));
  } else {
    Reg right = scalar(b);
    define(result, 0, scalar_tied(scalar_op, left, right));
  }
}

void Lowering::lower_IAdd32(ir::Inst i) { integer_binary(i, Op::IAdd, Op::SAdd, Op::SAddImm, true); }
void Lowering::lower_ISub32(ir::Inst i) { integer_binary(i, Op::ISub, Op::SSub, Op::Jump, false); }
void Lowering::lower_IMul32(ir::Inst i) { integer_binary(i, Op::IMul, Op::SMul, Op::Jump, true); }
void Lowering::lower_IAnd32(ir::Inst i) { integer_binary(i, Op::And, Op::SAnd, Op::SAndImm, true); }
void Lowering::lower_IOr32(ir::Inst i) { integer_binary(i, Op::Or, Op::SOr, Op::SOrImm, true); }
void Lowering::lower_IXor32(ir::Inst i) { integer_binary(i, Op::Xor, Op::SXor, Op::SXorImm, true); }

void Lowering::integer_shift(ir::Inst i, Op by_vector, Op by_constant, Op scalar_by_constant) {
  Value result = f_.result(i), count = operand(i, 1);
  const bool fixed = is_constant(count);
  const auto amount = fixed ? static_cast<std::uint32_t>(constant(count)) : 0;
  if (!varying(result)) {
    if (fixed && amount < 32)
      return define(result, 0, scalar_tied_imm(scalar_by_constant, scalar(operand(i, 0)), amount));
    Reg value = vector(operand(i, 0), 0), shift_count = vector(count, 0);
    return define_from_vector(i, vvv(by_vector, value, reg_source(shift_count)));
  }
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg value = vector(operand(i, 0), p);
    if (fixed && amount < 32)
      define(result, p, shift(by_constant, value, amount));
    else
      define(result, p, vvv(by_vector, value, source(count, p)));
  }
}

void Lowering::lower_IShl32(ir::Inst i) { integer_shift(i, Op::ShlV, Op::Shl, Op::SShlImm); }
void Lowering::lower_IShrU32(ir::Inst i) { integer_shift(i, Op::ShrUV, Op::ShrU, Op::SShrUImm); }
void Lowering::lower_IShrS32(ir::Inst i) { integer_shift(i, Op::ShrSV, Op::ShrS, Op::SShrSImm); }

}  // namespace warpjit::backend::x64
