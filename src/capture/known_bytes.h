// Bytes that a file has, so that what occurs again is written once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

namespace warpjit::capture {

class KnownBytes {
 public:
  using Hash = std::uint64_t (*)(std::span<const std::byte>);
  explicit KnownBytes(Hash hash = [](std::span<const std::byte> bytes) { return hash_bytes(bytes); })
      : hash_(hash) {}
  // What equal bytes were added with; none: there were none, and they are added with `value`. A copy is kept, as
  // equal hashes do not make equal bytes.
  std::optional<std::uint64_t> find_or_add(std::span<const std::byte> bytes, std::uint64_t value) {
    const std::uint64_t hash = hash_(bytes);
    const auto [first, last] = known_.equal_range(hash);
    for (auto known = first; known != last; ++known)
      if (std::ranges::equal(known->second.bytes, bytes)) return known->second.value;
    known_.emplace(hash, Known{value, {bytes.begin(), bytes.end()}});
    return std::nullopt;
  }

 private:
  struct Known {
    std::uint64_t value = 0;
    std::vector<std::byte> bytes;
  };
  Hash hash_;
  std::unordered_multimap<std::uint64_t, Known> known_;
};

}  // namespace warpjit::capture
