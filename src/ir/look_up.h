// The tables of words that LookUp32 reads: known when the library is built, so code has them among its
// constants.
#pragma once

#include <cstdint>
#include <span>

#include "base/sfu_lanes.h"

namespace warpjit::ir {

using LookUpTable = sfu::Table;
inline constexpr std::uint64_t kLookUpTables = sfu::kTables;

// Of the immediate of a LookUp32: 2^n words.
inline std::span<const std::uint32_t> look_up_table(std::uint64_t table) {
  return sfu::words_of(static_cast<LookUpTable>(table));
}

// What LookUp32 gives: an index counts modulo the number of words.
inline std::uint32_t look_up(std::span<const std::uint32_t> words, std::uint32_t index) {
  return words[index & (words.size() - 1)];
}

}  // namespace warpjit::ir
