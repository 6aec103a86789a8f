// Conversions up to 32 bits (tesla.md 6).
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

bool is_wide(const Instruction& i) { return size_of(i.type) == 8 || size_of(i.source_type) == 8; }

unsigned bits_of(Type type) { return 8 * size_of(type); }

}  // namespace

void InstructionTranslator::convert(const Instruction& i) {
  if (is_wide(i)) return convert_wide(i);
  switch (i.opcode) {
    case Opcode::cvt_i2i:
      return convert_integers(i);
    case Opcode::cvt_i2f:
      return convert_from_integer(i);
    case Opcode::cvt_f2i:
      return convert_to_integer(i);
    default:
      return convert_floats(i);
  }
}

InstructionTranslator::Magnitude InstructionTranslator::integer_source(const Instruction& i) {
  const I32 x = extended(i.source_type, source(i, 0));
  const bool negated = i.negate[0] != 0;
  if (!is_signed(i.source_type)) return {x, false, negated};
  if (i.absolute[0] == 0) return {x, true, negated};
  return {b_.select(is_negative(x), b_.ISub32(word(0), x), x), false, negated};
}

void InstructionTranslator::convert_integers(const Instruction& i) {
  const I32 value = clamped(i.type, integer_source(i));
  if (i.flags >= 0) set_flags(i, sign_flags(value, i.dst.type == Type::b16));
  set_destination(i, value);
}

I32 InstructionTranslator::clamped(Type type, Magnitude m) {
  const unsigned bits = bits_of(type);
  const std::uint32_t all = 0xffffffffU >> (32 - bits), most = all >> 1, least = ~most;
  if (!is_signed(type)) {
    if (m.is_signed) {
      const I32 value =
          m.negated ? b_.ISub32(word(0), b_.IMinS32(m.value, word(0))) : b_.IMaxS32(m.value, word(0));
      return b_.IMinU32(value, word(all));
    }
    return m.negated ? word(0) : b_.IMinU32(m.value, word(all));
  }
  if (!m.is_signed) {
    if (!m.negated) return b_.IMinU32(m.value, word(most));
    return b_.ISub32(word(0), b_.IMinU32(m.value, word(most + 1)));
  }
  // -(-2^31) is more than there is.
  const I32 value = m.negated ? b_.ISub32(word(0), b_.IMaxS32(m.value, word(0x80000001))) : m.value;
  return b_.IMaxS32(b_.IMinS32(value, word(most)), word(least));
}

// -0 is what the negative of 0 becomes.
void InstructionTranslator::convert_from_integer(const Instruction& i) {
  const Magnitude m = integer_source(i);
  const Rounding rounding = mirrored(static_cast<Rounding>(i.rounding), m.negated);
  const std::uint64_t mode = static_cast<std::uint64_t>(rounding) | (m.is_signed ? ir::kSignedInteger : 0);
  if (i.type == Type::f16) {
    const I32 half = b_.IntToF16(m.value, mode);
    return set_half(i, m.negated ? b_.IXor32(half, word(0x8000)) : half);
  }
  const F32 value = rounding != Rounding::nearest ? b_.IntToF32(m.value, mode)
                    : m.is_signed                 ? b_.I32ToF32(m.value)
                                                  : b_.U32ToF32(m.value);
  set_float(i, m.negated ? b_.FNeg32(value) : value);
}

// A float that came from an integer or a float, as f16; saturated here.
void InstructionTranslator::set_half(const Instruction& i, I32 half) {
  if (i.saturate != 0 && i.opcode == Opcode::cvt_i2f)
    half = b_.select(has_bit(half, 15), word(0), b_.IMinU32(half, word(0x3c00)));
  if (i.flags >= 0) set_flags(i, half_flags(half));
  set_destination(i, half);
}

InstructionTranslator::Flags InstructionTranslator::half_flags(I32 half) {
  const I32 magnitude = b_.IAnd32(half, word(0x7fff));
  const I1 nan = b_.ILtU32(word(0x7c00), magnitude), zero = is_zero(magnitude);
  return {b_.Or1(zero, nan), b_.Or1(b_.AndNot1(has_bit(half, 15), zero), nan), no(), no()};
}

// The source as f32: modifiers, then flushing.
F32 InstructionTranslator::prepared(const Instruction& i) {
  const I32 bits = source(i, 0);
  const F32 x = i.source_type == Type::f16 ? b_.TeslaF16ToF32(bits) : as_float(bits);
  return flushed(modified(x, i.absolute[0] != 0, i.negate[0] != 0));
}

F32 InstructionTranslator::rounded(F32 x, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return b_.FRoundEven32(x);
    case Rounding::down:
      return b_.FFloor32(x);
    case Rounding::up:
      return b_.FCeil32(x);
    case Rounding::zero:
      break;
  }
  return b_.FTrunc32(x);
}

void InstructionTranslator::convert_to_integer(const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.rounding);
  F32 x = prepared(i);
  if (rounding != Rounding::zero) x = rounded(x, rounding);
  const bool with_sign = is_signed(i.type);
  const I32 value = with_sign ? b_.F32ToI32Sat(x) : b_.F32ToU32Sat(x);
  const I32 result = bits_of(i.type) == 32 ? value : clamped(i.type, {value, with_sign, false});
  if (i.flags >= 0) set_flags(i, sign_flags(result, i.dst.type == Type::b16));
  set_destination(i, result);
}

void InstructionTranslator::convert_floats(const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.rounding);
  F32 x = prepared(i);
  if (i.saturate != 0) x = saturated(x);
  if (i.to_integral != 0) x = rounded(x, rounding);
  if (i.type == Type::f16) {
    const Rounding mode = i.to_integral != 0 ? Rounding::zero : rounding;
    return set_half(i, b_.TeslaF32ToF16(x, static_cast<std::uint64_t>(mode)));
  }
  if (i.flags >= 0) set_flags(i, float_flags(x));
  set_destination(i, as_bits(x));
}

}  // namespace warpjit::tesla
