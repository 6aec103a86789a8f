// Lowering of arithmetic, comparisons and conversions: the forms and parts of their operands. What a part
// costs is the host's.
#include "backend/lower/lower.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

void Lowering::lower_ConstI1(ir::Inst) {}
void Lowering::lower_ConstI32(ir::Inst) {}
void Lowering::lower_ConstF32(ir::Inst) {}

template <class Make>
void Lowering::each_part(ir::Inst i, Make make) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, make(p));
}

// A vector operation of two operands; a commutative one takes its memory operand from either side.
void Lowering::binary(ir::Inst i, Op op, bool commutative) {
  binary(i, op, operand(i, 0), operand(i, 1), commutative);
}
void Lowering::binary(ir::Inst i, Op op, Value a, Value b, bool commutative) {
  if (commutative && has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) {
    Reg left = vector(a, p);
    Source right = source(b, p);
    Reg r = vvv(op, left, right);
    if (commutative) code_.insts.back().prefer = 3;
    return r;
  });
}

void Lowering::unary(ir::Inst i, Op op) {
  each_part(i, [&](std::uint32_t p) {
    Source a = source(operand(i, 0), p);
    return vv(op, a);
  });
}

void Lowering::lower_FAdd32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  binary(i, Op::Add, true);
}
void Lowering::lower_FSub32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  binary(i, Op::Sub, false);
}
void Lowering::lower_FDiv32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  binary(i, Op::Div, false);
}
void Lowering::lower_FSqrt32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  unary(i, Op::Sqrt);
}
void Lowering::lower_FFloor32(ir::Inst i) { round(i, Op::Floor); }
void Lowering::lower_FCeil32(ir::Inst i) { round(i, Op::Ceil); }
void Lowering::lower_FTrunc32(ir::Inst i) { round(i, Op::Trunc); }
void Lowering::lower_FRoundEven32(ir::Inst i) { round(i, Op::RoundEven); }
void Lowering::round(ir::Inst i, Op op) {
  if (needs_denormals(i)) return call(i);
  unary(i, op);
}

void Lowering::lower_I32ToF32(ir::Inst i) { unary(i, Op::CvtToF); }

void Lowering::lower_FMul32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  Value a = operand(i, 0), b = operand(i, 1);
  if (has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) { return multiply(a, b, p); });
}
void Lowering::lower_FMulZeroInf32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  Value a = operand(i, 0), b = operand(i, 1);
  if (has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) { return multiply_zero_inf(a, b, p); });
}
void Lowering::lower_FFma32(ir::Inst i) {
  if (always_needs_denormals(i)) return call(i);
  Value a = operand(i, 0), b = operand(i, 1), c = operand(i, 2);
  each_part(i, [&](std::uint32_t p) { return multiply_add(a, b, c, p); });
}
void Lowering::lower_FMaxSelect32(ir::Inst i) {
  if (needs_denormals(i)) return call(i);
  each_part(i, [&](std::uint32_t p) { return max_select(operand(i, 0), operand(i, 1), p); });
}
void Lowering::lower_FMinSelect32(ir::Inst i) {
  if (needs_denormals(i)) return call(i);
  each_part(i, [&](std::uint32_t p) { return min_select(operand(i, 0), operand(i, 1), p); });
}
void Lowering::lower_FNeg32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return negate(operand(i, 0), p); });
}
void Lowering::lower_FAbs32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return absolute(operand(i, 0), p); });
}
void Lowering::lower_CanonicalizeNaN32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return canonicalize_nan(operand(i, 0), p); });
}

void Lowering::lower_CanonicalizeNaNOnes32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return canonicalize_nan_ones(operand(i, 0), p); });
}
void Lowering::lower_FMaxNum32(ir::Inst i) {
  if (needs_denormals(i)) return call(i);
  each_part(i, [&](std::uint32_t p) { return extreme_number(true, operand(i, 0), operand(i, 1), p); });
}
void Lowering::lower_FMinNum32(ir::Inst i) {
  if (needs_denormals(i)) return call(i);
  each_part(i, [&](std::uint32_t p) { return extreme_number(false, operand(i, 0), operand(i, 1), p); });
}

void Lowering::lower_Exp2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_Log2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_RcpF32(ir::Inst) { assert(false && "expand_math removes it"); }
void Lowering::lower_RsqrtF32(ir::Inst) { assert(false && "expand_math removes it"); }

// ---- without denormals

// The code runs either as IEEE 754 wants or without denormals (lir::Code::flushes). Then operations that keep
// denormals are left to calls, unless there are none.

// The host makes zeros of denormal operands: no one need do so before. Which NaN an operand is does not
// matter.
Value Lowering::unflushed(Value v) const {
  const auto passes = [&](Opcode opcode) {
    return opcode == Opcode::FFlush32 || opcode == Opcode::CanonicalizeNaN32 ||
           opcode == Opcode::CanonicalizeNaNOnes32;
  };
  while (code_.flushes && passes(f_.definition_of(v).opcode)) v = f_.operand(f_.definition(v), 0);
  return v;
}

bool Lowering::may_be_denormal(Value v, int depth) const {
  const ir::InstData& made = f_.definition_of(v);
  const auto of = [&](std::uint32_t k) {
    return depth == 0 || may_be_denormal(f_.operand(f_.definition(v), k), depth - 1);
  };
  if (made.opcode >= Opcode::FFlush32 && made.opcode <= Opcode::FMulZeroFlush32) return false;
  switch (made.opcode) {
    case Opcode::ConstF32: {
      const std::uint64_t magnitude = made.immediate & 0x7fffffff;
      return magnitude != 0 && magnitude < 0x00800000;
    }
    case Opcode::I32ToF32:
    case Opcode::U32ToF32:
    case Opcode::IntToF32:
    case Opcode::F16ToF32:
    case Opcode::FFloor32:
    case Opcode::FCeil32:
    case Opcode::FTrunc32:
    case Opcode::FRoundEven32:
      return false;
    case Opcode::FNeg32:
    case Opcode::FAbs32:
    case Opcode::CanonicalizeNaN32:
    case Opcode::CanonicalizeNaNOnes32:
      return of(0);
    case Opcode::FMaxNum32:
    case Opcode::FMinNum32:
    case Opcode::FMaxSelect32:
    case Opcode::FMinSelect32:
      return of(0) || of(1);
    case Opcode::SelectF32:
      return of(1) || of(2);
    default:
      return true;
  }
}

bool Lowering::needs_denormals(ir::Inst i) const {
  if (!code_.flushes) return false;
  for (Value v : f_.operands(i))
    if (may_be_denormal(v)) return true;
  return false;
}

// Of operations that make denormals.
bool Lowering::always_needs_denormals(ir::Inst) const { return code_.flushes; }

void Lowering::lower_FFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  Value a = operand(i, 0);
  each_part(i, [&](std::uint32_t p) {
    Reg r = vector(a, p);
    return may_be_denormal(a) ? vvv(Op::Mul, r, constant_source(0x3f800000)) : r;
  });
}

void Lowering::lower_FAddFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  binary(i, Op::Add, unflushed(operand(i, 0)), unflushed(operand(i, 1)), true);
}
void Lowering::lower_FSubFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  binary(i, Op::Sub, unflushed(operand(i, 0)), unflushed(operand(i, 1)), false);
}
void Lowering::lower_FMulFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  binary(i, Op::Mul, unflushed(operand(i, 0)), unflushed(operand(i, 1)), true);
}
void Lowering::lower_FFmaFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  each_part(i, [&](std::uint32_t p) { return multiply_add(a, b, c, p); });
}

void Lowering::lower_FAddZeroFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) vector(a, p), vector(b, p);
  round_toward_zero(true);
  each_part(i, [&](std::uint32_t p) { return add_toward_zero(vector(a, p), vector(b, p)); });
  round_toward_zero(false);
}
void Lowering::lower_FMulZeroFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  multiply_parts_toward_zero(i);
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) define(f_.result(i), p, products_[p]);
}
void Lowering::lower_FMadTruncFlush32(ir::Inst i) {
  if (!code_.flushes) return call(i);
  const Regs sums = multiply_add_truncated(i, parts_of(f_.result(i)));
  each_part(i, [&](std::uint32_t p) { return sums[p]; });
}

// The products of operands 0 and 1.
void Lowering::multiply_parts_toward_zero(ir::Inst i) {
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  const std::uint32_t parts = parts_of(f_.result(i));
  for (std::uint32_t p = 0; p < parts; ++p) vector(a, p), vector(b, p);
  products_.clear();
  round_toward_zero(true);
  for (std::uint32_t p = 0; p < parts; ++p)
    products_.push_back(multiply_toward_zero(vector(a, p), vector(b, p)));
  round_toward_zero(false);
}

// ---- comparisons

void Lowering::float_compare(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (code_.flushes && f_.inst(i).opcode != Opcode::FUnordered32) {
    if (needs_denormals(i)) return call(i);
    a = unflushed(a), b = unflushed(b);
  }
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    const Mask m = compare_floats(f_.inst(i).opcode, a, b, p);
    if (varying(result)) {
      define_mask(result, p, m);
      continue;
    }
    Reg bit = bool_from_mask(m.reg);
    define(result, 0, m.inverted ? scalar_op_imm(Op::SXorImm, bit, 1) : bit);
  }
}

void Lowering::lower_FEq32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FNe32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FLt32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FLe32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FGt32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FGe32(ir::Inst i) { float_compare(i); }
void Lowering::lower_FUnordered32(ir::Inst i) { float_compare(i); }

Condition integer_condition(Opcode op) {
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
  if (is_made_where_read(result)) return;
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p) define_mask(result, p, compare_integers(condition, a, b, p));
    return;
  }
  if (only_feeds_branch(i)) return;
  Reg left = scalar(a);
  if (is_constant(b))
    return define(result, 0, scalar_compare_imm(left, condition, static_cast<std::int32_t>(constant(b))));
  Reg right = scalar(b);
  const InstRef inst = add(Op::SCompare, RegClass::scalar);
  use(inst, left);
  use(inst, right);
  inst->imm = pack_condition(condition);
  define(result, 0, inst->def);
}

void Lowering::lower_IEq32(ir::Inst i) { integer_compare(i, Condition::equal); }
void Lowering::lower_INe32(ir::Inst i) { integer_compare(i, Condition::not_equal); }
void Lowering::lower_ILtS32(ir::Inst i) { integer_compare(i, Condition::less_s); }
void Lowering::lower_ILeS32(ir::Inst i) { integer_compare(i, Condition::less_equal_s); }
void Lowering::lower_ILtU32(ir::Inst i) { integer_compare(i, Condition::less_u); }
void Lowering::lower_ILeU32(ir::Inst i) { integer_compare(i, Condition::less_equal_u); }

// ---- conversions

void Lowering::lower_F32ToI32Sat(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, saturate_to_int(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return saturate_to_int(operand(i, 0), p); });
}

void Lowering::lower_F32ToU32Sat(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, saturate_to_unsigned(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return saturate_to_unsigned(operand(i, 0), p); });
}

void Lowering::lower_U32ToF32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return unsigned_to_float(operand(i, 0), p); });
}

void Lowering::lower_BitcastF32ToI32(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, vector(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return vector(operand(i, 0), p); });
}

void Lowering::lower_BitcastI32ToF32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return vector(operand(i, 0), p); });
}

// ---- integers

void Lowering::integer_binary(ir::Inst i, Op vector_op, Op scalar_operation, Op scalar_imm_op,
                              bool commutative) {
  Value result = f_.result(i);
  if (varying(result)) return binary(i, vector_op, commutative);
  Value a = operand(i, 0), b = operand(i, 1);
  if (commutative && is_constant(a)) std::swap(a, b);
  Reg left = scalar(a);
  if (is_constant(b) && scalar_imm_op != kNoOp) {
    define(result, 0, scalar_op_imm(scalar_imm_op, left, static_cast<std::int32_t>(constant(b))));
  } else {
    Reg right = scalar(b);
    define(result, 0, scalar_op(scalar_operation, left, right));
  }
}

void Lowering::lower_IAdd32(ir::Inst i) { integer_binary(i, Op::IAdd, Op::SAdd, Op::SAddImm, true); }
void Lowering::lower_ISub32(ir::Inst i) { integer_binary(i, Op::ISub, Op::SSub, kNoOp, false); }
void Lowering::lower_IMul32(ir::Inst i) { integer_binary(i, Op::IMul, Op::SMul, kNoOp, true); }
void Lowering::lower_IAnd32(ir::Inst i) { integer_binary(i, Op::And, Op::SAnd, Op::SAndImm, true); }
void Lowering::lower_IOr32(ir::Inst i) { integer_binary(i, Op::Or, Op::SOr, Op::SOrImm, true); }
void Lowering::lower_IXor32(ir::Inst i) { integer_binary(i, Op::Xor, Op::SXor, Op::SXorImm, true); }

void Lowering::integer_extreme(ir::Inst i, Op op, Condition less, bool greater) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (varying(result)) return binary(i, op, true);
  Reg left = scalar(a), right = scalar(b);
  const InstRef inst = add(greater ? Op::SMax : Op::SMin, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, left);
  use(inst, right);
  inst->imm = pack_condition(less);
  define(result, 0, inst->def);
}

void Lowering::lower_IMinS32(ir::Inst i) { integer_extreme(i, Op::IMinS, Condition::less_s, false); }
void Lowering::lower_IMaxS32(ir::Inst i) { integer_extreme(i, Op::IMaxS, Condition::less_s, true); }
void Lowering::lower_IMinU32(ir::Inst i) { integer_extreme(i, Op::IMinU, Condition::less_u, false); }
void Lowering::lower_IMaxU32(ir::Inst i) { integer_extreme(i, Op::IMaxU, Condition::less_u, true); }

void Lowering::integer_shift(ir::Inst i, Shift kind) {
  static constexpr Op kVector[] = {Op::Shl, Op::ShrU, Op::ShrS};
  static constexpr Op kScalar[] = {Op::SShlImm, Op::SShrUImm, Op::SShrSImm};
  const auto k = static_cast<std::size_t>(kind);
  Value value = operand(i, 0), count = operand(i, 1), result = f_.result(i);
  const bool fixed = is_constant(count) && constant(count) < 32;
  const auto amount = static_cast<std::int64_t>(fixed ? constant(count) : 0);
  if (!varying(result)) {
    if (fixed) return define(result, 0, scalar_op_imm(kScalar[k], scalar(value), amount));
    return define_from_vector(i, shift_by_vector(kind, value, count, 0));
  }
  each_part(i, [&](std::uint32_t p) {
    return fixed ? with_immediate(kVector[k], vector(value, p), amount)
                 : shift_by_vector(kind, value, count, p);
  });
}

void Lowering::lower_IShl32(ir::Inst i) { integer_shift(i, Shift::left); }
void Lowering::lower_IShrU32(ir::Inst i) { integer_shift(i, Shift::right_unsigned); }
void Lowering::lower_IShrS32(ir::Inst i) { integer_shift(i, Shift::right_signed); }

}  // namespace warpjit::backend
