// The tables of words that LookUp32 reads: they are known when the library is built, so code has them among
// its constants.
#pragma once

#include <cstdint>
#include <span>

#include "base/sfu_lanes.h"

namespace warpjit::ir {

// The tables of sfu::Table, and after them those of base/srgb.h: what a byte stands for,
// and the steps to encode.
inline constexpr std::uint64_t kSrgbDecodedTable = sfu::kTables, kSrgbStepsTable = kSrgbDecodedTable + 1;
// For levels of detail: 256 entries of 4 bits (look_up.cpp).
inline constexpr std::uint64_t kLogarithmTable = kSrgbStepsTable + 1;
// By face * 4 + edge (beyond low x, high x, low y, high y): the face that is beyond in bits 0-2,
// and how its x and y follow from the place along the edge, in bits 4-5 and 8-9: 0, the last, the
// place, or the last minus the place.
inline constexpr std::uint64_t kCubeEdgeTable = kLogarithmTable + 1;
// sin(n pi / 32) as f32.
inline constexpr std::uint64_t kSineTable = kCubeEdgeTable + 1;
// For tiles of 16 x 16 texels: bit n of a column at bit 2n, bit n of a row at bits 2n and 2n + 1.
inline constexpr std::uint64_t kTileColumnTable = kSineTable + 1, kTileRowTable = kTileColumnTable + 1;
inline constexpr std::uint64_t kLookUpTables = kTileRowTable + 1;

// The words that the immediate of a LookUp32 names: 2^n of them.
std::span<const std::uint32_t> look_up_table(std::uint64_t table);

// What LookUp32 gives: an index counts modulo the number of words.
inline std::uint32_t look_up(std::span<const std::uint32_t> words, std::uint32_t index) {
  return words[index & (words.size() - 1)];
}

// Those of the uniform table that LookUpUniform32 chooses from.
inline constexpr std::uint32_t kLookUpWords = 16;

}  // namespace warpjit::ir
