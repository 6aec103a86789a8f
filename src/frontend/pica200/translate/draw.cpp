#include "frontend/pica200/translate/draw.h"

namespace warpjit::pica200 {
namespace {

using ir::Builder;
using ir::F32;
using ir::I32;

// The row's `size` bytes from byte `at` on, size 1, 2 or 4, extended to 32 bits.
I32 extract(Builder& b, const std::array<F32, 4>& row, unsigned at, unsigned size, bool is_signed) {
  const unsigned shift = 8 * (at % 4), bits = 8 * size;
  I32 word = b.BitcastF32ToI32(row[at / 4]);
  unsigned first = shift;  // of the bits in `word`
  if (shift + bits > 32) {
    const I32 next = b.BitcastF32ToI32(row[at / 4 + 1]);
    word = b.IOr32(b.IShrU32(word, b.constant(shift)), b.IShl32(next, b.constant(32 - shift)));
    first = 0;
  }
  if (bits == 32) return word;
  if (is_signed) return b.IShrS32(b.IShl32(word, b.constant(32 - first - bits)), b.constant(32 - bits));
  return b.IAnd32(b.IShrU32(word, b.constant(first)), b.constant((1u << bits) - 1));
}

// Component c of what begins at byte `at`.
F32 component(Builder& b, const std::array<F32, 4>& row, ComponentType type, unsigned at, unsigned c) {
  switch (type) {
    case ComponentType::s8:
      return b.I32ToF32(extract(b, row, at + c, 1, true));
    case ComponentType::u8:
      return b.I32ToF32(extract(b, row, at + c, 1, false));
    case ComponentType::s16:
      return b.I32ToF32(extract(b, row, at + 2 * c, 2, true));
    default:
      return at % 4 == 0 ? row[at / 4 + c] : b.BitcastI32ToF32(extract(b, row, at + 4 * c, 4, false));
  }
}

}  // namespace

InputRegisters fetch_inputs(Builder& builder, const frontend::DrawFacts& draw, const TableLayout& table) {
  InputRegisters registers;
  const F32 zero = builder.constant(0.0f), one = builder.constant(1.0f);
  for (unsigned n = 0; n < registers.size(); ++n) {
    registers[n] = {zero, zero, zero, zero};
    if ((draw.fixed_inputs >> n & 1) == 0) continue;
    for (unsigned c = 0; c < 4; ++c) registers[n][c] = builder.LoadUniformF32(table.v(n) + 4 * c);
  }
  std::array<std::array<F32, 4>, frontend::DrawFacts::kMaxRows> rows;
  const std::uint64_t numbers = draw.numbered ? std::uint64_t{draw.row_count} + 1 : 0;
  for (std::uint64_t r = 0; r < draw.row_count; ++r) rows[r] = builder.LoadInput(r | numbers << 32);
  for (unsigned k = 0; k < draw.input_count; ++k) {
    const frontend::FetchedInput& input = draw.inputs[k];
    std::array<F32, 4>& reg = registers[input.reg];
    reg = {zero, zero, zero, one};
    for (unsigned c = 0; c < input.format.components; ++c)
      reg[c] = component(builder, rows[input.row], input.format.type, input.offset, c);
  }
  return registers;
}

}  // namespace warpjit::pica200
