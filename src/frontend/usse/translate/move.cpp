// Moves, and conversions between types (docs/guests/usse.md 5.3).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

bool is_float(Type type) { return type == Type::f16 || type == Type::f32 || type == Type::c10; }
unsigned integer_bits(Type type) {
  switch (type) {
    case Type::i32:
      return 32;
    case Type::i16:
    case Type::u16:
    case Type::s16:
      return 16;
    default:
      return 8;
  }
}
bool is_signed(Type type) { return type == Type::s8 || type == Type::s16; }

// The components that VPCK writes: outside of `i` those of one register of 64 bits, where it makes words of
// integers or of words; with a full mask, halves of bytes only those of one word.
unsigned packed_mask(const Instruction& i) {
  constexpr unsigned kFirst = 3, kAll = 15;
  const unsigned mask = i.d[0].mask;
  if (i.d[0].bank == Bank::i) return mask;
  if (i.type == Type::f32 && i.source_type != Type::f16 && i.source_type != Type::c10)
    return (mask & kFirst) != 0 ? mask & kFirst : mask;
  const bool bytes = i.type == Type::f16 && i.source_type == Type::u8 && !i.scale;
  return bytes && mask == kAll ? kFirst : mask;
}

}  // namespace

I1 InstructionTranslator::move_condition(const Instruction& i, unsigned k) {
  // Integers have one component.
  const Select select = i.test_swizzled && is_float(i.type) ? i.s[1].swizzle[k] : kIdentity[k];
  const bool of_bytes = i.opcode == Opcode::movc8;
  if (!of_bytes && is_float(i.type)) {
    const F32 value = selected(i.s[0], i.type, select), zero = real(0.0F);
    switch (i.condition) {
      case Condition::zero:
        return b_.FEq32(value, zero);
      case Condition::not_zero:
        return b_.FNe32(value, zero);
      case Condition::negative:
        return b_.FLt32(value, zero);
      default:
        return b_.FLe32(value, zero);
    }
  }
  I32 value;
  if (of_bytes && select > Select::w)
    value = word(select == Select::zero ? 0 : 1);
  else
    value = field(i.s[0], of_bytes ? 8 : integer_bits(i.type), static_cast<unsigned>(select), !of_bytes);
  switch (i.condition) {
    case Condition::zero:
      return b_.IEq32(value, word(0));
    case Condition::not_zero:
      return b_.INe32(value, word(0));
    case Condition::negative:
      return b_.ILtS32(value, word(0));
    default:
      return b_.ILeS32(value, word(0));
  }
}

void InstructionTranslator::move(const Instruction& i) {
  const bool chooses = i.opcode != Opcode::mov;
  if (!is_float(i.type)) {
    const unsigned bits = integer_bits(i.type);
    I32 value = element(i.s[1], bits, 0, false);
    if (chooses) {
      const I1 condition = move_condition(i, 0);
      value = b_.select(condition, value, element(i.s[2], bits, 0, false));
    }
    return write_element(i.d[0], bits, 0, value);
  }
  const unsigned mask = pair_mask(i.d[0], i.type);
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    const Select select = i.s[1].swizzle[k];
    Part part = copied(i.d[0], i.type, k, i.s[1], i.type, select);
    if (chooses) {
      const I1 condition = move_condition(i, k);
      const Part other = copied(i.d[0], i.type, k, i.s[2], i.type, select);
      part.value = b_.select(condition, part.value, other.value);
    }
    write_part(i.d[0], part);
  }
}

void InstructionTranslator::pack(const Instruction& i) {
  const Type to = i.type, from = i.source_type;
  const bool to_float = is_float(to), from_float = is_float(from);
  const unsigned mask = packed_mask(i);
  // A window of four components.
  const auto register_of = [&](Select& select) -> const Register& {
    if (from != Type::f32 || i.s[1].bank == Bank::i || select < Select::z) return i.s[1];
    select = static_cast<Select>(static_cast<unsigned>(select) - 2);
    return i.s[2];
  };
  const bool in_turn = !(to_float && from_float) && !(i.scale && (to == Type::u8 || from == Type::u8));
  unsigned used = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.d[0].mask >> k & 1) == 0) continue;
    Select select = i.s[1].swizzle[in_turn ? used++ : k];
    if ((mask >> k & 1) == 0) continue;
    const Register& source = register_of(select);
    if (to_float && from_float) {
      write_part(i.d[0], copied(i.d[0], to, k, source, from, select));
      continue;
    }
    const auto n = static_cast<unsigned>(select);
    if (from_float) {
      write_element(i.d[0], integer_bits(to), k, field_of(to, raw_component(source, from, n), i.scale));
      continue;
    }
    const I32 field = element(source, integer_bits(from), n, is_signed(from));
    if (to_float)
      write_component(i.d[0], to, k, number_of(from, field, i.scale));
    else
      write_element(i.d[0], integer_bits(to), k, field);
  }
}

}  // namespace warpjit::usse
