// Arithmetic toward zero, in code that runs without denormals: by the instruction on AVX-512, by the mode on
// AVX2. The truncated multiply-add.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::Inst;
using lir::Reg;
using lir::RegClass;

void Lowering::round_toward_zero(bool zero) {
  if (!v4()) add(Op::SetRounding).imm = zero ? 1 : 0;
}

// Rounding that stands in the instruction leaves no room for a memory operand.
Reg Lowering::toward_zero(Op op, Reg a, Reg b) {
  Inst& inst = add(op, RegClass::vector);
  use(inst, a);
  use(inst, b);
  inst.prefer = 3;
  return inst.def;
}

// The lanes of r, unsigned, from `first` to `end` - 1; on AVX2 both must be below 2^31.
Reg Lowering::lanes_between(Reg r, std::uint32_t first, std::uint32_t end) {
  if (v4())
    return compare(Op::CmpU, vvv(Op::ISub, r, constant_source(first)), constant_source(end - first),
                   integer_predicate::kLt);
  Reg from = vvv(Op::ICmpGt, r, constant_source(first - 1));
  return vvv(Op::And, from, vvv(Op::ICmpGt, constant_vector(end), r));
}

// product + c, where the product was truncated with its exponent in the range of f32. That is the same but
// where a product beyond the greatest finite value would meet a large c of the other sign, and where one
// below 2^-126 would change the rounding of a c below 2^-100: a call, and rare. Where c is zero, the product
// is rounded to nearest.
Reg Lowering::multiply_add_truncated(ir::Inst i, std::uint32_t p, Reg product) {
  constexpr std::uint32_t kGreatest = 0x7f7fffff, kLeast = 0x00800000, kSmall = 0x0d800000;  // 2^-126, 2^-100
  Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  Reg left = vector(a, p), right = vector(b, p), addend = vector(c, p);
  Reg special;
  if (v4()) {  // twice the bits are those of the magnitude, twice
    Reg large = compare(Op::CmpU, vvv(Op::IAdd, product, product), constant_source(2 * kGreatest),
                        integer_predicate::kEq);
    Reg small = lanes_between(vvv(Op::IAdd, addend, addend), 2 * kLeast, 2 * kSmall);
    special = mask_op(MaskOp::or_, large, small);
  } else {
    Reg large =
        vvv(Op::ICmpEq, vvv(Op::And, product, constant_source(0x7fffffff)), constant_vector(kGreatest));
    Reg small = lanes_between(vvv(Op::And, addend, constant_source(0x7fffffff)), kLeast, kSmall);
    special = vvv(Op::Or, large, small);
  }
  Reg no_addend = compare(Op::CmpF, addend, reg_source(constant_vector(0)), predicate::kEq);
  Reg chosen;
  if (v4()) {
    Inst& merged = add(Op::MulMerge, RegClass::vector);
    merged.flags |= lir::kTied;
    use(merged, product);
    use(merged, no_addend);
    use(merged, left);
    use(merged, right);
    chosen = merged.def;
  } else {
    chosen = blend(product, reg_source(vvv(Op::Mul, left, right)), no_addend);
  }
  Reg sum = vvv(Op::Add, chosen, addend);
  const std::int32_t words = call_words();
  const std::int64_t site = call_site(i, p, 1);
  if (!v4()) {  // whose masks take vector registers: more at once than there may be
    branch_if_any(special);
    const auto called = [&]() -> std::vector<Reg> {
      std::int32_t place = words;
      for (Reg r : {left, right, addend}) {
        Inst& store = add(Op::StoreFull);
        use(store, r);
        store.mem = frame(place);
        place += static_cast<std::int32_t>(host_.vector_bytes);
      }
      Inst& call = add(Op::Call);
      call.imm = site;
      call.mem = frame(words);
      Inst& load = add(Op::LoadFull, RegClass::vector);
      load.mem = frame(place);
      return {load.def};
    };
    return hot_or_cold([&]() -> std::vector<Reg> { return {sum}; }, called)[0];
  }
  Inst& inst = add(Op::CallWhereAny, RegClass::vector);
  inst.flags |= lir::kTied;
  inst.imm = site;
  inst.mem = frame(words);
  for (Reg r : {sum, special, left, right, addend}) use(inst, r);
  return inst.def;
}

}  // namespace warpjit::backend::x64
