// Units that geometry programs run on one invocation after another, and what a kernel needs of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::frontend {

struct Values;

inline constexpr std::size_t kMaxUnitRows = 128;    // GeometryUnit::unit_rows() of any guest
inline constexpr std::uint32_t kMaxTriangles = 96;  // of one invocation: the flags fit three words

// Float uniforms that primitives can fill.
struct PrimitiveLimits {
  std::uint32_t uniform_rows = 0;
  std::uint32_t uniform_word = 0;  // index of the first one in Values::words
};

// Implemented by geometry programs whose unit keeps state from one invocation to the next. Thread-safe.
class GeometryUnit {
 public:
  virtual GeometryInput geometry_input() const = 0;  // as the container says
  virtual PrimitiveLimits primitive_limits() const = 0;
  // Rows of four words that the unit keeps. What they are before the first invocation: as the unit's owner
  // has them, or, if `unit` is empty, as the launch says. And after the last one, back to the owner.
  virtual std::size_t unit_rows() const = 0;
  virtual void fill_unit(const Values& values, std::span<const std::uint32_t> unit,
                         std::byte* rows) const = 0;
  virtual void keep_unit(const std::byte* rows, std::span<std::uint32_t> unit) const = 0;
  // True if an invocation has run on a unit with these rows.
  virtual bool has_run(const std::byte* rows) const = 0;
  // Makes the unit's other bank of outputs the current one.
  virtual void swap_banks(std::byte* rows) const = 0;

 protected:
  ~GeometryUnit() = default;
};

// What a kernel needs of the unit that it runs on.
struct UnitUse {
  // A thread runs `history` invocations before its own, too, to know what they leave. Its bindings of inputs
  // come once more for each: those of the invocation just before its own follow its own. An invocation
  // depends on no others.
  std::uint32_t history = 0;
  // The kernel is right only after an invocation of the same unit (GeometryUnit::has_run).
  bool follows_a_run = false;
  // Every invocation leaves the unit's banks swapped (GeometryUnit::swap_banks).
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
