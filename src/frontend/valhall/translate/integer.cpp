// Integer arithmetic, comparisons and choices (valhall.md 6.2, 6.3).
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

// To the range of an element of less than 32 bits.
I32 InstructionTranslator::saturated(const Elements& elements, I32 value) {
  const auto ones = static_cast<std::int32_t>(low_mask<std::uint32_t>(elements.bits));
  const std::int32_t most = elements.is_signed ? ones >> 1 : ones;
  const I32 at_most = b_.IMinS32(value, b_.constant(most));
  return b_.IMaxS32(at_most, b_.constant(elements.is_signed ? -most - 1 : 0));
}

I32 InstructionTranslator::sum(const Instruction& i, const Elements& elements, I32 a, I32 b) {
  const I32 s = b_.IAdd32(a, b);
  if (!i.saturate) return s;
  if (elements.bits < 32) return saturated(elements, s);
  if (!elements.is_signed) return b_.select(b_.ILtU32(s, a), word(~0U), s);
  // It overflows where both operands have the other sign.
  const I32 other_sign = b_.IAnd32(b_.IXor32(a, s), b_.IXor32(b, s));
  const I32 limit = b_.IXor32(b_.IShrS32(a, word(31)), word(0x7fffffff));
  return b_.select(b_.ILtS32(other_sign, word(0)), limit, s);
}

I32 InstructionTranslator::difference(const Instruction& i, const Elements& elements, I32 a, I32 b) {
  const I32 d = b_.ISub32(a, b);
  if (!i.saturate) return d;
  if (elements.bits < 32) return saturated(elements, d);
  if (!elements.is_signed) return b_.select(b_.ILtU32(a, b), word(0), d);
  const I32 other_sign = b_.IAnd32(b_.IXor32(a, b), b_.IXor32(a, d));
  const I32 limit = b_.IXor32(b_.IShrS32(a, word(31)), word(0x7fffffff));
  return b_.select(b_.ILtS32(other_sign, word(0)), limit, d);
}

I32 InstructionTranslator::product(const Instruction& i, const Elements& elements, I32 a, I32 b) {
  const I32 low = b_.IMul32(a, b);
  if (!i.saturate) return low;
  if (elements.bits < 32) {
    // Products of unsigned elements reach 32 bits.
    if (!elements.is_signed) return b_.IMinU32(low, word(low_mask<std::uint32_t>(elements.bits)));
    return saturated(elements, low);
  }
  const Pair all = multiply(a, b);
  if (!elements.is_signed) return b_.select(is_zero(all.high), low, word(~0U));
  const I32 from_a = b_.IAnd32(b_.IShrS32(a, word(31)), b);
  const I32 from_b = b_.IAnd32(b_.IShrS32(b, word(31)), a);
  const I32 high = b_.ISub32(b_.ISub32(all.high, from_a), from_b);
  const I32 limit = b_.IXor32(b_.IShrS32(b_.IXor32(a, b), word(31)), word(0x7fffffff));
  return b_.select(b_.IEq32(high, b_.IShrS32(low, word(31))), low, limit);
}

// 64 bits of an unsigned product, from those of half-words.
InstructionTranslator::Pair InstructionTranslator::multiply(I32 a, I32 b) {
  const I32 a_low = b_.IAnd32(a, word(0xffff)), a_high = b_.IShrU32(a, word(16));
  const I32 b_low = b_.IAnd32(b, word(0xffff)), b_high = b_.IShrU32(b, word(16));
  const I32 low = b_.IMul32(a_low, b_low);
  const I32 middle = b_.IAdd32(b_.IMul32(a_high, b_low), b_.IShrU32(low, word(16)));
  const I32 other = b_.IAdd32(b_.IMul32(a_low, b_high), b_.IAnd32(middle, word(0xffff)));
  const I32 carried = b_.IAdd32(b_.IShrU32(middle, word(16)), b_.IShrU32(other, word(16)));
  return {b_.IMul32(a, b), b_.IAdd32(b_.IMul32(a_high, b_high), carried)};
}

InstructionTranslator::Pair InstructionTranslator::add(Pair a, Pair b) {
  const I32 low = b_.IAdd32(a.low, b.low);
  const I32 carry = b_.select(b_.ILtU32(low, a.low), word(1), word(0));
  return {low, b_.IAdd32(b_.IAdd32(a.high, b.high), carry)};
}
InstructionTranslator::Pair InstructionTranslator::subtract(Pair a, Pair b) {
  const I32 borrow = b_.select(b_.ILtU32(a.low, b.low), word(1), word(0));
  const I32 low = b_.ISub32(a.low, b.low);
  return {low, b_.ISub32(b_.ISub32(a.high, b.high), borrow)};
}

I32 InstructionTranslator::dot_product(const Instruction& i) {
  const Elements bytes = elements_of(i.type);
  I32 total = word(0);
  for (unsigned k = 0; k < bytes.count; ++k) {
    const I32 a = element(i, 0, k), b = element(i, 1, k);
    total = b_.IAdd32(total, b_.IMul32(a, b));
  }
  return sum(i, {32, 1, bytes.is_signed}, source_word(i.source[2]), total);
}

InstructionTranslator::Pair InstructionTranslator::wide_integer(const Instruction& i) {
  const Pair a = wide_element(i, 0);
  switch (i.opcode) {
    case Opcode::not_old:
      return {b_.IXor32(a.low, word(~0U)), b_.IXor32(a.high, word(~0U))};
    case Opcode::iadd:
      return add(a, wide_element(i, 1));
    case Opcode::isub:
      return subtract(a, wide_element(i, 1));
    case Opcode::imuld:
      return multiply(a.low, wide_element(i, 1).low);
    case Opcode::shaddx: {
      const Pair b = wide_element(i, 1);
      const I32 moved = b_.IShrU32(b.low, word(32U - i.shift));
      return add(a, {b_.IShl32(b.low, word(i.shift)), b_.IOr32(b_.IShl32(b.high, word(i.shift)), moved)});
    }
    case Opcode::seg_add: {
      const Pair b = wide_element(i, 1);
      Pair r = i.subtract ? subtract(a, b) : add(a, b);
      if (i.preserve_null) {
        const I1 null = is_zero(b_.IOr32(a.low, a.high));
        r = {b_.select(null, word(0), r.low), b_.select(null, word(0), r.high)};
      }
      return r;
    }
    default:
      return wide_shift(i);
  }
}

I1 InstructionTranslator::holds(Condition condition, I32 a, I32 b, bool is_signed) {
  const auto less = [&](I32 x, I32 y) { return is_signed ? b_.ILtS32(x, y) : b_.ILtU32(x, y); };
  const auto not_above = [&](I32 x, I32 y) { return is_signed ? b_.ILeS32(x, y) : b_.ILeU32(x, y); };
  switch (condition) {
    case Condition::eq:
      return b_.IEq32(a, b);
    case Condition::gt:
      return less(b, a);
    case Condition::ge:
      return not_above(b, a);
    case Condition::lt:
      return less(a, b);
    case Condition::le:
      return not_above(a, b);
    default:
      return b_.INe32(a, b);
  }
}
I1 InstructionTranslator::holds(Condition condition, F32 a, F32 b) {
  switch (condition) {
    case Condition::eq:
      return b_.FEq32(a, b);
    case Condition::gt:
      return b_.FGt32(a, b);
    case Condition::ge:
      return b_.FGe32(a, b);
    case Condition::lt:
      return b_.FLt32(a, b);
    case Condition::le:
      return b_.FLe32(a, b);
    case Condition::gtlt:
      return b_.Or1(b_.FLt32(a, b), b_.FGt32(a, b));
    default:
      return b_.FNe32(a, b);
  }
}

I1 InstructionTranslator::compare(const Instruction& i, unsigned k) {
  if (i.type == Type::f32 || i.type == Type::v2f16) {
    const F32 a = float_source(i, 0, k), b = float_source(i, 1, k);
    return holds(i.condition, a, b);
  }
  const I32 a = element(i, 0, k), b = element(i, 1, k);
  return holds(i.condition, a, b, elements_of(i.type).is_signed);
}

// What a comparison that holds gives to an element.
I32 InstructionTranslator::truth_value(ResultType type, unsigned bits, I1 condition) {
  const std::uint32_t value = type == ResultType::f1   ? (bits == 32 ? 0x3f800000 : 0x3c00)
                              : type == ResultType::m1 ? low_mask<std::uint32_t>(bits)
                                                       : 1;
  return b_.select(condition, word(value), word(0));
}

// The words of a long comparison, the lowest first.
I32 InstructionTranslator::compared_words(const Instruction& i) {
  const bool is_signed = elements_of(i.type).is_signed;
  const I32 a = element(i, 0, 0), b = element(i, 1, 0), below = source_word(i.source[2]);
  const I32 unequal = b_.select(holds(Condition::lt, a, b, is_signed), word(~0U), word(1));
  const I32 order = b_.select(b_.IEq32(a, b), below, unequal);
  if (i.result_type == ResultType::u1) return order;
  return truth_value(i.result_type, 32, holds(i.condition, order, word(0), true));
}

I32 InstructionTranslator::choice(const Instruction& i, unsigned k) {
  const unsigned bits = elements_of(i.type).bits;
  const std::uint32_t sign = 1U << (bits - 1);
  const I32 a = element(i, 0, k), b = element(i, 1, k), c = element(i, 2, k);
  switch (i.mux) {
    case Mux::negative:
      return b_.select(is_zero(b_.IAnd32(c, word(sign))), b, a);
    case Mux::int_zero:
      return b_.select(is_zero(c), a, b);
    case Mux::fp_zero:
      return b_.select(is_zero(b_.IAnd32(c, word(sign - 1))), a, b);
    case Mux::bit:
      break;
  }
  return b_.IXor32(b, b_.IAnd32(b_.IXor32(a, b), c));
}

Status InstructionTranslator::integer(const Instruction& i) {
  const Elements elements = elements_of(i.type);
  if (elements.bits == 64) {
    set_pair(i, wide_integer(i));
    return {};
  }
  const auto each = [&](const auto& value) { set_word(i, pack(elements, value)); };
  const auto binary = [&](const auto& value) {
    each([&](unsigned k) {
      const I32 a = element(i, 0, k), b = element(i, 1, k);
      return value(a, b);
    });
  };
  switch (i.opcode) {
    case Opcode::mov:
      set_word(i, source_word(i.source[0]));
      break;
    case Opcode::not_old:
      set_word(i, b_.IXor32(source_word(i.source[0]), word(~0U)));
      break;
    case Opcode::iadd:
      binary([&](I32 a, I32 b) { return sum(i, elements, a, b); });
      break;
    case Opcode::isub:
      binary([&](I32 a, I32 b) { return difference(i, elements, a, b); });
      break;
    case Opcode::imul:
      binary([&](I32 a, I32 b) { return product(i, elements, a, b); });
      break;
    case Opcode::hadd:
      binary([&](I32 a, I32 b) {
        const auto halved = [&](I32 x) {
          return elements.is_signed ? b_.IShrS32(x, word(1)) : b_.IShrU32(x, word(1));
        };
        if (elements.bits < 32) return halved(b_.IAdd32(b_.IAdd32(a, b), word(i.round_up ? 1 : 0)));
        const I32 rest = halved(b_.IXor32(a, b));
        return i.round_up ? b_.ISub32(b_.IOr32(a, b), rest) : b_.IAdd32(b_.IAnd32(a, b), rest);
      });
      break;
    case Opcode::iadd_imm:
      each([&](unsigned k) { return b_.IAdd32(element(i, 0, k), word(i.constant >> (k * elements.bits))); });
      break;
    case Opcode::idp:
      set_word(i, dot_product(i));
      break;
    case Opcode::clz:
      each([&](unsigned k) { return leading_zeros(i, k); });
      break;
    case Opcode::iabs:
      each([&](unsigned k) {
        const I32 a = element(i, 0, k);
        return b_.IMaxS32(a, b_.ISub32(word(0), a));
      });
      break;
    case Opcode::popcount:
      set_word(i, population(source_word(i.source[0])));
      break;
    case Opcode::bitrev:
      set_word(i, reversed(source_word(i.source[0])));
      break;
    case Opcode::icmp_or:
    case Opcode::fcmp_or:
    case Opcode::icmp_and:
    case Opcode::fcmp_and:
      each([&](unsigned k) {
        const bool both = i.opcode == Opcode::icmp_and || i.opcode == Opcode::fcmp_and;
        const I1 result = compare(i, k);
        const I32 c = bits_of(source_word(i.source[2]), k * elements.bits, elements.bits, false);
        const I1 other = b_.INe32(c, word(0));
        return truth_value(i.result_type, elements.bits,
                           both ? b_.And1(result, other) : b_.Or1(result, other));
      });
      break;
    case Opcode::icmp_multi:
      set_word(i, compared_words(i));
      break;
    case Opcode::csel:
      each([&](unsigned k) {
        const I1 result = compare(i, k);
        const auto bits = [&](unsigned n) {
          return bits_of(source_word(i.source[n]), k * elements.bits, elements.bits, false);
        };
        const I32 a = bits(2), b = bits(3);
        return b_.select(result, a, b);
      });
      break;
    case Opcode::mux:
      each([&](unsigned k) { return choice(i, k); });
      break;
    case Opcode::mkvec: {
      const I32 low = b_.IAnd32(element(i, 0, 0), word(low_mask<std::uint32_t>(elements.bits)));
      const I32 high = b_.IAnd32(element(i, 1, 0), word(low_mask<std::uint32_t>(elements.bits)));
      I32 made = b_.IOr32(low, b_.IShl32(high, word(elements.bits)));
      if (elements.bits == 8) made = b_.IOr32(made, b_.IShl32(source_word(i.source[2]), word(16)));
      set_word(i, made);
      break;
    }
    default:
      each([&](unsigned k) { return shift(i, k); });
      break;
  }
  return {};
}

}  // namespace warpjit::valhall
