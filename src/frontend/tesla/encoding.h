// The rows of encoding.inc, parsed: what decode, encode, disassemble and assemble loop over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bits.h"
#include "frontend/tesla/decode.h"

namespace warpjit::tesla {

// A field in up to four separate pieces of the instruction's 64 bits, lowest first.
struct BitField {
  struct Piece {
    std::uint8_t low = 0, width = 0;
  };
  std::array<Piece, 4> pieces{};

  constexpr std::uint32_t get(std::uint64_t word) const {
    std::uint32_t value = 0;
    unsigned at = 0;
    for (const Piece& piece : pieces) {
      if (piece.width == 0) break;
      value |= static_cast<std::uint32_t>(bits(word, piece.low, piece.width)) << at;
      at += piece.width;
    }
    return value;
  }
  constexpr std::uint64_t set(std::uint64_t word, std::uint32_t value) const {
    for (const Piece& piece : pieces) {
      if (piece.width == 0) break;
      word = with_bits<std::uint64_t>(word, piece.low, piece.width, value);
      value >>= piece.width;
    }
    return word;
  }
  constexpr unsigned width() const {
    return pieces[0].width + pieces[1].width + pieces[2].width + pieces[3].width;
  }
};

// A modifier: field value n has words[n] in text and means values[n] in the Instruction.
struct Modifier {
  static constexpr unsigned kMost = 19;
  std::string_view name;
  std::uint8_t (*get)(const Instruction&);
  void (*set)(Instruction&, std::uint8_t);
  std::array<std::string_view, kMost> words{};
  std::array<std::uint8_t, kMost> values{};
  std::uint8_t count = 0;  // field values from here on are not defined
  bool defined(unsigned field) const { return field < count && words[field] != kInvalid; }
  // The first field value that means `value`; `count` if none does.
  unsigned field_of(std::uint8_t value) const {
    unsigned field = 0;
    while (field < count && !(defined(field) && values[field] == value)) ++field;
    return field;
  }
  static constexpr std::string_view kInvalid = "?";
};
std::span<const Modifier> modifiers();

// A word of a row's syntax.
struct Token {
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

struct Row {
  Opcode opcode{};
  Form form{};
  std::uint64_t mask = 0, match = 0;  // the bits that choose the row
  std::array<Token, 20> tokens{};
  std::uint8_t token_count = 0;

  std::span<const Token> syntax() const { return {tokens.data(), token_count}; }
};
std::span<const Row> rows();
// Those with w0[31:28] = primary, below 16.
std::span<const Row> rows_of(unsigned primary);

// From the first row of an opcode to the last row of all.
std::span<const Row> rows_from(Opcode opcode);

// The words that a row gives to an instruction whose modifiers fit it; nothing if its operands do not.
std::optional<std::uint64_t> encode_as(ProgramType type, const Row& row, const Instruction& instruction);

// Whether the row can hold the values that the instruction's modifiers have.
bool modifiers_fit(const Row& row, const Instruction& instruction);

// The operand width of a token, given what is known of the instruction: b16, b32, b64 or b128.
Type register_type(const Token& token, const Instruction& instruction, std::uint64_t word);

}  // namespace warpjit::tesla
