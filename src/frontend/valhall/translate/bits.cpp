// Shifts with logic, and counts of bits (valhall.md 6.2).
#include <algorithm>

#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

enum class Shift { right, left, rotate_right, rotate_left };
enum class Logic { and_, or_, xor_ };

struct Form {
  Shift shift;
  Logic logic;
};
Form form_of(Opcode opcode) {
  using enum Opcode;
  struct Row {
    Opcode opcode[3];
    Shift shift;
  };
  constexpr Row kRows[] = {{{rshift_and, rshift_or, rshift_xor}, Shift::right},
                           {{lshift_and, lshift_or, lshift_xor}, Shift::left},
                           {{rrot_and, rrot_or, rrot_xor}, Shift::rotate_right},
                           {{lrot_and, lrot_or, lrot_xor}, Shift::rotate_left}};
  for (const Row& row : kRows)
    for (unsigned k = 0; k < 3; ++k)
      if (row.opcode[k] == opcode) return {row.shift, static_cast<Logic>(k)};
  return {};
}

// The byte of source 1 that counts element k: the lowest one that the lanes name; of four elements, each of
// two digits counts two, but b02 is every byte in order.
unsigned count_byte(Lanes lanes, const Elements& elements, unsigned k) {
  if (elements.count == 4 && lanes == Lanes::b02) return k;
  return static_cast<unsigned>(name(lanes)[1 + (elements.count == 4 ? k / 2 : k)] - '0');
}

}  // namespace

I32 InstructionTranslator::logic(const Instruction& i, I32 t, I32 c) {
  if (i.source[2].invert) c = b_.IXor32(c, word(~0U));
  const Logic form = form_of(i.opcode).logic;
  const I32 r = form == Logic::and_ ? b_.IAnd32(t, c) : form == Logic::or_ ? b_.IOr32(t, c) : b_.IXor32(t, c);
  return i.not_result ? b_.IXor32(r, word(~0U)) : r;
}

// `a` has the bits of an element alone; what is above those of the result does not matter.
I32 InstructionTranslator::shifted(const Instruction& i, const Elements& elements, I32 a, I32 n) {
  const auto back = [&] { return b_.IAnd32(b_.ISub32(word(elements.bits), n), word(elements.bits - 1)); };
  switch (form_of(i.opcode).shift) {
    case Shift::left:
      return b_.IShl32(a, n);
    case Shift::right:
      if (!i.arithmetic) return b_.IShrU32(a, n);
      return b_.IShrS32(bits_of(a, 0, elements.bits, true), n);
    case Shift::rotate_right:
      return b_.IOr32(b_.IShrU32(a, n), b_.IShl32(a, back()));
    case Shift::rotate_left:
      break;
  }
  return b_.IOr32(b_.IShl32(a, n), b_.IShrU32(a, back()));
}

I32 InstructionTranslator::shift(const Instruction& i, unsigned k) {
  const Elements elements = elements_of(i.type);
  const unsigned byte = count_byte(i.source[1].lanes, elements, k);
  const I32 count = b_.IShrU32(source_word(i.source[1]), word(8 * byte));
  const I32 n = b_.IAnd32(count, word(elements.bits - 1));
  const I32 t = shifted(i, elements, element(i, 0, k), n);
  return logic(i, t, bits_of(source_word(i.source[2]), k * elements.bits, elements.bits, false));
}

// A count of 32 or more gives 0, also one below 0.
InstructionTranslator::Pair InstructionTranslator::wide_shift(const Instruction& i) {
  const Pair a = wide_element(i, 0);
  const Source& counts = i.source[1];
  const I32 whole = counts.wide ? source_pair(counts).low : source_word(counts);
  const I32 count = b_.IShrU32(whole, word(8 * count_byte(counts.lanes, elements_of(i.type), 0)));
  const I32 n = b_.IAnd32(count, word(63));
  const auto left = [&](I32 by) {
    const I32 from_low = b_.IShrU32(a.low, b_.ISub32(word(32), by));
    const I32 across = b_.IShl32(a.low, b_.ISub32(by, word(32)));
    return Pair{b_.IShl32(a.low, by), b_.IOr32(b_.IOr32(b_.IShl32(a.high, by), from_low), across)};
  };
  const auto right = [&](I32 by) {
    const I32 from_high = b_.IShl32(a.high, b_.ISub32(word(32), by));
    const I32 across = b_.IShrU32(a.high, b_.ISub32(by, word(32)));
    return Pair{b_.IOr32(b_.IOr32(b_.IShrU32(a.low, by), from_high), across), b_.IShrU32(a.high, by)};
  };
  const auto both = [&](Pair x, Pair y) { return Pair{b_.IOr32(x.low, y.low), b_.IOr32(x.high, y.high)}; };
  const auto back = [&] { return b_.IAnd32(b_.ISub32(word(64), n), word(63)); };
  Pair t;
  switch (form_of(i.opcode).shift) {
    case Shift::left:
      t = left(n);
      break;
    case Shift::right:
      t = right(n);
      if (i.arithmetic) {
        // The sign comes in from above.
        const I32 sign = b_.IShrS32(a.high, word(31));
        const I1 far = b_.ILeU32(word(32), n);
        t.low = b_.select(far, b_.IShrS32(a.high, b_.ISub32(n, word(32))), t.low);
        t.high = b_.select(far, sign, b_.IShrS32(a.high, n));
      }
      break;
    case Shift::rotate_right: {
      const Pair down = right(n);
      t = both(down, left(back()));
      break;
    }
    case Shift::rotate_left: {
      const Pair up = left(n);
      t = both(up, right(back()));
      break;
    }
  }
  const Pair c = i.source[2].wide ? source_pair(i.source[2]) : Pair{source_word(i.source[2]), word(0)};
  const I32 low = logic(i, t.low, c.low);
  return {low, logic(i, t.high, c.high)};
}

// The exponent of the highest bit as a float; without the bits beside it rounding does not carry.
I32 InstructionTranslator::leading_zeros(const Instruction& i, unsigned k) {
  const unsigned bits = elements_of(i.type).bits;
  const I32 x = element(i, 0, k);
  const I32 highest = b_.IAnd32(x, b_.IXor32(b_.IShrU32(x, word(1)), word(~0U)));
  const I32 exponent = b_.IShrU32(b_.BitcastF32ToI32(b_.U32ToF32(highest)), word(23));
  const I32 count = b_.ISub32(word(126 + bits), exponent);
  return b_.select(is_zero(x), word(i.mask_zero ? ~0U : bits), count);
}

I32 InstructionTranslator::population(I32 x) {
  const I32 pairs = b_.ISub32(x, b_.IAnd32(b_.IShrU32(x, word(1)), word(0x55555555)));
  const I32 even = b_.IAnd32(pairs, word(0x33333333));
  const I32 fours = b_.IAdd32(even, b_.IAnd32(b_.IShrU32(pairs, word(2)), word(0x33333333)));
  const I32 bytes = b_.IAnd32(b_.IAdd32(fours, b_.IShrU32(fours, word(4))), word(0x0f0f0f0f));
  return b_.IShrU32(b_.IMul32(bytes, word(0x01010101)), word(24));
}

I32 InstructionTranslator::reversed(I32 x) {
  struct Step {
    std::uint32_t shift, mask;
  };
  for (const auto& [shift, mask] :
       {Step{1, 0x55555555}, Step{2, 0x33333333}, Step{4, 0x0f0f0f0f}, Step{8, 0x00ff00ff}}) {
    const I32 up = b_.IShl32(b_.IAnd32(x, word(mask)), word(shift));
    x = b_.IOr32(up, b_.IAnd32(b_.IShrU32(x, word(shift)), word(mask)));
  }
  return b_.IOr32(b_.IShl32(x, word(16)), b_.IShrU32(x, word(16)));
}

}  // namespace warpjit::valhall
