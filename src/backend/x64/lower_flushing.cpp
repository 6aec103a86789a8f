// Arithmetic toward zero, in code that runs without denormals: by the instruction where it can hold the
// rounding, else by the mode. The truncated multiply-add.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

void Flushing::round_toward_zero(bool zero) {
  if (!host_.embedded_rounding)
    set_float_mode(zero ? lir::FloatMode::flush_toward_zero : lir::FloatMode::flush);
}

void Flushing::set_float_mode(lir::FloatMode mode) {
  add(Op::SetFloatMode)->imm = static_cast<std::int64_t>(mode);
}

// Rounding that stands in the instruction leaves no room for a memory operand.
Reg Flushing::toward_zero(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use(inst, b);
  inst->prefer = 3;
  return inst->def;
}

// Of words: 2^-95, below which an addend of AVX-512 is small, and 2^-50, of AVX2; 2^-78, below which the
// error of a product of AVX2 is lost.
constexpr std::uint32_t kHigherExponents = 0x70000000, kFew = 0x26800000, kLowProduct = 0x18800000;
constexpr std::uint32_t kGreatest = 0x7f7fffff;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

// Sums of c and truncated products, with exponents in the range of f32. This is the result, but in unusual
// lanes: where the product may exceed the greatest finite value; where c is so small that the rounding of the
// sum would see what a low product lost; and where c is zero, with which the product is rounded to nearest.
// If such lanes exist and matter, all lanes are computed again. But fragment programs often add to zero
// (colours that are black, coordinates that a driver moves by nothing): their zeros are seen to before.
Regs Flushing::multiply_add_truncated(ir::Inst i, std::uint32_t parts) {
  const Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  const auto plain = [&](Reg left, Reg right, Reg addend) {
    return vvv(Op::Add, vvv(Op::Mul, left, right), addend);
  };
  Regs sums;
  if (is_constant(c) && (constant(c) & kMagnitude) < 0x00800000) {
    for (std::uint32_t p = 0; p < parts; ++p) sums.push_back(plain(vector(a, p), vector(b, p), vector(c, p)));
    return sums;
  }
  std::vector<Product> all;
  all.reserve(parts);
  for (std::uint32_t p = 0; p < parts; ++p) {
    Product made{{}, vector(a, p), vector(b, p), vector(c, p)};
    made.truncated = host_.embedded_rounding ? multiply_toward_zero(made.left, made.right) : truncated(made);
    all.push_back(made);
  }
  for (const Product& p : all) sums.push_back(vvv(Op::Add, p.truncated, p.addend));
  constexpr int kGreatestExponent = 127;
  const Doubts doubts{exponent_bound(a) + exponent_bound(b) > kGreatestExponent, may_be_small(c)};
  if (!doubts.any()) return sums;
  branch_if_unusual(all, doubts);
  const auto again = [&] {
    Regs made;
    for (const Product& p : all) made.push_back(add_again(p));
    return made;
  };
  const auto cold = [&] {
    const Value matters = operand(i, 3);
    const bool all_matter = !varying(f_.result(i)) || is_constant(matters);
    const bool sees_to_zeros = f_.pixels && doubts.small_addend;
    if (all_matter && !sees_to_zeros) return again();
    Regs with_zeros = sums;
    Mask any;
    for (std::uint32_t p = 0; p < parts; ++p) {
      const Product& made = all[p];
      Mask lanes;
      if (sees_to_zeros) {
        Reg zero = compare(Op::CmpF, made.addend, reg_source(constant_vector(0)), predicate::kEq);
        Reg nearest = plain(made.left, made.right, made.addend);
        with_zeros[p] = blend(sums[p], reg_source(nearest), zero);
        lanes = combine(MaskOp::and_not, {zero}, {unusual_unless_zero(made, doubts)});
      } else {
        lanes = unusual(made, doubts);
      }
      if (!all_matter) lanes = combine(MaskOp::and_, lanes, mask_or_inverse(matters, p));
      any = p == 0 ? lanes : combine(MaskOp::or_, any, lanes);
    }
    return either_way(any.inverted ? state_.masks->mask_not(any.reg) : any.reg, again,
                      [&] { return with_zeros; });
  };
  return hot_or_cold([&] { return sums; }, cold);
}

bool Flushing::may_be_small(Value addend) const {
  if (!is_constant(addend)) return true;
  const auto word = static_cast<std::uint32_t>(constant(addend));
  return host_.mask_registers ? (word & kHigherExponents) == 0 : (word & kMagnitude) < kFew;
}

// The nearest product, less one in the last place where its error says that it is too large. The error is
// lost where the product is below 2^-78; then it does not matter to a c of 2^-50 or more.
Reg Flushing::truncated(const Product& p) {
  Reg nearest = vvv(Op::Mul, p.left, p.right);
  const InstRef error = add(Op::Fms, RegClass::vector);
  for (Reg r : {p.left, p.right, nearest}) use(error, r);
  error->prefer = 7;
  // The word's negative is negative, too, where the float is positive.
  Reg outward = vvv(Op::ISign, error->def, nearest);  // negative: inward
  Reg too_large = compare(Op::CmpF, outward, reg_source(constant_vector(0)), predicate::kLt);
  return vvv(Op::IAdd, nearest, too_large);
}

Reg Flushing::magnitude(Reg r) { return vvv(Op::And, r, constant_source(kMagnitude)); }

// If any lane is, of any part. AVX-512: unless all are usual, one chain.
void Flushing::branch_if_unusual(std::vector<Product>& products, Doubts doubts) {
  Reg found = lir::kNoReg;
  const auto usual = [&](Op first, Op masked, Reg r, std::uint32_t word, int predicate) {
    const InstRef inst = add(found == lir::kNoReg ? first : masked, RegClass::mask);
    use(inst, r);
    use_source(inst, constant_source(word));
    if (found != lir::kNoReg) use(inst, found);
    inst->imm = predicate;
    found = inst->def;
  };
  const auto add_found = [&](Reg lanes) { found = found == lir::kNoReg ? lanes : vvv(Op::Or, found, lanes); };
  Reg least = lir::kNoReg;  // addend of the parts so far
  for (std::size_t p = 0; p < products.size(); ++p) {
    Product& made = products[p];
    const bool new_addend = doubts.small_addend && (p == 0 || made.addend != products[p - 1].addend);
    if (host_.mask_registers) {
      if (doubts.large_product) {
        made.doubled = vvv(Op::IAdd, made.truncated, made.truncated);
        usual(Op::CmpU, Op::CmpUMasked, made.doubled, 2 * kGreatest, integer_predicate::kNe);
      }
      if (new_addend) usual(Op::TestBits, Op::TestMasked, made.addend, kHigherExponents, 0);
      continue;
    }
    if (doubts.large_product) add_found(is_greatest(made));
    if (!new_addend) continue;
    Reg positive = magnitude(made.addend);
    least = least == lir::kNoReg ? positive : vvv(Op::IMinS, least, positive);
  }
  if (host_.mask_registers) {
    use(add(Op::BranchUnlessAll), found);
    return;
  }
  if (least != lir::kNoReg) add_found(vvv(Op::ICmpGt, constant_vector(kFew), least));
  branch_if_any(found);
}

// The lanes that branch_if_unusual() finds.
Mask Flushing::unusual(const Product& p, Doubts doubts) {
  Mask small, large;
  if (doubts.small_addend && host_.mask_registers) {
    const InstRef usual = add(Op::TestBits, RegClass::mask);
    use(usual, p.addend);
    use_source(usual, constant_source(kHigherExponents));
    small = {usual->def, true};
  } else if (doubts.small_addend) {
    small = {vvv(Op::ICmpGt, constant_vector(kFew), magnitude(p.addend))};
  }
  if (!doubts.large_product) return small;
  large = {is_greatest(p)};
  return doubts.small_addend ? combine(MaskOp::or_, small, large) : large;
}

// Of these, those that stay unusual if their addend is not zero: where the product is low, too.
Reg Flushing::unusual_unless_zero(const Product& p, Doubts doubts) {
  Reg low;
  if (host_.mask_registers) {
    Reg bits = vvv(Op::And, p.addend, constant_source(kHigherExponents));
    Reg doubled = p.doubled != lir::kNoReg ? p.doubled : vvv(Op::IAdd, p.truncated, p.truncated);
    low =
        compare(Op::CmpI, vvv(Op::Or, bits, doubled), reg_source(constant_vector(0)), integer_predicate::kEq);
  } else {
    Reg is_low = vvv(Op::ICmpGt, constant_vector(kLowProduct), magnitude(p.truncated));
    low = vvv(Op::And, is_low, vvv(Op::ICmpGt, constant_vector(kFew), magnitude(p.addend)));
  }
  return doubts.large_product ? state_.masks->mask_op(MaskOp::or_, low, is_greatest(p)) : low;
}

// Products that are, or were too large.
Reg Flushing::is_greatest(const Product& p) {
  if (host_.mask_registers)
    return compare(Op::CmpU, p.doubled, constant_source(2 * kGreatest), integer_predicate::kEq);
  return vvv(Op::ICmpEq, magnitude(p.truncated), constant_vector(kGreatest));
}

// By a subroutine (emit.cpp), which reads its operands from the frame.
Reg Flushing::add_again(const Product& p) {
  const auto bytes = static_cast<std::int32_t>(host_.vector_bytes);
  if (again_words_ < 0) again_words_ = reserve_frame(3 * host_.vector_bytes);
  std::int32_t offset = again_words_;
  for (Reg r : {p.left, p.right, p.addend}) {
    store(Op::StoreFull, r, frame(offset));
    offset += bytes;
  }
  add(Op::MultiplyAddTruncated)->mem = frame(again_words_);
  return load(Op::LoadFull, RegClass::vector, frame(again_words_));
}

}  // namespace warpjit::backend::x64
