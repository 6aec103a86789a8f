// Small members of launch files: words of enumerations, flags, floats, bytes. What is not there stays.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <string_view>

#include "launch/reading.h"

namespace warpjit::tool {

// The names of an enumeration in their order.
using Words = std::span<const std::string_view>;
inline constexpr std::string_view kCompares[] = {"never",   "less",      "equal",         "less-equal",
                                                 "greater", "not-equal", "greater-equal", "always"};

template <class Enum>
Status read_word(const JsonField& field, Words words, Enum& out) {
  WARPJIT_TRY(const std::string text, field.string());
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    std::string known;
    for (const std::string_view word : words) known += (known.empty() ? "" : ", ") + std::string(word);
    return field.error("'" + text + "' is none of " + known);
  }
  out = static_cast<Enum>(found - words.begin());
  return {};
}
// What stands at `key`, if anything does.
template <class Enum>
Status read_word(const JsonField& object, std::string_view key, Words words, Enum& out) {
  const auto field = object.find(key);
  if (!field) return {};
  return read_word(*field, words, out);
}
inline Status read_flag(const JsonField& object, std::string_view key, bool& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_TRY(out, field->boolean());
  return {};
}
inline Status read_float(const JsonField& object, std::string_view key, float& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_TRY(const std::uint32_t bits, field->float_bits());
  out = std::bit_cast<float>(bits);
  return {};
}
template <std::size_t kCount>
Status read_floats(const JsonField& object, std::string_view key, std::array<float, kCount>& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_CHECK(field->expect_array());
  if (field->size() != kCount) return field->error("needs " + std::to_string(kCount) + " numbers");
  for (std::size_t k = 0; k < kCount; ++k) {
    WARPJIT_TRY(const std::uint32_t bits, field->at(k).float_bits());
    out[k] = std::bit_cast<float>(bits);
  }
  return {};
}
inline Status read_byte(const JsonField& object, std::string_view key, std::uint8_t& out,
                        std::int64_t most = 255) {
  WARPJIT_TRY(const std::uint32_t number, number_at(object, key, 0, most, out));
  out = static_cast<std::uint8_t>(number);
  return {};
}

}  // namespace warpjit::tool
