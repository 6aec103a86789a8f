// Text of instructions by the syntax of their patterns: printing it, and matching it against a pattern.
#pragma once

#include <string>
#include <string_view>

#include "frontend/encoding/pattern.h"

namespace warpjit::encoding {

// Collects words with one space between them; none after "(" or before ")" and ",".
class Text {
 public:
  void add(std::string_view word) {
    if (word.empty()) return;
    if (!text_.empty() && text_.back() != '(' && word != ")" && word != ",") text_ += ' ';
    text_ += word;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Adds an instruction as (a part of) its pattern's syntax writes it. operand(token, text) adds what is no
// literal and no modifier.
template <class Grammar, class Operand>
void print_syntax(std::span<const typename Grammar::Token> syntax,
                  const typename Grammar::Instruction& instruction, Text& text, const Operand& operand) {
  using Kind = decltype(Grammar::Token::kind);
  for (const auto& token : syntax) {
    if (token.kind == Kind::literal) {
      text.add(token.text);
    } else if (is_modifier(token)) {
      const auto& modifier = Grammar::modifiers()[token.modifier];
      text.add(modifier.words[modifier.field_of(modifier.get(instruction))]);
    } else {
      operand(token, text);
    }
  }
}

// Matches words against the syntax of a pattern. Guest derives from it and has `bool operand(const Token&)`,
// which takes the words of an operand into instruction_, or returns false if they are no operand.
template <class Grammar, class Guest>
class SyntaxMatcher {
 public:
  using Token = typename Grammar::Token;
  using Kind = decltype(Token::kind);

  SyntaxMatcher(const Pattern<Grammar>& pattern, std::span<const std::string_view> words,
                const typename Grammar::Instruction& start)
      : pattern_(pattern), words_(words), instruction_(start) {}

  // Whether all words match; if so, instruction() is the result.
  bool match() {
    const std::span<const Token> syntax = pattern_.syntax();
    bool first = true;
    for (std::size_t k = 0; k < syntax.size();) {
      if (is_modifier(syntax[k])) {
        // Consecutive modifiers may come in any order; the mnemonic has a fixed position.
        std::size_t end = k + 1;
        while (!first && end < syntax.size() && is_modifier(syntax[end])) ++end;
        if (!match_modifiers(syntax.subspan(k, end - k))) return false;
        first = false;
        k = end;
        continue;
      }
      const bool literal = syntax[k].kind == Kind::literal;
      if (!(literal ? take(syntax[k].text) : static_cast<Guest&>(*this).operand(syntax[k]))) return false;
      if (literal) first = false;
      ++k;
    }
    return at_ == words_.size();
  }

  const typename Grammar::Instruction& instruction() const { return instruction_; }

 protected:
  // The next word; empty at the end.
  std::string_view peek(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : std::string_view{};
  }
  void skip(std::size_t count = 1) { at_ += count; }
  bool take(std::string_view word) {
    if (peek() != word || at_ == words_.size()) return false;
    ++at_;
    return true;
  }

  const Pattern<Grammar>& pattern_;
  std::span<const std::string_view> words_;
  std::size_t at_ = 0;
  typename Grammar::Instruction instruction_;

 private:
  // The field value for which the token is written like this; -1 if no value has it.
  static int field_with(const Token& token, std::string_view word) {
    const auto& modifier = Grammar::modifiers()[token.modifier];
    for (unsigned field = 0; field < modifier.count; ++field) {
      if (token.kind == Kind::fixed_modifier && field != token.value) continue;
      if (token.kind == Kind::modifier && field > low_mask<std::uint32_t>(token.field.width())) continue;
      if (modifier.defined(field) && modifier.words[field] == word) return static_cast<int>(field);
    }
    return -1;
  }

  bool match_modifiers(std::span<const Token> tokens) {
    std::uint32_t matched = 0;
    const auto set = [&](std::size_t k, int field) {
      const auto& modifier = Grammar::modifiers()[tokens[k].modifier];
      modifier.set(instruction_, modifier.values[static_cast<std::size_t>(field)]);
      matched |= 1U << k;
    };
    for (bool again = true; again && !peek().empty();) {
      again = false;
      for (std::size_t k = 0; k < tokens.size() && !again; ++k) {
        if ((matched >> k & 1) != 0) continue;
        const int field = field_with(tokens[k], peek());
        if (field < 0) continue;
        set(k, field);
        ++at_;
        again = true;
      }
    }
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      if ((matched >> k & 1) != 0) continue;
      const int field = field_with(tokens[k], "");
      if (field < 0) return false;
      set(k, field);
    }
    return true;
  }
};

}  // namespace warpjit::encoding
