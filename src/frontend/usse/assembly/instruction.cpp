#include "frontend/usse/assembly/instruction.h"

#include <algorithm>
#include <optional>

#include "frontend/assembly/lines.h"
#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {
namespace {

using assembly::append_word;
using assembly::bad_line;
using assembly::split_operands;
using assembly::take_piece;
using text::quoted;

// Takes "[2*idx1+4]" or "[idx1+4]" apart, up to the number.
void take_index(std::string_view& text, Register& reg) {
  std::string_view rest = text;
  const auto skip = [&](std::string_view what) {
    if (!rest.starts_with(what)) return false;
    rest.remove_prefix(what.size());
    return true;
  };
  if (!skip("[")) return;
  const bool doubled = skip("2*");
  if (!skip("idx") || rest.size() < 4 || (rest[0] != '1' && rest[0] != '2') || rest[1] != '+' ||
      rest.back() != ']')
    return;
  reg.index = static_cast<std::uint8_t>(rest[0] - '0');
  reg.index_words = doubled ? 2 : 1;
  text = rest.substr(2, rest.size() - 3);
}

// "r4", "#0x10", "sa[2*idx1+4]".
std::optional<Register> read_register(std::string_view text) {
  Register reg;
  for (const Bank bank :
       {Bank::r, Bank::pa, Bank::sa, Bank::o, Bank::i, Bank::c, Bank::g, Bank::immediate, Bank::idx}) {
    if (!text.starts_with(name(bank))) continue;
    std::string_view rest = text.substr(name(bank).size());
    reg.bank = bank;
    take_index(rest, reg);
    const auto number = text::parse_unsigned(rest, UINT16_MAX);
    if (!number) continue;
    reg.number = static_cast<std::uint16_t>(*number);
    return reg;
  }
  return {};
}

// Reads a line by one pattern. `reached` says how far it came: the best error is that of the pattern
// that came furthest.
class Reader {
 public:
  Reader(const Pattern& pattern, std::span<const std::string_view> operands)
      : pattern_(pattern), operands_(operands) {
    result_.instruction.opcode = pattern.opcode;
    result_.instruction.group = pattern.form;
  }

  Result<AssembledInstruction> read(std::string_view predicate, std::string_view pieces) {
    WARPJIT_CHECK(read_modifiers(predicate, pieces));
    for (const SyntaxToken& token : pattern_.syntax()) {
      if (!is_operand(token)) continue;
      if (at_ == operands_.size()) return bad_line("an operand is missing: " + wanted(token));
      const std::string_view word = operands_[at_++];
      ++reached_;
      switch (token.kind) {
        case SyntaxToken::Kind::destination:
          WARPJIT_CHECK(read_destination(token, word));
          break;
        case SyntaxToken::Kind::source:
          WARPJIT_CHECK(read_source(token, word));
          break;
        default:
          WARPJIT_CHECK(read_immediate(token, word));
          break;
      }
    }
    if (at_ != operands_.size()) return bad_line("an operand too many: " + quoted(operands_[at_]));
    return result_;
  }
  std::size_t reached() const { return reached_; }

 private:
  // What a field may say, "u8, s8".
  static std::string words_of(const SyntaxToken& token) {
    const Modifier& modifier = modifiers()[token.modifier];
    std::string text;
    for (unsigned n = 0; n < modifier.count; ++n) {
      const bool fits = token.kind == SyntaxToken::Kind::fixed_modifier
                            ? n == token.value
                            : n <= low_mask<unsigned>(token.field.width());
      if (!fits || !modifier.defined(n) || modifier.words[n].empty()) continue;
      append_word(text, modifier.words[n]);
    }
    return text;
  }
  // The words of a modifier in all patterns of the opcode.
  std::string words_of(std::string_view modifier) const {
    std::string text;
    for (const Pattern& pattern : patterns_of(pattern_.opcode))
      for (const SyntaxToken& token : pattern.syntax()) {
        if (pattern.opcode != pattern_.opcode || !encoding::is_modifier(token)) continue;
        if (modifiers()[token.modifier].name != modifier) continue;
        const std::string words = words_of(token);
        if (text.find(words) == std::string::npos) append_word(text, words);
      }
    return text;
  }
  static std::string wanted(const SyntaxToken& token) {
    if (token.kind == SyntaxToken::Kind::destination) return "the destination";
    if (token.kind == SyntaxToken::Kind::source) return "source " + std::to_string(token.index);
    return std::string(kImmediateNames[static_cast<std::size_t>(token.immediate)]) + ":NUMBER";
  }
  // The words of all patterns of the opcode: predicates, or other modifiers.
  std::string words_of(bool predicates) const {
    std::vector<std::string> known;
    for (const Pattern& pattern : patterns_of(pattern_.opcode))
      for (const SyntaxToken& token : pattern.syntax()) {
        if (pattern.opcode != pattern_.opcode || !encoding::is_modifier(token)) continue;
        if (is_predicate(modifiers()[token.modifier]) != predicates) continue;
        std::string words = words_of(token);
        if (!words.empty() && std::ranges::find(known, words) == known.end())
          known.push_back(std::move(words));
      }
    std::string text;
    for (const std::string& words : known) append_word(text, words);
    return text;
  }
  static std::string has(const std::string& words) {
    return words.empty() ? "; it has none" : "; it has " + words;
  }
  static std::string swizzles_of(const SyntaxToken& token) {
    if (token.table == kPackSwizzle) return "four of x, y, z and w";
    if (token.table == kFreeSwizzle) return "four of x, y, z, w, 0, 1, 2 and h";
    std::string text;
    for (const std::string_view word : swizzle_tables()[token.table].words) append_word(text, word);
    return text;
  }

  Status read_modifiers(std::string_view predicate, std::string_view pieces) {
    std::array<bool, Grammar::kMostTokens> given{};
    const std::span<const SyntaxToken> syntax = pattern_.syntax();
    const auto take = [&](std::string_view word, bool as_predicate) {
      for (std::size_t k = 0; k < syntax.size(); ++k) {
        const SyntaxToken& token = syntax[k];
        if (!encoding::is_modifier(token) || given[k]) continue;
        const Modifier& modifier = modifiers()[token.modifier];
        if (is_predicate(modifier) != as_predicate) continue;
        for (unsigned n = 0; n < modifier.count; ++n) {
          if (!modifier.defined(n) || modifier.words[n] != word) continue;
          if (token.kind == SyntaxToken::Kind::fixed_modifier ? n != token.value
                                                              : n > low_mask<unsigned>(token.field.width()))
            continue;
          given[k] = true;
          ++reached_;
          modifier.set(result_.instruction, modifier.values[n]);
          return true;
        }
      }
      return false;
    };
    if (!predicate.empty() && !take(predicate, true))
      return bad_line("this instruction has no predicate " + quoted(predicate) + has(words_of(true)));
    while (!pieces.empty()) {
      const std::string_view piece = take_piece(pieces);
      if (piece.empty() || !take(piece, false))
        return bad_line("this instruction has no modifier " + quoted(piece) + has(words_of(false)));
    }
    for (std::size_t k = 0; k < syntax.size(); ++k) {
      if (!encoding::is_modifier(syntax[k]) || given[k]) continue;
      const Modifier& modifier = modifiers()[syntax[k].modifier];
      if (syntax[k].kind == SyntaxToken::Kind::fixed_modifier || !modifier.words[0].empty())
        return bad_line("the modifier " + std::string(modifier.name) +
                        " is missing: " + words_of(modifier.name));
      modifier.set(result_.instruction, modifier.values[0]);
    }
    return {};
  }

  static Error no_register(std::string_view word) {
    return bad_line("expected a register like r4, pa2, sa[idx1+4] or sa[2*idx1+4], found " + quoted(word) +
                    "; banks are r, pa, sa, o, i, c, g, # and idx");
  }

  Status read_destination(const SyntaxToken& token, std::string_view word) {
    std::string_view rest = word;
    const auto reg = read_register(take_piece(rest));
    if (!reg) return no_register(word);
    const auto full = static_cast<std::uint8_t>(low_mask<unsigned>(token.mask.width()));
    Destination destination{*reg, full};
    if (!rest.empty()) {
      destination.mask = 0;
      constexpr std::string_view kLetters = "xyzw";
      for (const char letter : rest == "none" ? std::string_view{} : rest) {
        const std::size_t component = kLetters.find(letter);
        if (component == std::string_view::npos || (full >> component & 1) == 0)
          return bad_line("expected a mask like .xy, found " + quoted(rest));
        destination.mask = static_cast<std::uint8_t>(destination.mask | 1U << component);
      }
    }
    result_.instruction.d[token.index] = destination;
    return {};
  }

  Status read_source(const SyntaxToken& token, std::string_view word) {
    Source source;
    std::string_view rest = word;
    source.negate = rest.starts_with('-');
    if (source.negate) rest.remove_prefix(1);
    source.absolute = rest.size() > 1 && rest.starts_with('|') && rest.ends_with('|');
    if (source.absolute) rest = rest.substr(1, rest.size() - 2);
    const auto reg = read_register(take_piece(rest));
    if (!reg) return no_register(word);
    static_cast<Register&>(source) = *reg;
    if (token.table != kNoSwizzle) {
      const bool three = token.table < kFreeSwizzle && swizzle_tables()[token.table].letters == 3;
      if (rest.empty()) rest = three ? "xyz" : "xyzw";
      if (!parse_swizzle(token, rest, source.swizzle))
        return bad_line("this source has no swizzle " + quoted(rest) + "; it has " + swizzles_of(token));
    } else if (!rest.empty()) {
      return bad_line("this source cannot be swizzled: " + quoted(word));
    }
    result_.instruction.s[token.index] = source;
    return {};
  }

  // "offset:-8", "value:0x3f800000"
  Status read_immediate(const SyntaxToken& token, std::string_view word) {
    const std::string_view name = kImmediateNames[static_cast<std::size_t>(token.immediate)];
    if (!word.starts_with(name) || !word.substr(name.size()).starts_with(':'))
      return bad_line("expected " + std::string(name) + ":NUMBER, found " + quoted(word));
    std::string_view digits = word.substr(name.size() + 1);
    const bool is_label = token.immediate == Immediate::offset && !digits.empty() &&
                          !digits.starts_with('-') && !(digits[0] >= '0' && digits[0] <= '9');
    if (is_label) {
      result_.label = digits;
      return {};
    }
    const bool negative = token.is_signed && digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    const auto value = text::parse_unsigned(digits, UINT32_MAX);
    if (!value) return bad_line("expected a number, found " + quoted(digits));
    const std::uint64_t most = low_mask<std::uint64_t>(token.field.width() - (token.is_signed ? 1 : 0));
    if (*value > most + (negative ? 1 : 0))
      return bad_line(std::string(name) + " is out of range; it is " +
                      (token.is_signed ? "-" + std::to_string(most + 1) : "0") + " to " +
                      std::to_string(most));
    const auto number = static_cast<std::uint32_t>(*value);
    result_.instruction.immediates[static_cast<std::size_t>(token.immediate)] =
        static_cast<std::int32_t>(negative ? 0 - number : number);
    return {};
  }

  const Pattern& pattern_;
  std::span<const std::string_view> operands_;
  std::size_t at_ = 0, reached_ = 0;
  AssembledInstruction result_;
};

// Instructions that begin like it, or all of them.
std::string alike(std::string_view mnemonic) {
  std::string text;
  for (std::size_t letters = std::min<std::size_t>(mnemonic.size(), 3); text.empty(); --letters) {
    for (int k = 0; k < kOpcodeCount; ++k) {
      const std::string_view known = name(static_cast<Opcode>(k));
      if (known.substr(0, letters) == mnemonic.substr(0, letters)) append_word(text, known);
    }
    if (letters == 0) break;
  }
  return "; there are " + text;
}

}  // namespace

Result<AssembledInstruction> parse_instruction(std::vector<std::string_view> words) {
  WARPJIT_TRY(const assembly::Annotations annotations, assembly::take_annotations(words));
  std::span<const std::string_view> rest = words;
  std::string_view predicate;
  if (!rest.empty() &&
      (rest[0][0] == '!' || rest[0] == "pn" ||
       (rest[0].size() == 2 && rest[0][0] == 'p' && rest[0][1] >= '0' && rest[0][1] <= '3'))) {
    predicate = rest[0];
    rest = rest.subspan(1);
  }
  if (rest.empty()) return bad_line("an instruction is missing");
  std::string_view pieces = rest[0];
  const std::string_view mnemonic = take_piece(pieces);
  const auto opcode = assembly::find_opcode<Opcode>(mnemonic, kOpcodeCount);
  if (!opcode) return bad_line("no instruction " + quoted(mnemonic) + alike(mnemonic));
  WARPJIT_TRY(const std::vector<std::string_view> operands, split_operands(rest.subspan(1)));
  std::optional<Error> best;
  std::size_t furthest = 0;
  for (const Pattern& pattern : patterns_of(*opcode)) {
    if (pattern.opcode != *opcode) continue;
    Reader reader(pattern, operands);
    Result<AssembledInstruction> parsed = reader.read(predicate, pieces);
    if (parsed) {
      parsed->flipped = annotations.flipped;
      return parsed;
    }
    if (best && reader.reached() <= furthest) continue;
    best = parsed.error();
    furthest = reader.reached();
  }
  return *best;
}

Result<std::uint64_t> word_of(const AssembledInstruction& parsed) {
  WARPJIT_TRY(const std::uint64_t word, encode(parsed.instruction));
  return word ^ parsed.flipped;
}

}  // namespace warpjit::usse
