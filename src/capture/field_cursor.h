// The contents of a section, field after field: one list of fields serves who writes and who reads, so that both
// agree. A field is a little-endian word, or two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/section_file.h"

namespace warpjit::capture {

class FieldWriter {
 public:
  static constexpr bool kReads = false;
  void word(std::uint32_t value) { numbers_.word(value); }
  void long_word(std::uint64_t value) { numbers_.long_word(value); }
  void number(std::uint64_t value, std::uint64_t, const char*) {
    numbers_.word(static_cast<std::uint32_t>(value));
  }
  void number_between(std::uint64_t value, std::uint64_t, std::uint64_t, const char*) {
    numbers_.word(static_cast<std::uint32_t>(value));
  }
  void flag(bool value, const char*) { numbers_.word(value ? 1 : 0); }
  template <class Enum>
  void choice(Enum value, Enum, const char*) {
    numbers_.word(static_cast<std::uint32_t>(value));
  }
  void real(float value) { numbers_.word(std::bit_cast<std::uint32_t>(value)); }
  void integer(std::int32_t value) { numbers_.word(static_cast<std::uint32_t>(value)); }
  void text(const std::string& value, std::size_t, const char*) {
    numbers_.word(static_cast<std::uint32_t>(value.size()));
    bytes_of(std::as_bytes(std::span(value)));
  }
  void blob(const std::vector<std::byte>& value) {
    numbers_.word(static_cast<std::uint32_t>(value.size()));
    bytes_of(value);
  }
  template <class List, class Each>
  void list(const List& list, std::size_t, const char*, const Each& each) {
    numbers_.word(static_cast<std::uint32_t>(list.size()));
    for (const auto& element : list) each(element);
  }
  bool ok() const { return true; }
  std::span<const std::byte> bytes() const { return numbers_.bytes(); }

 private:
  // Filled up to a whole word.
  void bytes_of(std::span<const std::byte> bytes) {
    numbers_.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    for (std::size_t n = bytes.size(); n % 4 != 0; ++n) numbers_.text({"\0", 1});
  }
  Numbers numbers_;
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

  void word(std::uint32_t& value) {
    if (has(4)) value = file_.word(std::exchange(at_, at_ + 4));
  }
  void long_word(std::uint64_t& value) {
    if (has(8)) value = file_.long_word(std::exchange(at_, at_ + 8));
  }
  template <class Number>
  void number(Number& value, std::uint64_t most, const char* what) {
    number_between(value, 0, most, what);
  }
  template <class Number>
  void number_between(Number& value, std::uint64_t least, std::uint64_t most, const char* what) {
    std::uint32_t read = 0;
    const std::size_t at = at_;
    word(read);
    if (!ok()) return;
    if (read < least || read > most)
      return fail(at, std::string(what) + " is " + std::to_string(read) + ", expected " +
                          std::to_string(least) + " to " + std::to_string(most));
    value = static_cast<Number>(read);
  }
  void flag(bool& value, const char* what) { number(value, 1, what); }
  template <class Enum>
  void choice(Enum& value, Enum last, const char* what) {
    number(value, static_cast<std::uint32_t>(last), what);
  }
  void real(float& value) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    word(bits);
    value = std::bit_cast<float>(bits);
  }
  void integer(std::int32_t& value) {
    auto bits = static_cast<std::uint32_t>(value);
    word(bits);
    value = static_cast<std::int32_t>(bits);
  }
  void text(std::string& value, std::size_t most, const char* what) {
    const std::span<const std::byte> bytes = bytes_of(most, what);
    value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void blob(std::vector<std::byte>& value) {
    const std::span<const std::byte> bytes = bytes_of(SIZE_MAX, "a size");
    value.assign(bytes.begin(), bytes.end());
  }
  // Elements of at least `least_bytes` each, so that a list has no more than the section holds.
  template <class List, class Each>
  void list(List& list, std::size_t least_bytes, const char* what, const Each& each) {
    std::uint32_t count = 0;
    const std::size_t at = at_;
    word(count);
    if (!ok()) return;
    if (count > (end_ - at_) / least_bytes)
      return fail(at, std::string(what) + ": " + std::to_string(count) + ", expected at most " +
                          std::to_string((end_ - at_) / least_bytes) + " in what is left of the section");
    list.resize(count);
    for (auto& element : list) {
      each(element);
      if (!ok()) return;
    }
  }

  bool ok() const { return !error_; }
  std::size_t at() const { return at_; }
  // What is left of the section.
  std::span<const std::byte> rest() {
    const std::size_t from = std::exchange(at_, end_);
    return file_.bytes().subspan(from, end_ - from);
  }
  void fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) {
    if (!error_) error_ = file_.fail(at, std::move(what), code);
  }
  // The first error; also of bytes after the last field.
  Status finish() {
    if (ok() && at_ != end_) fail(at_, hex_text(end_ - at_) + " bytes after " + what_ + ", expected none");
    return error_ ? Status(*error_) : Status();
  }

 private:
  bool has(std::size_t size) {
    if (ok() && end_ - at_ < size)
      fail(at_,
           std::string("the section ends in ") + what_ + ", expected " + std::to_string(size) + " bytes");
    return ok();
  }
  std::span<const std::byte> bytes_of(std::size_t most, const char* what) {
    std::uint32_t size = 0;
    const std::size_t at = at_;
    word(size);
    if (!ok()) return {};
    const std::size_t padded = (std::size_t{size} + 3) / 4 * 4;
    if (size > most || padded > end_ - at_) {
      fail(at, std::string(what) + " has " + hex_text(size) + " bytes, expected at most " +
                   hex_text(std::min<std::uint64_t>(most, end_ - at_)));
      return {};
    }
    return file_.bytes().subspan(std::exchange(at_, at_ + padded), size);
  }

  const FileBytes& file_;
  const char* what_;
  std::size_t at_, end_;
  std::optional<Error> error_;
};

}  // namespace warpjit::capture
