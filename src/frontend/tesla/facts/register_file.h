// The words of a thread's registers, as observers of the guest interpreter number them, and its memory spaces.
#pragma once

#include <cstdint>
#include <span>

#include "frontend/register_bank.h"
#include "frontend/tesla/container/graphics.h"

namespace warpjit::tesla {

inline constexpr std::uint16_t kAddressRegisters = 8, kConditionRegisters = 4;
inline constexpr std::uint16_t kVertexAttributes = 66;  // words of a[], with both ids
inline constexpr std::uint16_t kGeometryAttributes = kPrimitiveIdAddress / 4 + 1;  // the same
inline constexpr std::uint16_t kInterpolants = kFrontFacingAddress / 4 + 1;        // words of v[]

// Words of $r, $a, $c and o[].
constexpr std::uint16_t general_word(unsigned number) { return static_cast<std::uint16_t>(number); }
constexpr std::uint16_t address_word(unsigned number) { return general_word(kMaxRegisters + number); }
constexpr std::uint16_t condition_word(unsigned number) { return address_word(kAddressRegisters + number); }
constexpr std::uint16_t output_word(unsigned word) { return condition_word(kConditionRegisters + word); }
// Words of a[], of v[], and of an input vertex, which lie in p[].
constexpr std::uint16_t attribute_word(unsigned word) { return output_word(kMaxOutputWords + word); }
constexpr std::uint16_t interpolant_word(unsigned word) { return attribute_word(word); }
constexpr std::uint16_t input_vertex_word(unsigned vertex, unsigned word) {
  return attribute_word(kGeometryAttributes + vertex * kMaxOutputWords + word);
}

// Numbers of Event::Memory: c0 to c15, s, l, g0 to g15.
constexpr std::uint8_t space_number(Operand::Kind kind, std::uint8_t index) {
  switch (kind) {
    case Operand::Kind::shared:
      return 16;
    case Operand::Kind::local:
      return 17;
    case Operand::Kind::global:
      return static_cast<std::uint8_t>(18 + index);
    default:
      return index;
  }
}

// The banks of a program of that type.
std::span<const frontend::RegisterBank> register_banks(ProgramType type);

}  // namespace warpjit::tesla
