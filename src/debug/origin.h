// The way of a value backwards through a trace.
#pragma once

#include "debug/trace.h"
#include "warpjit/debug.hpp"

namespace warpjit::debug {

// How values are followed: in a trace that has all steps before them, to at most `most` nodes. `special`: only NaNs and
// infinities.
struct OriginSearch {
  const Trace& trace;
  std::span<const frontend::RegisterBank> banks;
  const CodeFacts& code;
  bool special = false;
  std::size_t most = 0;
};

struct FoundOrigin {
  // Where the host had them; null: nowhere.
  struct Bytes {
    const std::byte* place = nullptr;
    unsigned count = 0;
    std::array<std::uint32_t, 4> value{};
  };
  DebugOrigin origin;
  std::vector<Bytes> bytes;  // by DebugOrigin::Node::bytes
};

// Where the value of a word in a lane before a step comes from.
FoundOrigin find_origin(const OriginSearch& search, unsigned word, unsigned lane, std::uint64_t step);
// What the lane's fragment gave to a target.
FoundOrigin find_origin_of_color(const OriginSearch& search, unsigned target, unsigned lane);
// What a step stored, of which the first four bytes that matter are `value`.
FoundOrigin find_origin_of_store(const OriginSearch& search, unsigned lane, std::uint64_t step,
                                 std::uint32_t value);

}  // namespace warpjit::debug
