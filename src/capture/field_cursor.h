// The contents of a section, field after field: one list of fields serves who writes and who reads, so that both
// agree. A field is a little-endian word, or two.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/section_file.h"

namespace warpjit::capture {

class FieldWriter {
 public:
  static constexpr bool kReads = false;
  void word(std::uint32_t value) { numbers_.word(value); }
  void long_word(std::uint64_t value) { numbers_.long_word(value); }
  void number(std::uint64_t value, std::uint64_t, const char*) { word(static_cast<std::uint32_t>(value)); }
  void number_between(std::uint64_t value, std::uint64_t, std::uint64_t, const char*) {
    word(static_cast<std::uint32_t>(value));
  }
  void flag(bool value, const char*) { word(value ? 1 : 0); }
  template <class Enum>
  void choice(Enum value, Enum, const char*) {
    word(static_cast<std::uint32_t>(value));
  }
  void real(float value) { word(std::bit_cast<std::uint32_t>(value)); }
  void integer(std::int32_t value) { word(static_cast<std::uint32_t>(value)); }
  void text(const std::string& value, std::size_t, const char*) { blob(std::as_bytes(std::span(value))); }
  // Filled up to a whole word.
  void blob(std::span<const std::byte> value);
  template <class List, class Each>
  void list(const List& list, std::size_t, const char*, const Each& each) {
    word(static_cast<std::uint32_t>(list.size()));
    for (const auto& element : list) each(element);
  }
  bool ok() const { return true; }
  std::span<const std::byte> bytes() const { return numbers_.bytes(); }

 private:
  Numbers numbers_{4096};  // room for most launches
};

// After the first error, which names its byte, all fields are what they were.
class FieldReader {
 public:
  static constexpr bool kReads = true;
  // `what`: "a launch", as in "the section ends in a launch".
  FieldReader(const FileBytes& file, const Section& section, const char* what)
      : file_(file),
        what_(what),
        at_(section.at + kSectionHeader),
        end_(section.at + kSectionHeader + section.bytes.size()) {}

  void word(std::uint32_t& value);
  void long_word(std::uint64_t& value);
  template <class Number>
  void number(Number& value, std::uint64_t most, const char* what) {
    number_between(value, 0, most, what);
  }
  template <class Number>
  void number_between(Number& value, std::uint64_t least, std::uint64_t most, const char* what) {
    if (const auto read = read_between(least, most, what)) value = static_cast<Number>(*read);
  }
  void flag(bool& value, const char* what) { number(value, 1, what); }
  template <class Enum>
  void choice(Enum& value, Enum last, const char* what) {
    number(value, static_cast<std::uint32_t>(last), what);
  }
  void real(float& value);
  void integer(std::int32_t& value);
  void text(std::string& value, std::size_t most, const char* what);
  void blob(std::vector<std::byte>& value);
  // Elements of at least `least_bytes` each, so that a list has no more than the section holds.
  template <class List, class Each>
  void list(List& list, std::size_t least_bytes, const char* what, const Each& each) {
    list.resize(read_count(least_bytes, what));
    for (auto& element : list) {
      each(element);
      if (!ok()) return;
    }
  }

  bool ok() const { return !error_; }
  std::size_t at() const { return at_; }
  // What is left of the section.
  std::span<const std::byte> rest();
  void fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input);
  // The first error; also of bytes after the last field.
  Status finish();

 private:
  bool has(std::size_t size);
  std::optional<std::uint32_t> read_between(std::uint64_t least, std::uint64_t most, const char* what);
  std::uint32_t read_count(std::size_t least_bytes, const char* what);
  std::span<const std::byte> read_bytes(std::size_t most, const char* what);

  const FileBytes& file_;
  const char* what_;
  std::size_t at_, end_;
  std::optional<Error> error_;
};

}  // namespace warpjit::capture
