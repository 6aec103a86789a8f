// How much of a long test runs: all of it, or one part in WARPJIT_TEST_SHARE, as the build says.
#pragma once

#include <cstdint>

namespace warpjit {

constexpr std::uint64_t share(std::uint64_t count) {
  constexpr std::uint64_t kParts = WARPJIT_TEST_SHARE;
  return (count + kParts - 1) / kParts;
}

// Whether the count-th part of a test is of that share.
constexpr bool in_share(std::uint64_t count) { return share(count + 1) > share(count); }

}  // namespace warpjit
