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
  if (!host_.embedded_rounding) add(Op::SetRounding)->imm = zero ? 1 : 0;
}

// Rounding that stands in the instruction leaves no room for a memory operand.
Reg Flushing::toward_zero(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use(inst, b);
  inst->prefer = 3;
  return inst->def;
}

// Sums of c and truncated products, with exponents in the range of f32. This is the result, except in lanes
// where c is zero, or so small that a product below 2^-126 would change its rounding, or where the product
// may exceed the greatest finite value. If such lanes exist and matter, all lanes are computed again.
Regs Flushing::multiply_add_truncated(ir::Inst i, std::uint32_t parts) {
  std::vector<Product> all;
  all.reserve(parts);
  for (std::uint32_t p = 0; p < parts; ++p) {
    Product made{{},
                 vector(unflushed(operand(i, 0)), p),
                 vector(unflushed(operand(i, 1)), p),
                 vector(unflushed(operand(i, 2)), p)};
    made.truncated = host_.embedded_rounding ? multiply_toward_zero(made.left, made.right) : truncated(made);
    all.push_back(made);
  }
  Regs sums;
  for (const Product& p : all) sums.push_back(vvv(Op::Add, p.truncated, p.addend));
  const auto as_made = [&] { return sums; };
  const auto again = [&] {
    Regs made;
    for (const Product& p : all) made.push_back(add_again(p));
    return made;
  };
  const bool all_matter = !varying(f_.result(i)) || is_constant(operand(i, 3));
  branch_if_any(unusual_lanes(all, {}));
  return hot_or_cold(as_made, [&] {
    return all_matter ? again() : either_way(unusual_lanes(all, operand(i, 3)), again, as_made);
  });
}

// The nearest product, less one in the last place where its error says that it is too large. The error is
// lost where the product is below 2^-78; then it does not matter to a c of 2^-50 or more.
Reg Flushing::truncated(const Product& p) {
  constexpr std::uint32_t kSign = 0x80000000;
  Reg nearest = vvv(Op::Mul, p.left, p.right), negated = vvv(Op::Xor, nearest, constant_source(kSign));
  const InstRef error = add(Op::Fma, RegClass::vector);
  for (Reg r : {p.left, p.right, negated}) use(error, r);
  error->prefer = 7;
  Reg outward = vvv(Op::Xor, error->def, vvv(Op::And, nearest, constant_source(kSign)));  // negative: inward
  Reg too_large = compare(Op::CmpF, outward, reg_source(constant_vector(0)), predicate::kLt);
  return vvv(Op::IAdd, nearest, too_large);
}

constexpr std::uint32_t kGreatest = 0x7f7fffff;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

// AVX-512: those of `among`, or of all lanes, that are usual.
Reg Flushing::usual_lanes(const Product& p, Reg among) {
  const auto where = [&](Op op, Reg a, std::uint32_t word, int predicate) {
    const InstRef inst = add(op, RegClass::mask);
    use(inst, a);
    use_source(inst, constant_source(word));
    if (op != Op::CmpU) use(inst, among);
    inst->imm = predicate;
    return inst->def;
  };
  among = where(among == lir::kNoReg ? Op::CmpU : Op::CmpUMasked, vvv(Op::IAdd, p.truncated, p.truncated),
                2 * kGreatest, integer_predicate::kNe);
  return where(Op::TestMasked, p.addend, 0x70000000, 0);  // not below 2^-95
}

Mask Flushing::unusual_lanes(const Product& p) {
  if (host_.mask_registers) return {usual_lanes(p, lir::kNoReg), true};
  constexpr std::uint32_t kFew = 0x26800000;  // 2^-50
  Reg small = vvv(Op::ICmpGt, constant_vector(kFew), vvv(Op::And, p.addend, constant_source(kMagnitude)));
  return {vvv(Op::Or, is_greatest(p), small)};
}

// In any part, where `matters` holds if it is given.
Reg Flushing::unusual_lanes(const std::vector<Product>& products, Value matters) {
  if (host_.mask_registers && !matters.valid()) {  // one chain
    Reg usual = lir::kNoReg;
    for (const Product& p : products) usual = usual_lanes(p, usual);
    return state_.masks->mask_not(usual);
  }
  Mask any;
  for (std::uint32_t p = 0; p < products.size(); ++p) {
    Mask lanes = unusual_lanes(products[p]);
    if (matters.valid()) lanes = combine(MaskOp::and_, lanes, mask_or_inverse(matters, p));
    any = p == 0 ? lanes : combine(MaskOp::or_, any, lanes);
  }
  return any.inverted ? state_.masks->mask_not(any.reg) : any.reg;
}

// Products that are, or were too large.
Reg Flushing::is_greatest(const Product& p) {
  if (host_.mask_registers)  // twice the bits are those of the magnitude, twice
    return compare(Op::CmpU, vvv(Op::IAdd, p.truncated, p.truncated), constant_source(2 * kGreatest),
                   integer_predicate::kEq);
  return vvv(Op::ICmpEq, vvv(Op::And, p.truncated, constant_source(kMagnitude)), constant_vector(kGreatest));
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
