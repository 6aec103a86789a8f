// f32 arithmetic (tesla.md 8). A NaN is made canonical, 0x7fffffff, where it is used as a word.
#include "frontend/tesla/facts/special_functions.h"
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

void InstructionTranslator::floating(const Instruction& i) {
  const bool toward_zero = static_cast<Rounding>(i.rounding) == Rounding::zero;
  switch (i.opcode) {
    case Opcode::fadd: {
      const F32 a = float_source(i, 0), b = float_source(i, 1);
      return set_float(i, toward_zero ? b_.FAddZeroFlush32(a, b) : b_.FAddFlush32(a, b));
    }
    case Opcode::fmul:
      return set_float(i, multiply(float_source(i, 0), float_source(i, 1), toward_zero));
    case Opcode::fmad:
      return set_float(i, multiply_add(float_source(i, 0), float_source(i, 1), float_source(i, 2)));
    case Opcode::fset: {
      const I1 holds = compare(i.compare, flushed(float_source(i, 0)), flushed(float_source(i, 1)));
      set_flags(i, {b_.Not1(holds), holds, no(), no()});
      return set_destination(i, truth(holds, 0xffffffff));
    }
    case Opcode::fmax:
      return set_float(i, b_.FMaxNum32(flushed(float_source(i, 0)), flushed(float_source(i, 1))));
    case Opcode::fmin:
      return set_float(i, b_.FMinNum32(flushed(float_source(i, 0)), flushed(float_source(i, 1))));
    case Opcode::fslct:
      return select_by_sign(i);
    case Opcode::presin:
    case Opcode::preex2:
      // Fixed-point numbers, not floats.
      return set_destination(i, b_.BitcastF32ToI32(special_function(i)));
    default:
      return set_float(i, special_function(i));
  }
}

F32 InstructionTranslator::float_source(const Instruction& i, unsigned n) {
  return modified(as_float(source(i, n)), i.absolute[n] != 0, i.negate[n] != 0);
}

F32 InstructionTranslator::modified(F32 x, bool absolute, bool negate) {
  if (absolute) x = b_.FAbs32(x);
  return negate ? b_.FNeg32(x) : x;
}

// tesla.md 8.1: to 0 to 1, where -0 becomes +0. A NaN stays one, or becomes 0 as the mode says.
F32 InstructionTranslator::saturated(F32 x) {
  const F32 zero = b_.constant(0.0F), one = b_.constant(1.0F);
  if (facts_.modes.saturated_nan_is_zero) return b_.FMinSelect32(b_.FMaxSelect32(x, zero), one);
  return b_.select(b_.FLe32(x, zero), zero, b_.FMinSelect32(one, x));
}

// tesla.md 7: compared with 0; a NaN has Z and S.
InstructionTranslator::Flags InstructionTranslator::float_flags(F32 x) {
  const F32 zero = b_.constant(0.0F);
  return {b_.Or1(b_.FEq32(x, zero), b_.FUnordered32(x, x)), b_.Not1(b_.FGe32(x, zero)), no(), no()};
}

void InstructionTranslator::set_float(const Instruction& i, F32 value) {
  if (i.saturate != 0) value = saturated(value);
  if (i.flags >= 0) set_flags(i, float_flags(value));
  set_destination(i, as_bits(value));
}

// Whether one of them is zero, denormals included.
I1 InstructionTranslator::zero_wins(F32 a, F32 b) {
  const F32 zero = b_.constant(0.0F);
  return b_.Or1(b_.FEq32(flushed(a), zero), b_.FEq32(flushed(b), zero));
}

F32 InstructionTranslator::multiply(F32 a, F32 b, bool toward_zero) {
  const F32 product = toward_zero ? b_.FMulZeroFlush32(a, b) : b_.FMulFlush32(a, b);
  return facts_.modes.zero_wins ? b_.select(zero_wins(a, b), b_.constant(0.0F), product) : product;
}

F32 InstructionTranslator::multiply_add(F32 a, F32 b, F32 c) {
  const F32 sum = facts_.modes.fast_fmad ? b_.FFmaFlush32(a, b, c) : b_.FMadTruncFlush32(a, b, c, lanes_);
  if (!facts_.modes.zero_wins) return sum;
  return b_.select(zero_wins(a, b), b_.FAddFlush32(b_.constant(0.0F), c), sum);
}

I1 InstructionTranslator::compare(unsigned wanted, F32 a, F32 b) {
  // If unordered is among them, the complement is computed: 4 bits are 8 tests and their opposites.
  if ((wanted & kUnordered) != 0) return b_.Not1(compare(~wanted & 15, a, b));
  switch (wanted) {
    case 0:
      return no();
    case kLess:
      return b_.FLt32(a, b);
    case kEqual:
      return b_.FEq32(a, b);
    case kLess | kEqual:
      return b_.FLe32(a, b);
    case kGreater:
      return b_.FGt32(a, b);
    case kLess | kGreater:
      return b_.Or1(b_.FLt32(a, b), b_.FGt32(a, b));
    case kGreater | kEqual:
      return b_.FGe32(a, b);
    default:
      return b_.Not1(b_.FUnordered32(a, b));
  }
}

// fslct: bits are copied as they are.
void InstructionTranslator::select_by_sign(const Instruction& i) {
  const I32 a = source(i, 0), b = source(i, 1);
  const I1 first = b_.FGe32(flushed(float_source(i, 2)), b_.constant(0.0F));
  const I32 value = b_.select(first, a, b);
  const I1 zero = is_zero(b_.IAnd32(value, word(0x7fffffff)));
  set_flags(i, {zero, b_.AndNot1(is_negative(value), zero), no(), no()});
  set_destination(i, value);
}

F32 InstructionTranslator::special_function(const Instruction& i) {
  const F32 x = float_source(i, 0);
  const auto function = special_function_of(i.opcode, facts_.modes.fast_sfu);
  return function ? b_.TeslaSpecialFunction32(x, static_cast<std::uint64_t>(*function)) : x;
}

}  // namespace warpjit::tesla
