#include "launch/words.h"

#include <algorithm>
#include <bit>

#include "launch/reading.h"

namespace warpjit::tool {

Result<std::size_t> read_word_number(const JsonField& field, Words words) {
  WARPJIT_TRY(const std::string text, field.string());
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string known;
  for (const std::string_view word : words) known += (known.empty() ? "" : ", ") + std::string(word);
  return field.error("'" + text + "' is none of " + known);
}

Status read_word_list(const FileReader& files, const JsonField& field, std::size_t most, bool floats,
                      std::vector<std::uint32_t>& words) {
  const auto check_size = [&](std::size_t size) -> Status {
    if (size <= most) return {};
    return field.error("has " + std::to_string(size) + " words; at most " + std::to_string(most) +
                       " are allowed");
  };
  if (field.json().is_string()) {
    const std::string& file = field.json().string();
    const auto bytes = files(file);
    if (!bytes) return field.wrap(bytes.error());
    auto read = words_from(*bytes, file);
    if (!read) return field.wrap(read.error());
    words = std::move(*read);
    return check_size(words.size());
  }
  if (!field.json().is_array())
    return field.error("must be an array of words, or the name of a file of them");
  WARPJIT_CHECK(check_size(field.size()));
  words.reserve(field.size());
  for (std::size_t k = 0; k < field.size(); ++k) {
    std::uint32_t bits = 0;
    if (floats) {
      WARPJIT_TRY(bits, field.at(k).float_bits());
    } else {
      WARPJIT_TRY(const std::int64_t word, field.at(k).integer(0, 0xffffffff, 32));
      bits = static_cast<std::uint32_t>(word);
    }
    words.push_back(bits);
  }
  return {};
}

Status read_flag(const JsonField& object, std::string_view key, bool& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_TRY(out, field->boolean());
  return {};
}

Status read_float(const JsonField& object, std::string_view key, float& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_TRY(const std::uint32_t bits, field->float_bits());
  out = std::bit_cast<float>(bits);
  return {};
}

Status read_floats(const JsonField& object, std::string_view key, std::span<float> out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_CHECK(field->expect_size(out.size(), "numbers"));
  for (std::size_t k = 0; k < out.size(); ++k) {
    WARPJIT_TRY(const std::uint32_t bits, field->at(k).float_bits());
    out[k] = std::bit_cast<float>(bits);
  }
  return {};
}

Status read_byte(const JsonField& object, std::string_view key, std::uint8_t& out, std::int64_t most) {
  WARPJIT_TRY(const std::uint32_t number, number_at(object, key, 0, most, out));
  out = static_cast<std::uint8_t>(number);
  return {};
}

}  // namespace warpjit::tool
