// A sink of what writes captures: it appends to a vector.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warpjit::tests {

// `to`: a std::vector<std::byte>.
inline bool append(void* to, std::span<const std::byte> part) {
  auto& all = *static_cast<std::vector<std::byte>*>(to);
  all.insert(all.end(), part.begin(), part.end());
  return true;
}

}  // namespace warpjit::tests
