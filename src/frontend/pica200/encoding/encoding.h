// The patterns of encoding.inc, parsed: what decoder, disassembler and assembler loop over.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/encoding/pattern.h"
#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

// A word of a pattern's syntax, or a field that the syntax does not show where it is.
struct SyntaxToken {
  enum class Kind : std::uint8_t {
    literal,
    modifier,
    fixed_modifier,
    field,  // in `field`; `member` of Instruction
    dst,
    address_registers,
    source,  // `value`: 1 to 3
    condition,
    uniform,
    uniform_or_not,
    target,
    length,
    vertex,
    emit_flags,
  };
  Kind kind = Kind::literal;
  std::string_view text{};     // literal
  std::uint8_t modifier = 0;   // index in the modifiers
  std::uint8_t value = 0;      // of a fixed modifier
  encoding::BitField field{};  // of modifiers and fields
  std::uint16_t Instruction::*member = nullptr;
  bool unstructured = false;  // only in listings without structure
};

struct Grammar {
  using Word = std::uint32_t;
  using Instruction = pica200::Instruction;
  using Opcode = pica200::Opcode;
  using Form = Format;
  using Token = SyntaxToken;
  static constexpr std::size_t kMostTokens = 14;
  static std::span<const encoding::Modifier<Instruction>> modifiers();
};
using Pattern = encoding::Pattern<Grammar>;

// One for each opcode, in their order.
std::span<const Pattern> patterns();

// What stands after the mnemonic, and what listings without structure add to it.
struct OperandSyntax {
  std::span<const SyntaxToken> structured, unstructured;
};
OperandSyntax operand_syntax(Opcode opcode);

}  // namespace warpjit::pica200
