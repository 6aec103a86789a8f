// How much of a long test runs: all of it, or under sanitizers, whose runs take ten times as long, an eighth.
#pragma once

#include <cstdint>

namespace warpjit {

constexpr std::uint64_t share(std::uint64_t count) {
#ifdef WARPJIT_SANITIZED
  return (count + 7) / 8;
#else
  return count;
#endif
}

// Whether the count-th part of a test is of that share.
constexpr bool in_share(std::uint64_t count) { return share(count + 1) > share(count); }

}  // namespace warpjit
