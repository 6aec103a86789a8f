// A 64-bit hash of bytes: XXH3 if <xxhash.h> was there at build time, else an FNV-1a by words.
// The value depends on the build, so it may only live in memory, never in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace warpjit {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

// The hash of an array of T, whose bytes must all count (no padding).
template <class T>
std::uint64_t hash_of(std::span<const T> values, std::uint64_t seed = 0) {
  static_assert(std::has_unique_object_representations_v<T>);
  return hash_bytes(std::as_bytes(values), seed);
}

}  // namespace warpjit
