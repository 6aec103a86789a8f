// Float arithmetic (valhall.md 6.1, 6.5). A half is held as an f32 that has its value; sums, products and
// quotients of two such round twice as they round once, because an f32 has more than twice the bits.
#include <bit>
#include <cmath>

#include "frontend/valhall/translate/instruction.h"
#include "ir/callout.h"
#include "ir/look_up.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

// ---- Sources

F32 InstructionTranslator::changed(const Source& source, F32 x) {
  if (source.absolute) x = b_.FAbs32(x);
  return source.negate ? b_.FNeg32(x) : x;
}

F32 InstructionTranslator::flushed_half(F32 x) {
  const I1 denormal = b_.FLt32(b_.FAbs32(x), real(0x1p-14F));
  const I32 sign = b_.IAnd32(b_.BitcastF32ToI32(x), word(0x80000000));
  return b_.select(denormal, as_float(sign), x);
}

F32 InstructionTranslator::single_source(const Source& source, bool flush) {
  const I32 bits = source_word(source);
  if (source.lanes == Lanes::h0 || source.lanes == Lanes::h1) {
    const F32 half = half_value(bits_of(bits, source.lanes == Lanes::h1 ? 16 : 0, 16, false));
    return changed(source, flush && program_.mode.flush_half ? flushed_half(half) : half);
  }
  const F32 single = as_float(bits);
  return changed(source, flush && program_.mode.flush_single ? b_.FFlush32(single) : single);
}

F32 InstructionTranslator::half_source(const Source& source, unsigned k, bool flush) {
  const F32 half = half_value(element(source, elements_of(Type::v2f16), k));
  return changed(source, flush && program_.mode.flush_half ? flushed_half(half) : half);
}

F32 InstructionTranslator::float_source(const Instruction& i, unsigned n, unsigned k) {
  const bool half = i.type == Type::v2f16 || i.type == Type::f16;
  return half ? half_source(i.source[n], k) : single_source(i.source[n]);
}

// ---- Results

// A NaN becomes the lower bound; -0 becomes +0 where that is the bound.
F32 InstructionTranslator::clamped(Clamp clamp, F32 x) {
  const F32 zero = real(0.0F), one = real(1.0F);
  switch (clamp) {
    case Clamp::none:
      return x;
    case Clamp::zero_to_infinity:
      return b_.FMaxSelect32(x, zero);
    case Clamp::minus_one_to_one:
      return b_.FMinSelect32(b_.FMaxSelect32(x, real(-1.0F)), one);
    case Clamp::zero_to_one:
      return b_.FMinSelect32(b_.FMaxSelect32(x, zero), one);
  }
  return x;
}

I32 InstructionTranslator::finish_single(const Instruction& i, F32 x) {
  const FloatMode& mode = program_.mode;
  x = clamped(i.clamp, x);
  if (mode.flush_single) x = b_.FFlush32(x);
  if (mode.suppress_nan) x = b_.select(b_.FUnordered32(x, x), real(0.0F), x);
  I32 bits = as_bits(x);
  if (mode.suppress_infinity) {
    const I1 infinite = b_.IEq32(b_.IAnd32(bits, word(0x7fffffff)), word(0x7f800000));
    bits = b_.select(infinite, b_.ISub32(bits, word(1)), bits);
  }
  return bits;
}

// An f32 rounded to a half. What the conversion takes for 0 keeps its sign and that it is not 0.
I32 InstructionTranslator::half_bits(F32 x, Round round) {
  using ir::RoundingMode;
  static constexpr RoundingMode kModes[] = {RoundingMode::nearest, RoundingMode::up, RoundingMode::down,
                                            RoundingMode::zero};
  if (round == Round::nearest_even) return b_.F32ToHalf(x);
  const I1 nan = b_.FUnordered32(x, x);
  if (round == Round::up || round == Round::down) {
    const I1 tiny = b_.And1(b_.FLt32(b_.FAbs32(x), real(0x1p-26F)), b_.FNe32(x, real(0.0F)));
    const I32 sign = b_.IAnd32(b_.BitcastF32ToI32(x), word(0x80000000));
    x = b_.select(tiny, as_float(b_.IOr32(sign, b_.BitcastF32ToI32(real(0x1p-26F)))), x);
  }
  const auto mode = static_cast<std::uint64_t>(kModes[static_cast<unsigned>(round)]);
  return b_.select(nan, word(kHalf.nan()), b_.TeslaF32ToF16(x, mode));
}

I32 InstructionTranslator::finish_half(const Instruction& i, F32 x, Round round) {
  const FloatMode& mode = program_.mode;
  I32 bits = half_bits(clamped(i.clamp, x), round);
  const auto magnitude = [&] { return b_.IAnd32(bits, word(kHalf.sign() - 1)); };
  if (mode.flush_half)
    bits = b_.select(b_.ILtU32(magnitude(), word(1U << kHalf.fraction_bits)),
                     b_.IAnd32(bits, word(kHalf.sign())), bits);
  if (mode.suppress_nan) bits = b_.select(b_.ILtU32(word(kHalf.infinity()), magnitude()), word(0), bits);
  if (mode.suppress_infinity)
    bits = b_.select(b_.IEq32(magnitude(), word(kHalf.infinity())), b_.ISub32(bits, word(1)), bits);
  return bits;
}

// Into one half, or both for mask 0, an f32 is rounded a second time.
void InstructionTranslator::set_single(const Instruction& i, I32 bits) {
  if (i.write_mask == 3) return set_gpr(i.destination, bits);
  const I32 half = finish_half(Instruction{}, as_float(bits));
  const I32 both = b_.IOr32(half, b_.IShl32(half, word(16)));
  if (i.write_mask == 0) return set_gpr(i.destination, both);
  set_word(i, both);
}

// function(source, k) gives a value from the sources' values.
template <class Function>
Status InstructionTranslator::each_float(const Instruction& i, const Function& function) {
  if (i.type == Type::v2f16) {
    set_word(i, pack(elements_of(i.type), [&](unsigned k) { return finish_half(i, function(k)); }));
  } else {
    set_single(i, finish_single(i, function(0U)));
  }
  return {};
}

// ---- Operations

// a * b + c, of halves rounded to odd so that rounding again is rounding once.
F32 InstructionTranslator::multiply_add(const Instruction& i, F32 a, F32 b, F32 c) {
  if (is_minus_zero(i.source[2])) return b_.FMul32(a, b);
  return i.type == Type::v2f16 ? b_.FFmaOdd32(a, b, c) : b_.FFma32(a, b, c);
}

F32 InstructionTranslator::least(const Instruction& i, F32 a, F32 b, bool greatest) {
  const F32 chosen = greatest ? b_.FMaxNum32(a, b) : b_.FMinNum32(a, b);
  if (!i.propagate_nan) return chosen;
  return b_.select(b_.FUnordered32(a, b), b_.constant_bits(kSingle.nan()), chosen);
}

F32 InstructionTranslator::rounded(F32 x, Round round) {
  switch (round) {
    case Round::nearest_even:
      return b_.FRoundEven32(x);
    case Round::up:
      return b_.FCeil32(x);
    case Round::down:
      return b_.FFloor32(x);
    case Round::to_zero:
      return b_.FTrunc32(x);
  }
  return x;
}

// x * 2^exponent, rounded once: only the last of the products can be inexact.
F32 InstructionTranslator::scaled(F32 x, I32 exponent) {
  const auto power = [&](I32 e) { return as_float(b_.IShl32(b_.IAdd32(e, word(127)), word(23))); };
  if (function_.is_constant(exponent)) {
    const auto n = static_cast<std::int32_t>(function_.constant(exponent));
    if (n >= -126 && n <= 127) return b_.FMul32(x, power(exponent));
  }
  // The mantissa in [1, 2), and the exponent with that of x.
  const I1 denormal = b_.FLt32(b_.FAbs32(x), real(0x1p-126F));
  const F32 normal = b_.select(denormal, b_.FMul32(x, real(0x1p24F)), x);
  const I32 bits = b_.BitcastF32ToI32(normal);
  const I32 field = b_.IAnd32(b_.IShrU32(bits, word(23)), word(0xff));
  const I32 own = b_.ISub32(field, b_.select(denormal, word(127 + 24), word(127)));
  const F32 mantissa = as_float(b_.IOr32(b_.IAnd32(bits, word(0x807fffff)), word(0x3f800000)));
  const I32 at_most = b_.IMinS32(exponent, word(600));
  const I32 bounded = b_.IMaxS32(at_most, b_.constant(-600));
  const I32 limited = b_.IMinS32(b_.IAdd32(own, bounded), word(129));
  const I32 all = b_.IMaxS32(limited, b_.constant(-152));
  const I32 first = b_.IMaxS32(b_.IMinS32(all, word(127)), b_.constant(-126));
  const F32 step = b_.FMul32(mantissa, power(first));
  const F32 result = b_.FMul32(step, power(b_.ISub32(all, first)));
  const I1 special = b_.Or1(b_.FEq32(x, real(0.0F)), b_.ILeU32(word(0xff), field));
  return b_.select(special, x, result);
}

// a * b * 2^n with one of the factors scaled, where that is the same: a square, which is 0 anyway where the
// scaled factor would lose bits; and a product with a constant.
std::optional<F32> InstructionTranslator::scaled_product(const Instruction& i, F32 a, F32 b, I32 exponent) {
  constexpr int kLeast = -100;
  if (i.opcode != Opcode::fma_rscale || !is_minus_zero(i.source[2]) || !function_.is_constant(exponent))
    return std::nullopt;
  const auto n = static_cast<std::int32_t>(function_.constant(exponent));
  if (n < kLeast || n > 100) return std::nullopt;
  const float power = std::ldexp(1.0F, n);
  const Source &first = i.source[0], &second = i.source[1];
  if (n <= 0 && first.kind == second.kind && first.value == second.value && first.lanes == second.lanes)
    return b_.FMul32(b_.FMul32(a, real(power)), b);
  for (const auto& [factor, other] : {std::pair{a, b}, {b, a}}) {
    if (!function_.is_constant(factor)) continue;
    const auto constant = std::bit_cast<float>(static_cast<std::uint32_t>(function_.constant(factor)));
    if (std::isnormal(constant) && std::isnormal(constant * power))
      return b_.FMul32(other, real(constant * power));
  }
  return std::nullopt;
}

// (a * b + c) * 2^n, rounded once. Where neither the sum nor the result leave the range of normal numbers, or
// the product is 0, the sum is scaled as it is.
F32 InstructionTranslator::scaled_multiply_add(const Instruction& i) {
  const F32 a = single_source(i.source[0]), b = single_source(i.source[1]), c = single_source(i.source[2]);
  const I32 exponent = source_word(i.source[3]);
  if (const auto product = scaled_product(i, a, b, exponent)) return *product;
  const bool plain = i.opcode == Opcode::fma_rscale;
  const I1 no_product = b_.Or1(b_.FEq32(a, real(0.0F)), b_.FEq32(b, real(0.0F)));
  const auto normal = [&](F32 x) {
    const I32 magnitude = b_.IAnd32(b_.BitcastF32ToI32(x), word(0x7fffffff));
    return b_.ILtU32(b_.ISub32(magnitude, word(0x00800000)), word(0x7f000000));
  };
  const F32 sum = b_.FFma32(a, b, c);
  F32 fast = scaled(sum, exponent);
  I1 usual = b_.And1(normal(sum), normal(fast));
  if (plain) {
    // 0 times infinity is no number, however it is computed.
    usual = b_.Or1(usual, no_product);
  } else {
    const F32 other = i.opcode == Opcode::fma_rscale_left ? a : real(0.0F);
    const F32 without = scaled(b_.FAdd32(other, c), exponent);
    fast = b_.select(no_product, without, fast);
    usual = b_.Or1(usual, no_product);
  }
  // The rest at its own place, which few programs ever come to.
  ssa_.write(b_.block(), kVarScratch, b_.BitcastF32ToI32(fast));
  const ir::Block rare = function_.add_block(address_ + 2), join = function_.add_block(address_ + 4);
  b_.branch(usual, join, rare);
  ssa_.seal(rare);
  b_.set_block(rare);
  ssa_.write(rare, kVarScratch, b_.BitcastF32ToI32(b_.FmaScaled32(a, b, c, exponent)));
  b_.jump(join);
  ssa_.seal(join);
  b_.set_block(join);
  return as_float(gpr(kVarScratch));
}

Status InstructionTranslator::floating(const Instruction& i) {
  const auto source = [&](unsigned n, unsigned k) { return float_source(i, n, k); };
  const bool directed = i.round != Round::nearest_even;
  switch (i.opcode) {
    case Opcode::fadd:
      if (directed) return unsupported(i, "a rounding that hosts do not have");
      return each_float(i, [&](unsigned k) {
        const F32 a = source(0, k), b = source(1, k);
        return b_.FAdd32(a, b);
      });
    case Opcode::fadd_imm:
      return each_float(i, [&](unsigned k) {
        if (i.type == Type::v2f16) {
          const F32 half = half_value(word(i.constant >> (16 * k) & 0xffff));
          return b_.FAdd32(source(0, k), program_.mode.flush_half ? flushed_half(half) : half);
        }
        const F32 constant = b_.constant_bits(i.constant);
        return b_.FAdd32(source(0, k), program_.mode.flush_single ? b_.FFlush32(constant) : constant);
      });
    case Opcode::fma:
      if (directed) return unsupported(i, "a rounding that hosts do not have");
      return each_float(i, [&](unsigned k) {
        const F32 a = source(0, k), b = source(1, k), c = source(2, k);
        return multiply_add(i, a, b, c);
      });
    case Opcode::fmin:
    case Opcode::fmax:
      return each_float(i, [&](unsigned k) {
        const F32 a = source(0, k), b = source(1, k);
        return least(i, a, b, i.opcode == Opcode::fmax);
      });
    case Opcode::ldexp:
      if (directed) return unsupported(i, "a rounding that hosts do not have");
      return each_float(i, [&](unsigned k) {
        const F32 x = source(0, k);
        if (i.type != Type::v2f16) return scaled(x, source_word(i.source[1]));
        // Halves are scaled within the normal numbers of f32; more makes them 0 or infinite all the same.
        const I32 n = element(i.source[1], {16, 2, true}, k);
        const I32 at_most = b_.IMinS32(n, word(48));
        const I32 all = b_.IMaxS32(at_most, b_.constant(-48));
        return b_.FMul32(x, as_float(b_.IShl32(b_.IAdd32(all, word(127)), word(23))));
      });
    case Opcode::fma_rscale:
    case Opcode::fma_rscale_n:
    case Opcode::fma_rscale_left:
      set_single(i, finish_single(i, scaled_multiply_add(i)));
      return {};
    case Opcode::fround:
      return each_float(i, [&](unsigned k) { return rounded(source(0, k), i.round); });
    case Opcode::frexpm:
      return each_float(i, [&](unsigned k) { return parts_of(source(0, k), i.sqrt, i.log).mantissa; });
    case Opcode::frexpe:
      set_word(i, pack(elements_of(i.type), [&](unsigned k) {
                 const I32 e = parts_of(source(0, k), i.sqrt, i.log).exponent;
                 return i.negate_result ? b_.ISub32(word(0), e) : e;
               }));
      return {};
    case Opcode::fadd_lscale:
      return each_float(i, [&](unsigned k) {
        const F32 a = source(0, k), x = source(1, k);
        return b_.FAdd32(a, parts_of(x, false, true).mantissa);
      });
    case Opcode::fsin_table:
    case Opcode::fcos_table: {
      const I32 x = source_word(i.source[0]);
      const I32 index = i.opcode == Opcode::fsin_table ? x : b_.IAdd32(x, word(16));
      set_single(i, b_.LookUp32(index, ir::kSineTable));
      return {};
    }
    case Opcode::cubeface1: {
      const auto size = [&](unsigned n) { return b_.FAbs32(source(n, 0)); };
      const F32 x = size(0), y = size(1), z = size(2);
      set_single(i, finish_single(i, b_.FMaxNum32(x, b_.FMaxNum32(y, z))));
      return {};
    }
    case Opcode::cubeface2:
      set_word(i, cube_face(i));
      return {};
    case Opcode::cube_ssel:
    case Opcode::cube_tsel:
      set_single(i, finish_single(i, cube_coordinate(i)));
      return {};
    default:
      break;
  }
  // Special functions; f16 forms take one half, and both halves of the result are it.
  const bool half = i.type == Type::f16;
  const F32 value = function_value(i, half ? half_source(i.source[0], 0) : single_source(i.source[0]));
  if (!half) {
    set_single(i, finish_single(i, value));
    return {};
  }
  const I32 bits = finish_half(i, value);
  set_word(i, word_of_halves(bits, bits));
  return {};
}

}  // namespace warpjit::valhall
