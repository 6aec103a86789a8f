#include "backend/lower/arithmetic.h"

#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;
using lir::Reg;
using lir::Regs;

void ArithmeticLowering::set_flushing(bool flushing) {
  if (!code_.flushes || state_.flushing == flushing) return;
  state_.flushing = flushing;
  flushing_.set_float_mode(flushing ? lir::FloatMode::flush : lir::FloatMode::keep_denormals);
}

void ArithmeticLowering::set_mode(ir::Inst i) {
  const ir::OpcodeInfo& row = ir::info(f_.inst(i).opcode);
  if (row.family == ir::Family::float_flush) return set_flushing(true);
  if (row.makes_denormals) return set_flushing(false);
  // An operation that makes no denormals but keeps them.
  for (std::size_t k = 0; state_.flushing && k < row.operands.size(); ++k)
    if (row.operands[k] == 'f' && may_be_denormal(f_.operand(i, static_cast<std::uint32_t>(k))))
      set_flushing(false);
}

void ArithmeticLowering::binary(ir::Inst i, Op op) {
  set_mode(i);
  const bool commutative = ir::info(f_.inst(i).opcode).commutative;
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  if (commutative && has_no_register(a)) std::swap(a, b);
  define_parts(i, [&](std::uint32_t p) {
    Reg left = vector(a, p);
    Source right = source(b, p);
    Reg r = vvv(op, left, right);
    if (commutative) code_.insts.back().prefer = 3;
    return r;
  });
}

void ArithmeticLowering::unary(ir::Inst i, Op op) {
  set_mode(i);
  define_parts(i, [&](std::uint32_t p) { return vv(op, source(operand(i, 0), p)); });
}

void ArithmeticLowering::unary(ir::Inst i, Unary make) {
  define_parts(i, [&](std::uint32_t p) { return (arithmetic_.*make)(operand(i, 0), p); });
}

void ArithmeticLowering::cast(ir::Inst i) {
  define_parts(i, [&](std::uint32_t p) { return vector(operand(i, 0), p); });
}

// ---- floats

void ArithmeticLowering::divide(ir::Inst i) {
  if (divides_for_half(i)) return divide_for_half(i);
  binary(i, Op::Div);
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
  define_parts(i, [&](std::uint32_t p) {
    const Reg of = vector(x, p);
    return root ? arithmetic_.reciprocal_root_for_half(of) : arithmetic_.reciprocal_for_half(of);
  });
}

void ArithmeticLowering::square_root(ir::Inst i) {
  const ir::Inst next = f_.inst(i).next;
  if (use_count(f_.result(i)) == 1 && divides_for_half(next) && operand(next, 1) == f_.result(i)) return;
  unary(i, Op::Sqrt);
}

void ArithmeticLowering::multiply(ir::Inst i, Binary make) {
  set_mode(i);
  Value a = operand(i, 0), b = operand(i, 1);
  if (has_no_register(a)) std::swap(a, b);
  define_parts(i, [&](std::uint32_t p) { return (arithmetic_.*make)(a, b, p); });
}

void ArithmeticLowering::multiply_flushed(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  binary(i, Op::Mul);
}

void ArithmeticLowering::multiply_add(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  set_mode(i);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  define_parts(i, [&](std::uint32_t p) { return arithmetic_.multiply_add(a, b, c, p); });
}

void ArithmeticLowering::multiply_add_odd(ir::Inst i) {
  const Value a = operand(i, 0), b = operand(i, 1), c = operand(i, 2);
  const bool halves = ir::holds_half(f_, a) && ir::holds_half(f_, b) && ir::holds_half(f_, c);
  if (!halves && !host_.embedded_rounding) return call(i);
  set_mode(i);
  define_parts(i, [&](std::uint32_t p) { return arithmetic_.multiply_add_odd(a, b, c, p); });
}

void ArithmeticLowering::multiply_add_truncated(ir::Inst i) {
  if (flushing_.must_call(i)) return call(i);
  set_mode(i);
  const Regs sums = flushing_.multiply_add_truncated(i, parts_of(f_.result(i)));
  define_parts(i, [&](std::uint32_t p) { return sums[p]; });
}

void ArithmeticLowering::extreme(ir::Inst i, Binary make) {
  set_mode(i);
  define_parts(i, [&](std::uint32_t p) { return (arithmetic_.*make)(operand(i, 0), operand(i, 1), p); });
}

void ArithmeticLowering::flush(ir::Inst i) {
  set_mode(i);
  Value a = operand(i, 0);
  define_parts(i, [&](std::uint32_t p) {
    Reg r = vector(a, p);
    return may_be_denormal(a) ? vvv(Op::Mul, r, constant_source(0x3f800000)) : r;
  });
}

void ArithmeticLowering::round_toward_zero(ir::Inst i, Reg (HostFlushing::*make)(Reg, Reg)) {
  set_mode(i);
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1));
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) vector(a, p), vector(b, p);
  flushing_.round_toward_zero(true);
  define_parts(i, [&](std::uint32_t p) { return (flushing_.*make)(vector(a, p), vector(b, p)); });
  flushing_.round_toward_zero(false);
}

// NaNs are rare: one branch tests whether any of several values in a row is one.
void ArithmeticLowering::canonicalize(ir::Inst i, Unary of_host) {
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
    return define_parts(i, [&](std::uint32_t p) { return (arithmetic_.*of_host)(operand(i, 0), p); });
  made_canonical_ = count - 1;
}

bool ArithmeticLowering::canonicalize_together(ir::Inst first, std::size_t count, Unary of_host) {
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

// ---- comparisons

void ArithmeticLowering::compare_floats(ir::Inst i) {
  Value a = operand(i, 0), b = operand(i, 1), result = f_.result(i);
  if (f_.inst(i).opcode != Opcode::FUnordered32) {
    set_mode(i);
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

void ArithmeticLowering::compare_integers(ir::Inst i) {
  const Condition condition = integer_condition(f_.inst(i).opcode);
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

// ---- integers

void ArithmeticLowering::integer(ir::Inst i, Op vector_op, Op scalar_operation, Op scalar_imm_op) {
  Value result = f_.result(i);
  if (varying(result)) return binary(i, vector_op);
  Value a = operand(i, 0), b = operand(i, 1);
  if (ir::info(f_.inst(i).opcode).commutative && is_constant(a)) std::swap(a, b);
  Reg left = scalar(a);
  if (is_constant(b) && scalar_imm_op != kNoOp)
    return define(result, 0, scalar_op_imm(scalar_imm_op, left, static_cast<std::int32_t>(constant(b))));
  Reg right = scalar(b);
  define(result, 0, scalar_op(scalar_operation, left, right));
}

void ArithmeticLowering::integer_extreme(ir::Inst i, Op vector_op, Op scalar_operation, Condition less) {
  if (varying(f_.result(i))) return binary(i, vector_op);
  Reg left = scalar(operand(i, 0)), right = scalar(operand(i, 1));
  define(f_.result(i), 0, scalar_extreme(scalar_operation, left, right, less));
}

void ArithmeticLowering::bitwise(ir::Inst i, Op vector_op, Op scalar_operation, Op scalar_imm_op) {
  if (!join_three(i)) integer(i, vector_op, scalar_operation, scalar_imm_op);
}

void ArithmeticLowering::bitwise_or(ir::Inst i) {
  if (varying(f_.result(i)) && (pack_bytes(i) || merge_bits(i))) return;
  bitwise(i, Op::Or, Op::SOr, Op::SOrImm);
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

bool ArithmeticLowering::pack_bytes(ir::Inst i) {
  if (!host_.packs_bytes) return false;
  const auto bytes = packed_bytes(i);
  if (!bytes) return false;
  Regs packed;
  for (std::uint32_t p = 0; p < parts_; ++p) packed.push_back(arithmetic_.pack_bytes(*bytes, p));
  if (packed[0] == lir::kNoReg) return false;
  define_parts(i, [&](std::uint32_t p) { return packed[p]; });
  return true;
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
    define_parts(
        i, [&](std::uint32_t p) { return arithmetic_.merge(vector(source, p), vector(b, p), *mask, false); });
    return true;
  }
  if (!other || *other != ~*mask || use_count(b) != 1) return false;
  const Value upper = f_.operand(f_.definition(b), 0);
  define_parts(i, [&](std::uint32_t p) {
    const Reg first = vector(source, p);
    return arithmetic_.merge(first, vector(upper, p), *mask, true);
  });
  return true;
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
  define_parts(i, [&](std::uint32_t p) {
    const Reg a = vector(first, p), b = vector(second, p);
    return arithmetic_.join_three(opcode, a, b, source(third, p));
  });
  return true;
}

void ArithmeticLowering::shift(ir::Inst i, HostArithmetic::Shift kind) {
  static constexpr Op kVector[] = {Op::Shl, Op::ShrU, Op::ShrS};
  static constexpr Op kScalar[] = {Op::SShlImm, Op::SShrUImm, Op::SShrSImm};
  const auto k = static_cast<std::size_t>(kind);
  Value value = operand(i, 0), count = operand(i, 1), result = f_.result(i);
  const bool fixed = is_constant(count) && constant(count) < 32;
  const auto amount = static_cast<std::int64_t>(fixed ? constant(count) : 0);
  if (fixed && !varying(result)) return define(result, 0, scalar_op_imm(kScalar[k], scalar(value), amount));
  define_parts(i, [&](std::uint32_t p) {
    return fixed ? with_immediate(kVector[k], vector(value, p), amount)
                 : arithmetic_.shift_by_vector(kind, value, count, p);
  });
}

}  // namespace warpjit::backend
