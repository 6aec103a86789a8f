#include "frontend/usse/encoding/decode.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>

#include "base/bits.h"
#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {
namespace {

Error undefined(std::string message) { return {ErrorCode::bad_input, std::move(message), {}}; }
Error known_by_name(const std::string& name) {
  return {ErrorCode::unsupported, name + " is known by name alone", {}};
}

std::string bit_range(const BitField& field) {
  const BitField::Range& range = field.ranges[0];
  if (range.width == 1) return "bit " + std::to_string(range.low);
  return "bits " + std::to_string(range.low) + " to " + std::to_string(range.low + range.width - 1);
}

// Why no pattern has this word.
Error no_pattern(std::uint64_t word) {
  constexpr unsigned kI8mad2 = 25, kSpecial = 31;
  const auto primary = static_cast<unsigned>(word >> 59);
  if (primary == kI8mad2) return known_by_name("i8mad2");
  if (primary == kSpecial && (word >> 52 & 3) == 3 && (word >> 56 & 7) == 0)
    return known_by_name("the coefficient control of points");
  const std::string opcode = "opcode " + std::to_string(primary);
  const auto there = candidates(word);
  if (there.empty()) return undefined(opcode + " is not defined; 0 to 21, 26 and 28 to 31 are");
  const auto differing = [&](std::uint16_t k) { return (word ^ patterns()[k].match) & patterns()[k].mask; };
  const std::uint16_t nearest =
      *std::ranges::min_element(there, {}, [&](std::uint16_t k) { return std::popcount(differing(k)); });
  char bits[24];
  std::snprintf(bits, sizeof bits, "0x%" PRIx64, differing(nearest));
  return undefined(opcode + " has no instruction with these fixed bits; the nearest, " +
                   std::string(name(patterns()[nearest].opcode)) + ", differs in " + bits);
}

// What a field's values mean, "1 f16, 2 f32".
std::string defined_words(const SyntaxToken& token) {
  const Modifier& modifier = modifiers()[token.modifier];
  std::string text;
  for (unsigned n = 0; n < modifier.count && n <= low_mask<unsigned>(token.field.width()); ++n) {
    if (!modifier.defined(n)) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(n);
    if (!modifier.words[n].empty()) text += " " + std::string(modifier.words[n]);
  }
  return text;
}

Error reserved_modifier(const Pattern& pattern, std::uint64_t word) {
  for (const std::uint8_t k : pattern.modifiers()) {
    const SyntaxToken& token = pattern.tokens[k];
    const Modifier& modifier = modifiers()[token.modifier];
    if (token.field.empty() || modifier.defined(token.field.get(word))) continue;
    return undefined(std::string(name(pattern.opcode)) + ": the value " +
                     std::to_string(token.field.get(word)) + " of " + std::string(modifier.name) + " in " +
                     bit_range(token.field) + " is reserved; it is one of " + defined_words(token));
  }
  return undefined(std::string(name(pattern.opcode)) + ": a modifier is reserved");
}

Result<Swizzle> decode_swizzle(const SyntaxToken& token, std::uint64_t word) {
  Swizzle swizzle{};
  const std::uint32_t field = token.swizzle.get(word);
  if (token.table == kFreeSwizzle) {
    for (std::size_t k = 0; k < 4; ++k) swizzle[k] = static_cast<Select>(field >> 3 * k & 7);
    return swizzle;
  }
  if (token.table == kPackSwizzle) {
    const std::uint32_t all = field | token.swizzle_high.get(word) << 2;
    for (std::size_t k = 0; k < 4; ++k) swizzle[k] = static_cast<Select>(all >> 2 * k & 3);
    return swizzle;
  }
  const std::string_view text = swizzle_tables()[token.table].words[field];
  if (text.empty() || !parse_swizzle(token, text, swizzle))
    return undefined("source " + std::to_string(token.index) + ": swizzle " + std::to_string(field) +
                     " is reserved");
  return swizzle;
}

bool bit_of(std::uint64_t word, std::uint8_t bit) { return bit != 0 && (word >> bit & 1) != 0; }

Status decode_token(const SyntaxToken& token, std::uint64_t word, Instruction& instruction) {
  if (token.kind == SyntaxToken::Kind::immediate) {
    const std::uint32_t value = token.field.get(word);
    instruction.immediates[static_cast<std::size_t>(token.immediate)] =
        token.is_signed ? sign_extend(value, token.field.width()) : static_cast<std::int32_t>(value);
    return {};
  }
  WARPJIT_TRY(const Register reg, decode_register(token, instruction, word));
  if (token.kind == SyntaxToken::Kind::destination) {
    auto mask = static_cast<std::uint8_t>(token.mask.empty() ? 0 : token.mask.get(word));
    if (token.mask_from_w) mask = static_cast<std::uint8_t>(mask >> 1 | (mask & 1) << 3);
    instruction.d[token.index] = {reg, mask};
    return {};
  }
  Source source{reg};
  if (token.table != kNoSwizzle) {
    WARPJIT_TRY(source.swizzle, decode_swizzle(token, word));
  }
  source.negate = bit_of(word, token.negate);
  source.absolute = bit_of(word, token.absolute);
  instruction.s[token.index] = source;
  return {};
}

// Checks that a dual instruction has operations that exist with such sources.
Status check_dual(const Instruction& i) {
  const unsigned first = source_count(i.operation1), second = source_count(i.operation2);
  if (first + second > 4 || (first == 2 && second == 3))
    return undefined("a dual instruction cannot have operations with " + std::to_string(first) + " and " +
                     std::to_string(second) + " sources");
  if (first == 2 && i.config == 3) return undefined("a dual instruction with this config is reserved");
  return {};
}

Result<Instruction> decode_pattern(const Pattern& pattern, std::uint64_t word) {
  Instruction instruction;
  instruction.raw = word;
  instruction.opcode = pattern.opcode;
  instruction.group = pattern.form;
  if (!encoding::decode_modifiers(pattern, word, instruction)) return reserved_modifier(pattern, word);
  if (instruction.group == Group::dual) {
    WARPJIT_CHECK(check_dual(instruction));
  }
  for (const SyntaxToken& token : pattern.syntax()) {
    if (!is_operand(token)) continue;
    if (const Status decoded = decode_token(token, word, instruction); !decoded)
      return Error{
          decoded.error().code, std::string(name(pattern.opcode)) + ": " + decoded.error().message, {}};
  }
  WARPJIT_TRY(const std::uint64_t canonical, encode_as(pattern, instruction));
  instruction.unused = word ^ canonical;
  return instruction;
}

}  // namespace

Result<Instruction> decode(std::uint64_t word) {
  for (const std::uint16_t k : candidates(word))
    if (patterns()[k].matches(word)) return decode_pattern(patterns()[k], word);
  return no_pattern(word);
}

bool reads_source(const Instruction& i, unsigned k) {
  switch (i.group) {
    case Group::dual:
      for (const bool second : {false, true})
        for (unsigned n = 0; n < source_count(second ? i.operation2 : i.operation1); ++n)
          if (dual_operand(i, second, n) == k) return true;
      return false;
    case Group::tst:
      return k != 2 || (i.alu != Alu::rcp && i.alu != Alu::rsq && i.alu != Alu::log && i.alu != Alu::exp);
    case Group::pck:
      return k != 2 || (i.source_type == Type::f32 && i.s[1].bank != Bank::i);
    case Group::i32mad2:
      return k == 2 || i.step == 0;
    case Group::smp:
      return k != 2 || (i.lod_mode != LodMode::quad && (!gathers(i) || i.lod_mode == LodMode::replace));
    case Group::depthf:
      return k == 0;
    case Group::flow:
      return false;
    default:
      return true;
  }
}

unsigned source_count(Operation operation) {
  switch (operation) {
    case Operation::vmad:
    case Operation::fmad:
      return 3;
    case Operation::vdp:
    case Operation::vmul:
    case Operation::vadd:
    case Operation::fadd:
    case Operation::fmul:
    case Operation::fsubflr:
      return 2;
    default:
      return 1;
  }
}

unsigned dual_operand(const Instruction& dual, bool second, unsigned index) {
  // By the sources of both operations and the config, in operand order; U is the unified source.
  constexpr std::string_view kFirst[3][4] = {
      {"U", "0", "1", "2"}, {"U1", "0U", "01", ""}, {"U12", "0U2", "01U", "012"}};
  constexpr std::string_view kOne[3][4] = {
      {"0", "U", "U", "U"}, {"01", "U1", "0U", "1U"}, {"012", "U12", "0U2", "0U1"}};
  constexpr std::string_view kTwo[2][4] = {{"0", "1", "U", ""}, {"02", "12", "2U", ""}};
  constexpr std::string_view kThree[4] = {"0", "1", "2", "U"};
  const unsigned first = source_count(dual.operation1), other = source_count(dual.operation2);
  std::string_view operands = kFirst[first - 1][dual.config];
  if (second) {
    if (first == 1)
      operands = kOne[other - 1][dual.config];
    else
      operands = first == 2 ? kTwo[(other - 1) & 1][dual.config] : kThree[dual.config];
  }
  if (index >= operands.size()) return 0;
  return operands[index] == 'U' ? 3 : static_cast<unsigned>(operands[index] - '0');
}

bool unified_is_vector(const Instruction& dual, bool destination) {
  if (destination) return writes_vector(dual.primary_unified ? dual.operation1 : dual.operation2);
  for (unsigned k = 0; k < source_count(dual.operation1); ++k)
    if (dual_operand(dual, false, k) == 3) return reads_vectors(dual.operation1);
  for (unsigned k = 0; k < source_count(dual.operation2); ++k)
    if (dual_operand(dual, true, k) == 3) return reads_vectors(dual.operation2);
  return reads_vectors(dual.operation1);
}

}  // namespace warpjit::usse
