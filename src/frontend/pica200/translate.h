// From PICA200 code to the thread form of the IR, and the layout of the uniform table that the translation
// reads. The runtime fills the table; the translator and the runtime agree through TableLayout alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/draw.h"
#include "frontend/pica200/program.h"
#include "ir/function.h"

namespace warpjit::pica200 {

// Byte offsets of what a launch sets, in the table that LoadUniform* reads.
struct TableLayout {
  // The program uses relative addressing, so c-registers are stored by effective index: row n + 128 holds
  // what index n reads, for n in [-128, 222]: c[n & 0x7F], or (1,1,1,1) where that is above 95 (section 5).
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
  // The state at the start of every thread, as far as Facts say that the launch gives it.
  constexpr std::uint32_t r(unsigned index) const { return bools() + 16 + 16 * index; }
  constexpr std::uint32_t a0(unsigned component) const { return r(16) + 4 * component; }
  constexpr std::uint32_t aL() const { return a0(2); }
  constexpr std::uint32_t cmp(unsigned component) const { return aL() + 4 + 4 * component; }  // 0 or 1
  // Input registers that are the same for all threads of a draw.
  constexpr std::uint32_t v(unsigned index) const { return cmp(2) + 12 + 16 * index; }
  // Size of all this; a multiple of 64. Words beyond it are the preamble's.
  constexpr std::uint32_t bytes() const { return (v(16) + 63) & ~63u; }
};

// What can be read at the end of a thread. Each is one output row of four words: o and r as they are, a0 as
// (x, y, 0, 0), aL as (aL, 0, 0, 0), cmp as (x, y, 0, 0) with 0 or 1; the last three are integers.
enum class ExitFile : std::uint8_t { o, r, a0, aL, cmp };
struct ExitRegister {
  ExitFile file = ExitFile::o;
  std::uint8_t index = 0;  // of o and r
  bool operator==(const ExitRegister&) const = default;
};

// What is fixed for one translation. Everything here is part of the code cache's key.
struct Facts {
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
  frontend::DrawFacts draw;  // if active, instead of bound_inputs and outputs
};

// Translates what `entry` can reach. Guest addresses in the IR are word addresses. Errors: bad_input for
// undefined code that is reached, unsupported for geometry instructions, resource_limit for programs whose
// control flow unfolds beyond the discovery bound where no dispatcher form exists.
Result<ir::Function> translate(const Program& program, std::uint32_t entry, const Facts& facts);

}  // namespace warpjit::pica200
