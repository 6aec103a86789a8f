#include "backend/lower/arithmetic.h"

#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::Reg;
using lir::Regs;

void ArithmeticLowering::lower_ConstI1(ir::Inst) {}
void ArithmeticLowering::lower_ConstI32(ir::Inst) {}
void ArithmeticLowering::lower_ConstF32(ir::Inst) {}

template <class Make>
void ArithmeticLowering::each_part(ir::Inst i, Make make) {
  Value result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, make(p));
}

void ArithmeticLowering::binary(ir::Inst i, Op op, Value a, Value b, bool commutative) {
  if (commutative && has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) {
    Reg left = vector(a, p);
    Source right = source(b, p);
    Reg r = vvv(op, left, right);
    if (commutative) code_.insts.back().prefer = 3;
    return r;
  });
}

void ArithmeticLowering::unary(ir::Inst i, Op op) {
  each_part(i, [&](std::uint32_t p) {
    Source a = source(operand(i, 0), p);
    return vv(op, a);
  });
}

void ArithmeticLowering::lower_FAdd32(ir::Inst i) {
  set_flushing(false);
  binary(i, Op::Add, true);
}
void ArithmeticLowering::lower_FSub32(ir::Inst i) {
  set_flushing(false);
  binary(i, Op::Sub, false);
}
void ArithmeticLowering::lower_FDiv32(ir::Inst i) {
  if (divides_for_half(i)) return divide_for_half(i);
  set_flushing(false);
  binary(i, Op::Div, false);
}
// 1/x or 1/sqrt(x) of a half x, of which only what it is rounded to a half is read.
bool ArithmeticLowering::divides_for_half(ir::Inst i) const {
  constexpr std::uint32_t kOne = 0x3f800000;
  if (!host_.reciprocals || f_.inst(i).opcode != Opcode::FDiv32 || state_.read_whole[f_.result(i).id] != 0)
    return false;
  const Value one = operand(i, 0), divisor = operand(i, 1);
  if (!is_constant(one) || constant(one) != kOne) return false;
  return ir::holds_half(f_, is_root(divisor) ? f_.operand(f_.definition(divisor), 0) : divisor);
}

void ArithmeticLowering::divide_for_half(ir::Inst i) {
  const Value divisor = operand(i, 1);
  const bool root = is_root(divisor);
  const Value x = root ? f_.operand(f_.definition(divisor), 0) : divisor;
  each_part(i, [&](std::uint32_t p) {
    const Reg of = vector(x, p);
    return root ? arithmetic_.reciprocal_root_for_half(of) : arithmetic_.reciprocal_for_half(of);
  });
}

void ArithmeticLowering::lower_FSqrt32(ir::Inst i) {
  const ir::Inst next = f_.inst(i).next;
  if (use_count(f_.result(i)) == 1 && divides_for_half(next) && operand(next, 1) == f_.result(i)) return;
  set_flushing(false);
  unary(i, Op::Sqrt);
}
void ArithmeticLowering::lower_FFloor32(ir::Inst i) { round(i, Op::Floor); }
void ArithmeticLowering::lower_FCeil32(ir::Inst i) { round(i, Op::Ceil); }
void ArithmeticLowering::lower_FTrunc32(ir::Inst i) { round(i, Op::Trunc); }
void ArithmeticLowering::lower_FRoundEven32(ir::Inst i) { round(i, Op::RoundEven); }
void ArithmeticLowering::round(ir::Inst i, Op op) {
  if (needs_denormals(i)) set_flushing(false);
  unary(i, op);
}

void ArithmeticLowering::lower_I32ToF32(ir::Inst i) { unary(i, Op::CvtToF); }

void ArithmeticLowering::lower_FMul32(ir::Inst i) {
  set_flushing(false);
  Value a = operand(i, 0), b = operand(i, 1);
  if (has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.multiply(a, b, p); });
}
void ArithmeticLowering::lower_FMulZeroInf32(ir::Inst i) {
  set_flushing(false);
  Value a = operand(i, 0), b = operand(i, 1);
  if (has_no_register(a)) std::swap(a, b);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.multiply_zero_inf(a, b, p); });
}
void ArithmeticLowering::lower_FMulNoZeroInf32(ir::Inst i) { lower_FMul32(i); }
void ArithmeticLowering::lower_FFma32(ir::Inst i) {
  set_flushing(false);
  Value a = operand(i, 0), b = operand(i, 1), c = operand(i, 2);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.multiply_add(a, b, c, p); });
}
void ArithmeticLowering::lower_FFmaOdd32(ir::Inst i) {
  const Value a = operand(i, 0), b = operand(i, 1), c = operand(i, 2);
  const bool halves = ir::holds_half(f_, a) && ir::holds_half(f_, b) && ir::holds_half(f_, c);
  if (!halves && !host_.embedded_rounding) return call(i);
  set_flushing(false);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.multiply_add_odd(a, b, c, p); });
}
void ArithmeticLowering::lower_FMaxSelect32(ir::Inst i) {
  if (needs_denormals(i)) set_flushing(false);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.max_select(operand(i, 0), operand(i, 1), p); });
}
void ArithmeticLowering::lower_FMinSelect32(ir::Inst i) {
  if (needs_denormals(i)) set_flushing(false);
  each_part(i, [&](std::uint32_t p) { return arithmetic_.min_select(operand(i, 0), operand(i, 1), p); });
}
void ArithmeticLowering::lower_FNeg32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return arithmetic_.negate(operand(i, 0), p); });
}
void ArithmeticLowering::lower_FAbs32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return arithmetic_.absolute(operand(i, 0), p); });
}
void ArithmeticLowering::lower_CanonicalizeNaN32(ir::Inst i) {
  canonicalize(i, &HostArithmetic::canonicalize_nan);
}
void ArithmeticLowering::lower_CanonicalizeNaNOnes32(ir::Inst i) {
  canonicalize(i, &HostArithmetic::canonicalize_nan_ones);
}

// NaNs are rare: of several values in a row one branch asks whether any is one.
void ArithmeticLowering::canonicalize(ir::Inst i, Canonicalize of_host) {
  if (made_canonical_ != 0) {  // with the one before
    --made_canonical_;
    return;
  }
  constexpr std::size_t kFewest = 3, kMost = 16;  // vectors; more would not stay in registers
  std::size_t count = 0;
  const auto reads_one_before = [&](ir::Inst next) {
    for (ir::Inst before = i; before != next; before = f_.inst(before).next)
      if (operand(next, 0) == f_.result(before)) return true;
    return false;
  };
  for (ir::Inst next = i; f_.inst(next).opcode == f_.inst(i).opcode && varying(f_.result(next)) &&
                          (count + 1) * parts_ <= kMost && !reads_one_before(next);
       next = f_.inst(next).next)
    ++count;
  if (count * parts_ < kFewest || !canonicalize_together(i, count, of_host))
    return each_part(i, [&](std::uint32_t p) { return (arithmetic_.*of_host)(operand(i, 0), p); });
  made_canonical_ = count - 1;
}

bool ArithmeticLowering::canonicalize_together(ir::Inst first, std::size_t count, Canonicalize of_host) {
  const auto each = [&](auto make) {
    Regs made;
    ir::Inst i = first;
    for (std::size_t n = 0; n < count; ++n, i = f_.inst(i).next)
      for (std::uint32_t p = 0; p < parts_; ++p) made.push_back(make(i, p));
    return made;
  };
  const Regs raw = each([&](ir::Inst i, std::uint32_t p) { return vector(operand(i, 0), p); });
  if (!arithmetic_.branch_if_nan({raw.data(), raw.size()})) return false;
  const auto mended = [&](ir::Inst i, std::uint32_t p) { return (arithmetic_.*of_host)(operand(i, 0), p); };
  const Regs made = hot_or_cold([&] { return raw; }, [&] { return each(mended); });
  ir::Inst i = first;
  for (std::size_t n = 0; n < count; ++n, i = f_.inst(i).next)
    for (std::uint32_t p = 0; p < parts_; ++p) define(f_.result(i), p, made[n * parts_ + p]);
  return true;
}

void ArithmeticLowering::lower_FMaxNum32(ir::Inst i) {
  if (needs_denormals(i)) set_flushing(false);
  each_part(
      i, [&](std::uint32_t p) { return arithmetic_.extreme_number(true, operand(i, 0), operand(i, 1), p); });
}
void ArithmeticLowering::lower_FMinNum32(ir::Inst i) {
  if (needs_denormals(i)) set_flushing(false);
  each_part(
      i, [&](std::uint32_t p) { return arithmetic_.extreme_number(false, operand(i, 0), operand(i, 1), p); });
}

void ArithmeticLowering::lower_Exp2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void ArithmeticLowering::lower_Log2F32(ir::Inst) { assert(false && "expand_math removes it"); }
void ArithmeticLowering::lower_RcpF32(ir::Inst) { assert(false && "expand_math removes it"); }
void ArithmeticLowering::lower_RsqrtF32(ir::Inst) { assert(false && "expand_math removes it"); }

// ---- without denormals

void ArithmeticLowering::set_flushing(bool flushing) {
  if (!code_.flushes || state_.flushing == flushing) return;
  state_.flushing = flushing;
  flushing_.set_float_mode(flushing ? lir::FloatMode::flush : lir::FloatMode::keep_denormals);
}

bool ArithmeticLowering::needs_denormals(ir::Inst i) const {
  if (!state_.flushing) return false;
  for (Value v : f_.operands(i))
    if (may_be_denormal(v)) return true;
  return false;
}

void ArithmeticLowering::lower_FFlush32(ir::Inst i) {
  set_flushing(true);
  Value a = operand(i, 0);
  each_part(i, [&](std::uint32_t p) {
    Reg r = vector(a, p);
    return may_be_denormal(a) ? vvv(Op::Mul, r, constant_source(0x3f800000)) : r;
  });
}

void ArithmeticLowering::lower_FAddFlush32(ir::Inst i) {
  set_flushing(true);
  binary(i, Op::Add, unflushed(operand(i, 0)), unflushed(operand(i, 1)), true);
}
void ArithmeticLowering::lower_FSubFlush32(ir::Inst i) {
  set_flushing(true);
  binary(i, Op::Sub, unflushed(operand(i, 0)), unflushed(operand(i, 1)), false);
}
void ArithmeticLowering::lower_FMulFlush32(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  set_flushing(true);
  binary(i, Op::Mul, unflushed(operand(i, 0)), unflushed(operand(i, 1)), true);
}
void ArithmeticLowering::lower_FFmaFlush32(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  set_flushing(true);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  each_part(i, [&](std::uint32_t p) { return arithmetic_.multiply_add(a, b, c, p); });
}

void ArithmeticLowering::lower_FAddZeroFlush32(ir::Inst i) {
  set_flushing(true);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) vector(a, p), vector(b, p);
  flushing_.round_toward_zero(true);
  each_part(i, [&](std::uint32_t p) { return flushing_.add_toward_zero(vector(a, p), vector(b, p)); });
  flushing_.round_toward_zero(false);
}
void ArithmeticLowering::lower_FMulZeroFlush32(ir::Inst i) {
  set_flushing(true);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) vector(a, p), vector(b, p);
  flushing_.round_toward_zero(true);
  each_part(i, [&](std::uint32_t p) { return flushing_.multiply_toward_zero(vector(a, p), vector(b, p)); });
  flushing_.round_toward_zero(false);
}
void ArithmeticLowering::lower_FMadTruncFlush32(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  set_flushing(true);
  const Regs sums = flushing_.multiply_add_truncated(i, parts_of(f_.result(i)));
  each_part(i, [&](std::uint32_t p) { return sums[p]; });
}

// ---- comparisons

void ArithmeticLowering::float_compare(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (f_.inst(i).opcode != Opcode::FUnordered32) {
    if (needs_denormals(i)) set_flushing(false);
    a = unflushed(a), b = unflushed(b);
  }
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    const Mask m = masks_.compare_floats(f_.inst(i).opcode, a, b, p);
    if (varying(result)) {
      define_mask(result, p, m);
      continue;
    }
    Reg bit = masks_.bool_from_mask(m.reg);
    define(result, 0, m.inverted ? scalar_op_imm(Op::SXorImm, bit, 1) : bit);
  }
}

void ArithmeticLowering::lower_FEq32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FNe32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FLt32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FLe32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FGt32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FGe32(ir::Inst i) { float_compare(i); }
void ArithmeticLowering::lower_FUnordered32(ir::Inst i) { float_compare(i); }

void ArithmeticLowering::integer_compare(ir::Inst i, Condition condition) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (is_made_where_read(result)) return;
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p)
      define_mask(result, p, masks_.compare_integers(condition, a, b, p));
    return;
  }
  if (only_feeds_branch(i)) return;
  Reg left = scalar(a);
  if (is_constant(b))
    return define(result, 0, scalar_compare_imm(left, condition, static_cast<std::int32_t>(constant(b))));
  Reg right = scalar(b);
  define(result, 0, scalar_compare(left, right, condition));
}

void ArithmeticLowering::lower_IEq32(ir::Inst i) { integer_compare(i, Condition::equal); }
void ArithmeticLowering::lower_INe32(ir::Inst i) { integer_compare(i, Condition::not_equal); }
void ArithmeticLowering::lower_ILtS32(ir::Inst i) { integer_compare(i, Condition::less_s); }
void ArithmeticLowering::lower_ILeS32(ir::Inst i) { integer_compare(i, Condition::less_equal_s); }
void ArithmeticLowering::lower_ILtU32(ir::Inst i) { integer_compare(i, Condition::less_u); }
void ArithmeticLowering::lower_ILeU32(ir::Inst i) { integer_compare(i, Condition::less_equal_u); }

// ---- conversions

void ArithmeticLowering::lower_F32ToI32Sat(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, arithmetic_.saturate_to_int(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return arithmetic_.saturate_to_int(operand(i, 0), p); });
}

void ArithmeticLowering::lower_F32ToI32Lowest(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, arithmetic_.int_or_lowest(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return arithmetic_.int_or_lowest(operand(i, 0), p); });
}

void ArithmeticLowering::lower_F32ToU32Sat(ir::Inst i) {
  if (!varying(f_.result(i)))
    return define_from_vector(i, arithmetic_.saturate_to_unsigned(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return arithmetic_.saturate_to_unsigned(operand(i, 0), p); });
}

void ArithmeticLowering::lower_U32ToF32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return arithmetic_.unsigned_to_float(operand(i, 0), p); });
}

void ArithmeticLowering::lower_BitcastF32ToI32(ir::Inst i) {
  if (!varying(f_.result(i))) return define_from_vector(i, vector(operand(i, 0), 0));
  each_part(i, [&](std::uint32_t p) { return vector(operand(i, 0), p); });
}

void ArithmeticLowering::lower_BitcastI32ToF32(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) { return vector(operand(i, 0), p); });
}

// ---- integers

void ArithmeticLowering::integer_binary(ir::Inst i, Op vector_op, Op scalar_operation, Op scalar_imm_op,
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

void ArithmeticLowering::lower_IAdd32(ir::Inst i) {
  integer_binary(i, Op::IAdd, Op::SAdd, Op::SAddImm, true);
}
void ArithmeticLowering::lower_ISub32(ir::Inst i) { integer_binary(i, Op::ISub, Op::SSub, kNoOp, false); }
void ArithmeticLowering::lower_IMul32(ir::Inst i) { integer_binary(i, Op::IMul, Op::SMul, kNoOp, true); }
void ArithmeticLowering::lower_IAnd32(ir::Inst i) {
  if (join_three(i)) return;
  integer_binary(i, Op::And, Op::SAnd, Op::SAndImm, true);
}

std::optional<std::array<Value, 4>> ArithmeticLowering::packed_bytes(ir::Inst i) const {
  constexpr std::size_t kTerms = 4;
  std::array<Value, kTerms> terms{f_.operand(i, 0), f_.operand(i, 1)}, bytes{};
  std::size_t count = 2;
  for (std::size_t k = 0; k < count; ++k) {
    while (f_.definition_of(terms[k]).opcode == ir::Opcode::IOr32 && use_count(terms[k]) == 1) {
      if (count == kTerms) return {};
      const ir::Inst both = f_.definition(terms[k]);
      terms[k] = f_.operand(both, 0);
      terms[count++] = f_.operand(both, 1);
    }
  }
  if (count != kTerms) return {};
  for (Value term : terms) {
    std::uint64_t bits = 0;
    if (f_.definition_of(term).opcode == ir::Opcode::IShl32 &&
        is_constant(f_.operand(f_.definition(term), 1))) {
      bits = constant(f_.operand(f_.definition(term), 1));
      term = f_.operand(f_.definition(term), 0);
    }
    if (bits % 8 != 0 || bits >= 32 || bytes[bits / 8].valid() || ir::upper_bound(f_, term) > 255) return {};
    bytes[bits / 8] = term;
  }
  return bytes;
}

void ArithmeticLowering::lower_IOr32(ir::Inst i) {
  if (varying(f_.result(i)) && host_.packs_bytes)
    if (const auto bytes = packed_bytes(i)) {
      Regs packed;
      for (std::uint32_t p = 0; p < parts_; ++p) packed.push_back(arithmetic_.pack_bytes(*bytes, p));
      if (packed[0] != lir::kNoReg) {
        for (std::uint32_t p = 0; p < parts_; ++p) define(f_.result(i), p, packed[p]);
        return;
      }
    }
  if (varying(f_.result(i)) && (merge_bits(i) || join_three(i))) return;
  integer_binary(i, Op::Or, Op::SOr, Op::SOrImm, true);
}

// Bits of one word beside those of another one, or of a constant.
bool ArithmeticLowering::merge_bits(ir::Inst i) {
  if (!host_.three_operand_logic) return false;
  const auto mask_of = [&](Value v) -> std::optional<std::uint32_t> {
    const ir::Inst made = f_.definition(v);
    if (f_.inst(made).opcode != Opcode::IAnd32 || !is_constant(f_.operand(made, 1))) return std::nullopt;
    return static_cast<std::uint32_t>(constant(f_.operand(made, 1)));
  };
  const Value a = operand(i, 0), b = operand(i, 1);
  const std::optional<std::uint32_t> mask = mask_of(a), other = mask_of(b);
  if (!mask || use_count(a) != 1) return false;
  const Value source = f_.operand(f_.definition(a), 0);
  if (is_constant(b)) {
    each_part(
        i, [&](std::uint32_t p) { return arithmetic_.merge(vector(source, p), vector(b, p), *mask, false); });
    return true;
  }
  if (!other || *other != ~*mask || use_count(b) != 1) return false;
  const Value upper = f_.operand(f_.definition(b), 0);
  each_part(i, [&](std::uint32_t p) {
    const Reg first = vector(source, p);
    return arithmetic_.merge(first, vector(upper, p), *mask, true);
  });
  return true;
}
void ArithmeticLowering::lower_IXor32(ir::Inst i) {
  if (join_three(i)) return;
  integer_binary(i, Op::Xor, Op::SXor, Op::SXorImm, true);
}

// The same operation twice, of three words.
bool ArithmeticLowering::join_three(ir::Inst i) {
  if (!host_.three_operand_logic || !varying(f_.result(i))) return false;
  const Opcode opcode = f_.inst(i).opcode;
  const auto joins = [&](Value v) {
    return f_.definition_of(v).opcode == opcode && use_count(v) == 1 && varying(v);
  };
  Value pair = operand(i, 0), third = operand(i, 1);
  if (!joins(pair)) std::swap(pair, third);
  if (!joins(pair)) return false;
  Value first = f_.operand(f_.definition(pair), 0), second = f_.operand(f_.definition(pair), 1);
  if (has_no_register(first)) std::swap(first, third);
  if (has_no_register(second)) std::swap(second, third);  // the third one may be in memory
  each_part(i, [&](std::uint32_t p) {
    const Reg a = vector(first, p), b = vector(second, p);
    return arithmetic_.join_three(opcode, a, b, source(third, p));
  });
  return true;
}

void ArithmeticLowering::integer_extreme(ir::Inst i, Op op, Condition less, bool greater) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (varying(result)) return binary(i, op, true);
  Reg left = scalar(a), right = scalar(b);
  define(result, 0, scalar_extreme(greater ? Op::SMax : Op::SMin, left, right, less));
}

void ArithmeticLowering::lower_IMinS32(ir::Inst i) {
  integer_extreme(i, Op::IMinS, Condition::less_s, false);
}
void ArithmeticLowering::lower_IMaxS32(ir::Inst i) { integer_extreme(i, Op::IMaxS, Condition::less_s, true); }
void ArithmeticLowering::lower_IMinU32(ir::Inst i) {
  integer_extreme(i, Op::IMinU, Condition::less_u, false);
}
void ArithmeticLowering::lower_IMaxU32(ir::Inst i) { integer_extreme(i, Op::IMaxU, Condition::less_u, true); }

void ArithmeticLowering::integer_shift(ir::Inst i, Shift kind) {
  static constexpr Op kVector[] = {Op::Shl, Op::ShrU, Op::ShrS};
  static constexpr Op kScalar[] = {Op::SShlImm, Op::SShrUImm, Op::SShrSImm};
  const auto k = static_cast<std::size_t>(kind);
  Value value = operand(i, 0), count = operand(i, 1), result = f_.result(i);
  const bool fixed = is_constant(count) && constant(count) < 32;
  const auto amount = static_cast<std::int64_t>(fixed ? constant(count) : 0);
  if (!varying(result)) {
    if (fixed) return define(result, 0, scalar_op_imm(kScalar[k], scalar(value), amount));
    return define_from_vector(i, arithmetic_.shift_by_vector(kind, value, count, 0));
  }
  each_part(i, [&](std::uint32_t p) {
    return fixed ? with_immediate(kVector[k], vector(value, p), amount)
                 : arithmetic_.shift_by_vector(kind, value, count, p);
  });
}

void ArithmeticLowering::lower_IShl32(ir::Inst i) { integer_shift(i, Shift::left); }
void ArithmeticLowering::lower_IShrU32(ir::Inst i) { integer_shift(i, Shift::right_unsigned); }
void ArithmeticLowering::lower_IShrS32(ir::Inst i) { integer_shift(i, Shift::right_signed); }

}  // namespace warpjit::backend
