// Reading texts that people write: tokens with their positions, numbers, quotes. Assemblers and readers of
// text containers are made of it. Also texts of files as people may see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpjit::text {

// A position in a source file, for messages; line and column count from 1.
struct Position {
  const std::string* file = nullptr;
  unsigned line = 1, column = 1;
  // A bad_input whose `where` is "file:line:column".
  Error error(std::string message) const;
};

// The character at the beginning of a text that is not empty. A byte that is no part of UTF-8 is one that is not
// valid.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = true;
};
Character first_character(std::string_view text);
// True for control characters, and for what is not seen or turns the direction of writing.
bool is_invisible(char32_t code);

// A text of a file as a terminal and JSON may get it, in one line: bytes that are not UTF-8
// and invisible characters become escapes as "\x1b" and "\u202e".
std::string visible(std::string_view text);
// The same of several lines: line feeds and tabs stay.
std::string visible_lines(std::string_view text);

// For messages: visible(text), of more than `most` bytes only its two ends with its length between them,
// "abc... (5242880 bytes) ...xyz", in all not much more than `most`.
inline constexpr std::size_t kMostOfName = 200;
std::string shortened(std::string_view text, std::size_t most = kMostOfName);

// 'text', shortened to 60 characters.
std::string quoted(std::string_view text);

// "0x1f", with at least `digits` digits.
std::string hex(std::uint64_t value, int digits = 1);

// A decimal number, or a hexadecimal one with 0x, and no other text;
// no value if it is not one or above `most`.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t most = UINT32_MAX);
// The same without 0x.
std::optional<std::uint64_t> parse_hexadecimal(std::string_view text, std::uint64_t most = UINT32_MAX);

struct Token {
  enum class Kind : std::uint8_t {
    name,       // or, where words are free, any word
    directive,  // a dot and a name at the start of a line; `text` is without the dot
    number,     // what begins as one; it need not be well-formed
    punctuation,
    end_of_line,
    invalid,  // a character that begins no token
    end_of_file,
  };
  Kind kind = Kind::end_of_file;
  std::string_view text;  // of the source
  Position position;

  bool is(std::string_view punctuation) const { return kind == Kind::punctuation && text == punctuation; }
  bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
  bool ends() const { return kind == Kind::end_of_line || kind == Kind::end_of_file; }
};

// What a language's tokens are.
struct Language {
  std::string_view comment{};      // what begins a comment, which ends with its line; empty: no comments
  std::string_view punctuation{};  // characters that are tokens by themselves
  std::string_view doubled{};      // those that are one only if they stand twice
  bool free_words = false;         // a word is everything between spaces and punctuation; else see Kind
  bool lines = true;               // the ends of lines are tokens; an end of file then follows one
};

// Gives one token after the other. Text, file name and language must outlive the tokens.
class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file, const Language& language)
      : text_(text), file_(&file), language_(language) {}
  Token next();

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_spaces();
  Token take(Token::Kind kind, std::size_t length);
  Token word();

  std::string_view text_;
  const std::string* file_;
  const Language& language_;
  std::size_t at_ = 0, line_start_ = 0;
  unsigned line_ = 1;
  bool in_line_ = false;  // a token of this line was given
};

// All tokens, the last being end_of_file. Errors: one that is invalid or longer than kMaxToken bytes.
inline constexpr std::size_t kMaxToken = 4096;
Result<std::vector<Token>> tokenize(std::string_view text, const std::string& file, const Language& language);

// Walks over tokens, the last of which is an end; every failure names the token it met.
class TokenReader {
 public:
  explicit TokenReader(std::span<const Token> tokens, std::size_t at = 0) : tokens_(tokens), at_(at) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  Token take() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool accept(std::string_view punctuation) {
    if (!peek().is(punctuation)) return false;
    take();
    return true;
  }
  bool at_end() const { return peek().ends(); }
  // "expected WANTED, found ..."
  Error unexpected(std::string_view wanted) const;
  Status expect(std::string_view punctuation);
  Status expect_end();
  Result<Token> expect_name(std::string_view what);
  // An optional sign and a decimal or 0x number.
  Result<std::int64_t> expect_integer(std::int64_t low, std::int64_t high);
  // As above, or a decimal fraction, inf or nan.
  Result<float> expect_float();

 private:
  std::span<const Token> tokens_;
  std::size_t at_;
};

}  // namespace warpjit::text
