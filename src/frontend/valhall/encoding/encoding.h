// The patterns of encoding.inc, parsed: what decode, encode, disassemble and assemble loop over. A mnemonic
// with its type is one pattern.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/encoding/pattern.h"
#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

using encoding::BitField;
using encoding::read_bits;
using encoding::write_bits;
using Modifier = encoding::Modifier<Instruction>;
std::span<const Modifier> modifiers();

// How a source selects a part of its value: what the values of a field mean.
struct Select {
  std::string_view name;
  std::uint8_t width = 0;
  Lanes implied = Lanes::reserved;  // is not written
  std::array<Lanes, 16> lanes{};
};
std::span<const Select> selects();
inline constexpr std::uint8_t kNoSelect = 0xff;

// Immediates by their names in the text.
enum class Immediate : std::uint8_t { offset, constant, table, index, shift, target };
inline constexpr std::string_view kImmediateNames[] = {"offset", "constant", "table",
                                                       "index",  "shift",    "target"};
inline std::string_view name(Immediate immediate) {
  return kImmediateNames[static_cast<std::size_t>(immediate)];
}
std::int64_t get(const Instruction& instruction, Immediate immediate);
void set(Instruction& instruction, Immediate immediate, std::int64_t value);

// A word of a pattern's syntax.
struct SyntaxToken {
  enum class Kind : std::uint8_t {
    literal,  // not used
    modifier,
    fixed_modifier,  // not used
    destination,
    no_destination,
    source,
    read,  // staging registers
    write,
    immediate,
  };
  Kind kind = Kind::literal;
  std::string_view text{};
  std::uint8_t modifier = 0;  // index in modifiers()
  std::uint8_t value = 0;
  BitField field{};  // of the modifier, register, source byte, first staging register or immediate

  bool wide = false;                // a destination or source of 64 bits
  std::uint8_t index = 0;           // which of Instruction::source it is
  std::uint8_t select = kNoSelect;  // index in selects()
  std::uint8_t select_bit = 0;      // the lowest of its field
  // Bits that change a source; 0: no such bit.
  std::uint8_t negate = 0, absolute = 0, invert = 0;

  std::uint8_t count_bit = 0;  // the lowest of kCountBits that hold the number of staging registers
  bool count_less_one = false, zero_is_eight = false;
  Immediate immediate{};
  bool is_signed = false;
};

struct Grammar {
  using Word = std::uint64_t;
  using Instruction = valhall::Instruction;
  using Opcode = valhall::Opcode;
  using Form = valhall::Type;
  using Token = SyntaxToken;
  static constexpr std::size_t kMostTokens = 17;
  static std::span<const Modifier> modifiers() { return valhall::modifiers(); }
};
using Pattern = encoding::Pattern<Grammar>;

inline constexpr unsigned kPageBit = 57, kPageBits = 2;  // of uniforms and special values
inline constexpr unsigned kRegisterBits = 6, kCountBits = 3, kMaskBit = 46;

std::span<const Pattern> patterns();
// The numbers of the patterns that a word may belong to.
std::span<const std::uint16_t> candidates(std::uint64_t word);
// The pattern of a mnemonic; null: there is no such mnemonic.
const Pattern* find_pattern(Opcode opcode, Type type);

// The word that a pattern gives to an instruction of its mnemonic whose modifiers fit it.
Result<std::uint64_t> encode_as(const Pattern& pattern, const Instruction& instruction);

}  // namespace warpjit::valhall
