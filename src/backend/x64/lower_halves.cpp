// Lowering of arithmetic of halves for AVX512-FP16. Its instructions keep denormals in every mode.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using lir::InstRef;
using lir::Reg;
using lir::RegClass;

Reg Halves::binary(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use(inst, b);
  return inst->def;
}

Reg Halves::multiply_add(Reg a, Reg b, Reg c) {
  const InstRef inst = add(Op::HalvesFma, RegClass::vector);
  for (Reg r : {a, b, c}) use(inst, r);
  inst->prefer = 7;
  return inst->def;
}

Reg Halves::compared(int predicate, Reg a, Reg b) {
  const InstRef inst = add(Op::HalvesCompare, RegClass::vector);
  use(inst, a);
  use(inst, b);
  inst->imm = predicate;
  return inst->def;
}

Reg Halves::compare(HalfCondition condition, Reg a, Reg b) {
  switch (condition) {
    case HalfCondition::equal:
      return compared(predicate::kEq, a, b);
    case HalfCondition::less:
      return compared(predicate::kLt, a, b);
    case HalfCondition::less_equal:
      break;
  }
  return compared(predicate::kLe, a, b);
}

// The host's gives b where a is a NaN or the operands are equal, as zeros of different signs are.
Reg Halves::extreme_number(bool greater, Reg a, Reg b, std::optional<std::uint32_t> constant) {
  const Reg chosen = binary(greater ? Op::HalvesMax : Op::HalvesMin, a, b);
  const auto is_chosen_right = [&](std::uint32_t half) {
    const std::uint32_t magnitude = half & 0x7fff;
    return magnitude != 0 ? magnitude <= 0x7c00 : half == (greater ? 0U : 0x8000U);
  };
  if (constant && is_chosen_right(*constant & 0xffff) && is_chosen_right(*constant >> 16)) return chosen;
  const Reg both = vvv(greater ? Op::And : Op::Or, a, b);
  const Reg ordered = ternary(kWhere, compared(predicate::kEq, a, b), chosen, reg_source(both));
  return ternary(kWhere, compared(predicate::kUnordered, b, b), ordered, reg_source(a));
}

// In each 128 bits; bytes of each word by their numbers, zero for 0x80 and more.
Reg Halves::shuffled(Reg a, std::uint32_t bytes_of_first) {
  std::array<std::uint32_t, kMostHostLanes> places{};
  for (std::uint32_t n = 0; n < places.size(); ++n) places[n] = bytes_of_first + n % 4 * 0x04040404;
  return vvv(Op::ShuffleBytes, a, Source{lir::kNoReg, pool_mem({places.data(), host_.lanes})});
}
Reg Halves::repeat_low(Reg a) { return shuffled(a, 0x01000100); }
Reg Halves::repeat_high(Reg a) { return shuffled(a, 0x03020302); }
Reg Halves::low_bytes(Reg a, Reg b) {
  const Reg lower = shuffled(a, 0x80800200);
  return vvv(Op::Or, lower, shuffled(b, 0x02008080));
}
// 4 + n / 256 is a half for each byte n; n / 256 * (1 + 1 / 255), rounded once, is n / 255
// rounded: all n show that.
Reg Halves::of_bytes(Reg a, bool upper) {
  const Reg bytes = shuffled(a, upper ? 0x80038002 : 0x80018000);
  const Reg above_four = vvv(Op::Or, bytes, constant_source(0x44004400));
  const Reg parts = binary(Op::HalvesAdd, above_four, constant_vector(0xc400c400));
  return multiply_add(parts, constant_vector(0x1c041c04), parts);
}

// A half of each in turn.
Reg Halves::of_singles(Reg a, Reg b) {
  std::array<std::uint32_t, kMostHostLanes> places{};
  for (std::uint32_t n = 0; n < places.size(); ++n) places[n] = n | (2 * kMostHostLanes + n) << 16;
  const Reg low = with_halves(Op::CvtToHalves, a), high = with_halves(Op::CvtToHalves, b);
  const Reg index = vector_of({places.data(), host_.lanes});
  const InstRef inst = add(Op::LookUpHalves, RegClass::vector);
  inst->flags |= lir::kTied;
  for (Reg r : {low, index, high}) use(inst, r);
  return inst->def;
}
Reg Halves::twice(Reg a) {
  return repeat_low(with_halves(Op::WordsOfHalves, with_halves(Op::CvtToHalves, a)));
}
Reg Halves::swap(Reg a) { return with_immediate(Op::RotateRight, a, 16); }

Reg Halves::canonicalize_nan(Reg a) {
  return ternary(kWhere, compared(predicate::kUnordered, a, a), a, constant_source(0x7e007e00));
}

}  // namespace warpjit::backend::x64
