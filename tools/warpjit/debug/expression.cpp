#include "debug/expression.h"

#include <fmt/core.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/bits.h"

namespace warpjit::tool {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<DebugValue> literal_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  if (digits == "nan" || digits == "inf")
    return DebugValue{(digits == "nan" ? 0x7fc00000U : 0x7f800000U) | (negative ? 0x80000000U : 0U)};
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::uint64_t whole = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, whole, hex ? 16 : 10);
  if (error == std::errc() && at == end && whole <= 0xffffffff)
    return DebugValue{
        .word = static_cast<std::uint32_t>(negative ? 0 - whole : whole), .is_float = false, .is_bits = hex};
  if (hex) return std::nullopt;
  float number = 0;
  const auto [stop, failed] = std::from_chars(digits.data(), end, number);
  if (failed != std::errc() || stop != end) return std::nullopt;
  return DebugValue{std::bit_cast<std::uint32_t>(negative ? -number : number)};
}

struct Operator {
  std::string_view text;
  bool (*holds)(int order, bool equal);  // order: -1, 0, 1; 2: unordered
};
constexpr Operator kOperators[] = {{"==", [](int, bool equal) { return equal; }},
                                   {"!=", [](int, bool equal) { return !equal; }},
                                   {"<=", [](int order, bool) { return order <= 0; }},
                                   {">=", [](int order, bool) { return order == 0 || order == 1; }},
                                   {"<", [](int order, bool) { return order == -1; }},
                                   {">", [](int order, bool) { return order == 1; }}};

template <class Number>
int order_of(Number a, Number b) {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

Json number_json(float value) {
  // JSON has no such numbers.
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return double{value};
}

float half_value(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const float magnitude =
      exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
      : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                      : std::ldexp(static_cast<float>(fraction | 0x400), static_cast<int>(exponent) - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

Result<DebugRegister> register_of(const DebugSession& session, unsigned lane, std::string_view text) {
  text = trimmed(text);
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    const std::string_view number = text.substr(at + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), lane);
    if (error != std::errc() || end != number.data() + number.size() || lane >= session.lanes())
      return wrong(
          "lane \"" + std::string(number) + "\" is not one of 0 to " + std::to_string(session.lanes() - 1),
          text);
    text = text.substr(0, at);
  }
  const std::optional<unsigned> word = session.find(text);
  if (!word)
    return wrong("there is no register of this name; names are " + session.name(0) + " to " +
                     session.name(session.words() - 1),
                 text);
  return DebugRegister{*word, lane};
}

Result<DebugValue> value_of(DebugSession& session, unsigned lane, std::string_view text) {
  text = trimmed(text);
  if (const auto number = literal_of(text)) return *number;
  WARPJIT_TRY(const DebugRegister reg, register_of(session, lane, text));
  WARPJIT_TRY(const std::uint32_t word, session.value(reg.word, reg.lane));
  return DebugValue{word, true, true};
}

Result<bool> holds(DebugSession& session, unsigned lane, std::string_view text) {
  text = trimmed(text);
  for (const std::string_view is : {" is nan", " is inf"}) {
    if (!text.ends_with(is)) continue;
    WARPJIT_TRY(const DebugValue value, value_of(session, lane, text.substr(0, text.size() - is.size())));
    const std::uint32_t magnitude = value.word & 0x7fffffff;
    return is == " is nan" ? magnitude > 0x7f800000 : magnitude == 0x7f800000;
  }
  for (const Operator& op : kOperators) {
    const std::size_t at = text.find(op.text);
    if (at == std::string_view::npos) continue;
    WARPJIT_TRY(const DebugValue a, value_of(session, lane, text.substr(0, at)));
    WARPJIT_TRY(const DebugValue b, value_of(session, lane, text.substr(at + op.text.size())));
    // Registers are compared as what stands beside them; with an integer as they are shown.
    const auto is_float = [](const DebugValue& value, const DebugValue& other) {
      if (value.is_register) return !shows_as_integer(value.word);
      return value.is_float || (other.is_register && !value.is_bits && !shows_as_integer(other.word));
    };
    const auto as_number = [](const DebugValue& value) {
      return value.is_register || value.is_float ? std::bit_cast<float>(value.word)
                                                 : static_cast<float>(static_cast<std::int32_t>(value.word));
    };
    const bool bits = a.is_bits || b.is_bits;
    const bool literal_float = (!a.is_register && a.is_float) || (!b.is_register && b.is_float);
    const bool as_float = !bits && (literal_float || (is_float(a, b) && is_float(b, a)));
    const int order = as_float
                          ? order_of(as_number(a), as_number(b))
                          : order_of(static_cast<std::int32_t>(a.word), static_cast<std::int32_t>(b.word));
    return op.holds(order, as_float ? order == 0 : a.word == b.word);
  }
  WARPJIT_TRY(const DebugValue value, value_of(session, lane, text));
  return value.word != 0;
}

Result<std::uint64_t> number_of(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most)
    return wrong("not a number up to " + std::to_string(most), text);
  return number;
}

Json readings_json(std::uint32_t word) {
  Json bytes = Json::array();
  for (unsigned k = 0; k < 4; ++k) bytes.push_back(word >> 8 * k & 0xff);
  return {{"hex", fmt::format("0x{:08x}", word)},
          {"float", number_json(std::bit_cast<float>(word))},
          {"halves", {number_json(half_value(word & 0xffff)), number_json(half_value(word >> 16))}},
          {"int", static_cast<std::int32_t>(word)},
          {"bytes", std::move(bytes)}};
}

}  // namespace warpjit::tool
