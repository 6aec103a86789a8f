// The patterns of encoding.inc, parsed: what decode, encode, disassemble and assemble loop over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/encoding/pattern.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

using encoding::BitField;
using Modifier = encoding::Modifier<Instruction>;
std::span<const Modifier> modifiers();
// True if it is written before the mnemonic.
bool is_predicate(const Modifier& modifier);

// A table of swizzles: what the values of a field mean.
struct SwizzleTable {
  std::string_view name;
  std::array<std::string_view, 32> words{};  // "": reserved
  std::uint8_t letters = 4;                  // of each; with three the fourth component is x
};
std::span<const SwizzleTable> swizzle_tables();
inline constexpr std::uint8_t kFreeSwizzle = 0xfd;  // three bits a component
inline constexpr std::uint8_t kPackSwizzle = 0xfe;  // two bits a component
inline constexpr std::uint8_t kNoSwizzle = 0xff;

inline constexpr std::string_view kImmediateNames[] = {
    "offset", "value", "rot",  "d",    "s0",   "s1",    "s2",      "temp",
    "pa",     "sa",    "mode", "rate", "wait", "temps", "address", "feedback"};
static_assert(std::size(kImmediateNames) == kImmediates);

// A word of a pattern's syntax.
struct SyntaxToken {
  enum class Kind : std::uint8_t {
    literal,
    modifier,
    fixed_modifier,
    destination,
    source,
    immediate,
    unread
  };
  Kind kind = Kind::literal;
  std::string_view text{};
  std::uint8_t modifier = 0;  // index in modifiers()
  std::uint8_t value = 0;
  BitField field{};  // of the modifier, register number or immediate

  std::uint8_t index = 0;  // which of Instruction::d or s it is
  bool doubled = false;    // the number counts pairs of words
  bool dual = false;       // ... if unified_is_vector()
  bool internal = false;   // the bank is i
  bool secondary = false;  // the bank is sa
  BitField bank{}, mask{}, swizzle{}, swizzle_high{}, high{};
  bool mask_from_w = false;  // the mask's lowest bit is w, the others follow from x
  std::uint8_t extension = 0, negate = 0, absolute = 0;  // bits; 0: no such bit
  std::uint8_t table = kNoSwizzle;                       // index in swizzle_tables()
  Immediate immediate{};
  bool is_signed = false;
};

struct Grammar {
  using Word = std::uint64_t;
  using Instruction = usse::Instruction;
  using Opcode = usse::Opcode;
  using Form = usse::Group;
  using Token = SyntaxToken;
  static constexpr std::size_t kMostTokens = 22;
  static std::span<const Modifier> modifiers() { return usse::modifiers(); }
};
using Pattern = encoding::Pattern<Grammar>;

std::span<const Pattern> patterns();
// Whether the text has a word for it.
inline bool is_operand(const SyntaxToken& token) {
  using Kind = SyntaxToken::Kind;
  return token.kind == Kind::destination || token.kind == Kind::source || token.kind == Kind::immediate;
}
// The numbers of the patterns that a word may belong to.
std::span<const std::uint16_t> candidates(std::uint64_t word);
// The patterns of an opcode, others perhaps between them.
std::span<const Pattern> patterns_of(Opcode opcode);

// The register that a token's number and bank mean; a number out of range is an error.
Result<Register> decode_register(const SyntaxToken& token, const Instruction& instruction,
                                 std::uint64_t word);
// The bits of number and bank.
Result<std::uint64_t> encode_register(const SyntaxToken& token, const Instruction& instruction,
                                      const Register& reg, std::uint64_t word);

// A swizzle as its table writes it, and back; false: the table does not have it.
std::string swizzle_text(const SyntaxToken& token, const Swizzle& swizzle);
bool parse_swizzle(const SyntaxToken& token, std::string_view text, Swizzle& swizzle);
// True if it is what a source without a swizzle means.
bool is_identity(const SyntaxToken& token, const Swizzle& swizzle);

// The word that a pattern gives to an instruction of its opcode whose modifiers fit it.
Result<std::uint64_t> encode_as(const Pattern& pattern, const Instruction& instruction);

}  // namespace warpjit::usse
