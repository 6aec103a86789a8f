// Arithmetic without denormals for NEON.
#include <algorithm>

#include "backend/a64/lower.h"
#include "ir/analysis/masked_bounds.h"

namespace warpjit::backend::a64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

void Flushing::set_float_mode(lir::FloatMode mode) {
  if (checks_ == Checks::deferred) keep_flags();  // which this clears
  add(Op::SetFloatMode)->imm = static_cast<std::int64_t>(mode);
}

void Flushing::keep_flags() {
  if (kept_ == flag_words_.size()) flag_words_.push_back(reserve_frame(host_.vector_bytes));
  add(Op::StoreFloatFlags)->mem = frame(flag_words_[kept_++]);
}

bool Flushing::may_defer_check(ir::Inst i, bool /*in_loop*/) const {
  const Opcode opcode = f_.inst(i).opcode;
  return opcode == Opcode::FMulFlush32 || opcode == Opcode::FFmaFlush32 || opcode == Opcode::FMadTruncFlush32;
}

bool Flushing::must_call(ir::Inst i) const {
  return checks_ != Checks::deferred && may_defer_check(i, false);
}

void Flushing::set_checks(Checks checks, bool /*in_loop*/) {
  checks_ = checks;
  large_ = lir::kNoReg;
  kept_ = 0;
}

bool Flushing::branch_if_doubtful() {
  if (checks_ != Checks::deferred) return false;
  keep_flags();
  constexpr std::int64_t kUnderflow = 8;  // FPSR.UFC
  Reg flags = lir::kNoReg;
  for (std::size_t n = 0; n < kept_; ++n) {
    const Reg word = load(Op::SLoad, RegClass::scalar, frame(flag_words_[n]));
    flags = n == 0 ? word : scalar_op(Op::SOr, flags, word);
  }
  Reg doubtful = scalar_op_imm(Op::SAndImm, flags, kUnderflow);
  if (large_ != lir::kNoReg) doubtful = scalar_op(Op::SOr, doubtful, state_.masks->any_bits(large_));
  const InstRef branch = add(Op::BranchScalar);
  use(branch, doubtful);
  return true;
}

// The nearest product, less one in the last place where its error says that it is too large; where c is zero,
// the nearest one. If nothing is below 2^-126, errors are exact. A product whose truncation is finite may be
// infinite if it is rounded to nearest, so that large ones are looked at.
Regs Flushing::multiply_add_truncated(ir::Inst i, std::uint32_t parts) {
  const Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  constexpr int kGreatestExponent = 127;
  constexpr std::uint32_t kLarge = 0x7f000000;  // 2^127
  const int of_a = exponent_bound(a), of_b = exponent_bound(b);
  std::optional<ir::FactorBounds> bounds;  // a result for all lanes matters where none has the mask, too
  if (varying(f_.result(i))) bounds = ir::factor_bounds(f_, operand(i, 3), a, b);
  const bool bounded = bounds && bounds->first + bounds->second <= kGreatestExponent;
  const bool may_be_large = !bounded && of_a + of_b > kGreatestExponent && std::min(of_a, of_b) > 0;
  const bool may_be_zero = !is_constant(c) || (constant(c) & 0x7fffffff) < 0x00800000;
  Regs sums;
  for (std::uint32_t p = 0; p < parts; ++p) {
    Reg left = vector(a, p), right = vector(b, p), addend = vector(c, p);
    Reg nearest = vvv(Op::Mul, left, right);
    Reg negated = vv(Op::Neg, nearest);
    const InstRef sum = add(Op::Fmla, RegClass::vector);
    sum->flags |= lir::kTied;
    for (Reg r : {negated, left, right}) use(sum, r);
    Reg error = sum->def;
    Reg sign = vvv(Op::And, nearest, constant_vector(kSignBit));
    Reg too_large = vv(Op::CmpLtZero, vvv(Op::Xor, error, sign));
    if (may_be_zero) {
      Reg zero = vv(Op::CmpEqZero, addend);
      too_large = vvv(Op::AndNot, zero, too_large);
    }
    Reg truncated = vvv(Op::IAdd, nearest, too_large);
    sums.push_back(vvv(Op::Add, truncated, addend));
    if (!may_be_large) continue;
    Reg large = vvv(Op::CmpAbsGt, nearest, constant_vector(kLarge));
    large_ = large_ == lir::kNoReg ? large : vvv(Op::Or, large_, large);
  }
  return sums;
}

}  // namespace warpjit::backend::a64
