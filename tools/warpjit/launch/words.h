// Small members of launch files: words of enumerations, flags, floats, bytes. What is not there stays.
#pragma once

#include <span>
#include <string_view>

#include "launch/json_field.h"

namespace warpjit::tool {

// The names of an enumeration in their order.
using Words = std::span<const std::string_view>;
inline constexpr std::string_view kCompares[] = {"never",   "less",      "equal",         "less-equal",
                                                 "greater", "not-equal", "greater-equal", "always"};

// Which of the words a string is.
Result<std::size_t> read_word_number(const JsonField& field, Words words);

template <class Enum>
Status read_word(const JsonField& field, Words words, Enum& out) {
  WARPJIT_TRY(const std::size_t number, read_word_number(field, words));
  out = static_cast<Enum>(number);
  return {};
}
// What stands at `key`, if anything does.
template <class Enum>
Status read_word(const JsonField& object, std::string_view key, Words words, Enum& out) {
  const auto field = object.find(key);
  if (!field) return {};
  return read_word(*field, words, out);
}
Status read_flag(const JsonField& object, std::string_view key, bool& out);
Status read_float(const JsonField& object, std::string_view key, float& out);
Status read_floats(const JsonField& object, std::string_view key, std::span<float> out);
Status read_byte(const JsonField& object, std::string_view key, std::uint8_t& out, std::int64_t most = 255);

}  // namespace warpjit::tool
