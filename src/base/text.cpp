#include "base/text.h"

#include <charconv>
#include <limits>

#include "base/float_environment.h"

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

}  // namespace

Error Position::error(std::string message) const {
  return {
      ErrorCode::bad_input, std::move(message),
      (file != nullptr ? *file : std::string()) + ":" + std::to_string(line) + ":" + std::to_string(column)};
}

std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result.append(text.substr(0, 60));
  result += '\'';
  return result;
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
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      return position.error("this is not a number as 3, -0.5 or 1e-3 are");
    if (error == std::errc::result_out_of_range)
      return position.error("this number is out of range: magnitudes are 0, or 1.4e-45 to 3.4028235e38");
  }
  return negative ? -value : value;
}

}  // namespace warpjit::text
