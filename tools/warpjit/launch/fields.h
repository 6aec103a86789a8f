// Members of objects in launch files that are members of a struct:
// one list of them, by which they are read and written.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "launch/words.h"

namespace warpjit::tool {

struct Field {
  enum class Kind : std::uint8_t {
    flag,
    number,   // of 1, 4 or 8 bytes
    integer,  // of 4 bytes, with a sign
    address,  // a number of 8 bytes, written as hexadecimal text
    floats,   // one without a list, or several
    word,     // of `words`
    detail,   // a level of detail: a number, kept in 1/256
  };
  std::string_view key;
  Kind kind = Kind::flag;
  std::size_t offset = 0, size = 0;  // of the member, in bytes
  std::int64_t low = 0, high = 0;    // of numbers
  Words words{};
  bool list = false;      // of floats
  bool required = false;  // must be there
  bool always = false;    // is written even if it is as usual
};

// What the list of a struct does with the struct's bytes.
Status read_fields(const JsonField& object, std::span<const Field> fields, void* state);
void write_fields(std::span<const Field> fields, const void* state, const void* usual, Json& json);
// The object has no keys but those of the list and `others`.
Status expect_fields(const JsonField& object, std::span<const Field> fields,
                     std::initializer_list<std::string_view> others);

template <class State>
class Fields {
 public:
  Fields& flag(std::string_view key, bool State::*member) { return add(key, Field::Kind::flag, member); }
  template <std::unsigned_integral Number>
  Fields& number(std::string_view key, Number State::*member, std::int64_t high = most<Number>(),
                 std::int64_t low = 0) {
    add(key, Field::Kind::number, member);
    fields_.back().low = low;
    fields_.back().high = high;
    return *this;
  }
  Fields& integer(std::string_view key, std::int32_t State::*member) {
    return add(key, Field::Kind::integer, member);
  }
  Fields& address(std::string_view key, std::uint64_t State::*member) {
    return add(key, Field::Kind::address, member);
  }
  Fields& real(std::string_view key, float State::*member) { return add(key, Field::Kind::floats, member); }
  template <std::size_t kCount>
  Fields& reals(std::string_view key, std::array<float, kCount> State::*member) {
    add(key, Field::Kind::floats, member);
    fields_.back().list = true;
    return *this;
  }
  template <class Enum>
  Fields& word(std::string_view key, Words words, Enum State::*member) {
    static_assert(sizeof(Enum) == 1);
    add(key, Field::Kind::word, member);
    fields_.back().words = words;
    return *this;
  }
  Fields& detail(std::string_view key, std::int32_t State::*member) {
    return add(key, Field::Kind::detail, member);
  }
  // ---- Of the field before
  Fields& required() {
    fields_.back().required = fields_.back().always = true;
    return *this;
  }
  Fields& always() {
    fields_.back().always = true;
    return *this;
  }

  // What is not there stays.
  Status read(const JsonField& object, State& state) const { return read_fields(object, fields_, &state); }
  // Reads an object that has no other keys.
  Status read_all(const JsonField& object, State& state,
                  std::initializer_list<std::string_view> others = {}) const {
    WARPJIT_CHECK(expect(object, others));
    return read(object, state);
  }
  Status expect(const JsonField& object, std::initializer_list<std::string_view> others) const {
    return expect_fields(object, fields_, others);
  }
  void write(const State& state, Json& json) const { write_fields(fields_, &state, &usual_, json); }
  Json json(const State& state) const {
    Json json = Json::object();
    write(state, json);
    return json;
  }

 private:
  template <class Number>
  static constexpr std::int64_t most() {
    return sizeof(Number) == 8 ? std::int64_t{1} << 40
                               : static_cast<std::int64_t>(std::numeric_limits<Number>::max());
  }
  template <class Member>
  Fields& add(std::string_view key, Field::Kind kind, Member State::*member) {
    const auto* const place = reinterpret_cast<const std::byte*>(&(usual_.*member));
    fields_.push_back(
        {.key = key,
         .kind = kind,
         .offset = static_cast<std::size_t>(place - reinterpret_cast<const std::byte*>(&usual_)),
         .size = sizeof(Member)});
    return *this;
  }

  State usual_{};
  std::vector<Field> fields_;
};

// The bits of a float as a number, if that is the same bits again.
Json bits_json(std::uint32_t bits);

}  // namespace warpjit::tool
