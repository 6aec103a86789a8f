#include "launch/json_field.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

namespace warpjit::tool {

namespace {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxKeys = 4096;

}  // namespace

Result<nlohmann::ordered_json> parse_json(std::string_view text, const std::string& file_name) {
  using Json = nlohmann::ordered_json;
  using Event = Json::parse_event_t;
  struct Refused {
    std::string message;
  };
  std::vector<std::set<std::string>> keys;  // of the open objects
  const auto observe = [&](int depth, Event event, Json& value) {
    if (event == Event::object_start) keys.emplace_back();
    if ((event == Event::object_start || event == Event::array_start) && depth >= kMaxDepth)
      throw Refused{"nested deeper than " + std::to_string(kMaxDepth)};
    if (event == Event::object_end) keys.pop_back();
    if (event != Event::key) return true;
    const std::string& key = value.get_ref<const std::string&>();
    if (!keys.back().insert(key).second) throw Refused{"key '" + key + "' appears twice in one object"};
    // Objects keep their order in a list: their size is bounded because a look-up walks it.
    if (keys.back().size() > kMaxKeys)
      throw Refused{"an object has more than " + std::to_string(kMaxKeys) + " keys"};
    return true;
  };
  // The one place with exceptions: they are the library's way to say where the syntax breaks.
  try {
    return Json::parse(text, observe);
  } catch (const Refused& refused) {
    return Error{ErrorCode::bad_input, refused.message, file_name};
  } catch (const Json::exception& failure) {
    std::string message = failure.what();  // "[json.exception.parse_error.101] parse error at line ..."
    if (const std::size_t end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
    return Error{ErrorCode::bad_input, "not valid JSON: " + message, file_name};
  }
}

std::string_view kind(const nlohmann::ordered_json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "an array";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::boolean:
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

Status JsonField::expect_keys(std::initializer_list<std::string_view> known) const {
  WARPJIT_CHECK(expect_object());
  for (const auto& [key, value] : value_->items()) {
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

JsonField JsonField::at(std::string_view key) const {
  JsonField field(value_->at(std::string(key)), *file_name_);
  field.path_ = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  return field;
}

JsonField JsonField::at(std::size_t index) const {
  JsonField field(value_->at(index), *file_name_);
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
  return value_->get<std::string>();
}

Result<bool> JsonField::boolean() const {
  if (!value_->is_boolean()) return error("must be true or false, but is " + std::string(kind(*value_)));
  return value_->get<bool>();
}

Result<std::uint64_t> JsonField::bit_pattern(unsigned bits) const {
  const std::string& text = value_->get_ref<const std::string&>();
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
    if (bits == 64 && low >= 0 && number < 0) return error(value_->get<std::string>() + " is out of range");
  } else if (value_->is_number_unsigned()) {
    const std::uint64_t unsigned_number = value_->get<std::uint64_t>();
    if (unsigned_number > static_cast<std::uint64_t>(high))
      return error(std::to_string(unsigned_number) + " is out of range, at most " + std::to_string(high) +
                   " is allowed");
    number = static_cast<std::int64_t>(unsigned_number);
  } else if (value_->is_number_integer()) {
    number = value_->get<std::int64_t>();
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
  const double number = value_->get<double>();
  // From here on rounding to nearest gives infinity: 2^128 - 2^103.
  if (!(std::fabs(number) < 0x1.ffffffp127))
    return error("does not fit a 32-bit float; write a bit pattern for infinities and NaNs");
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

Result<double> JsonField::tolerance() const {
  if (!value_->is_number()) return error("must be a number, but is " + std::string(kind(*value_)));
  const double number = value_->get<double>();
  if (!(number >= 0) || std::isinf(number)) return error("must be finite and not negative");
  return number;
}

}  // namespace warpjit::tool
