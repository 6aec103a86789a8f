// Keys of translations: bytes that are equal exactly if what they were made from is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace warpjit::frontend {

// Of a type without padding.
template <class T>
void append_value(std::vector<std::byte>& key, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  key.insert(key.end(), bytes.begin(), bytes.end());
}
// The number of values, then these.
template <class List>
void append_list(std::vector<std::byte>& key, const List& list) {
  append_value(key, static_cast<std::uint32_t>(list.size()));
  const auto bytes = std::as_bytes(std::span(list));
  key.insert(key.end(), bytes.begin(), bytes.end());
}

}  // namespace warpjit::frontend
