// Sums of products of bytes (docs/guests/usse.md 5.5).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

// One word, of an index register too.
void InstructionTranslator::write_bytes(const Register& reg, unsigned mask, const std::array<I32, 4>& bytes) {
  I32 value = word(0);
  std::uint32_t written = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    written |= 0xffU << 8 * k;
    value = b_.IOr32(value, b_.IShl32(b_.IAnd32(bytes[k], word(0xff)), word(8 * k)));
  }
  if (written == 0) return;
  if (reg.bank == Bank::idx && written != ~0U) {
    value = b_.IOr32(value, b_.IAnd32(read_word(reg, 0), word(~written)));
    written = ~0U;
  }
  write_word(reg, 0, value, written);
}

void InstructionTranslator::sum_of_products(const Instruction& i) {
  constexpr unsigned kAlpha = 3;
  const auto byte = [&](const Source& source, unsigned k) { return field(source, 8, k, false); };
  const auto complement = [&](I32 value) { return b_.ISub32(word(255), value); };
  const auto first = [&](unsigned k) {
    const I32 value = byte(i.s[1], k);
    return i.source_complement1 ? complement(value) : value;
  };
  const auto factor = [&](Factor factor, bool inverted, unsigned k) {
    I32 value = word(0);
    switch (factor) {
      case Factor::saturate:
        value = k == kAlpha ? word(255) : b_.IMinU32(first(kAlpha), complement(byte(i.s[2], kAlpha)));
        break;
      case Factor::s0:
        if (i.opcode == Opcode::sop3) value = byte(i.s[0], k);
        break;
      case Factor::s0a:
        if (i.opcode == Opcode::sop3) value = byte(i.s[0], kAlpha);
        break;
      case Factor::s1:
        value = first(k);
        break;
      case Factor::s1a:
        value = first(kAlpha);
        break;
      case Factor::s2:
        value = byte(i.s[2], k);
        break;
      case Factor::s2a:
        value = byte(i.s[2], kAlpha);
        break;
      default:
        break;
    }
    return inverted ? complement(value) : value;
  };
  const bool masked = i.opcode == Opcode::sop2m;
  const unsigned mask = masked ? i.d[0].mask : 15;
  std::array<I32, 4> bytes{};
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    const bool alpha = k == kAlpha;
    Factor factor1 = i.rgb_factor1, factor2 = i.rgb_factor2;
    bool complement1 = i.rgb_complement1, complement2 = i.rgb_complement2;
    if (alpha && !masked) {
      factor1 = i.alpha_factor1;
      complement1 = i.alpha_complement1;
      // With three sources both second factors are one.
      if (i.opcode == Opcode::sop2) {
        factor2 = i.alpha_factor2;
        complement2 = i.alpha_complement2;
      }
    }
    const I32 a = byte_product(factor(factor1, complement1, k), first(k));
    const I32 b = byte_product(factor(factor2, complement2, k), byte(i.s[2], k));
    I32 value;
    switch (alpha ? i.alpha_op : i.rgb_op) {
      case SumOperation::add:
        value = b_.IMinU32(b_.IAdd32(a, b), word(255));
        break;
      case SumOperation::sub:
        value = b_.IMaxS32(b_.ISub32(a, b), word(0));
        break;
      case SumOperation::min:
        value = b_.IMinU32(a, b);
        break;
      default:
        value = b_.IMaxU32(a, b);
        break;
    }
    bytes[k] = value;
  }
  write_bytes(i.d[0], mask, bytes);
}

void InstructionTranslator::mad8(const Instruction& i) {
  constexpr unsigned kAlpha = 3;
  const auto byte = [&](const Source& source, unsigned k) { return field(source, 8, k, false); };
  std::array<I32, 4> bytes{};
  for (unsigned k = 0; k < 4; ++k) {
    const bool alpha = k == kAlpha;
    const I32 a = byte(i.s[1], i.splat1 ? kAlpha : k), b = byte(i.s[2], i.splat2 ? kAlpha : k);
    // The addend: s0 or s1, of colours perhaps their alpha.
    const bool second = alpha ? i.alpha_add != 0 : (i.rgb_add & 1) != 0;
    I32 addend = byte(second ? i.s[1] : i.s[0], !alpha && i.rgb_add >= 2 ? kAlpha : k);
    if (i.s[0].negate) addend = b_.ISub32(word(0), addend);
    I32 sum = b_.IAdd32(b_.IMul32(a, b), addend);
    if (i.saturate) sum = limited(sum, 0, 255);
    bytes[k] = sum;
  }
  write_bytes(i.d[0], 15, bytes);
}

}  // namespace warpjit::usse
