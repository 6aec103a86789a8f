// Tests (docs/guests/usse.md 5.4).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

unsigned unit_of(Alu alu) { return static_cast<unsigned>(alu) / 16; }
bool is_function(Alu alu) { return alu == Alu::rcp || alu == Alu::rsq || alu == Alu::log || alu == Alu::exp; }
// The width of the operands of integer tests.
unsigned width_of(Alu alu) {
  if (alu >= Alu::iadd8 && alu <= Alu::fpsub8) return 8;
  return alu >= Alu::iadd16 && alu <= Alu::imulu16 ? 16 : 32;
}
bool has_signs(Alu alu) {
  return alu == Alu::iadd8 || alu == Alu::isub8 || alu == Alu::imul8 || alu == Alu::iadd16 ||
         alu == Alu::isub16 || alu == Alu::imul16 || alu == Alu::iadd32;
}

}  // namespace

F32 InstructionTranslator::tested_float(const Instruction& i, unsigned k) {
  const auto first = [&](unsigned n) { return component(i.s[1], i.type, n); };
  const auto second = [&](unsigned n) { return component(i.s[2], i.type, i.scalar2 ? 0 : n); };
  if (is_function(i.alu)) {
    const F32 x = first(0);
    switch (i.alu) {
      case Alu::rcp:
        return reciprocal(x);
      case Alu::rsq:
        return reciprocal_root(x);
      case Alu::log:
        return logarithm(x);
      default:
        return power_of_two(x);
    }
  }
  if (i.alu == Alu::dp) {
    std::array<F32, 4> a, b;
    for (unsigned n = 0; n < 4; ++n) {
      a[n] = first(n);
      b[n] = second(n);
    }
    return dot(a, b, 4);
  }
  if (i.alu == Alu::dsx || i.alu == Alu::dsy)
    return quad_difference(i, k, i.scalar2 ? 0 : k, i.alu == Alu::dsy);
  const F32 a = first(k), b = second(k);
  switch (i.alu) {
    case Alu::add:
      return b_.FAdd32(a, b);
    case Alu::frc:
      return floor_difference(a, b);
    case Alu::min:
      return b_.FMinSelect32(a, b);
    case Alu::max:
      return b_.FMaxSelect32(a, b);
    case Alu::mul:
      return b_.FMul32(a, b);
    default:
      return b_.FSub32(a, b);
  }
}

InstructionTranslator::Tested InstructionTranslator::tested(const Instruction& i, unsigned k) {
  Tested tested;
  if (unit_of(i.alu) == 0) {
    tested.is_float = true;
    tested.number = tested_float(i, k);
    tested.negative = b_.FLt32(tested.number, real(0.0F));
    tested.zero = b_.FEq32(tested.number, real(0.0F));
    return tested;
  }
  const unsigned bits = width_of(i.alu);
  const bool is_signed = has_signs(i.alu);
  I32 a = element(i.s[1], bits, k, is_signed);
  const I32 b = element(i.s[2], bits, i.scalar2 ? 0 : k, is_signed);
  if (i.s[1].negate) a = b_.ISub32(word(0), a);
  const I1 never = truth(false);
  I32 value;
  switch (i.alu) {
    case Alu::iadd8:
    case Alu::iaddu8:
    case Alu::fpadd8:
    case Alu::iadd16:
    case Alu::iaddu16:
    case Alu::iadd32:
      value = b_.IAdd32(a, b);
      break;
    case Alu::iaddu32:
      tested.value = b_.IAdd32(a, b);
      tested.negative = never;
      tested.zero = b_.IEq32(b_.IOr32(a, b), word(0));
      return tested;
    case Alu::isub32:
    case Alu::isubu32:
      tested.value = b_.ISub32(a, b);
      tested.negative = b_.ILtU32(a, b);
      tested.zero = b_.IEq32(a, b);
      return tested;
    case Alu::isub8:
    case Alu::isubu8:
    case Alu::fpsub8:
    case Alu::isub16:
    case Alu::isubu16:
      value = b_.ISub32(a, b);
      break;
    case Alu::imul8:
    case Alu::imulu8:
    case Alu::imul16:
      value = b_.IMul32(a, b);
      break;
    case Alu::imulu16:
      tested.value = b_.IMul32(a, b);
      tested.negative = never;
      tested.zero = b_.IEq32(tested.value, word(0));
      return tested;
    case Alu::fpmul8:
      value = byte_product(a, b);
      break;
    case Alu::and_:
      value = b_.IAnd32(a, b);
      break;
    case Alu::or_:
      value = b_.IOr32(a, b);
      break;
    case Alu::xor_:
      value = b_.IXor32(a, b);
      break;
    default: {
      const I32 count = b_.IAnd32(b, word(31));
      const auto left = [&] { return b_.IShl32(a, count); };
      const auto right = [&](I32 n) { return b_.IShrU32(a, n); };
      value = i.alu == Alu::shl   ? left()
              : i.alu == Alu::shr ? right(count)
              : i.alu == Alu::asr ? b_.IShrS32(a, count)
                                  : b_.IOr32(left(), right(b_.ISub32(word(32), count)));
      break;
    }
  }
  tested.value = value;
  tested.negative = b_.ILtS32(value, word(0));
  tested.zero = b_.IEq32(value, word(0));
  return tested;
}

I1 InstructionTranslator::test_result(const Instruction& i, const Tested& tested) {
  I1 sign, zero;
  if (i.sign_test == SignTest::negative) sign = tested.negative;
  if (i.sign_test == SignTest::positive)
    sign = tested.is_float ? b_.FGe32(tested.number, real(0.0F)) : b_.Not1(tested.negative);
  if (i.zero_test == ZeroTest::zero) zero = tested.zero;
  if (i.zero_test == ZeroTest::not_zero) zero = b_.Not1(tested.zero);
  if (!sign.valid() && !zero.valid()) return truth(true);
  if (!sign.valid()) return zero;
  if (!zero.valid()) return sign;
  return i.test_both ? b_.And1(sign, zero) : b_.Or1(sign, zero);
}

Status InstructionTranslator::test(const Instruction& i) {
  const unsigned unit = unit_of(i.alu), bits = unit == 0 ? (i.type == Type::f16 ? 16 : 32) : width_of(i.alu);
  const auto write_back = [&](unsigned k, const Tested& value) {
    if (unit == 0)
      write_component(i.d[0], i.type, k, value.number);
    else
      write_element(i.d[0], bits, k, value.value);
  };
  if (i.opcode == Opcode::tst) {
    constexpr unsigned kAll = 4;
    I1 result;
    for (unsigned k = 0; k < 4; ++k) {
      if (i.channel < kAll && k != i.channel) continue;
      const Tested value = tested(i, k);
      const I1 one = test_result(i, value);
      result = !result.valid() ? one : i.channel == kAll ? b_.And1(result, one) : b_.Or1(result, one);
      if (i.write_back) write_back(k, value);
    }
    write_predicate(i.predicate_written, result);
    return {};
  }
  for (unsigned k = 0; k < 4; ++k) {
    const I1 one = test_result(i, tested(i, k));
    if (i.mask_type == MaskType::numbers && unit == 0) {
      write_component(i.d[0], i.type, k, b_.select(one, real(1.0F), real(0.0F)));
      continue;
    }
    const unsigned width = i.mask_type == MaskType::bytes ? 8 : i.mask_type == MaskType::halves ? 16 : bits;
    const std::uint32_t ones = low_mask<std::uint32_t>(width) << k * width % 32;
    write_word(i.d[0], k * width / 32, b_.select(one, word(ones), word(0)), ones, true);
  }
  return {};
}

}  // namespace warpjit::usse
