// The bindings of a draw, which a Pipeline (warpjit/pica200.hpp) puts in place of a launch's inputs and
// outputs. Kernels read rows of 16 bytes. Where a row is shorter, and for lanes after the last thread,
// RowPlan runs the group on a copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/draw.h"

namespace warpjit::runtime {

struct DrawBindings {
  // Spare vertices after the results; no group is wider.
  static constexpr std::uint64_t kSpareResults = 256;

  struct Rows {
    const std::byte* data = nullptr;  // row 0
    std::size_t stride = 0;
    std::uint32_t bytes = 16;  // that the attributes need of every row, from its start; 1 to 16
    bool operator==(const Rows&) const = default;
  };

  bool active = false;
  frontend::DrawFacts facts;
  std::array<Rows, frontend::DrawFacts::kMaxRows> rows;
  // If facts.numbered: each thread's row number, ascending; the last one again in kSpareResults more words.
  const std::uint32_t* numbers = nullptr;
  // Threads below this may read all 16 bytes of their rows. Those after the last one count: in a group that
  // is not full, they run where their rows are.
  std::uint64_t whole_rows = 0;
  // Row n of thread t: 16 bytes at results + t * result_stride + 16 * n.
  std::byte* results = nullptr;
  std::size_t result_stride = 0;
};

}  // namespace warpjit::runtime
