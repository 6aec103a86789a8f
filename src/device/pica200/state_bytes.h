// A saved state, written and read by one description of it: a class names its fields once, and StateBytes puts
// them into bytes or takes them from there. Words are little-endian. After an error nothing more is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::pica200 {

class StateBytes {
 public:
  enum class Kind : std::uint32_t { pipeline = 1, gpu = 2 };

  // Writes; begins with what the bytes are.
  explicit StateBytes(Kind kind);
  // Reads bytes that may be hostile; `kind`: that they must have.
  StateBytes(Kind kind, std::span<const std::byte> from);

  bool reads() const { return reads_; }
  // Names what follows, for errors. Lives as long as this.
  void part(const char* name) { part_ = name; }

  void word(std::uint32_t& value);
  void words(std::span<std::uint32_t> values);
  template <std::size_t inner, std::size_t outer>
  void words(std::array<std::array<std::uint32_t, inner>, outer>& rows) {
    for (auto& row : rows) words(row);
  }
  // Words without the zeros at their end.
  void trimmed(std::span<std::uint32_t> values);
  // A number that may not be above `most`.
  template <class Number>
  void number(Number& value, std::uint32_t most) {
    auto word = static_cast<std::uint32_t>(value);
    bounded(word, most);
    if (reads_ && status_) value = static_cast<Number>(word);
  }
  // How many things follow, of `bytes` each: no more than there is room for.
  void count(std::size_t& value, std::size_t most, std::size_t bytes);

  // After a write.
  std::vector<std::byte> take() { return std::move(bytes_); }
  // After a read: the first error, or that of bytes which are left over.
  Status finish();
  bool ok() const { return status_.ok(); }

 private:
  static constexpr std::uint32_t kMagic = 0x53504A57, kVersion = 1;  // "WJPS"

  void head(Kind kind);
  void bounded(std::uint32_t& word, std::uint32_t most);
  void fail(const std::string& message);

  std::vector<std::byte> bytes_;
  std::span<const std::byte> from_{};
  std::size_t at_ = 0;
  bool reads_ = false;
  const char* part_ = "head";
  Status status_;
};

}  // namespace warpjit::pica200
