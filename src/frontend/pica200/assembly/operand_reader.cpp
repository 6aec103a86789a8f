#include "frontend/pica200/assembly/operand_reader.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/parse_float.h"
#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

constexpr std::string_view kAddressWords = "a0.x (or a0), a0.y (or a1), aL (or a2, lcnt)";

bool touches(const Token& first, const Token& second) {
  return first.text.data() + first.text.size() == second.text.data();
}

// What a name of .set stood for has the name's position, and picasso has no .set.
bool has_setting(std::span<const Token> tokens) {
  for (std::size_t k = 1; k < tokens.size(); ++k)
    if (tokens[k].position.line == tokens[k - 1].position.line &&
        tokens[k].position.column == tokens[k - 1].position.column)
      return true;
  return false;
}

// The digits at the start of a text, as a number of a base.
double leading_digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} ? static_cast<double>(value) : 0;
}

// What picasso reads at the start of these tokens.
double picasso_number(std::span<const Token> tokens, PicassoNumber kind) {
  std::size_t k = 0;
  double sign = 1;
  if (!tokens.empty() && (tokens[0].is("-") || tokens[0].is("+"))) {
    if (tokens.size() < 2 || !touches(tokens[0], tokens[1])) return 0;
    if (tokens[0].is("-")) sign = -1;
    k = 1;
  }
  if (k == tokens.size() || tokens[k].kind != Token::Kind::number) return 0;
  const std::string_view text = tokens[k].text;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal && kind != PicassoNumber::decimal) return sign * leading_digits(text.substr(2), 16);
  if (kind == PicassoNumber::fraction) {
    double value = 0;
    parse_float(text.data(), text.data() + text.size(), value);
    return sign * value;
  }
  const bool octal = kind == PicassoNumber::integer && text.starts_with('0');
  return sign * leading_digits(text, octal ? 8 : 10);
}

// "1.0f", as C writes it.
std::optional<double> c_float(const Token& token) {
  std::string_view text = token.text;
  if (token.kind != Token::Kind::number || text.size() < 2 || (text.back() != 'f' && text.back() != 'F') ||
      text.starts_with("0x") || text.starts_with("0X"))
    return std::nullopt;
  text.remove_suffix(1);
  float value = 0;
  const auto [end, error] = parse_float(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(value);
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// A whole number within limits; `position` is where it begins.
Result<std::int64_t> whole_value(double value, std::int64_t low, std::int64_t high,
                                 const Position& position) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  if (!(value == std::floor(value)))
    return position.error("this is not an integer; a whole number of " + range + " belongs here");
  if (value < static_cast<double>(low) || value > static_cast<double>(high)) {
    std::string text = std::isinf(value) || std::abs(value) > 1e15
                           ? std::string("this number")
                           : std::to_string(static_cast<std::int64_t>(value));
    return position.error(text + " is outside " + range);
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<std::uint8_t> find_component(char letter) {
  if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (const std::string_view letters : {"xyzw", "rgba", "stpq"})
    if (const std::size_t found = letters.find(letter); found != std::string_view::npos)
      return static_cast<std::uint8_t>(found);
  return std::nullopt;
}

Result<Operand> OperandReader::operand() {
  Operand result;
  result.position = peek().position;
  result.negate = accept("-");
  WARPJIT_TRY(const Token token, expect_name("a register or a name"));
  result.name = token.text;
  if (accept("[")) WARPJIT_CHECK(index(result));
  if (accept(".")) {
    WARPJIT_TRY(result.swizzle, swizzle());
  }
  return result;
}

// IDX of a0, a1, a2, aL, lcnt, and of a0.x and a0.y. A bare a0 is its x.
Result<std::uint8_t> OperandReader::address_register() {
  const Token reg = take();
  const std::string name = lower_case(reg.text);
  if (name == "a1") return std::uint8_t{2};
  if (name == "a2" || name == "al" || name == "lcnt") return std::uint8_t{3};
  if (name != "a0")
    return reg.position.error("expected a number or an address register, " + std::string(kAddressWords) +
                              ", found " + quoted(reg.text));
  if (!accept(".")) return std::uint8_t{1};
  WARPJIT_TRY(const Token component, expect_name("x or y"));
  const auto number = component.text.size() == 1 ? find_component(component.text[0]) : std::nullopt;
  if (!number || *number > 1) return component.position.error("a0 has only x and y");
  return static_cast<std::uint8_t>(1 + *number);
}

// Terms joined by + and -: at most one address register, and numbers.
Status OperandReader::index(Operand& operand) {
  operand.indexed = true;
  const Token* const first = &peek();
  bool negative = false;
  do {
    if (peek().kind == Token::Kind::name) {
      const Position position = peek().position;
      WARPJIT_TRY(const std::uint8_t address, address_register());
      if (negative) return position.error("an address register cannot be subtracted");
      if (operand.address != 0) return position.error("there can be only one address register");
      operand.address = address;
    } else {
      WARPJIT_TRY(const std::int64_t value, whole_product(-255, 255));
      operand.offset += static_cast<int>(negative ? -value : value);
    }
    negative = peek().is("-");
  } while (accept("+") || accept("-"));
  compare_index(std::span(first, &peek()), operand);
  return expect("]");
}

Result<Swizzle> OperandReader::swizzle() {
  WARPJIT_TRY(const Token token, expect_name("components"));
  Swizzle result;
  for (const char letter : token.text) {
    const auto found = find_component(letter);
    if (!found || result.count == 4)
      return token.position.error(quoted(token.text) +
                                  " is not a choice of up to four components out of xyzw, rgba or stpq");
    result.component[result.count++] = *found;
  }
  return result;
}

Result<double> OperandReader::expression(PicassoNumber kind) {
  const Token* const first = &peek();
  WARPJIT_TRY(const double value, sum(0));
  compare_number(first, value, kind);
  return value;
}

Result<std::int64_t> OperandReader::whole(std::int64_t low, std::int64_t high, PicassoNumber kind) {
  const Token* const first = &peek();
  WARPJIT_TRY(const double value, sum(0));
  WARPJIT_TRY(const std::int64_t number, whole_value(value, low, high, first->position));
  compare_number(first, value, kind);
  return number;
}
Result<std::int64_t> OperandReader::whole_product(std::int64_t low, std::int64_t high) {
  const Position position = peek().position;
  WARPJIT_TRY(const double value, product(0));
  return whole_value(value, low, high, position);
}

// Warns where picasso reads another number than these tokens, from `first` to the next one, mean here.
void OperandReader::compare_number(const Token* first, double value, PicassoNumber kind) {
  const std::span<const Token> tokens(first, &peek());
  if (warnings_ == nullptr || kind == PicassoNumber::none || has_setting(tokens) || std::isnan(value)) return;
  for (const Token& token : tokens)
    if (token.kind == Token::Kind::name) return;  // inf
  const double other = picasso_number(tokens, kind);
  const bool equal = kind == PicassoNumber::fraction
                         ? encode_f24(static_cast<float>(value)) == encode_f24(static_cast<float>(other))
                         : value == other;
  if (!equal)
    warnings_->add(first->position,
                   "this is " + number_text(value) + " here; picasso reads " + number_text(other));
}

// The same for what stands between the brackets of an index.
void OperandReader::compare_index(std::span<const Token> tokens, const Operand& operand) {
  if (warnings_ == nullptr || tokens.empty() || has_setting(tokens)) return;
  std::span<const Token> number = tokens;
  if (operand.address != 0) {
    if (tokens[0].kind != Token::Kind::name) return;  // picasso refuses it
    std::size_t k = 1;
    while (k < tokens.size() && !tokens[k].is("+") && !tokens[k].is("-")) ++k;
    if (k == tokens.size()) return;
    if (tokens[k].is("-")) {
      warnings_->add(tokens[0].position,
                     "picasso does not add an address register here: it knows [register+number] alone");
      return;
    }
    number = tokens.subspan(k + 1);
  } else {
    for (const Token& token : tokens.subspan(1))
      if (token.is("+")) return;  // picasso refuses it
  }
  const double other = picasso_number(number, PicassoNumber::decimal);
  if (other < 0 || other == operand.offset) return;  // it refuses negative ones
  warnings_->add(tokens[0].position, "the index is " + number_text(operand.offset) + " here; picasso reads " +
                                         number_text(other));
}

Result<double> OperandReader::sum(unsigned depth) {
  WARPJIT_TRY(double value, product(depth));
  for (;;) {
    const bool minus = peek().is("-");
    if (!accept("+") && !accept("-")) return value;
    WARPJIT_TRY(const double next, product(depth));
    value = minus ? value - next : value + next;
  }
}

Result<double> OperandReader::product(unsigned depth) {
  WARPJIT_TRY(double value, factor(depth));
  for (;;) {
    const Position position = peek().position;
    const bool divides = peek().is("/");
    if (!accept("*") && !accept("/")) return value;
    WARPJIT_TRY(const double next, factor(depth));
    if (divides && next == 0) return position.error("a division by zero");
    value = divides ? value / next : value * next;
  }
}

Result<double> OperandReader::factor(unsigned depth) {
  constexpr unsigned kMostDepth = 64;
  bool negative = false;
  while (peek().is("-") || peek().is("+")) negative ^= take().text == "-";
  double value = 0;
  if (peek().is("(")) {
    const Position position = take().position;
    if (depth == kMostDepth)
      return position.error("there are too many parentheses; at most 64 may be inside each other");
    WARPJIT_TRY(value, sum(depth + 1));
    WARPJIT_CHECK(expect(")"));
  } else if (const auto integer =
                 peek().kind == Token::Kind::number ? text::parse_unsigned(peek().text) : std::nullopt) {
    take();
    value = static_cast<double>(*integer);
  } else if (const auto suffixed = c_float(peek())) {
    take();
    value = *suffixed;
  } else {
    WARPJIT_TRY(const float number, expect_float());
    value = static_cast<double>(number);
  }
  return negative ? -value : value;
}

}  // namespace warpjit::pica200
