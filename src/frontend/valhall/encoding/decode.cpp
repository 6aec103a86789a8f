#include "frontend/valhall/encoding/decode.h"

#include <cinttypes>
#include <cstdio>

#include "base/text.h"
#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

// Opcodes whose names are known, but not their fields.
struct NamedOpcode {
  std::uint16_t primary;
  std::string_view name;
};
constexpr NamedOpcode kNamedOpcodes[] = {{0x004, "DOORBELL"}, {0x005, "EUREKA"},     {0x006, "KABOOM"},
                                         {0x03f, "JUMP_EX"},  {0x044, "LD_GCLK"},    {0x06e, "LEA_BUF"},
                                         {0x070, "LD_CVT"},   {0x098, "FLUSH"},      {0x09e, "FRCBRT_APPROX"},
                                         {0x0b0, "IADDC"},    {0x126, "TEX_WEIGHTS"}};

Error undefined(std::string message) { return {ErrorCode::bad_input, std::move(message), {}}; }

using text::hex;

std::string bit_range(unsigned low, unsigned width) {
  if (width == 1) return "bit " + std::to_string(low);
  return "bits " + std::to_string(low) + " to " + std::to_string(low + width - 1);
}

// Why no pattern has this word.
Error no_pattern(std::uint64_t word) {
  const unsigned primary = read_bits(word, 48, 9);
  if (read_bits(word, 63, 1) != 0) return undefined("bit 63 is set, which no instruction has");
  for (const NamedOpcode& named : kNamedOpcodes)
    if (named.primary == primary)
      return {ErrorCode::unsupported, std::string(named.name) + " is known by name alone", {}};
  const bool known = !candidates(word).empty();
  return undefined("opcode " + hex(primary) +
                   (known ? " does not have these fixed bits" : " is not defined"));
}

std::string mnemonic_of(const Pattern& pattern) { return mnemonic(pattern.opcode, pattern.form); }

Error reserved_modifier(const Pattern& pattern, std::uint64_t word) {
  for (const std::uint8_t k : pattern.modifiers()) {
    const SyntaxToken& token = pattern.tokens[k];
    const Modifier& modifier = modifiers()[token.modifier];
    if (modifier.defined(token.field.get(word))) continue;
    const BitField::Range& range = token.field.ranges[0];
    return undefined(mnemonic_of(pattern) + ": the value of " + std::string(modifier.name) + " in " +
                     bit_range(range.low, range.width) + " is reserved");
  }
  return undefined(mnemonic_of(pattern) + ": a modifier is reserved");
}

bool bit_of(std::uint64_t word, std::uint8_t bit) { return bit != 0 && read_bits(word, bit, 1) != 0; }

Result<Source> decode_source(const Pattern& pattern, const SyntaxToken& token, std::uint64_t word) {
  const auto byte = static_cast<std::uint8_t>(token.field.get(word));
  const unsigned page = read_bits(word, kPageBit, kPageBits);
  const auto fail = [&](const std::string& what) {
    return undefined(mnemonic_of(pattern) + ": source " + std::to_string(token.index) + ": " + what);
  };
  Source source{.wide = token.wide};
  if (byte < 0x80) {
    source.kind = Source::Kind::gpr;
    source.value = byte & 0x3f;
    source.last_use = byte >= 0x40;
  } else if (byte < 0xc0) {
    source.kind = Source::Kind::uniform;
    source.value = static_cast<std::uint8_t>(page * kUniformPage + (byte & 0x3f));
  } else if (byte < 0xe0) {
    source.kind = Source::Kind::constant;
    source.value = byte & 0x1f;
  } else {
    source.kind = Source::Kind::special;
    source.value = static_cast<std::uint8_t>(page * 32 + (byte & 0x1f));
    if (special_name(page, special_entry(source.value)).empty())
      return fail("special value " + std::to_string(special_entry(source.value)) + " of page " +
                  std::to_string(page) + " is reserved");
  }
  source.negate = bit_of(word, token.negate);
  source.absolute = bit_of(word, token.absolute);
  source.invert = bit_of(word, token.invert);
  if (token.select == kNoSelect) return source;
  const Select& select = selects()[token.select];
  source.lanes = select.lanes[read_bits(word, token.select_bit, select.width)];
  if (source.lanes == Lanes::reserved)
    return fail("the value of " + std::string(select.name) + " in " +
                bit_range(token.select_bit, select.width) + " is reserved");
  return source;
}

Staging decode_staging(const SyntaxToken& token, std::uint64_t word) {
  std::uint32_t count = read_bits(word, token.count_bit, kCountBits);
  if (token.count_less_one) ++count;
  if (token.zero_is_eight && count == 0) count = 8;
  if (count == 0) return {};  // the first one's number does not count
  return {static_cast<std::uint8_t>(token.field.get(word)), static_cast<std::uint8_t>(count)};
}

Result<Instruction> decode_pattern(const Pattern& pattern, std::uint64_t word) {
  Instruction instruction;
  instruction.raw = word;
  instruction.opcode = pattern.opcode;
  instruction.type = pattern.form;
  if (!encoding::decode_modifiers(pattern, word, instruction)) return reserved_modifier(pattern, word);
  for (const SyntaxToken& token : pattern.syntax()) switch (token.kind) {
      case SyntaxToken::Kind::destination:
        instruction.destination = static_cast<std::uint8_t>(token.field.get(word));
        instruction.write_mask = static_cast<std::uint8_t>(read_bits(word, kMaskBit, 2));
        break;
      case SyntaxToken::Kind::source: {
        WARPJIT_TRY(instruction.source[token.index], decode_source(pattern, token, word));
        break;
      }
      case SyntaxToken::Kind::read:
        instruction.read = decode_staging(token, word);
        break;
      case SyntaxToken::Kind::write:
        instruction.write = decode_staging(token, word);
        break;
      case SyntaxToken::Kind::immediate: {
        const std::uint32_t value = token.field.get(word);
        set(instruction, token.immediate,
            token.is_signed ? std::int64_t{sign_extend(value, token.field.width())} : value);
        break;
      }
      default:
        break;
    }
  WARPJIT_TRY(const std::uint64_t canonical, encode_as(pattern, instruction));
  instruction.unused = word ^ canonical;
  return instruction;
}

}  // namespace

Result<Instruction> decode(std::uint64_t word) {
  for (const std::uint16_t number : candidates(word))
    if (patterns()[number].matches(word)) return decode_pattern(patterns()[number], word);
  return no_pattern(word);
}

Result<Instruction> decode(std::span<const std::uint64_t> code, std::uint64_t address,
                           const std::string& file) {
  const std::uint64_t index = address / 8;
  const std::uint64_t word = index < code.size() ? code[index] : 0;
  const auto located = [&](ErrorCode error, std::string message) {
    return Error{error, std::move(message), where_byte(file, address, word)};
  };
  if (address % 8 != 0) return located(ErrorCode::bad_input, "an instruction address is a multiple of 8");
  if (index >= code.size()) return located(ErrorCode::bad_input, "the address is outside the code");
  auto instruction = decode(word);
  if (!instruction) return located(instruction.error().code, instruction.error().message);
  return instruction;
}

bool is_message(const Instruction& instruction) {
  const Pattern* pattern = find_pattern(instruction.opcode, instruction.type);
  if (pattern == nullptr) return false;
  const unsigned operand_class = read_bits(pattern->match, 52, 5);
  return (operand_class >= 4 && operand_class < 8) || operand_class == 0x0e || operand_class == 0x12 ||
         operand_class == 0x13 || operand_class == 0x17;
}

std::string where_byte(const std::string& file, std::uint64_t address, std::uint64_t word) {
  char text[64];
  std::snprintf(text, sizeof text, "byte 0x%" PRIx64 " (0x%016" PRIx64 ")", address, word);
  return file.empty() ? std::string(text) : file + ", " + text;
}

}  // namespace warpjit::valhall
