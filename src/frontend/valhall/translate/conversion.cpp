// Conversions (valhall.md 6.4).
#include "frontend/valhall/translate/instruction.h"
#include "ir/callout.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

// Saturates; a NaN is 0.
I32 InstructionTranslator::to_integer(F32 x, Round round, unsigned bits, bool is_signed) {
  const F32 whole = round == Round::to_zero ? x : rounded(x, round);
  if (bits == 32) return is_signed ? b_.F32ToI32Sat(whole) : b_.F32ToU32Sat(whole);
  const auto ones = static_cast<std::int32_t>(low_mask<std::uint32_t>(bits));
  const std::int32_t most = is_signed ? ones >> 1 : ones;
  const I32 at_most = b_.IMinS32(b_.F32ToI32Sat(whole), b_.constant(most));
  return b_.IMaxS32(at_most, b_.constant(is_signed ? -most - 1 : 0));
}

// Bits, not values: a NaN keeps its payload and becomes quiet.
I32 InstructionTranslator::widened_half(I32 half, bool flush) {
  F32 value = half_value(half);
  if (flush) value = flushed_half(value);
  const I32 payload = b_.IShl32(b_.IAnd32(half, word(0x03ff)), word(13));
  const I32 sign = b_.IShl32(b_.IAnd32(half, word(0x8000)), word(16));
  const I1 nan = b_.ILtU32(word(kHalf.infinity()), b_.IAnd32(half, word(0x7fff)));
  return b_.select(nan, b_.IOr32(b_.IOr32(sign, payload), word(kSingle.nan())), b_.BitcastF32ToI32(value));
}

I32 InstructionTranslator::half_to_single(const Instruction& i) {
  const Source& source = i.source[0];
  I32 bits = widened_half(element(source, {16, 1}, 0), program_.mode.flush_half);
  if (source.absolute) bits = b_.IAnd32(bits, word(0x7fffffff));
  return source.negate ? b_.IXor32(bits, word(0x80000000)) : bits;
}

Status InstructionTranslator::conversion(const Instruction& i) {
  const auto integer = [&](unsigned bits, bool is_signed) {
    return element(i.source[0], {bits, 1, is_signed}, 0);
  };
  const auto halves = [&](bool is_signed, const auto& value) {
    set_word(i, pack({16, 2, is_signed}, [&](unsigned k) {
               return value(element(i.source[0], {16, 2, is_signed}, k));
             }));
  };
  // Exact, so that no rounding matters.
  const auto small_to_single = [&](unsigned bits, bool is_signed) {
    set_single(i, finish_single(i, b_.I32ToF32(integer(bits, is_signed))));
  };
  const auto to_half = [&](I32 x) { return finish_half(i, b_.I32ToF32(x), i.round); };
  const auto word_to_single = [&](bool is_signed) {
    const I32 x = integer(32, is_signed);
    if (i.round == Round::nearest_even) {
      set_single(i, finish_single(i, is_signed ? b_.I32ToF32(x) : b_.U32ToF32(x)));
      return;
    }
    using ir::RoundingMode;
    static constexpr RoundingMode kModes[] = {RoundingMode::nearest, RoundingMode::up, RoundingMode::down,
                                              RoundingMode::zero};
    const auto mode = static_cast<std::uint64_t>(kModes[static_cast<unsigned>(i.round)]);
    set_single(i, finish_single(i, b_.IntToF32(x, mode | (is_signed ? ir::kSignedInteger : 0))));
  };
  const auto to_halves = [&](bool is_signed) {
    set_word(i, pack({16, 2, is_signed}, [&](unsigned k) {
               return to_integer(half_source(i.source[0], k, false), i.round, 16, is_signed);
             }));
  };
  switch (i.opcode) {
    case Opcode::s8_to_s32:
      set_word(i, integer(8, true));
      break;
    case Opcode::s16_to_s32:
      set_word(i, integer(16, true));
      break;
    case Opcode::u8_to_u32:
      set_word(i, integer(8, false));
      break;
    case Opcode::u16_to_u32:
      set_word(i, integer(16, false));
      break;
    case Opcode::v2s8_to_v2s16:
      halves(true, [](I32 x) { return x; });
      break;
    case Opcode::v2u8_to_v2u16:
      halves(false, [](I32 x) { return x; });
      break;
    case Opcode::s8_to_f32:
      small_to_single(8, true);
      break;
    case Opcode::s16_to_f32:
      small_to_single(16, true);
      break;
    case Opcode::u8_to_f32:
      small_to_single(8, false);
      break;
    case Opcode::u16_to_f32:
      small_to_single(16, false);
      break;
    case Opcode::s32_to_f32:
      word_to_single(true);
      break;
    case Opcode::u32_to_f32:
      word_to_single(false);
      break;
    case Opcode::v2s8_to_v2f16:
    case Opcode::v2s16_to_v2f16:
      halves(true, to_half);
      break;
    case Opcode::v2u8_to_v2f16:
    case Opcode::v2u16_to_v2f16:
      halves(false, to_half);
      break;
    case Opcode::f32_to_s32:
      set_word(i, to_integer(single_source(i.source[0], false), i.round, 32, true));
      break;
    case Opcode::f32_to_u32:
      set_word(i, to_integer(single_source(i.source[0], false), i.round, 32, false));
      break;
    case Opcode::f16_to_s32:
      set_word(i, to_integer(half_source(i.source[0], 0, false), i.round, 32, true));
      break;
    case Opcode::f16_to_u32:
      set_word(i, to_integer(half_source(i.source[0], 0, false), i.round, 32, false));
      break;
    case Opcode::v2f16_to_v2s16:
      to_halves(true);
      break;
    case Opcode::v2f16_to_v2u16:
      to_halves(false);
      break;
    case Opcode::f16_to_f32:
      set_single(i, half_to_single(i));
      break;
    default:  // v2f32_to_v2f16
      set_word(
          i, pack({16, 2}, [&](unsigned k) { return finish_half(i, single_source(i.source[k]), i.round); }));
      break;
  }
  return {};
}

}  // namespace warpjit::valhall
