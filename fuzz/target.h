// What fuzz targets share: a property that must hold for every input. A target returns 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

namespace warpjit::fuzz {

inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", property);
  std::abort();
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}
inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A sink of a writer of captures: `to` is a vector of bytes.
inline bool append(void* to, std::span<const std::byte> bytes) {
  auto& all = *static_cast<std::vector<std::byte>*>(to);
  all.insert(all.end(), bytes.begin(), bytes.end());
  return true;
}

#define FUZZ_TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef FUZZ_TARGET

}  // namespace warpjit::fuzz
