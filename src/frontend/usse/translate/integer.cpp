// Bits and integers of 16 and 32 bits (docs/guests/usse.md 5.5).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

void InstructionTranslator::bitwise(const Instruction& i) {
  const unsigned bits = i.half ? 16 : 32;
  const I32 a = element(i.s[1], bits, 0, i.opcode == Opcode::asr);
  I32 b = i.s[2].bank == Bank::immediate ? word(i.s[2].number & low_mask<std::uint32_t>(bits))
                                         : element(i.s[2], bits, 0, false);
  const auto rotated = [&](I32 value, I32 left) {
    const I32 right = b_.ISub32(word(bits), left);
    return b_.IOr32(b_.IShl32(value, left), b_.IShrU32(value, right));
  };
  const auto narrow = [&](I32 value) {
    return bits == 32 ? value : b_.IAnd32(value, word(low_mask<std::uint32_t>(bits)));
  };
  if (const auto rotation = static_cast<std::uint32_t>(i.value(Immediate::rot)) % bits; rotation != 0)
    b = narrow(rotated(b, word(rotation)));
  if (i.invert) b = narrow(b_.IXor32(b, word(~0U)));
  const I32 count = b_.IAnd32(b, word(bits - 1));
  I32 value;
  switch (i.opcode) {
    case Opcode::and_:
      value = b_.IAnd32(a, b);
      break;
    case Opcode::or_:
      value = b_.IOr32(a, b);
      break;
    case Opcode::xor_:
      value = b_.IXor32(a, b);
      break;
    case Opcode::shl:
      value = b_.IShl32(a, count);
      break;
    case Opcode::rol:
      value = rotated(a, count);
      break;
    case Opcode::shr:
      value = b_.IShrU32(a, count);
      break;
    default:
      value = b_.IShrS32(a, count);
      break;
  }
  write_element(i.d[0], bits, 0, value);
}

void InstructionTranslator::mad16(const Instruction& i) {
  constexpr std::uint8_t kByte = 1, kSignedByte = 2;
  const bool is_signed = i.mode16 >= 2, saturates = (i.mode16 & 1) != 0;
  const auto operand = [&](const Source& source, std::uint8_t format, bool high) {
    if (format == 0) return field(source, 16, 0, is_signed);
    return field(source, 8, high ? 1 : 0, format == kSignedByte || (is_signed && format == kByte));
  };
  const I32 a = field(i.s[0], 16, 0, is_signed);
  const I32 b = operand(i.s[1], i.format1, i.high1);
  I32 c = operand(i.s[2], i.format2, i.high2);
  if (i.s[2].negate) c = b_.ISub32(word(0), c);
  const I32 product = b_.IMul32(a, b);
  I32 sum = b_.IAdd32(product, c);
  // A byte may be signed in unsigned sums, too; its product has less than 31 bits.
  const bool fits = is_signed || i.format1 != 0;
  if (saturates && fits) sum = is_signed ? limited(sum, -0x8000, 0x7fff) : limited(sum, 0, 0xffff);
  if (saturates && !fits) {
    // The product has up to 32 bits, the addend is small.
    const I1 below = b_.And1(b_.ILtS32(c, word(0)), b_.ILtU32(product, b_.ISub32(word(0), c)));
    const I1 beyond = b_.And1(b_.Not1(b_.ILtS32(c, word(0))), b_.ILtU32(sum, product));
    I32 limit = b_.IMinU32(sum, word(0xffff));
    limit = b_.select(beyond, word(0xffff), limit);
    sum = b_.select(below, word(0), limit);
  }
  write_element(i.d[0], 16, 0, sum);
}

// Halves and a half or a word.
void InstructionTranslator::mad32(const Instruction& i) {
  constexpr std::uint8_t kWord = 2;
  const I32 a = field(i.s[0], 16, i.high0 ? 1 : 0, i.is_signed),
            b = field(i.s[1], 16, i.high1 ? 1 : 0, i.is_signed);
  const I32 c = i.width2 == kWord ? read_word(i.s[2], 0) : field(i.s[2], 16, i.high2 ? 1 : 0, i.is_signed);
  const I32 product = b_.IMul32(a, b);
  I32 sum = b_.IAdd32(product, c);
  if (i.saturate && i.is_signed) {
    // The sign bit: two numbers of one sign have a sum of the other.
    const I32 wrong = b_.IAnd32(b_.IXor32(product, sum), b_.IXor32(c, sum));
    const I32 limit = b_.IXor32(b_.IShrS32(product, word(31)), word(0x7fffffff));
    sum = b_.select(b_.ILtS32(wrong, word(0)), limit, sum);
  } else if (i.saturate) {
    sum = b_.select(b_.ILtU32(sum, product), word(~0U), sum);
  }
  write_word(i.d[0], 0, sum);
}

void InstructionTranslator::mad32_step(const Instruction& i) {
  if (i.step == 1) return write_word(i.d[0], 0, read_word(i.s[2], 0));
  const auto operand = [&](const Source& source) {
    const I32 value = read_word(source, 0);
    return source.negate ? b_.ISub32(word(0), value) : value;
  };
  const I32 a = operand(i.s[0]), b = operand(i.s[1]);
  write_word(i.d[0], 0, b_.IAdd32(b_.IMul32(a, b), operand(i.s[2])));
}

}  // namespace warpjit::usse
