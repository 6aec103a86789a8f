#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <limits>

#include "base/float_environment.h"
#include "base/parse_float.h"

namespace warpjit::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::optional<std::uint64_t> parse_digits(std::string_view text, int base, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, base);
  if (error != std::errc{} || end != last || value > most) return std::nullopt;
  return value;
}

bool is_hexadecimal(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

bool is_printable_ascii(char c) { return c >= ' ' && c <= '~'; }

struct CodeRange {
  char32_t first, last;
};
constexpr CodeRange kInvisible[] = {
    {0, 0x1f},          // C0
    {0x7f, 0x9f},       // delete and C1
    {0xad, 0xad},       // soft hyphen
    {0x61c, 0x61c},     // Arabic letter mark
    {0x180e, 0x180e},   // Mongolian vowel separator
    {0x200b, 0x200f},   // without width; marks of direction
    {0x2028, 0x202e},   // separators of lines; embeddings and overrides of direction
    {0x2060, 0x206f},   // joiners, isolates
    {0xfeff, 0xfeff},   // byte order mark
    {0xfff9, 0xfffb},   // annotations
    {0xe0000, 0xe007f}  // tags
};
std::string escape(char32_t code, char letter, std::size_t digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = {'\\', letter};
  for (std::size_t k = digits; k-- != 0;) text += kDigits[code >> (4 * k) & 15];
  return text;
}

std::string make_visible(std::string_view text, std::string_view kept) {
  const auto stays = [&](char c) { return is_printable_ascii(c) || kept.find(c) != std::string_view::npos; };
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, stays);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character character = first_character(text);
    if (!character.valid)
      result += escape(static_cast<unsigned char>(text[0]), 'x', 2);
    else if (is_invisible(character.code))
      result += character.code < 0x80      ? escape(character.code, 'x', 2)
                : character.code < 0x10000 ? escape(character.code, 'u', 4)
                                           : escape(character.code, 'U', 8);
    else
      result += text.substr(0, character.length);
    text.remove_prefix(character.length);
  }
  return result;
}

// Parts of a visible text that end between characters.
std::string_view beginning(std::string_view text, std::size_t size) {
  while (size != 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}
std::string_view ending(std::string_view text, std::size_t size) {
  std::size_t at = text.size() - std::min(size, text.size());
  while (at < text.size() && (text[at] & 0xc0) == 0x80) ++at;
  return text.substr(at);
}

}  // namespace

Error Position::error(std::string message) const {
  return {
      ErrorCode::bad_input, std::move(message),
      (file != nullptr ? *file : std::string()) + ":" + std::to_string(line) + ":" + std::to_string(column)};
}

Character first_character(std::string_view text) {
  constexpr Character kInvalid{.code = 0, .length = 1, .valid = false};
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {.code = lead};
  const std::size_t length = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return kInvalid;
  char32_t code = lead & (0x7f >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(k) >> 6 != 2) return kInvalid;
    code = code << 6 | (byte(k) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[length] || code > 0x10ffff || surrogate ? kInvalid
                                                               : Character{.code = code, .length = length};
}

bool is_invisible(char32_t code) {
  return std::ranges::any_of(
      kInvisible, [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

std::string visible(std::string_view text) { return make_visible(text, {}); }
std::string visible_lines(std::string_view text) { return make_visible(text, "\n\t"); }

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return visible(text);
  // An escape may be longer than what it stands for: 10 characters for 4 bytes at most.
  const std::string first = visible(beginning(text, 2 * most / 3)), last = visible(ending(text, most / 3));
  std::string result(beginning(first, 2 * most / 3));
  result += "... (" + std::to_string(text.size()) + " bytes) ...";
  result += ending(last, most / 3);
  return result;
}

std::string quoted(std::string_view text) { return "'" + shortened(text, 60) + "'"; }

std::string hex(std::uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
  return text;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t most) {
  return is_hexadecimal(text) ? parse_hexadecimal(text.substr(2), most) : parse_digits(text, 10, most);
}
std::optional<std::uint64_t> parse_hexadecimal(std::string_view text, std::uint64_t most) {
  return parse_digits(text, 16, most);
}

void Lexer::skip_spaces() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n' && !language_.lines) {
      line_start_ = ++at_;
      ++line_;
    } else if (is_space(c)) {
      ++at_;
    } else if (!language_.comment.empty() && text_.substr(at_).starts_with(language_.comment)) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  in_line_ = kind != Token::Kind::end_of_line && kind != Token::Kind::end_of_file;
  const Token token{
      kind, text_.substr(at_, length), {file_, line_, static_cast<unsigned>(at_ - line_start_ + 1)}};
  at_ += length;
  return token;
}

// A name, a number or, where words are free, all up to a space, a comment or punctuation.
Token Lexer::word() {
  std::size_t length = 1;
  if (language_.free_words) {
    const auto ends = [&](char c) {
      return c == '\n' || is_space(c) || language_.punctuation.find(c) != std::string_view::npos ||
             (!language_.comment.empty() && text_.substr(at_ + length).starts_with(language_.comment));
    };
    while (at_ + length < text_.size() && !ends(text_[at_ + length])) ++length;
    return take(Token::Kind::name, length);
  }
  if (is_name_start(peek(0))) {
    while (is_name_part(peek(length))) ++length;
    return take(Token::Kind::name, length);
  }
  const bool hexadecimal = is_hexadecimal(text_.substr(at_, 2));
  const auto signs_exponent = [&](char c) {
    const char before = peek(length - 1);
    return !hexadecimal && (c == '-' || c == '+') && (before == 'e' || before == 'E');
  };
  while (is_name_part(peek(length)) || peek(length) == '.' || signs_exponent(peek(length))) ++length;
  return take(Token::Kind::number, length);
}

Token Lexer::next() {
  skip_spaces();
  if (at_ == text_.size())
    return take(language_.lines && in_line_ ? Token::Kind::end_of_line : Token::Kind::end_of_file, 0);
  const char c = text_[at_];
  if (c == '\n') {
    const Token end = take(Token::Kind::end_of_line, 1);
    line_start_ = at_;
    ++line_;
    return end;
  }
  if (!language_.free_words && c == '.' && is_name_start(peek(1)) && !in_line_) {
    std::size_t length = 2;
    while (is_name_part(peek(length))) ++length;
    Token directive = take(Token::Kind::directive, length);
    directive.text.remove_prefix(1);
    return directive;
  }
  if (!language_.free_words && (is_name_start(c) || is_digit(c) || (c == '.' && is_digit(peek(1)))))
    return word();
  if (language_.doubled.find(c) != std::string_view::npos && peek(1) == c)
    return take(Token::Kind::punctuation, 2);
  if (language_.punctuation.find(c) != std::string_view::npos) return take(Token::Kind::punctuation, 1);
  return language_.free_words ? word() : take(Token::Kind::invalid, 1);
}

Result<std::vector<Token>> tokenize(std::string_view text, const std::string& file,
                                    const Language& language) {
  std::vector<Token> tokens;
  Lexer lexer(text, file, language);
  do {
    tokens.push_back(lexer.next());
    if (tokens.back().kind == Token::Kind::invalid)
      return tokens.back().position.error("unexpected character");
    if (const std::size_t size = tokens.back().text.size(); size > kMaxToken)
      return tokens.back().position.error("a word of " + std::to_string(size) + " bytes; at most " +
                                          std::to_string(kMaxToken) + " are allowed");
  } while (tokens.back().kind != Token::Kind::end_of_file);
  return tokens;
}

Error TokenReader::unexpected(std::string_view wanted) const {
  std::string found = quoted(peek().text);
  if (at_end()) found = "the end of the line";
  return peek().position.error("expected " + std::string(wanted) + ", found " + found);
}

Status TokenReader::expect(std::string_view punctuation) {
  if (accept(punctuation)) return {};
  return unexpected(quoted(punctuation));
}

Status TokenReader::expect_end() {
  if (at_end()) return {};
  return unexpected("the end of the line");
}

Result<Token> TokenReader::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::name) return unexpected(what);
  return take();
}

Result<std::int64_t> TokenReader::expect_integer(std::int64_t low, std::int64_t high) {
  const Position position = peek().position;
  const bool negative = accept("-");
  if (!negative) accept("+");
  if (peek().kind != Token::Kind::number) return unexpected("a number");
  const auto magnitude = parse_unsigned(take().text);
  if (!magnitude) return position.error("this is not an integer");
  const auto value = static_cast<std::int64_t>(negative ? -*magnitude : *magnitude);
  if (value < low || value > high)
    return position.error(std::to_string(value) + " is outside " + std::to_string(low) + " to " +
                          std::to_string(high));
  return value;
}

Result<float> TokenReader::expect_float() {
  const Position position = peek().position;
  const bool negative = accept("-");
  if (!negative) accept("+");
  float value = 0;
  if (peek().is_name("inf") || peek().is_name("nan")) {
    value = take().text == "inf" ? std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN();
  } else {
    if (peek().kind != Token::Kind::number) return unexpected("a number");
    const std::string_view text = take().text;
    const FloatEnvironment environment;  // or it would round as the caller does
    const auto [end, error] = parse_float(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      return position.error("this is not a number as 3, -0.5 or 1e-3 are");
    if (error == std::errc::result_out_of_range)
      return position.error("this number is out of range: magnitudes are 0, or 1.4e-45 to 3.4028235e38");
  }
  return negative ? -value : value;
}

}  // namespace warpjit::text
