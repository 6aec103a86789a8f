// The grammar of encoding tables. A guest writes each way to encode an instruction as one string, from which
// decoder, encoder, disassembler, assembler and generator of random programs are made. A pattern is parsed
// while the compiler runs, and a mistake in it stops the compiler. Words of a pattern, separated by spaces:
//   [bit=value]  [bit:width=value]   bits that choose this pattern; nothing is written
//   name@bits    a modifier in one or more bits: "@8", "@46:4" (four bits from 46) or "@58,59"
//   name=value   a modifier that this pattern fixes; one that a pattern does not mention is 0
// Other words are the guest's operands, or stand for themselves. Bit 0 is the lowest of the first word.
//
// Grammar, which a guest gives to these templates, has: Word; Instruction; Opcode; Form (what else a pattern
// is known by); kMostTokens; Token, with at least `kind` (an enumeration that has literal, modifier and
// fixed_modifier), `text`, `modifier`, `value` and `field`; and modifiers(), the table of Modifiers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/encoding/bit_field.h"

namespace warpjit::encoding {

// A member of Instruction that is written as a word: field value n is written words[n] and means values[n].
template <class Instruction>
struct Modifier {
  static constexpr unsigned kMost = 19;
  static constexpr std::string_view kInvalid = "?";  // the word of a field value that is not defined

  std::string_view name;
  std::uint8_t (*get)(const Instruction&);
  void (*set)(Instruction&, std::uint8_t);
  std::array<std::string_view, kMost> words{};
  std::array<std::uint8_t, kMost> values{};
  std::uint8_t count = 0;  // field values from here on are not defined

  constexpr bool defined(unsigned field) const { return field < count && words[field] != kInvalid; }
  // The first field value that means `value`; `count` if none does.
  constexpr unsigned field_of(std::uint8_t value) const {
    unsigned field = 0;
    while (field < count && !(defined(field) && values[field] == value)) ++field;
    return field;
  }
};

// A modifier whose field value n means first + n.
template <class Instruction>
constexpr Modifier<Instruction> modifier_of_words(std::string_view name,
                                                  std::uint8_t (*get)(const Instruction&),
                                                  void (*set)(Instruction&, std::uint8_t), std::uint8_t first,
                                                  std::initializer_list<std::string_view> words) {
  Modifier<Instruction> modifier{.name = name, .get = get, .set = set};
  for (const std::string_view word : words) {
    modifier.words[modifier.count] = word;
    modifier.values[modifier.count] = static_cast<std::uint8_t>(first + modifier.count);
    ++modifier.count;
  }
  return modifier;
}

template <class Grammar>
struct Pattern {
  typename Grammar::Opcode opcode{};
  typename Grammar::Form form{};
  typename Grammar::Word mask{}, match{};  // the bits that choose the pattern
  std::array<typename Grammar::Token, Grammar::kMostTokens> tokens{};
  std::uint8_t token_count = 0;
  std::array<std::uint8_t, Grammar::kMostTokens> modifier_tokens{};  // which of the tokens are modifiers
  std::uint8_t modifier_count = 0;

  constexpr std::span<const std::uint8_t> modifiers() const {
    return {modifier_tokens.data(), modifier_count};
  }
  constexpr std::span<const typename Grammar::Token> syntax() const { return {tokens.data(), token_count}; }
  constexpr bool matches(const typename Grammar::Word& word) const { return (word & mask) == match; }
  // A word of this pattern, its other bits being those of `bits`.
  constexpr typename Grammar::Word word_with(const typename Grammar::Word& bits) const {
    return match | (bits & ~mask);
  }
};

// Parses patterns. Guest derives from it and has `bool operand(std::string_view word)`, which adds the tokens
// of a word that is one of its operands.
template <class Grammar, class Guest>
class PatternParser {
 public:
  using Token = typename Grammar::Token;
  using Kind = decltype(Token::kind);
  using Modifiers = std::span<const Modifier<typename Grammar::Instruction>>;

  constexpr PatternParser(typename Grammar::Opcode opcode, typename Grammar::Form form, Modifiers modifiers)
      : modifiers_(modifiers) {
    pattern_.opcode = opcode;
    pattern_.form = form;
  }

  constexpr Guest& parse(std::string_view text) {
    while (true) {
      while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
      if (text.empty()) return static_cast<Guest&>(*this);
      const std::size_t space = text.find(' ');
      const std::size_t end = space == std::string_view::npos ? text.size() : space;
      parse_word(text.substr(0, end));
      text.remove_prefix(end);
    }
  }
  constexpr const Pattern<Grammar>& pattern() const { return pattern_; }

 protected:
  constexpr void fix(unsigned low, unsigned width, std::uint32_t value) {
    pattern_.mask = write_bits(pattern_.mask, low, width, ~0U);
    pattern_.match = write_bits(pattern_.match, low, width, value);
  }
  constexpr void add(const Token& token) {
    if (pattern_.token_count == Grammar::kMostTokens) throw "too many words";
    if (token.kind == Kind::modifier || token.kind == Kind::fixed_modifier)
      pattern_.modifier_tokens[pattern_.modifier_count++] = pattern_.token_count;
    pattern_.tokens[pattern_.token_count++] = token;
  }

  // Takes a decimal number, or a hexadecimal one with 0x, off the text.
  static constexpr unsigned take_number(std::string_view& text) {
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < text.size(); ++digits) {
      const char c = text[digits];
      unsigned digit = 16;
      if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
      if (hexadecimal && c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
      if (digit == 16) break;
      value = value * (hexadecimal ? 16 : 10) + digit;
    }
    if (digits == 0) throw "a number is missing";
    text.remove_prefix(digits);
    return value;
  }
  // "46:4" or "58,59".
  static constexpr BitField field_of(std::string_view text) {
    BitField field;
    for (unsigned count = 0;; text.remove_prefix(1)) {
      if (count == field.ranges.size()) throw "a field has at most four ranges of bits";
      const auto low = static_cast<std::uint8_t>(take_number(text));
      field.ranges[count++] = {low, static_cast<std::uint8_t>(take_width(text))};
      if (text.empty()) return field;
      if (text[0] != ',') throw "a comma is missing";
    }
  }
  constexpr std::uint8_t find_modifier(std::string_view name) const {
    for (std::uint8_t k = 0; k < modifiers_.size(); ++k)
      if (modifiers_[k].name == name) return k;
    throw "no such modifier";
  }

 private:
  static constexpr unsigned take_width(std::string_view& text) {
    if (text.empty() || text[0] != ':') return 1;
    text.remove_prefix(1);
    return take_number(text);
  }

  constexpr void parse_word(std::string_view word) {
    if (word[0] == '[') return parse_fixed_bits(word.substr(1));
    if (static_cast<Guest&>(*this).operand(word)) return;
    if (const std::size_t at = word.find('@'); at != std::string_view::npos)
      return add({.kind = Kind::modifier,
                  .modifier = find_modifier(word.substr(0, at)),
                  .field = field_of(word.substr(at + 1))});
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
      return parse_fixed_modifier(word.substr(0, equals), word.substr(equals + 1));
    add({.kind = Kind::literal, .text = word});
  }

  constexpr void parse_fixed_bits(std::string_view text) {
    const unsigned low = take_number(text), width = take_width(text);
    if (text[0] != '=') throw "= is missing";
    text.remove_prefix(1);
    const unsigned value = take_number(text);
    if (text != "]") throw "] is missing";
    fix(low, width, value);
  }

  constexpr void parse_fixed_modifier(std::string_view name, std::string_view value) {
    Token token{.kind = Kind::fixed_modifier, .modifier = find_modifier(name)};
    const auto& modifier = modifiers_[token.modifier];
    for (std::uint8_t k = 0; k < modifier.count; ++k)
      if (modifier.words[k] == value || (value == "1" && k == 1 && modifier.count == 2)) {
        token.value = k;
        return add(token);
      }
    throw "the modifier has no such value";
  }

  Pattern<Grammar> pattern_{};
  Modifiers modifiers_;
};

// Calls visit(value, k) for each value of a key, ascending, and each pattern k that a word with this value
// may belong to. The masked words are computed once, which keeps compile times low.
template <class Grammar, std::size_t kPatterns, class Visit>
constexpr void for_each_allowed(const Pattern<Grammar> (&patterns)[kPatterns], const BitField& key,
                                Visit visit) {
  using Word = typename Grammar::Word;
  const Word key_bits = key.set(Word{}, ~0U);
  Word wanted[kPatterns];
  for (std::size_t k = 0; k < kPatterns; ++k) wanted[k] = patterns[k].match & key_bits;
  for (std::uint32_t value = 0; value >> key.width() == 0; ++value) {
    const Word word = key.set(Word{}, value);
    for (std::size_t k = 0; k < kPatterns; ++k)
      if ((word & patterns[k].mask) == wanted[k]) visit(value, k);
  }
}
template <class Grammar, std::size_t kPatterns>
consteval std::size_t index_entries(const Pattern<Grammar> (&patterns)[kPatterns], const BitField& key) {
  std::size_t count = 0;
  for_each_allowed(patterns, key, [&](std::uint32_t, std::size_t) { ++count; });
  return count;
}

// Which patterns a word may belong to: those that agree with it in the bits of a key.
// kEntries: index_entries().
template <BitField kKey, std::size_t kEntries>
class PatternIndex {
 public:
  template <class Grammar, std::size_t kPatterns>
  consteval explicit PatternIndex(const Pattern<Grammar> (&patterns)[kPatterns]) {
    std::uint16_t count = 0;
    for_each_allowed(patterns, kKey, [&](std::uint32_t value, std::size_t k) {
      patterns_[count++] = static_cast<std::uint16_t>(k);
      first_[value + 1] = count;
    });
    for (std::size_t value = 1; value < first_.size(); ++value)  // of a value without patterns
      if (first_[value] < first_[value - 1]) first_[value] = first_[value - 1];
  }

  // Numbers of patterns, ascending.
  template <class Word>
  std::span<const std::uint16_t> candidates(const Word& word) const {
    const std::uint32_t key = kKey.get(word);
    return std::span(patterns_).subspan(first_[key], first_[key + 1] - first_[key]);
  }

 private:
  std::array<std::uint16_t, (std::size_t{1} << kKey.width()) + 1> first_{};
  std::array<std::uint16_t, kEntries> patterns_{};
};

// The patterns of each opcode: from its first one to its last one, others perhaps between them.
template <std::size_t kOpcodes>
class OpcodePatterns {
 public:
  template <class Grammar, std::size_t kPatterns>
  consteval explicit OpcodePatterns(const Pattern<Grammar> (&patterns)[kPatterns]) {
    for (std::size_t k = kPatterns; k-- > 0;) {
      const auto opcode = static_cast<std::size_t>(patterns[k].opcode);
      first_[opcode] = static_cast<std::uint16_t>(k);
      if (end_[opcode] == 0) end_[opcode] = static_cast<std::uint16_t>(k + 1);
    }
  }
  template <class Pattern>
  std::span<const Pattern> of(std::span<const Pattern> patterns, std::size_t opcode) const {
    return patterns.subspan(first_[opcode], end_[opcode] - first_[opcode]);
  }

 private:
  std::array<std::uint16_t, kOpcodes> first_{}, end_{};
};

template <class Token>
constexpr bool is_modifier(const Token& token) {
  return token.kind == decltype(token.kind)::modifier || token.kind == decltype(token.kind)::fixed_modifier;
}

// Sets what the pattern's modifiers say; false if a field holds a value that is not defined.
template <class Grammar>
bool decode_modifiers(const Pattern<Grammar>& pattern, const typename Grammar::Word& word,
                      typename Grammar::Instruction& instruction) {
  const auto modifiers = Grammar::modifiers();
  for (const std::uint8_t k : pattern.modifiers()) {
    const auto& token = pattern.tokens[k];
    const auto& modifier = modifiers[token.modifier];
    const std::uint32_t field = token.field.empty() ? token.value : token.field.get(word);
    if (!modifier.defined(field)) return false;
    modifier.set(instruction, modifier.values[field]);
  }
  return true;
}

// The word with the fields of the instruction's modifiers.
template <class Grammar>
typename Grammar::Word encode_modifiers(const Pattern<Grammar>& pattern,
                                        const typename Grammar::Instruction& instruction,
                                        typename Grammar::Word word) {
  const auto modifiers = Grammar::modifiers();
  for (const std::uint8_t k : pattern.modifiers()) {
    const auto& token = pattern.tokens[k];
    if (token.field.empty()) continue;
    const auto& modifier = modifiers[token.modifier];
    word = token.field.set(word, modifier.field_of(modifier.get(instruction)));
  }
  return word;
}

// Whether the pattern can hold the values that the instruction's modifiers have.
template <class Grammar>
bool modifiers_fit(const Pattern<Grammar>& pattern, const typename Grammar::Instruction& instruction) {
  const auto modifiers = Grammar::modifiers();
  typename Grammar::Instruction only_these;  // the modifiers that the pattern mentions
  for (const std::uint8_t k : pattern.modifiers()) {
    const auto& token = pattern.tokens[k];
    const auto& modifier = modifiers[token.modifier];
    const std::uint8_t value = modifier.get(instruction);
    if (token.field.empty()) {
      if (value != modifier.values[token.value]) return false;
    } else {
      const unsigned field = modifier.field_of(value);
      if (field == modifier.count || field > low_mask<std::uint32_t>(token.field.width())) return false;
    }
    modifier.set(only_these, value);
  }
  for (const auto& modifier : modifiers)
    if (modifier.get(only_these) != modifier.get(instruction)) return false;
  return true;
}

}  // namespace warpjit::encoding
