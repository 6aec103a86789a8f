// The two ends of a translation for a draw (frontend/draw.h): bytes of vertex arrays to input registers,
// output registers to the words of result vertices. docs/guests/pica200.md 11.
#pragma once

#include <array>

#include "frontend/draw.h"
#include "frontend/pica200/translate/translate.h"
#include "ir/builder.h"

namespace warpjit::pica200 {

using InputRegisters = std::array<std::array<ir::F32, 4>, 16>;
// Registers that no attribute feeds are 0.
InputRegisters fetch_inputs(ir::Builder& builder, const frontend::DrawFacts& draw, const TableLayout& table);

// o[n / 4] component n % 4, with its NaN made definite, is output(n).
template <class Output>
void store_results(ir::Builder& builder, const frontend::DrawFacts& draw, Output output) {
  const ir::F32 one = builder.constant(1.0f);
  std::uint32_t binding = 0;
  for (std::uint32_t k = 0; k < draw.results.size(); ++k) {
    if ((draw.stored >> k & 1) == 0) continue;
    std::array<ir::F32, 4> row;
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint8_t source = draw.results[k][c];
      row[c] = source == frontend::DrawFacts::kOne ? one : output(source);
      // A NaN is not less than 1, so it becomes 1.
      if (draw.clamped >> k & 1) row[c] = builder.FMinSelect32(builder.FAbs32(row[c]), one);
    }
    builder.StoreOutput(builder.constant(true), row[0], row[1], row[2], row[3], binding++);
  }
}

}  // namespace warpjit::pica200
