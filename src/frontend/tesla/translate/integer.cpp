// Integer arithmetic (tesla.md 5).
// 16-bit values are in the lower halves of words; the upper halves are ignored.
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::I1;
using ir::I32;

void InstructionTranslator::integer(const Instruction& i) {
  const auto operation = static_cast<AddOperation>(i.operation);
  switch (i.opcode) {
    case Opcode::iadd:
      return add(i, operation, i.type == Type::b16, source(i, 0), source(i, 1));
    case Opcode::imul:
      return set_with_sign_flags(i, product(i, size_of(i.type) == 2 ? i.source_type : i.type));
    case Opcode::imad:
      return add(i, operation, false, product(i, i.type), source(i, 2));
    case Opcode::sad: {
      const I32 difference = absolute_difference(i.type, source(i, 0), source(i, 1));
      return add(i, AddOperation::add, false, difference, source(i, 2));
    }
    case Opcode::iset:
      return set_with_sign_flags(i, truth(relation(i), size_of(i.type) == 2 ? 0xffff : 0xffffffff));
    case Opcode::imax:
    case Opcode::imin: {
      const I32 x = extended(i.type, source(i, 0)), y = extended(i.type, source(i, 1));
      const bool greater = i.opcode == Opcode::imax;
      if (is_signed(i.type)) return set_with_sign_flags(i, greater ? b_.IMaxS32(x, y) : b_.IMinS32(x, y));
      return set_with_sign_flags(i, greater ? b_.IMaxU32(x, y) : b_.IMinU32(x, y));
    }
    case Opcode::shl:
    case Opcode::shr:
      return shift(i);
    default:
      return set_with_sign_flags(i, logic(i));
  }
}

I32 InstructionTranslator::extended(Type type, I32 x) {
  switch (type) {
    case Type::s16:
      return b_.IShrS32(b_.IShl32(x, word(16)), word(16));
    case Type::u16:
      return b_.IAnd32(x, word(0xffff));
    case Type::s24:
      return b_.IShrS32(b_.IShl32(x, word(8)), word(8));
    case Type::u24:
      return b_.IAnd32(x, word(0xffffff));
    case Type::s8:
      return b_.IShrS32(b_.IShl32(x, word(24)), word(24));
    case Type::u8:
      return b_.IAnd32(x, word(0xff));
    default:
      return x;
  }
}

InstructionTranslator::Flags InstructionTranslator::sign_flags(I32 value, bool is_16) {
  if (is_16) return {is_zero(b_.IAnd32(value, word(0xffff))), has_bit(value, 15), no(), no()};
  return {is_zero(value), is_negative(value), no(), no()};
}

void InstructionTranslator::set_with_sign_flags(const Instruction& i, I32 value) {
  // Products are 32 bits wide, also those of 16-bit sources.
  if (i.flags >= 0) set_flags(i, sign_flags(value, i.opcode != Opcode::imul && size_of(i.type) == 2));
  set_destination(i, value);
}

// tesla.md 5.1. Subtraction adds the complement and 1.
void InstructionTranslator::add(const Instruction& i, AddOperation operation, bool is_16, I32 x, I32 y) {
  const I32 mask = word(is_16 ? 0xffff : 0xffffffff);
  const unsigned top = is_16 ? 15 : 31;
  const auto inverted = [&](I32 v, bool invert) {
    return b_.IAnd32(invert ? b_.IXor32(v, word(0xffffffff)) : v, mask);
  };
  const I32 first = inverted(x, operation == AddOperation::subr);
  const I32 second = inverted(y, operation == AddOperation::sub);
  I32 sum;
  switch (operation) {
    case AddOperation::add:
      sum = b_.IAdd32(x, y);
      break;
    case AddOperation::sub:
      sum = b_.ISub32(x, y);
      break;
    case AddOperation::subr:
      sum = b_.ISub32(y, x);
      break;
    case AddOperation::addc:
      sum = b_.IAdd32(b_.IAdd32(x, y), truth(flags(i.condition_register).carry, 1));
      break;
  }
  sum = b_.IAnd32(sum, mask);
  if (i.flags < 0 && i.saturate == 0) return set_destination(i, sum);

  // What is carried out of the top bit: of both, or of one if the sum has none there.
  const I32 some = b_.IAnd32(b_.IOr32(first, second), b_.IXor32(sum, word(0xffffffff)));
  I1 carry = has_bit(b_.IOr32(b_.IAnd32(first, second), some), top);
  if (!is_16 && operation == AddOperation::add) carry = b_.ILtU32(sum, x);
  if (!is_16 && operation == AddOperation::sub) carry = b_.ILeU32(y, x);
  if (!is_16 && operation == AddOperation::subr) carry = b_.ILeU32(x, y);
  const I1 overflow = has_bit(b_.IAnd32(b_.IXor32(first, sum), b_.IXor32(second, sum)), top);
  if (i.saturate != 0) {
    // The largest number of the first addend's sign.
    const I32 limit = b_.IAdd32(word(is_16 ? 0x7fff : 0x7fffffff), b_.IShrU32(first, word(top)));
    sum = b_.select(overflow, limit, sum);
  }
  set_flags(i, {is_zero(sum), has_bit(sum, top), carry, overflow});
  set_destination(i, sum);
}

// tesla.md 5.2. The first source is of the instruction's type.
I32 InstructionTranslator::product(const Instruction& i, Type second) {
  const I32 x = source(i, 0), y = source(i, 1);
  if (i.high != 0) return b_.IMulHi24(x, y, is_signed(i.type) ? 1U : 0U);
  return b_.IMul32(extended(i.type, x), extended(second, y));
}

I32 InstructionTranslator::absolute_difference(Type type, I32 x, I32 y) {
  x = extended(type, x);
  y = extended(type, y);
  const I32 difference = is_signed(type) ? b_.ISub32(b_.IMaxS32(x, y), b_.IMinS32(x, y))
                                         : b_.ISub32(b_.IMaxU32(x, y), b_.IMinU32(x, y));
  return size_of(type) == 2 ? b_.IAnd32(difference, word(0xffff)) : difference;
}

I1 InstructionTranslator::relation(const Instruction& i) {
  const I32 x = extended(i.type, source(i, 0)), y = extended(i.type, source(i, 1));
  const auto less = [&](I32 a, I32 b) { return is_signed(i.type) ? b_.ILtS32(a, b) : b_.ILtU32(a, b); };
  const auto not_greater = [&](I32 a, I32 b) {
    return is_signed(i.type) ? b_.ILeS32(a, b) : b_.ILeU32(a, b);
  };
  switch (i.compare) {
    case 0:
      return no();
    case kLess:
      return less(x, y);
    case kEqual:
      return b_.IEq32(x, y);
    case kLess | kEqual:
      return not_greater(x, y);
    case kGreater:
      return less(y, x);
    case kLess | kGreater:
      return b_.INe32(x, y);
    case kGreater | kEqual:
      return not_greater(y, x);
    default:
      return b_.constant(true);
  }
}

// tesla.md 5.5. The count is not wrapped, nor are those of the IR.
void InstructionTranslator::shift(const Instruction& i) {
  const bool is_16 = size_of(i.type) == 2, left = i.opcode == Opcode::shl;
  const std::uint32_t width = is_16 ? 16 : 32;
  const I32 mask = word(is_16 ? 0xffff : 0xffffffff);
  const I32 x = b_.IAnd32(source(i, 0), mask), count = source(i, 1);
  const I32 shifted = left                ? b_.IShl32(x, count)
                      : is_signed(i.type) ? b_.IShrS32(extended(i.type, x), count)
                                          : b_.IShrU32(x, count);
  const I32 value = b_.IAnd32(shifted, mask);
  if (i.flags >= 0) {
    // The last bit that left; of a count of 0, and of the width and more, none.
    const I32 last = b_.IShrU32(x, left ? b_.ISub32(word(width), count) : b_.ISub32(count, word(1)));
    Flags flags = sign_flags(value, is_16);
    flags.carry = b_.And1(b_.ILtU32(count, word(width)), has_bit(last, 0));
    flags.overflow = b_.And1(b_.IEq32(count, word(1)), has_bit(b_.IXor32(x, value), width - 1));
    set_flags(i, flags);
  }
  set_destination(i, value);
}

I32 InstructionTranslator::logic(const Instruction& i) {
  const auto inverted = [&](unsigned n) {
    const I32 x = source(i, n);
    return i.invert[n] != 0 ? b_.IXor32(x, word(0xffffffff)) : x;
  };
  const I32 x = inverted(0), y = inverted(1);
  switch (static_cast<LogicOperation>(i.operation)) {
    case LogicOperation::and_:
      return b_.IAnd32(x, y);
    case LogicOperation::or_:
      return b_.IOr32(x, y);
    case LogicOperation::xor_:
      return b_.IXor32(x, y);
    case LogicOperation::mov2:
      break;
  }
  return y;
}

}  // namespace warpjit::tesla
