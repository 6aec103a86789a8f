// Doubles (tesla.md 11) and conversions with 64-bit operands, as pairs of words. Rare: callouts compute them.
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;
using ir::TeslaF64Function;

namespace {

constexpr std::uint32_t kSignBit = 0x80000000, kInfinityHigh = 0x7ff00000, kQuiet = 0x00080000;
constexpr std::uint64_t kTwo63 = 0x43e0000000000000, kMinusTwo63 = 0xc3e0000000000000,
                        kTwo64 = 0x43f0000000000000;

}  // namespace

InstructionTranslator::Pair InstructionTranslator::f64(TeslaF64Function function, Pair a, Pair b, Pair c,
                                                       Rounding rounding) {
  const auto [low, high] =
      b_.TeslaF64Operation(a.low, a.high, b.low, b.high, c.low, c.high,
                           ir::f64_immediate(function, static_cast<ir::RoundingMode>(rounding)));
  return {low, high};
}

InstructionTranslator::Pair InstructionTranslator::f64(TeslaF64Function function, Pair a, Rounding rounding) {
  const Pair none = constant_pair(0);
  return f64(function, a, none, none, rounding);
}

InstructionTranslator::Pair InstructionTranslator::constant_pair(std::uint64_t value) {
  return {word(static_cast<std::uint32_t>(value)), word(static_cast<std::uint32_t>(value >> 32))};
}

I1 InstructionTranslator::is_nan(Pair x) {
  const I32 magnitude = b_.IAnd32(x.high, word(~kSignBit));
  const I1 infinite = b_.IEq32(magnitude, word(kInfinityHigh));
  return b_.Or1(b_.ILtU32(word(kInfinityHigh), magnitude), b_.AndNot1(infinite, is_zero(x.low)));
}

// A NaN is not negated.
InstructionTranslator::Pair InstructionTranslator::modified(Pair x, bool absolute, bool negate) {
  if (!absolute && !negate) return x;
  I32 high = x.high;
  if (absolute) high = b_.IAnd32(high, word(~kSignBit));
  if (negate) high = b_.IXor32(high, word(kSignBit));
  return {x.low, b_.select(is_nan(x), x.high, high)};
}

InstructionTranslator::Pair InstructionTranslator::quieted(Pair x) {
  return {x.low, b_.select(is_nan(x), b_.IOr32(x.high, word(kQuiet)), x.high)};
}

InstructionTranslator::Pair InstructionTranslator::negated_integer(Pair x) {
  const I32 borrow = truth(b_.INe32(x.low, word(0)), 1);
  return {b_.ISub32(word(0), x.low), b_.ISub32(b_.ISub32(word(0), x.high), borrow)};
}

InstructionTranslator::Flags InstructionTranslator::double_flags(Pair x) {
  const I1 nan = is_nan(x), zero = is_zero(b_.IOr32(b_.IAnd32(x.high, word(~kSignBit)), x.low));
  return {b_.Or1(nan, zero), b_.Or1(nan, b_.AndNot1(is_negative(x.high), zero)), no(), no()};
}

void InstructionTranslator::double_arithmetic(const Instruction& i) {
  if (i.opcode == Opcode::dset) return double_compare(i);
  const auto function = [&] {
    switch (i.opcode) {
      case Opcode::dfma:
        return TeslaF64Function::fma;
      case Opcode::dadd:
        return TeslaF64Function::add;
      case Opcode::dmul:
        return TeslaF64Function::mul;
      case Opcode::dmin:
        return TeslaF64Function::min;
      default:
        return TeslaF64Function::max;
    }
  };
  const auto operand = [&](unsigned n) {
    return modified(pair(i.src[n]), i.absolute[n] != 0, i.negate[n] != 0);
  };
  const Pair c = i.opcode == Opcode::dfma ? operand(2) : constant_pair(0);
  const Pair result = f64(function(), operand(0), operand(1), c, static_cast<Rounding>(i.rounding));
  if (i.flags >= 0) set_flags(i, double_flags(result));
  set_pair(i, result);
}

I32 InstructionTranslator::compared(Pair a, Pair b) {
  return f64(TeslaF64Function::compare, a, b, constant_pair(0)).low;
}

void InstructionTranslator::double_compare(const Instruction& i) {
  const Pair a = modified(pair(i.src[0]), i.absolute[0] != 0, i.negate[0] != 0);
  const Pair b = modified(pair(i.src[1]), i.absolute[1] != 0, i.negate[1] != 0);
  const I1 holds = b_.INe32(b_.IAnd32(compared(a, b), word(i.compare)), word(0));
  set_flags(i, {b_.Not1(holds), holds, no(), no()});
  set_destination(i, truth(holds, 0xffffffff));
}

void InstructionTranslator::convert_wide(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::cvt_i2f:
      return convert_wide_from_integer(i);
    case Opcode::cvt_f2i:
      return convert_wide_to_integer(i);
    default:
      return convert_wide_floats(i);
  }
}

void InstructionTranslator::convert_wide_from_integer(const Instruction& i) {
  const bool from_64 = size_of(i.source_type) == 8, negate = i.negate[0] != 0;
  bool with_sign = is_signed(i.source_type);
  Pair x = from_64 ? pair(i.src[0]) : Pair{source(i, 0), word(0)};
  if (with_sign && i.absolute[0] != 0) {
    const I1 negative = is_negative(from_64 ? x.high : x.low);
    const Pair opposite = negated_integer(x);
    x = {b_.select(negative, opposite.low, x.low), b_.select(negative, opposite.high, x.high)};
    with_sign = false;
  }
  const Rounding rounding = mirrored(static_cast<Rounding>(i.rounding), negate);
  if (i.type == Type::f64) {
    const TeslaF64Function function =
        from_64 ? (with_sign ? TeslaF64Function::from_s64 : TeslaF64Function::from_u64)
                : (with_sign ? TeslaF64Function::from_s32 : TeslaF64Function::from_u32);
    Pair result = f64(function, x, rounding);
    if (negate) result.high = b_.IXor32(result.high, word(kSignBit));
    if (i.flags >= 0) set_flags(i, double_flags(result));
    return set_pair(i, result);
  }
  const Pair narrow =
      f64(with_sign ? TeslaF64Function::s64_to_f32 : TeslaF64Function::u64_to_f32, x, rounding);
  const F32 value = as_float(narrow.low);
  set_float(i, negate ? b_.FNeg32(value) : value);
}

void InstructionTranslator::convert_wide_to_integer(const Instruction& i) {
  const bool to_64 = size_of(i.type) == 8, with_sign = is_signed(i.type);
  const auto rounding = static_cast<Rounding>(i.rounding);
  Pair x, result;
  if (i.source_type == Type::f64) {
    x = modified(pair(i.src[0]), i.absolute[0] != 0, i.negate[0] != 0);
    result = f64(to_64 ? (with_sign ? TeslaF64Function::to_s64 : TeslaF64Function::to_u64)
                       : (with_sign ? TeslaF64Function::to_s32 : TeslaF64Function::to_u32),
                 x, rounding);
  } else {
    x = {as_bits(prepared(i)), word(0)};
    result = f64(with_sign ? TeslaF64Function::f32_to_s64 : TeslaF64Function::f32_to_u64, x, rounding);
  }
  if (i.flags >= 0) {
    const I1 zero = is_zero(to_64 ? b_.IOr32(result.low, result.high) : result.low);
    const I1 sign = is_negative(to_64 ? result.high : result.low);
    const I1 overflow = to_64 ? out_of_range(i, x) : b_.INe32(result.high, word(0));
    set_flags(i, {zero, sign, no(), overflow});
  }
  if (to_64)
    set_pair(i, result);
  else
    set_destination(i, result.low);
}

// Whether a float or double, rounded, is no 64-bit integer of the type.
I1 InstructionTranslator::out_of_range(const Instruction& i, Pair x) {
  if (i.source_type == Type::f32) x = f64(TeslaF64Function::from_f32, x);
  x = f64(TeslaF64Function::round_to_integral, x, static_cast<Rounding>(i.rounding));
  const bool with_sign = is_signed(i.type);
  const I32 low = compared(x, constant_pair(with_sign ? kMinusTwo63 : 0));
  const I32 high = compared(x, constant_pair(with_sign ? kTwo63 : kTwo64));
  return b_.Or1(b_.INe32(b_.IAnd32(low, word(kLess | kUnordered)), word(0)),
                b_.INe32(b_.IAnd32(high, word(kGreater | kEqual)), word(0)));
}

void InstructionTranslator::convert_wide_floats(const Instruction& i) {
  const auto rounding = static_cast<Rounding>(i.rounding);
  Pair x =
      i.source_type == Type::f64 ? pair(i.src[0]) : f64(TeslaF64Function::from_f32, {source(i, 0), word(0)});
  x = quieted(modified(x, i.absolute[0] != 0, i.negate[0] != 0));
  if (i.to_integral != 0) x = f64(TeslaF64Function::round_to_integral, x, rounding);
  if (i.type == Type::f64) {
    if (i.flags >= 0) set_flags(i, double_flags(x));
    return set_pair(i, x);
  }
  // A NaN keeps its payload, saturated or not.
  I32 bits = f64(TeslaF64Function::to_f32, x, i.to_integral != 0 ? Rounding::zero : rounding).low;
  F32 value = as_float(bits);
  if (i.saturate != 0) {
    const I1 nan = is_nan(x);
    const I32 kept = facts_.modes.saturated_nan_is_zero ? word(0) : bits;
    bits = b_.select(nan, kept, as_bits(saturated(value)));
    value = as_float(bits);
  }
  if (i.flags >= 0) set_flags(i, float_flags(value));
  set_destination(i, bits);
}

}  // namespace warpjit::tesla
