// Where operands lie in an instruction's bits (docs/guests/tesla.md 2.1, 2.2): what decode.cpp and encode.cpp
// share besides the patterns of encoding.inc.
#pragma once

#include "frontend/tesla/encoding/encoding.h"

namespace warpjit::tesla {

// Fields that all instructions of a form share (tesla.md 2.1).
inline constexpr BitField kMarker{{{{32, 2}}}}, kCondition{{{{39, 5}}}}, kConditionRegister{{{{44, 2}}}};
inline constexpr BitField kFlagsEnable{{{{38, 1}}}}, kFlagsRegister{{{{36, 2}}}};
inline constexpr BitField kAddress{{{{26, 2}, {34, 1}}}}, kShortAddress{{{{26, 2}}}};
inline constexpr BitField kPostIncrement{{{{25, 1}}}}, kToOutput{{{{35, 1}}}}, kAddressDst{{{{2, 3}}}};
inline constexpr BitField kConstantSpace{{{{54, 4}}}}, kShortConstantSpace{{{{21, 1}}}};
// Selectors of source operands (tesla.md 2.2).
inline constexpr BitField kSelect{{{{23, 2}}}}, kMemoryA{{{{53, 1}}}};
inline constexpr BitField kGlobalSpace{{{{16, 4}}}}, kAtomicSpace{{{{23, 4}}}};
// The first register of tex*; short words have 6 bits.
inline BitField texture_register(Form form) {
  return {{{{2, static_cast<std::uint8_t>(form == Form::long_ ? 7 : 6)}}}};
}
inline constexpr std::uint8_t kDiscardedOutput = 127;

inline constexpr Type kSharedTypes[] = {Type::u8, Type::u16, Type::s16, Type::b32};

inline bool is_long(Form form) { return form != Form::short_ && form != Form::short_control; }

// What the source selectors of a word say; encode() searches the value that gives the wanted operands.
struct Selection {
  Operand::Kind a = Operand::Kind::gpr;  // else shared, attribute or vertex
  bool constant_b = false, constant_c = false;
  bool constant_indexed = true;  // $a may apply to it
};

inline Selection selection(ProgramType type, Form form, std::uint64_t word) {
  Selection s;
  const unsigned m = kSelect.get(word);
  const bool geometry = type == ProgramType::geometry;
  if (form == Form::long_) {
    const bool g = kMemoryA.get(word) != 0;
    s.constant_b = m == 1;
    s.constant_c = m == 2;
    if (type == ProgramType::compute) {
      if (g) s.a = Operand::Kind::shared;
    } else if (geometry && m == 3) {
      s.a = Operand::Kind::vertex;
      s.constant_b = s.constant_c = !g;
    } else if (g) {
      s.a = Operand::Kind::attribute;
    }
  } else {
    const bool memory = (m & 2) != 0;
    s.constant_b = form == Form::short_ && (type == ProgramType::compute ? (m & 1) != 0 : m == 1);
    if (memory && type == ProgramType::compute)
      s.a = Operand::Kind::shared;
    else if (geometry && (m == 3 || (memory && form == Form::immediate)))
      s.a = Operand::Kind::vertex;
    else if (memory)
      s.a = Operand::Kind::attribute;
  }
  s.constant_indexed = s.a == Operand::Kind::gpr || s.a == Operand::Kind::attribute;
  return s;
}

// Where the offset of a memory operand lies and in what unit.
struct OffsetField {
  BitField field;
  unsigned scale;
};

inline OffsetField shared_offset(Form form, Type element) {
  return {form == Form::long_ ? BitField{{{{9, 5}}}} : BitField{{{{9, 4}}}}, size_of(element)};
}
inline BitField shared_type_field(Form form) {
  return form == Form::long_ ? BitField{{{{14, 2}}}} : BitField{{{{13, 2}}}};
}
inline OffsetField constant_offset(const SyntaxToken& token, Form form, Type element) {
  BitField field = token.field;
  if (form != Form::long_) field.ranges[0].width = 5;
  return {field, size_of(element)};
}
// The offset of ld and st: 16, 15 or 14 bits as the unit grows.
inline OffsetField wide_offset(const SyntaxToken& token, Type element) {
  BitField field = token.field;
  unsigned scale = size_of(element);
  if (token.space == Operand::Kind::local || token.space == Operand::Kind::none) scale = 1;
  if (token.space == Operand::Kind::constant || token.space == Operand::Kind::shared)
    field.ranges[0].width = static_cast<std::uint8_t>(scale == 4 ? 14 : scale == 2 ? 15 : 16);
  return {field, scale};
}

}  // namespace warpjit::tesla
