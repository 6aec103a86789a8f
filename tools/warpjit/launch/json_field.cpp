#include "launch/json_field.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace warpjit::tool {

std::string_view kind(const Json& value) {
  switch (value.type()) {
    case Json::Type::null:
      return "null";
    case Json::Type::object:
      return "an object";
    case Json::Type::array:
      return "an array";
    case Json::Type::string:
      return "a string";
    case Json::Type::boolean:
      return "a boolean";
    default:
      return "a number";
  }
}

Error JsonField::error(std::string message, ErrorCode code) const {
  return {code, std::move(message), path_.empty() ? *file_name_ : *file_name_ + ", " + path_};
}

Error JsonField::wrap(const Error& inner) const { return error(to_string(inner), inner.code); }

Status JsonField::expect_object() const {
  if (!value_->is_object()) return error("must be an object, but is " + std::string(kind(*value_)));
  return {};
}

Status JsonField::expect_keys(std::span<const std::string_view> known) const {
  WARPJIT_CHECK(expect_object());
  for (const auto& [key, value] : value_->members()) {
    bool found = false;
    for (const std::string_view name : known) found |= name == key;
    if (found) continue;
    std::string list;
    for (const std::string_view name : known) list += (list.empty() ? "" : ", ") + std::string(name);
    return at(key).error("unknown key (known here: " + list + ")");
  }
  return {};
}

Status JsonField::expect_array() const {
  if (!value_->is_array()) return error("must be an array, but is " + std::string(kind(*value_)));
  return {};
}

Status JsonField::expect_size(std::size_t size, std::string_view what) const {
  WARPJIT_CHECK(expect_array());
  if (value_->size() == size) return {};
  return error("must have " + std::to_string(size) + " " + std::string(what) + ", but has " +
               std::to_string(value_->size()));
}

Status JsonField::expect_most(std::size_t most, std::string_view what) const {
  WARPJIT_CHECK(expect_array());
  if (value_->size() <= most) return {};
  return error("has " + std::to_string(value_->size()) + " " + std::string(what) + "; at most " +
               std::to_string(most) + " are allowed");
}

JsonField JsonField::at(std::string_view key) const {
  JsonField field((*value_)[key], *file_name_);
  field.path_ = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  return field;
}

JsonField JsonField::at(std::size_t index) const {
  JsonField field((*value_)[index], *file_name_);
  field.path_ = path_ + "[" + std::to_string(index) + "]";
  return field;
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return at(key);
}

Result<JsonField> JsonField::require(std::string_view key) const {
  if (!has(key)) return error("key '" + std::string(key) + "' is missing");
  return at(key);
}

Result<std::string> JsonField::string() const {
  if (!value_->is_string()) return error("must be a string, but is " + std::string(kind(*value_)));
  return value_->string();
}

Result<bool> JsonField::boolean() const {
  if (!value_->is_boolean()) return error("must be true or false, but is " + std::string(kind(*value_)));
  return value_->boolean();
}

Result<std::uint64_t> JsonField::bit_pattern(unsigned bits) const {
  const std::string& text = value_->string();
  std::uint64_t pattern = 0;
  const char* end = text.data() + text.size();
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    const auto [stop, failure] = std::from_chars(text.data() + 2, end, pattern, 16);
    if (failure == std::errc() && stop == end) {
      if (bits < 64 && pattern >> bits != 0)
        return error("bit pattern " + text + " has more than " + std::to_string(bits) + " bits");
      return pattern;
    }
    if (failure == std::errc::result_out_of_range)
      return error("bit pattern " + text + " has more than " + std::to_string(bits) + " bits");
  }
  return error("'" + text + "' is neither a number nor a bit pattern such as \"0x3f800000\"");
}

Result<std::int64_t> JsonField::integer(std::int64_t low, std::int64_t high, unsigned bits) const {
  std::int64_t number = 0;
  if (value_->is_string()) {
    WARPJIT_TRY(const std::uint64_t pattern, bit_pattern(bits));
    number = static_cast<std::int64_t>(pattern);
    if (low < 0 && bits < 64 && (pattern >> (bits - 1) & 1) != 0) number -= std::int64_t{1} << bits;
    if (bits == 64 && low >= 0 && number < 0) return error(value_->string() + " is out of range");
  } else if (value_->type() == Json::Type::natural) {
    const std::uint64_t unsigned_number = value_->natural();
    if (unsigned_number > static_cast<std::uint64_t>(high))
      return error(std::to_string(unsigned_number) + " is out of range, at most " + std::to_string(high) +
                   " is allowed");
    number = static_cast<std::int64_t>(unsigned_number);
  } else if (value_->type() == Json::Type::integer) {
    number = value_->integer();
  } else {
    return error("must be an integer, but is " +
                 std::string(value_->is_number() ? "a fraction" : kind(*value_)));
  }
  if (number < low || number > high)
    return error(std::to_string(number) + " is out of range, must be " + std::to_string(low) + " to " +
                 std::to_string(high));
  return number;
}

Result<std::uint32_t> JsonField::float_bits() const {
  if (value_->is_string()) {
    WARPJIT_TRY(const std::uint64_t pattern, bit_pattern(32));
    return static_cast<std::uint32_t>(pattern);
  }
  if (!value_->is_number())
    return error("must be a number or a bit pattern, but is " + std::string(kind(*value_)));
  const double number = value_->real();
  // From here on rounding to nearest gives infinity: 2^128 - 2^103.
  if (!(std::fabs(number) < 0x1.ffffffp127))
    return error("does not fit a 32-bit float; write a bit pattern for infinities and NaNs");
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

Result<double> JsonField::tolerance() const {
  if (!value_->is_number()) return error("must be a number, but is " + std::string(kind(*value_)));
  const double number = value_->real();
  if (!(number >= 0) || std::isinf(number)) return error("must be finite and not negative");
  return number;
}

}  // namespace warpjit::tool
