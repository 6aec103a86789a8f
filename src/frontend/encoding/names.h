// Tables of pairs: what a value is called, what a name means, what one value becomes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace warpjit::encoding {

// The second of the pair whose first is `key`; `otherwise` if no pair has it.
template <class Key, class Value, std::size_t kCount>
constexpr Value look_up(const std::pair<Key, Value> (&rows)[kCount], const Key& key, Value otherwise = {}) {
  for (const auto& [known, value] : rows)
    if (known == key) return value;
  return otherwise;
}

// The first of the pair with this name.
template <class Value, std::size_t kCount>
constexpr std::optional<Value> find_name(const std::pair<Value, std::string_view> (&rows)[kCount],
                                         std::string_view name) {
  for (const auto& [value, known] : rows)
    if (known == name) return value;
  return std::nullopt;
}

}  // namespace warpjit::encoding
