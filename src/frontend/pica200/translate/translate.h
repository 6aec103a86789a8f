// From PICA200 code to the thread form of the IR, and the layout of the uniform table that the translation
// reads. The runtime fills the table; the translator and the runtime agree through TableLayout alone.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "frontend/draw.h"
#include "frontend/pica200/container/program.h"
#include "frontend/unit.h"
#include "ir/function.h"

namespace warpjit::pica200 {

// Byte offsets of what a launch sets, in the table that LoadUniform* reads.
struct TableLayout {
  // The program uses relative addressing, so c-registers are stored by effective index: row n + 128
  // holds what index n reads, for n in [-128, 222]: c[n & 0x7F], or (1,1,1,1) where that is above
  // 95 (pica200.md 5).
  bool relative = false;

  static constexpr std::uint32_t kPlainRows = 96, kRelativeRows = 351, kRelativeOrigin = 128;
  // c[base + off] is row `off + kRelativeOrigin` of the kRelativeReach rows from relative_base(base) on, for
  // off in [-128, 127].
  static constexpr std::uint32_t kRelativeReach = 256;

  constexpr std::uint32_t rows() const { return relative ? kRelativeRows : kPlainRows; }
  constexpr std::uint32_t c(unsigned index) const { return 16 * (index + (relative ? kRelativeOrigin : 0)); }
  static constexpr std::uint32_t relative_base(unsigned base) { return 16 * base; }
  // i[index]: four words x y z w, each a zero-extended byte.
  constexpr std::uint32_t i(unsigned index) const { return 16 * rows() + 16 * index; }
  // One word, bit n = b[n].
  constexpr std::uint32_t bools() const { return i(4); }
  // The state at the start of every thread, as far as TranslationFacts say that the launch gives it.
  constexpr std::uint32_t r(unsigned index) const { return bools() + 16 + 16 * index; }
  constexpr std::uint32_t a0(unsigned component) const { return r(16) + 4 * component; }
  constexpr std::uint32_t aL() const { return a0(2); }
  constexpr std::uint32_t cmp(unsigned component) const { return aL() + 4 + 4 * component; }  // 0 or 1
  // Input registers that are the same for all threads of a draw.
  constexpr std::uint32_t v(unsigned index) const { return cmp(2) + 12 + 16 * index; }
  // Size of what a launch sets; a multiple of 64.
  constexpr std::uint32_t launch_bytes() const { return (v(16) + 63) & ~63u; }
  // Rows of the geometry unit (UnitRows), for kernels that read them here.
  bool has_unit = false;
  constexpr std::uint32_t unit(unsigned row) const { return launch_bytes() + 16 * row; }
  // Size of all this; a multiple of 64. Words beyond it are the preamble's.
  constexpr std::uint32_t bytes() const;
};

// What can be read at the end of a thread. Each is one output row of four words: o and r as they are, a0 as
// (x, y, 0, 0), aL as (aL, 0, 0, 0), cmp as (x, y, 0, 0) with 0 or 1, emit (geometry programs: what SETEMIT
// latched) as (vertex, primitive, winding, 0); the last four are integers.
enum class ExitFile : std::uint8_t { o, r, a0, aL, cmp, emit };
struct ExitRegister {
  ExitFile file = ExitFile::o;
  std::uint8_t index = 0;  // of o and r
  bool operator==(const ExitRegister&) const = default;
};

// What a geometry unit keeps between invocations, as rows of four words (pica200.md 10): r0-r15; a0.x, a0.y,
// aL, and the flags as bits cmp.x, cmp.y; SETEMIT's vertex, and as bits primitive, winding, b15; the output
// bank o0-o15 that is current; the other bank; registers o0-o15 of the buffer's vertices 0, 1, 2.
struct UnitRows {
  static constexpr std::uint32_t kR = 0, kAddress = 16, kLatch = 17, kBank = 18, kOther = 34, kBuffer = 50,
                                 kCount = 98;
};

constexpr std::uint32_t TableLayout::bytes() const {
  return has_unit ? (unit(UnitRows::kCount) + 63) & ~63u : launch_bytes();
}

// Geometry programs only. An invocation is a thread; its bindings are, besides those of any program,
//   inputs:  then, if row_count is not 0, the rows of c registers; then all these once more for each earlier
//            invocation that the thread runs, too (frontend::UnitUse); then, if it is ordered, the unit's
//            rows;
//   outputs: then a row (triangles emitted, their winding flags as three words of bits), then the triangles
//            (per triangle 3 vertices, per vertex a row for each enabled register, ascending), then, if it is
//            ordered, the unit's rows.
struct GeometryFacts {
  std::uint16_t enabled = 0;       // the output mask: bit n = o[n]
  std::uint8_t max_triangles = 1;  // of one invocation, 1 to 96; of more, only the count is right
  // c registers that each invocation has values of its own for.
  std::uint8_t first_row = 0, row_count = 0;
  bool keeps_unit = false;  // what an invocation leaves in the unit is wanted, even if none reads it
  constexpr std::uint32_t vertex_rows() const { return static_cast<std::uint32_t>(std::popcount(enabled)); }
  constexpr std::uint32_t triangle_rows() const { return 3 * vertex_rows() * max_triangles; }
};

// What is fixed for one translation. Everything here is part of the code cache's key.
struct TranslationFacts {
  TableLayout layout;
  // Bit n: v[n] is read from memory. It is input binding popcount(bound_inputs below bit n). Others are 0.
  std::uint16_t bound_inputs = 0;
  // Bit n of bools_known: b[n] has the value of bit n of `bools`. Others are read from the table.
  std::uint16_t bools_known = 0, bools = 0;
  // State at the start of a thread that the table gives; what it does not give is 0. Bit n: r[n].
  std::uint16_t state_r = 0;
  bool state_a0 = false, state_aL = false, state_cmp = false;
  // Output binding k stores outputs[k] at END. No register appears twice.
  std::vector<ExitRegister> outputs;
  GeometryFacts geometry;
  std::optional<frontend::DrawFacts> draw;  // if any, instead of bound_inputs and outputs
};

// Translates what `entry` can reach. Guest addresses in the IR are word addresses. Errors: bad_input for
// undefined code and geometry instructions of vertex programs that are reached, unsupported for programs
// with structural_scopes whose control flow unfolds beyond the discovery bound.
Result<ir::Function> translate(const Program& program, std::uint32_t entry, const TranslationFacts& facts);

// The same for a geometry program. State at the start is not that of `facts`.
struct GeometryTranslation {
  ir::Function function;
  // True if an invocation may need what any earlier one left: they run one after another on the same rows of
  // the unit; each reads some at its start and stores those that it changes at its end. False if the IR
  // shows that none does.
  bool ordered = false;
  frontend::UnitUse unit;
};
Result<GeometryTranslation> translate_geometry(const Program& program, std::uint32_t entry,
                                               const TranslationFacts& facts);

}  // namespace warpjit::pica200
