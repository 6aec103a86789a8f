// How the vertices of a draw are fetched and how their results are laid out: the facts of a launch that make
// fetch, conversion and output stores part of the translated code.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "warpjit/warpjit.hpp"

namespace warpjit::frontend {

// One input register: `format` components at byte `offset` of row binding `row`, whose rows are 16 bytes.
// Converted without normalisation; missing components are 0, 0, 0, 1. Types: s8, u8, s16, f32.
struct FetchedInput {
  std::uint8_t reg = 0;
  std::uint8_t row = 0;
  std::uint8_t offset = 0;
  Format format;
  bool operator==(const FetchedInput&) const = default;
};

struct DrawFacts {
  static constexpr std::uint32_t kMaxInputs = 16, kMaxRows = 12, kMaxResultRows = 16;
  // A word of a result row: component n % 4 of output register n / 4, or 1.0.
  static constexpr std::uint8_t kOne = 0xff;
  using ResultRow = std::array<std::uint8_t, 4>;

  // Row bindings are read at the row number that binding `row_count` gives for the thread.
  bool numbered = false;
  std::uint8_t row_count = 0;
  std::uint16_t input_count = 0;
  std::uint16_t stored = 0;        // bit n: result row n is stored; it is output popcount(lower bits)
  std::uint16_t clamped = 0;       // bit n: words c of result row n are min(|c|, 1)
  std::uint16_t fixed_inputs = 0;  // bit n: input register n is in the uniform table
  std::array<FetchedInput, kMaxInputs> inputs{};
  std::array<ResultRow, kMaxResultRows> results{};

  std::uint32_t input_bindings() const { return row_count + (numbered ? 1u : 0u); }
  std::uint32_t output_bindings() const { return static_cast<std::uint32_t>(std::popcount(stored)); }
  bool operator==(const DrawFacts&) const = default;
};

}  // namespace warpjit::frontend
