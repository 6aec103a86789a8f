#include "json.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxKeys = 4096;
const Json kNull;

// Takes what the parser reads, and builds values of it.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(static_cast<long long>(value)); }
  bool number_unsigned(number_unsigned_t value) { return add(static_cast<unsigned long long>(value)); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }  // text has none
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool key(string_t& key) {
    Open& object = open_.back();
    if (!object.keys.insert(key).second)
      return refuse("key " + text::quoted(key) + " appears twice in one object");
    // Objects keep their order in a list: their size is bounded because a look-up walks it.
    if (object.keys.size() > kMaxKeys)
      return refuse("an object has more than " + std::to_string(kMaxKeys) + " keys");
    object.key = std::move(key);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& failure) {
    std::string message = failure.what();  // "[json.exception.parse_error.101] parse error at line ..."
    if (const std::size_t end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
    return refuse("not valid JSON: " + text::shortened(message));
  }

  Json root;
  std::string message;

 private:
  struct Open {
    Json value;
    std::string key{};
    std::set<std::string> keys{};
  };

  bool refuse(std::string why) {
    message = std::move(why);
    return false;
  }
  bool open(Json value) {
    if (open_.size() >= kMaxDepth) return refuse("nested deeper than " + std::to_string(kMaxDepth));
    open_.push_back({std::move(value)});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root = std::move(value);
      return true;
    }
    Open& to = open_.back();
    if (to.value.is_array())
      to.value.push_back(std::move(value));
    else
      to.value[to.key] = std::move(value);
    return true;
  }

  std::vector<Open> open_;
};

// A string with its quotes. What a terminal must not get is escaped: control characters as JSON has them, and
// bytes that are not UTF-8 as texts have them.
std::string quoted_text(const std::string& value) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(value, plain)) return '"' + value + '"';
  std::string text(1, '"');
  for (std::string_view rest = value; !rest.empty();) {
    const text::Character character = text::first_character(rest);
    const std::string_view bytes = rest.substr(0, character.length);
    rest.remove_prefix(character.length);
    const char32_t code = character.code;
    if (!character.valid)
      text += '\\' + text::visible(bytes);
    else if (code == '"' || code == '\\')
      text += {'\\', static_cast<char>(code)};
    else if (code == '\n')
      text += "\\n";
    else if (code == '\t')
      text += "\\t";
    else if (!text::is_invisible(code))
      text += bytes;
    else if (code < 0x10000)
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    else
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + static_cast<unsigned>(code >> 10),
                          0xdc00 + static_cast<unsigned>(code & 0x3ff));
  }
  return text + '"';
}

}  // namespace

Json::Json(std::string_view text) : Json(std::string(text)) {}
Json::Json(std::string text) : type_(Type::string) { string_ = new std::string(std::move(text)); }

Json::Json(std::initializer_list<Json> items) {
  const bool members = std::ranges::all_of(items, [](const Json& item) {
    return item.is_array() && item.size() == 2 && item.array_->front().is_string();
  });
  *this = members ? object() : array();
  for (const Json& item : items)
    if (members)
      (*this)[item[0].string()] = item[1].take();
    else
      push_back(item.take());
}

Json Json::take() const {
  Json json;
  json.natural_ = natural_;
  json.type_ = std::exchange(type_, Type::null);
  return json;
}

Json Json::array() {
  Json json;
  json.array_ = new std::vector<Json>();
  json.type_ = Type::array;
  return json;
}
Json Json::array(std::initializer_list<Json> items) {
  Json json = array();
  for (const Json& item : items) json.push_back(item.take());
  return json;
}
Json Json::object() {
  Json json;
  json.object_ = new std::vector<JsonMember>();
  json.type_ = Type::object;
  return json;
}

Json::Json(const Json& other) : type_(other.type_), natural_(other.natural_) {
  if (type_ == Type::string) string_ = new std::string(*other.string_);
  if (type_ == Type::array) array_ = new std::vector<Json>(*other.array_);
  if (type_ == Type::object) object_ = new std::vector<JsonMember>(*other.object_);
}

void Json::release() {
  if (type_ == Type::string) delete string_;
  if (type_ == Type::array) delete array_;
  if (type_ == Type::object) delete object_;
}

double Json::real() const {
  return type_ == Type::real      ? real_
         : type_ == Type::integer ? static_cast<double>(integer_)
                                  : static_cast<double>(natural_);
}

std::size_t Json::size() const {
  return is_array() ? array_->size() : is_object() ? object_->size() : is_null() ? 0 : 1;
}

void Json::push_back(Json item) {
  if (is_null()) *this = array();
  array_->push_back(std::move(item));
}
const Json& Json::operator[](std::size_t index) const { return (*array_)[index]; }
const Json* Json::begin() const { return is_array() ? array_->data() : nullptr; }
const Json* Json::end() const { return is_array() ? array_->data() + array_->size() : nullptr; }

Json& Json::operator[](std::string_view key) {
  if (is_null()) *this = object();
  const auto found = std::ranges::find(*object_, key, &JsonMember::key);
  return found != object_->end() ? found->value
                                 : object_->emplace_back(JsonMember{std::string(key), {}}).value;
}
const Json& Json::operator[](std::string_view key) const {
  const Json* const value = find(key);
  return value != nullptr ? *value : kNull;
}
const Json* Json::find(std::string_view key) const {
  const std::span<const JsonMember> all = members();
  const auto found = std::ranges::find(all, key, &JsonMember::key);
  return found != all.end() ? &found->value : nullptr;
}
void Json::erase(std::string_view key) {
  if (is_object()) std::erase_if(*object_, [&](const JsonMember& member) { return member.key == key; });
}
void Json::update(Json other) {
  if (!other.is_object()) return;
  for (JsonMember& member : *other.object_) (*this)[member.key] = std::move(member.value);
}
std::span<const JsonMember> Json::members() const {
  return is_object() ? std::span<const JsonMember>(*object_) : std::span<const JsonMember>();
}

bool operator==(const Json& a, const Json& b) {
  using Type = Json::Type;
  if (a.is_number() && b.is_number()) {
    if (a.type_ == Type::real || b.type_ == Type::real) return a.real() == b.real();
    const bool negative = a.type_ != b.type_ && (a.type_ == Type::integer ? a : b).integer_ < 0;
    return a.natural_ == b.natural_ && !negative;
  }
  if (a.type_ != b.type_) return false;
  if (a.type_ == Type::boolean) return a.boolean_ == b.boolean_;
  if (a.type_ == Type::string) return *a.string_ == *b.string_;
  if (a.type_ == Type::array) return *a.array_ == *b.array_;
  if (a.type_ == Type::object)
    return std::ranges::equal(*a.object_, *b.object_, [](const JsonMember& x, const JsonMember& y) {
      return x.key == y.key && x.value == y.value;
    });
  return true;
}

void Json::write(int indent, std::size_t depth, std::string& text) const {
  const auto line = [&](std::size_t spaces) {
    if (indent >= 0) text += '\n' + std::string(spaces * static_cast<std::size_t>(indent), ' ');
  };
  switch (type_) {
    case Type::null:
      text += "null";
      return;
    case Type::boolean:
      text += boolean_ ? "true" : "false";
      return;
    case Type::integer:
      text += std::to_string(integer_);
      return;
    case Type::natural:
      text += std::to_string(natural_);
      return;
    case Type::real:
      text += nlohmann::json(real_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return;
    case Type::string:
      text += quoted_text(*string_);
      return;
    default:
      break;
  }
  const char* const brackets = is_array() ? "[]" : "{}";
  text += brackets[0];
  for (std::size_t n = 0; n < size(); ++n) {
    if (n != 0) text += ',';
    line(depth + 1);
    if (is_object()) text += quoted_text((*object_)[n].key) + (indent >= 0 ? ": " : ":");
    (is_array() ? (*array_)[n] : (*object_)[n].value).write(indent, depth + 1, text);
  }
  if (!empty()) line(depth);
  text += brackets[1];
}

std::string Json::dump(int indent) const {
  std::string text;
  write(indent, 0, text);
  return text;
}

Result<Json> parse_json(std::string_view text, const std::string& file_name) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder))
    return Error{ErrorCode::bad_input, std::move(builder.message), file_name};
  return std::move(builder.root);
}

}  // namespace warpjit::tool
