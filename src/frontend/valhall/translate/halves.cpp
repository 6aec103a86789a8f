// Arithmetic of both halves of a register at once (valhall.md 6.1, 6.5, 7), for hosts that have it. Programs
// that flush halves or replace their results are translated as f32 (float.cpp), and so is what is not here.
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::I32;

I32 InstructionTranslator::packed_source(const Source& source) {
  I32 halves = two_halves(source);
  if (source.absolute) halves = b_.HalvesAbs(halves);
  return source.negate ? b_.HalvesNeg(halves) : halves;
}

// All ones in each half where the condition holds.
I32 InstructionTranslator::packed_comparison(const Instruction& i) {
  const I32 a = packed_source(i.source[0]), b = packed_source(i.source[1]);
  switch (i.condition) {
    case Condition::eq:
      return b_.HalvesEq(a, b);
    case Condition::gt:
      return b_.HalvesLt(b, a);
    case Condition::ge:
      return b_.HalvesLe(b, a);
    case Condition::lt:
      return b_.HalvesLt(a, b);
    case Condition::le:
      return b_.HalvesLe(a, b);
    case Condition::gtlt: {
      const I32 less = b_.HalvesLt(a, b);
      return b_.IOr32(less, b_.HalvesLt(b, a));
    }
    default:
      return b_.IXor32(b_.HalvesEq(a, b), word(~0U));
  }
}

std::optional<I32> InstructionTranslator::packed_halves(const Instruction& i) {
  const FloatMode& mode = program_.mode;
  if (!facts_.half_arithmetic || i.type != Type::v2f16) return std::nullopt;
  if (mode.flush_half || mode.suppress_nan || mode.suppress_infinity) return std::nullopt;
  if (i.round != Round::nearest_even) return std::nullopt;
  constexpr std::uint32_t kOnes = 0x3c003c00, kMinusOnes = 0xbc00bc00;
  const auto source = [&](unsigned n) { return packed_source(i.source[n]); };
  I32 x;
  switch (i.opcode) {
    case Opcode::fadd: {
      const I32 a = source(0);
      x = b_.HalvesAdd(a, source(1));
      break;
    }
    case Opcode::fadd_imm:
      x = b_.HalvesAdd(source(0), word(i.constant));
      break;
    case Opcode::fma: {
      const I32 a = source(0), b = source(1);
      x = is_minus_zero(i.source[2]) ? b_.HalvesMul(a, b) : b_.HalvesFma(a, b, source(2));
      break;
    }
    case Opcode::fmin:
    case Opcode::fmax: {
      if (i.propagate_nan) return std::nullopt;
      const I32 a = source(0), b = source(1);
      x = i.opcode == Opcode::fmax ? b_.HalvesMaxNum(a, b) : b_.HalvesMinNum(a, b);
      break;
    }
    case Opcode::fcmp_or: {
      const Source& other = i.source[2];
      if (other.kind != Source::Kind::constant || kConstants[other.value] != 0) return std::nullopt;
      const I32 where = packed_comparison(i);
      if (i.result_type == ResultType::m1) return where;
      return b_.IAnd32(where, word(i.result_type == ResultType::f1 ? kOnes : 0x00010001));
    }
    case Opcode::csel: {
      const I32 where = packed_comparison(i);
      const I32 a = source_word(i.source[2]), b = source_word(i.source[3]);
      return b_.IXor32(b, b_.IAnd32(b_.IXor32(a, b), where));
    }
    default:
      return std::nullopt;
  }
  // A NaN becomes the lower bound.
  switch (i.clamp) {
    case Clamp::none:
      break;
    case Clamp::zero_to_infinity:
      x = b_.HalvesMaxNum(x, word(0));
      break;
    case Clamp::minus_one_to_one:
      x = b_.HalvesMinNum(b_.HalvesMaxNum(x, word(kMinusOnes)), word(kOnes));
      break;
    case Clamp::zero_to_one:
      x = b_.HalvesMinNum(b_.HalvesMaxNum(x, word(0)), word(kOnes));
      break;
  }
  return i.clamp == Clamp::none ? b_.CanonicalizeNaNHalves(x) : x;
}

}  // namespace warpjit::valhall
