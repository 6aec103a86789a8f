#include "base/hash.h"

#if __has_include(<xxhash.h>) && !defined(WARPJIT_NO_XXHASH)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define WARPJIT_XXHASH 1
#else
#include <cstring>
#endif

namespace warpjit {

#ifdef WARPJIT_XXHASH

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

#else

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  // FNV-1a over 8-byte words instead of bytes. Its multiplication carries only upward, so a shift brings
  // high bits down again.
  constexpr std::uint64_t kPrime = 0x00000100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  };
  std::size_t offset = 0;
  for (; bytes.size() - offset >= 8; offset += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    mix(word);
  }
  std::uint64_t tail = 0;
  if (offset < bytes.size()) std::memcpy(&tail, bytes.data() + offset, bytes.size() - offset);
  mix(tail);
  mix(bytes.size());
  return hash;
}

#endif

}  // namespace warpjit
