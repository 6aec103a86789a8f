// The patterns of encoding.inc, parsed: what decode, encode, disassemble and assemble loop over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/encoding/pattern.h"
#include "frontend/tesla/encoding/decode.h"

namespace warpjit::tesla {

using encoding::BitField;
using Modifier = encoding::Modifier<Instruction>;
std::span<const Modifier> modifiers();

// A word of a pattern's syntax.
struct SyntaxToken {
  enum class Kind : std::uint8_t {
    literal,
    modifier,        // in `field`
    fixed_modifier,  // always `value`
    dst,             // D and d; `slot` 0
    src,             // A B C and a b c; `slot` 0 to 2
    dst_again,
    flags,           // F
    flags_always,    // F!
    carry,           // F?
    condition_read,  // K
    address_dst,
    address_src,
    special,
    number,
    number_operand,
    count,
    immediate,
    target,
    predicate,
    lanes,
    results,    // of tex*; without a field: all four
    arguments,  // of tex*: one more than the field
    texture,
    sampler,
    offsets,
    memory,  // `space`
  };
  Kind kind = Kind::literal;
  std::string_view text{};    // literal
  std::uint8_t modifier = 0;  // index in modifiers()
  std::uint8_t value = 0;     // of a fixed modifier
  std::uint8_t slot = 0;      // 0 A, 1 B, 2 C; which field
  std::uint8_t index = 0;     // which of Instruction::src it is
  bool memory_allowed = false;
  std::uint8_t width = 0;  // 16, 32, 64; 0: width_bit says; 1: as the type says
  std::uint8_t width_bit = 0;
  Operand::Kind space = Operand::Kind::none;
  bool is_store = false;  // memory that is the destination
  bool atomic = false;    // g[] of atomics, whose space is elsewhere
  BitField field{};
};

struct Grammar {
  using Word = std::uint64_t;
  using Instruction = tesla::Instruction;
  using Opcode = tesla::Opcode;
  using Form = tesla::Form;
  using Token = SyntaxToken;
  static constexpr std::size_t kMostTokens = 20;
  static std::span<const Modifier> modifiers() { return tesla::modifiers(); }
};
using Pattern = encoding::Pattern<Grammar>;
using encoding::modifiers_fit;

std::span<const Pattern> patterns();
// The numbers of the patterns that a word may belong to.
std::span<const std::uint16_t> candidates(std::uint64_t word);
// The patterns of an opcode; others may lie between them.
std::span<const Pattern> patterns_of(Opcode opcode);

// The words that a pattern gives to an instruction whose modifiers fit it; nothing if its operands do not.
std::optional<std::uint64_t> encode_as(ProgramType type, const Pattern& pattern,
                                       const Instruction& instruction);

// The operand width of a token, given what is known of the instruction: b16, b32, b64 or b128.
Type register_type(const SyntaxToken& token, const Instruction& instruction, std::uint64_t word);

}  // namespace warpjit::tesla
