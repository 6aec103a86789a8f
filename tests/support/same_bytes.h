// Comparison of memory, quick in tests, too, which are compiled without optimization.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace warpjit::tests {

inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// The index of the first element in which two vectors or spans differ; else the size of the shorter one.
template <class A, class B>
std::size_t first_difference(const A& a, const B& b) {
  static_assert(std::has_unique_object_representations_v<typename A::value_type>);
  const std::size_t size = std::min(a.size(), b.size());
  if (same_bytes(std::as_bytes(std::span(a).first(size)), std::as_bytes(std::span(b).first(size))))
    return size;
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - std::ranges::begin(a));
}

}  // namespace warpjit::tests
