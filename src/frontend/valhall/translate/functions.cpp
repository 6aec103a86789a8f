// Pieces of special functions, and faces of cubes (valhall.md 6.5).
#include "frontend/valhall/facts/special_functions.h"

#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

// x = mantissa * 2^exponent, of sqrt 4^exponent: the mantissa in [1/2, 1), of log in [3/4, 3/2), of sqrt in
// [1/4, 1). Zeros, infinities and NaNs are their own mantissa.
InstructionTranslator::Parts InstructionTranslator::parts_of(F32 x, bool sqrt, bool log) {
  const I1 denormal = b_.FLt32(b_.FAbs32(x), real(0x1p-126F));
  const F32 normal = b_.select(denormal, b_.FMul32(x, real(0x1p24F)), x);
  const I32 bits = b_.BitcastF32ToI32(normal);
  const I32 field = b_.IAnd32(b_.IShrU32(bits, word(23)), word(0xff));
  const I32 fraction = b_.IAnd32(bits, word(0x807fffff));
  I32 exponent = b_.ISub32(field, b_.select(denormal, word(126 + 24), word(126)));
  I32 mantissa_field = word(126);
  if (log) {
    // Below 3/4 the highest bit of the fraction is 0.
    const I1 low = is_zero(b_.IAnd32(bits, word(0x00400000)));
    mantissa_field = b_.select(low, word(127), word(126));
    exponent = b_.ISub32(exponent, b_.select(low, word(1), word(0)));
  } else if (sqrt) {
    const I32 odd = b_.IAnd32(exponent, word(1));
    mantissa_field = b_.ISub32(word(126), odd);
    exponent = b_.IShrS32(b_.IAdd32(exponent, odd), word(1));
  }
  const F32 mantissa = as_float(b_.IOr32(fraction, b_.IShl32(mantissa_field, word(23))));
  const I1 special = b_.Or1(b_.FEq32(x, real(0.0F)), b_.ILeU32(word(0xff), field));
  return {b_.select(special, x, mantissa), b_.select(special, word(0), exponent)};
}

F32 InstructionTranslator::slope_of_logarithm(F32 x) {
  ir::BuilderOps ops{b_};
  const F32 slope = log2_slope(ops, parts_of(x, false, true).mantissa);
  const F32 infinity = b_.constant_bits(kSingle.infinity());
  // For a NaN and for infinity it is the operand, for 0 infinity.
  const F32 finite = b_.select(b_.FLt32(x, infinity), slope, x);
  const F32 positive = b_.select(b_.FLt32(x, real(0.0F)), b_.constant_bits(kSingle.nan()), finite);
  return b_.select(b_.FEq32(x, real(0.0F)), infinity, positive);
}

F32 InstructionTranslator::function_value(const Instruction& i, F32 x) {
  ir::BuilderOps ops{b_};
  switch (i.opcode) {
    case Opcode::frcp:
      return b_.FDiv32(real(1.0F), x);
    case Opcode::frsq:
      return reciprocal_root(ops, x);
    case Opcode::fexp:
      return exp2_scaled(ops, single_source(i.source[1]));
    default:
      return slope_of_logarithm(x);
  }
}

// The face in bits 29 to 31: 2 * axis, and 1 more for the negative side.
I32 InstructionTranslator::cube_face(const Instruction& i) {
  std::array<F32, 3> value, size;
  for (unsigned n = 0; n < 3; ++n) {
    value[n] = single_source(i.source[n]);
    size[n] = b_.FAbs32(value[n]);
  }
  const I1 is_z = b_.And1(b_.FGe32(size[2], size[0]), b_.FGe32(size[2], size[1]));
  const I1 is_y = b_.FGe32(size[1], size[0]);
  const auto side = [&](unsigned n) {
    return b_.IOr32(word(2 * n), b_.IShrU32(b_.BitcastF32ToI32(value[n]), word(31)));
  };
  const I32 x = side(0), y = side(1), z = side(2);
  return b_.IShl32(b_.select(is_z, z, b_.select(is_y, y, x)), word(29));
}

// By face, 6 and 7 as 5: S -a, a, b, b, b, -b; T -a, -a, b, -b, -a, -a.
F32 InstructionTranslator::cube_coordinate(const Instruction& i) {
  const F32 a = single_source(i.source[0]), b = single_source(i.source[1]);
  const I32 face = b_.IShrU32(source_word(i.source[2]), word(29));
  const auto faces = [&](std::uint32_t mask) {
    return b_.INe32(b_.IAnd32(b_.IShrU32(word(mask), face), word(1)), word(0));
  };
  const bool s = i.opcode == Opcode::cube_ssel;
  const I1 second = faces(s ? 0b11111100 : 0b00001100), minus = faces(s ? 0b11100001 : 0b11111011);
  const F32 chosen = b_.select(second, b, a);
  return b_.select(minus, b_.FNeg32(chosen), chosen);
}

}  // namespace warpjit::valhall
