#include "frontend/valhall/assembly/instruction.h"

#include <algorithm>
#include <charconv>

#include "frontend/assembly/lines.h"
#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {
namespace {

using assembly::append_word;
using assembly::bad_line;
using assembly::split_operands;
using assembly::take_piece;
using text::quoted;

// A decimal number up to `most` after a letter: "r12".
std::optional<std::uint8_t> numbered(std::string_view text, char letter, std::uint64_t most) {
  if (text.size() < 2 || text[0] != letter || text[1] < '0' || text[1] > '9') return {};
  const auto value = text::parse_unsigned(text.substr(1), most);
  if (!value) return {};
  return static_cast<std::uint8_t>(*value);
}

std::optional<std::uint8_t> find_special(std::string_view text) {
  for (unsigned page = 0; page < 4; ++page)
    for (unsigned entry = 0; entry < 16; ++entry)
      if (!text.empty() && special_name(page, entry) == text)
        return static_cast<std::uint8_t>(page * 32 + entry * 2);
  return {};
}

std::string words_of(const Modifier& modifier) {
  std::string list;
  for (unsigned n = 0; n < modifier.count; ++n)
    if (modifier.defined(n)) append_word(list, modifier.words[n]);
  return list;
}
std::string parts_of(const Select& select) {
  std::string list;
  for (const Lanes lanes : select.lanes)
    if (lanes != Lanes::reserved && list.find(name(lanes)) == std::string::npos)
      append_word(list, name(lanes));
  return list;
}

// Fills in what the syntax of one pattern needs, word by word.
class Reader {
 public:
  Reader(const Pattern& pattern, std::span<const std::string_view> operands)
      : pattern_(pattern), operands_(operands) {
    result_.instruction.opcode = pattern.opcode;
    result_.instruction.type = pattern.form;
  }

  Result<AssembledInstruction> read(std::string_view modifiers) {
    WARPJIT_CHECK(read_modifiers(modifiers));
    for (const SyntaxToken& token : pattern_.syntax()) {
      WARPJIT_CHECK(read_operand(token));
    }
    if (at_ != operands_.size()) return bad_line("there are more operands than this instruction has");
    return result_;
  }

 private:
  // "saturate.wait0": each word belongs to the first modifier that has it and was not given before.
  Status read_modifiers(std::string_view text) {
    std::array<bool, Grammar::kMostTokens> given{};
    const std::span<const SyntaxToken> syntax = pattern_.syntax();
    while (!text.empty()) {
      std::size_t token = syntax.size(), length = 0;
      unsigned field = 0;
      for (std::size_t k = 0; k < syntax.size(); ++k) {
        if (syntax[k].kind != SyntaxToken::Kind::modifier || given[k]) continue;
        const Modifier& modifier = modifiers()[syntax[k].modifier];
        for (unsigned n = 0; n < modifier.count; ++n) {
          const std::string_view word = modifier.words[n];
          const bool begins = modifier.defined(n) && text.starts_with(word) &&
                              (text.size() == word.size() || text[word.size()] == '.');
          if (!begins || word.size() <= length) continue;
          token = k;
          length = word.size();
          field = n;
        }
      }
      if (token == syntax.size())
        return bad_line("this instruction has no modifier " + quoted(take_piece(text)) + remaining(given));
      set_modifier(syntax[token], field);
      given[token] = true;
      text.remove_prefix(std::min(text.size(), length + 1));
    }
    for (std::size_t k = 0; k < syntax.size(); ++k) {
      if (syntax[k].kind != SyntaxToken::Kind::modifier || given[k]) continue;
      const Modifier& modifier = modifiers()[syntax[k].modifier];
      const auto* const implied = std::ranges::find(modifier.words, std::string_view{});
      const auto n = static_cast<unsigned>(implied - modifier.words.begin());
      if (n >= modifier.count)
        return bad_line("the modifier " + std::string(modifier.name) + " is missing: one of " +
                        words_of(modifier));
      set_modifier(syntax[k], n);
    }
    return {};
  }
  // "; it has ...", of modifiers that were not given.
  std::string remaining(const std::array<bool, Grammar::kMostTokens>& given) const {
    std::string list;
    const std::span<const SyntaxToken> syntax = pattern_.syntax();
    for (std::size_t k = 0; k < syntax.size(); ++k) {
      if (syntax[k].kind != SyntaxToken::Kind::modifier || given[k]) continue;
      const Modifier& modifier = modifiers()[syntax[k].modifier];
      if (const std::string words = words_of(modifier); !words.empty())
        list += (list.empty() ? "" : "; ") + std::string(modifier.name) + ": " + words;
    }
    return list.empty() ? std::string(", and no other") : ", but " + list;
  }
  void set_modifier(const SyntaxToken& token, unsigned field) {
    const Modifier& modifier = modifiers()[token.modifier];
    modifier.set(result_.instruction, modifier.values[field]);
  }

  Status read_operand(const SyntaxToken& token) {
    if (token.kind == SyntaxToken::Kind::modifier || token.kind == SyntaxToken::Kind::no_destination)
      return {};
    if (at_ == operands_.size()) return bad_line("an operand is missing");
    const std::string_view word = operands_[at_++];
    switch (token.kind) {
      case SyntaxToken::Kind::destination:
        return read_destination(word);
      case SyntaxToken::Kind::source:
        return read_source(token, word);
      case SyntaxToken::Kind::read:
        return read_staging(word, result_.instruction.read);
      case SyntaxToken::Kind::write:
        return read_staging(word, result_.instruction.write);
      default:
        return read_immediate(token, word);
    }
  }

  Status read_destination(std::string_view word) {
    const std::string_view whole = word;
    const auto number = numbered(take_piece(word), 'r', 63);
    if (!number) return bad_line("expected a register r0 to r63, found " + quoted(whole));
    result_.instruction.destination = *number;
    constexpr std::string_view kMasks[] = {"none", "h0", "h1", ""};
    const auto* const mask = std::ranges::find(kMasks, word);
    if (mask == std::end(kMasks)) return bad_line("a destination has no part " + quoted(word));
    result_.instruction.write_mask = static_cast<std::uint8_t>(mask - kMasks);
    return {};
  }

  static bool read_base(std::string_view base, std::string_view& rest, Source& source) {
    using Kind = Source::Kind;
    if (base.starts_with('^')) {
      source.last_use = true;
      base.remove_prefix(1);
      if (!base.starts_with('r')) return false;
    }
    std::optional<std::uint8_t> value;
    if ((value = numbered(base, 'r', 63))) {
      source.kind = Kind::gpr;
    } else if ((value = numbered(base, 'u', 255))) {
      source.kind = Kind::uniform;
    } else if ((value = numbered(base, 'k', kConstants.size() - 1))) {
      source.kind = Kind::constant;
    } else if (const auto bits = text::parse_unsigned(base)) {
      const auto* const found = std::ranges::find(kConstants, static_cast<std::uint32_t>(*bits));
      if (found == kConstants.end()) return false;
      source.kind = Kind::constant;
      value = static_cast<std::uint8_t>(found - kConstants.begin());
    } else if ((value = find_special(base))) {
      const std::string_view half = take_piece(rest);
      if (half != "w0" && half != "w1") return false;
      source.kind = Kind::special;
      *value = static_cast<std::uint8_t>(*value | (half == "w1" ? 1 : 0));
    }
    source.value = value.value_or(0);
    return value.has_value();
  }

  Status read_source(const SyntaxToken& token, std::string_view word) {
    Source& source = result_.instruction.source[token.index];
    source.wide = token.wide;
    std::string_view rest = word;
    if (!read_base(take_piece(rest), rest, source))
      return bad_line("expected a register, uniform, special value or one of the 32 constants, found " +
                      quoted(word));
    const bool selects_lanes = token.select != kNoSelect;
    if (selects_lanes) source.lanes = selects()[token.select].implied;
    while (!rest.empty()) {
      const std::string_view piece = take_piece(rest);
      bool* const change = piece == "not"   ? &source.invert
                           : piece == "neg" ? &source.negate
                           : piece == "abs" ? &source.absolute
                                            : nullptr;
      if (change != nullptr) {
        if (*change) return bad_line(quoted(piece) + " stands twice");
        *change = true;
        continue;
      }
      const auto lanes = selects_lanes ? find_lanes(selects()[token.select], piece) : std::nullopt;
      if (!lanes)
        return bad_line("this source has no part " + quoted(piece) +
                        (selects_lanes ? ", but " + parts_of(selects()[token.select]) : std::string()));
      source.lanes = *lanes;
    }
    if (source.lanes == Lanes::reserved)
      return bad_line("the part of " + quoted(word) + " is missing: one of " +
                      parts_of(selects()[token.select]));
    return {};
  }
  static std::optional<Lanes> find_lanes(const Select& select, std::string_view word) {
    for (const Lanes lanes : select.lanes)
      if (lanes != Lanes::reserved && name(lanes) == word) return lanes;
    return {};
  }

  // "@r4:r5"; "@" for none.
  static Status read_staging(std::string_view word, Staging& staging) {
    const Error expected = bad_line("expected staging registers like @r4:r5, found " + quoted(word));
    if (!word.starts_with('@')) return expected;
    std::string_view rest = word.substr(1);
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      const auto number = numbered(rest.substr(0, colon), 'r', 255);
      if (!number || staging.count == 8) return expected;
      if (staging.count == 0) staging.first = *number;
      if (*number != staging.first + staging.count) return bad_line("staging registers follow each other");
      ++staging.count;
      rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
      if (colon != std::string_view::npos && rest.empty()) return expected;
    }
    return {};
  }

  // "#0x4ba", "offset:-8", "index:0x1"
  Status read_immediate(const SyntaxToken& token, std::string_view word) {
    const std::string_view name = kImmediateNames[static_cast<std::size_t>(token.immediate)];
    const bool constant = token.immediate == Immediate::constant;
    std::string_view digits = word;
    if (constant ? !digits.starts_with('#')
                 : !digits.starts_with(name) || !digits.substr(name.size()).starts_with(':'))
      return bad_line("expected " + (constant ? std::string("#CONSTANT") : std::string(name) + ":NUMBER") +
                      ", found " + quoted(word));
    digits.remove_prefix(constant ? 1 : name.size() + 1);
    const bool negative = token.is_signed && digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    const auto value = text::parse_unsigned(digits, token.is_signed ? INT32_MAX : UINT32_MAX);
    const bool is_label = !digits.empty() && (digits[0] < '0' || digits[0] > '9') && !negative;
    if (!value && result_.instruction.opcode == Opcode::branchz && is_label) {
      result_.label = digits;
      return {};
    }
    if (!value) return bad_line("expected a number, found " + quoted(digits));
    return set_immediate(token,
                         negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value));
  }
  Status set_immediate(const SyntaxToken& token, std::int64_t value) {
    const unsigned width = token.field.width();
    const std::int64_t low = token.is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
    const std::int64_t high = low + (std::int64_t{1} << width) - 1;
    if (value < low || value > high)
      return bad_line("the value is not from " + std::to_string(low) + " to " + std::to_string(high));
    valhall::set(result_.instruction, token.immediate, value);
    return {};
  }

  const Pattern& pattern_;
  std::span<const std::string_view> operands_;
  std::size_t at_ = 0;
  AssembledInstruction result_;
};

// What other listings call some instructions.
constexpr std::pair<std::string_view, Opcode> kOtherNames[] = {
    {"LD_PKA", Opcode::ld_buffer}, {"LEA_BUFFER", Opcode::lea_pka}, {"CUBEFACE2_V9", Opcode::cubeface2}};

std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  for (const auto& [other, opcode] : kOtherNames)
    if (other == mnemonic) return opcode;
  return assembly::find_opcode<Opcode>(mnemonic, kOpcodeCount);
}

// The pattern of "FADD.f32.saturate"; leaves the modifiers.
Result<const Pattern*> take_mnemonic(std::string_view& text) {
  const std::string_view mnemonic = take_piece(text);
  const auto opcode = find_opcode(mnemonic);
  if (!opcode) return bad_line("no instruction " + quoted(mnemonic));
  std::string_view rest = text;
  const std::string_view type_name = take_piece(rest);
  for (int k = 1; k < kTypeCount; ++k)
    if (name(static_cast<Type>(k)) == type_name)
      if (const Pattern* pattern = find_pattern(*opcode, static_cast<Type>(k))) {
        text = rest;
        return pattern;
      }
  if (const Pattern* pattern = find_pattern(*opcode, Type::none)) return pattern;
  std::string types;
  for (int k = 1; k < kTypeCount; ++k)
    if (find_pattern(*opcode, static_cast<Type>(k)) != nullptr)
      append_word(types, name(static_cast<Type>(k)));
  return bad_line(std::string(mnemonic) + " has no type " + quoted(type_name) + ", but " + types);
}

}  // namespace

Result<AssembledInstruction> parse_instruction(std::vector<std::string_view> words) {
  WARPJIT_TRY(const assembly::Annotations annotations, assembly::take_annotations(words, "unchecked"));
  if (words.empty()) return bad_line("an instruction is missing");
  std::string_view text = words[0];
  WARPJIT_TRY(const Pattern* pattern, take_mnemonic(text));
  WARPJIT_TRY(const std::vector<std::string_view> operands, split_operands(std::span(words).subspan(1)));
  WARPJIT_TRY(AssembledInstruction parsed, Reader(*pattern, operands).read(text));
  parsed.flipped = annotations.flipped;
  parsed.unchecked = annotations.flag;
  return parsed;
}

Result<std::uint64_t> word_of(const AssembledInstruction& parsed) {
  if (!parsed.unchecked) {
    WARPJIT_CHECK(check_operands(parsed.instruction));
  }
  WARPJIT_TRY(const std::uint64_t word, encode(parsed.instruction));
  return word ^ parsed.flipped;
}

}  // namespace warpjit::valhall
