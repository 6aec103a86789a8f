// Keys of translations: bytes that are equal exactly if what they were made from is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace warpjit::frontend {

// T is a type without padding.
template <class T>
void append_value(std::vector<std::byte>& key, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  key.insert(key.end(), bytes.begin(), bytes.end());
}
// The number of values, then these.
template <class List>
void append_list(std::vector<std::byte>& key, const List& list) {
  static_assert(std::has_unique_object_representations_v<std::ranges::range_value_t<List>>);
  append_value(key, static_cast<std::uint32_t>(list.size()));
  const auto bytes = std::as_bytes(std::span(list));
  key.insert(key.end(), bytes.begin(), bytes.end());
}

// Reads back what append_value and append_list wrote, in the same order. What is beyond the end is T().
class KeyReader {
 public:
  explicit KeyReader(std::span<const std::byte> key) : rest_(key) {}
  template <class T>
  T value() {
    T value{};
    if (rest_.size() < sizeof value) return value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> list(value<std::uint32_t>());
    for (T& item : list) item = value<T>();
    return list;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace warpjit::frontend
