// The tables of words that LookUp32 reads: known when the library is built, so code has them among its
// constants.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/sfu_lanes.h"
#include "base/srgb.h"

namespace warpjit::ir {

// The tables of sfu::Table, and behind them those of base/srgb.h: what a byte stands for; the steps to
// encode.
using LookUpTable = sfu::Table;
inline constexpr std::uint64_t kSrgbDecodedTable = sfu::kTables, kSrgbStepsTable = kSrgbDecodedTable + 1,
                               kLookUpTables = kSrgbStepsTable + 1;

// Of the immediate of a LookUp32: 2^n words.
inline std::span<const std::uint32_t> look_up_table(std::uint64_t table) {
  if (table == kSrgbDecodedTable) return kSrgbDecoded;
  if (table != kSrgbStepsTable) return sfu::words_of(static_cast<LookUpTable>(table));
  static const auto kSteps = [] {
    std::array<std::uint32_t, std::bit_ceil(kSrgbSteps)> steps{};
    std::ranges::copy(srgb_steps(), steps.begin());
    return steps;
  }();
  return kSteps;
}

// What LookUp32 gives: an index counts modulo the number of words.
inline std::uint32_t look_up(std::span<const std::uint32_t> words, std::uint32_t index) {
  return words[index & (words.size() - 1)];
}

}  // namespace warpjit::ir
