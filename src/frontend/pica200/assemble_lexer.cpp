#include "frontend/pica200/assemble_lexer.h"

namespace warpjit::pica200 {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

}  // namespace

std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result.append(text);
  result += '\'';
  return result;
}

Error Place::error(std::string message) const {
  return {
      ErrorCode::bad_input, std::move(message),
      (file != nullptr ? *file : std::string()) + ":" + std::to_string(line) + ":" + std::to_string(column)};
}

Result<std::vector<Token>> tokenize(std::string_view text, const std::string& file) {
  std::vector<Token> tokens;
  std::size_t at = 0, line_start = 0;
  unsigned line = 1;
  const auto peek = [&](std::size_t ahead) { return at + ahead < text.size() ? text[at + ahead] : '\0'; };
  const auto push = [&](Token::Kind kind, std::size_t begin, std::size_t length) {
    tokens.push_back(
        {kind, text.substr(begin, length), {&file, line, static_cast<unsigned>(begin - line_start + 1)}});
  };
  // A dot begins a directive only as the first thing of a line; elsewhere it precedes a swizzle.
  const auto at_line_start = [&] { return tokens.empty() || tokens.back().kind == Token::Kind::end_of_line; };
  while (at < text.size()) {
    const char c = text[at];
    const std::size_t begin = at;
    if (c == '\n') {
      push(Token::Kind::end_of_line, at++, 1);
      line_start = at;
      ++line;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == ';') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (c == '.' && is_name_start(peek(1)) && at_line_start()) {
      ++at;
      while (is_name_part(peek(0))) ++at;
      push(Token::Kind::directive, begin + 1, at - begin - 1);
      tokens.back().place.column -= 1;  // that of the dot
    } else if (is_name_start(c)) {
      while (is_name_part(peek(0))) ++at;
      push(Token::Kind::name, begin, at - begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      const bool hexadecimal = c == '0' && (peek(1) == 'x' || peek(1) == 'X');
      while (is_name_part(peek(0)) || peek(0) == '.' ||
             (!hexadecimal && (peek(0) == '-' || peek(0) == '+') &&
              (text[at - 1] == 'e' || text[at - 1] == 'E')))
        ++at;
      push(Token::Kind::number, begin, at - begin);
    } else if ((c == '&' || c == '|') && peek(1) == c) {
      at += 2;
      push(Token::Kind::punctuation, begin, 2);
    } else if (std::string_view(".,:()[]+-!=").find(c) != std::string_view::npos) {
      push(Token::Kind::punctuation, at++, 1);
    } else {
      const Place place{&file, line, static_cast<unsigned>(at - line_start + 1)};
      return place.error("unexpected character");
    }
  }
  if (!at_line_start()) push(Token::Kind::end_of_line, at, 0);
  push(Token::Kind::end_of_file, at, 0);
  return tokens;
}

}  // namespace warpjit::pica200
