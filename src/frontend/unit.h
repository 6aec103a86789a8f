// What a kernel of a geometry program needs of the unit that it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpjit::frontend {

struct UnitUse {
  // A thread runs so many invocations before its own, too, to know what they leave. Its bindings of inputs
  // come once more for each: those of the invocation just before its own follow its own. An invocation
  // depends on no others.
  std::uint32_t history = 0;
  // The kernel is right only behind an invocation of the same unit (Shader::has_run).
  bool follows_a_run = false;
  // Every invocation leaves the unit's banks swapped (Shader::swap_banks).
  bool alternates = false;
  // Not 0: where in the uniform table the unit's rows are, as the first invocation that the kernel runs finds
  // them. The preamble runs after they are there.
  std::uint32_t table_offset = 0;
  // Words of the unit (4 * row + component, as the first invocation of a thread finds them) that some
  // invocations write and others leave, by when they do. The kernel stores a row for each thread in an output
  // of its own, the last one: bit n of its first word says that the thread writes the words of marks[n].
  std::vector<std::vector<std::uint16_t>> marks{};
  static constexpr std::size_t kMostMarks = 32;
  // Rows of the current bank; those of the other one follow.
  std::uint32_t bank_row = 0, bank_rows = 0;
  // The place of a word in the other bank; its own if it is in none.
  std::uint32_t other_place(std::uint32_t word) const {
    const std::uint32_t row = word / 4 - bank_row;
    if (word / 4 < bank_row || row >= 2 * bank_rows) return word;
    return row < bank_rows ? word + 4 * bank_rows : word - 4 * bank_rows;
  }
  bool operator==(const UnitUse&) const = default;
};

}  // namespace warpjit::frontend
