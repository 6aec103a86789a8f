// JSON as the tool builds, reads and prints it: values whose objects keep the order of their keys. Its
// functions are compiled once, and one source file alone sees the library that knows the syntax.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

struct JsonMember;

class Json {
 public:
  enum class Type : std::uint8_t { null, boolean, integer, natural, real, string, array, object };

  Json() noexcept {}
  Json(std::nullptr_t) noexcept {}
  template <std::same_as<bool> Bool>
  Json(Bool value) noexcept : type_(Type::boolean) {
    boolean_ = value;
  }
  Json(int value) noexcept : Json(static_cast<long long>(value)) {}
  Json(long value) noexcept : Json(static_cast<long long>(value)) {}
  Json(long long value) noexcept : type_(Type::integer) { integer_ = value; }
  Json(unsigned value) noexcept : Json(static_cast<unsigned long long>(value)) {}
  Json(unsigned long value) noexcept : Json(static_cast<unsigned long long>(value)) {}
  Json(unsigned long long value) noexcept : type_(Type::natural) { natural_ = value; }
  Json(double value) noexcept : type_(Type::real) { real_ = value; }
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  Json(std::string text);
  // An object if each item is an array of two, a string and a value; else an array.
  Json(std::initializer_list<Json> items);
  template <class Item>
  Json(const std::vector<Item>& items) : Json(array()) {
    for (const Item& item : items) push_back(item);
  }
  template <class Item, std::size_t kCount>
  Json(const std::array<Item, kCount>& items) : Json(array()) {
    for (const Item& item : items) push_back(item);
  }
  static Json array();
  static Json array(std::initializer_list<Json> items);
  static Json object();

  Json(const Json& other);
  Json(Json&& other) noexcept : type_(other.type_), natural_(other.natural_) { other.type_ = Type::null; }
  Json& operator=(Json other) noexcept {
    std::swap(type_, other.type_);
    std::swap(natural_, other.natural_);
    return *this;
  }
  ~Json() {
    if (type_ >= Type::string) release();
  }

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::null; }
  bool is_boolean() const { return type_ == Type::boolean; }
  bool is_number() const { return type_ >= Type::integer && type_ <= Type::real; }
  bool is_string() const { return type_ == Type::string; }
  bool is_array() const { return type_ == Type::array; }
  bool is_object() const { return type_ == Type::object; }
  bool is_structured() const { return type_ >= Type::array; }

  // Only of values of such a type.
  bool boolean() const { return boolean_; }
  std::int64_t integer() const { return integer_; }  // also of a natural number below 2^63
  std::uint64_t natural() const { return natural_; }
  double real() const;  // of any number
  const std::string& string() const { return *string_; }

  std::size_t size() const;  // of what is not structured: 0 for null, else 1
  bool empty() const { return size() == 0; }

  // ---- Arrays. Null becomes one.
  void push_back(Json item);
  const Json& operator[](std::size_t index) const;
  const Json* begin() const;  // of an array; anything else has no items
  const Json* end() const;

  // ---- Objects. Null becomes one.
  Json& operator[](std::string_view key);              // added if it is not there
  const Json& operator[](std::string_view key) const;  // null if it is not there
  const Json* find(std::string_view key) const;        // null pointer if it is not there
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void erase(std::string_view key);
  void update(Json members);  // sets all members of another object
  std::span<const JsonMember> members() const;

  // On one line if `indent` is negative. Valid UTF-8 in which nothing is invisible but line feeds: other
  // characters are escaped, bytes that are not UTF-8 become text, "\\xff".
  std::string dump(int indent = -1) const;

  // Numbers are equal if their values are.
  friend bool operator==(const Json& a, const Json& b);

 private:
  void release();
  void write(int indent, std::size_t depth, std::string& text) const;

  Json take() const;

  mutable Type type_ = Type::null;  // mutable: items in braces are const, and taken over
  union {
    bool boolean_;
    std::int64_t integer_;
    std::uint64_t natural_ = 0;
    double real_;
    std::string* string_;
    std::vector<Json>* array_;
    std::vector<JsonMember>* object_;
  };
};

struct JsonMember {
  std::string key;
  Json value;
};

// Parses a document. Errors: syntax, a key that an object holds twice, nesting deeper than 16, an object of
// more than 4096 keys.
Result<Json> parse_json(std::string_view text, const std::string& file_name);

}  // namespace warpjit::tool
