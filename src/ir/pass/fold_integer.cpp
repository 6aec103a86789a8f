// Algebra of i32, modulo 2^32.
#include <bit>
#include <cmath>

#include "ir/analysis/range.h"
#include "ir/pass/fold.h"

namespace warpjit::ir::fold_detail {

// x * y, put together from the products of their halves by machines that multiply 16 bits:
// lo(x) lo(y) + ((hi(x) lo(y) + lo(x) hi(y)) << 16).
Step Folder::product_of_halves() {
  for (std::uint32_t k = 0; k < 2; ++k) {
    const Value low = e.operands[k], shifted = e.operands[1 - k];
    if (!made_by(low, Opcode::IMul32) || !made_by(shifted, Opcode::IShl32) || !is(operand(shifted, 1), 16))
      continue;
    const Value sum = operand(shifted, 0);
    if (!made_by(sum, Opcode::IAdd32)) continue;
    for (std::uint32_t order = 0; order < 4; ++order) {
      const Value x = operand(low, order & 1), y = operand(low, 1 - (order & 1));
      const Value first = operand(sum, order >> 1), second = operand(sum, 1 - (order >> 1));
      const Value whole_x = whole_of_halves(x, factor_beside(y, first));
      const Value whole_y = whole_of_halves(y, factor_beside(x, second));
      if (whole_x.valid() && whole_y.valid()) return become(Opcode::IMul32, {whole_x, whole_y});
    }
  }
  return Step::none;
}

// The other factor of a product with a value like `factor`, or an invalid value.
Value Folder::factor_beside(Value factor, Value product) const {
  if (!made_by(product, Opcode::IMul32)) return {};
  const auto like = [&](Value v) {
    return v == factor || (is_low_half(v) && is_low_half(factor) && operand(v, 0) == operand(factor, 0));
  };
  if (like(operand(product, 1))) return operand(product, 0);
  return like(operand(product, 0)) ? operand(product, 1) : Value{};
}

bool Folder::is_low_half(Value v) const { return made_by(v, Opcode::IAnd32) && is(operand(v, 1), 0xffff); }

// The value that has these halves, if they are seen to be some's.
Value Folder::whole_of_halves(Value low, Value high) {
  if (!high.valid()) return {};
  if (constant(low) && constant(high) && bits(low) <= 0xffff && bits(high) <= 0xffff)
    return word_constant(bits(high) << 16 | bits(low));
  const bool is_high = made_by(high, Opcode::IShrU32) && is(operand(high, 1), 16);
  return is_low_half(low) && is_high && operand(low, 0) == operand(high, 0) ? operand(low, 0) : Value{};
}

// a & (2^n - 1), for numbers that were packed into words.
Step Folder::low_bits() {
  if (upper_bound(f, a()) <= bits(b())) return known(a());
  if (!made_by(a(), Opcode::IOr32)) return Step::none;
  for (std::uint32_t k = 0; k < 2; ++k)
    if (trailing_zeros(f, operand(a(), k)) >= static_cast<std::uint32_t>(std::bit_width(bits(b()))))
      return become(Opcode::IAnd32, {operand(a(), 1 - k), b()});
  return Step::none;
}

// a >> n, in the same way.
Step Folder::high_bits() {
  const std::uint32_t count = bits(b());
  if (upper_bound(f, a()) >> count == 0) return known_bits(Type::i32, 0);
  if (made_by(a(), Opcode::IShl32) && is(operand(a(), 1), count))
    return become(Opcode::IAnd32, {operand(a(), 0), word_constant(~0u >> count)});
  // Bits that are shifted out need not be cleared.
  if (made_by(a(), Opcode::IAnd32) && constant(operand(a(), 1)) &&
      bits(operand(a(), 1)) >> count == ~0u >> count)
    return become(Opcode::IShrU32, {operand(a(), 0), b()});
  if (!made_by(a(), Opcode::IOr32)) return Step::none;
  for (std::uint32_t k = 0; k < 2; ++k)
    if (upper_bound(f, operand(a(), k)) >> count == 0)
      return become(Opcode::IShrU32, {operand(a(), 1 - k), b()});
  return Step::none;
}

// A half beside another one, or of a float that was just rounded to it.
Step Folder::conversion_of_half() {
  if (made_by(a(), Opcode::F32ToHalf)) return become(Opcode::FRoundHalf32, {operand(a(), 0)});
  const bool is_upper = made_by(a(), Opcode::IShrU32) && is(operand(a(), 1), 16);
  Value both = is_upper ? operand(a(), 0) : a();
  if (made_by(both, Opcode::CanonicalizeNaNHalves)) both = operand(both, 0);
  if (made_by(both, Opcode::HalvesOfF32))
    return become(Opcode::FRoundHalf32, {operand(both, is_upper ? 1 : 0)});
  if (made_by(a(), Opcode::IAnd32) && constant(operand(a(), 1)) && (bits(operand(a(), 1)) & 0xffff) == 0xffff)
    return become(Opcode::HalfToF32, {operand(a(), 0)});
  if (!made_by(a(), Opcode::IOr32)) return Step::none;
  for (std::uint32_t k = 0; k < 2; ++k)
    if (trailing_zeros(f, operand(a(), k)) >= 16) return become(Opcode::HalfToF32, {operand(a(), 1 - k)});
  return Step::none;
}

// The byte of a word that the float v is, as n / 255.
std::optional<Folder::ByteOfWord> Folder::unorm_byte(Value v) const {
  if (!made_by(v, Opcode::FMul32) && !made_by(v, Opcode::FMulFlush32)) return std::nullopt;
  const Value converted = operand(v, 0), scale = operand(v, 1);
  if (!constant(scale) || !made_by(converted, Opcode::I32ToF32)) return std::nullopt;
  const Value field = operand(converted, 0);
  const auto scaled_by = [&](std::uint32_t byte) {  // where the byte is converted in its place
    return std::bit_cast<float>(bits(scale)) == std::ldexp(1.0F / 255, -8 * static_cast<int>(byte));
  };
  if (made_by(field, Opcode::IShrU32) && constant(operand(field, 1)) && bits(operand(field, 1)) == 24 &&
      scaled_by(0))
    return ByteOfWord{operand(field, 0), 3};
  if (!made_by(field, Opcode::IAnd32) || !constant(operand(field, 1))) return std::nullopt;
  const std::uint32_t mask = bits(operand(field, 1));
  for (std::uint32_t byte = 0; byte < 3; ++byte)
    if (mask == 0xffU << (8 * byte) && scaled_by(byte)) return ByteOfWord{operand(field, 0), byte};
  return std::nullopt;
}

// Two bytes of a texel.
Step Folder::half_arithmetic() {
  if (e.opcode != Opcode::HalvesOfF32) return Step::none;
  const auto first = unorm_byte(a()), second = unorm_byte(b());
  if (!first || !second || first->word != second->word || second->byte != first->byte + 1) return Step::none;
  if (first->byte == 1) return Step::none;
  return become(first->byte == 0 ? Opcode::HalvesOfBytes : Opcode::HalvesOfUpperBytes, {first->word});
}

// Hosts without conversions from unsigned make several instructions of one.
Step Folder::conversion() {
  if (e.opcode == Opcode::HalfToF32) return conversion_of_half();
  if (e.opcode == Opcode::F32ToHalf && made_by(a(), Opcode::FRoundHalf32))
    return become(Opcode::F32ToHalf, {operand(a(), 0)});
  const bool is_unsigned = e.opcode == Opcode::U32ToF32 && upper_bound(f, a()) > 0x7fffffff;
  if (e.opcode != Opcode::U32ToF32 || is_unsigned) return Step::none;
  return become(Opcode::I32ToF32, {a()});
}

// A constant applied to select(c, constant, constant) is a select of two others.
Step Folder::bits_of_select() {
  if (!constant(b()) || !made_by(a(), Opcode::SelectI32)) return Step::none;
  const Value condition = operand(a(), 0), x = operand(a(), 1), y = operand(a(), 2);
  if (!constant(x) || !constant(y)) return Step::none;
  const auto apply = [&](Value v) {
    Expression arm(e.opcode, std::array<Value, 2>{v, b()});
    return simplify_expression(f, arm);
  };
  const Value if_true = apply(x), if_false = apply(y);
  return become(Opcode::SelectI32, {condition, if_true, if_false});
}

Step Folder::integer_arithmetic() {
  constexpr std::uint32_t kAll = ~0u;
  // op(op(x, c1), c2)
  const bool nested =
      e.operand_count == 2 && constant(b()) && made_by(a(), e.opcode) && constant(operand(a(), 1));
  const std::uint32_t inner = nested ? bits(operand(a(), 1)) : 0;
  switch (e.opcode) {
    case Opcode::IAdd32:
      if (is(b(), 0)) return known(a());
      if (nested) return become(Opcode::IAdd32, {operand(a(), 0), word_constant(inner + bits(b()))});
      return product_of_halves();
    case Opcode::ISub32:
      if (a() == b()) return known_bits(Type::i32, 0);
      if (constant(b())) return become(Opcode::IAdd32, {a(), word_constant(0 - bits(b()))});
      return Step::none;
    case Opcode::IMul32:
      if (!constant(b())) return Step::none;
      if (is(b(), 0)) return known(b());
      if (is(b(), 1)) return known(a());
      if (is(b(), kAll)) return become(Opcode::ISub32, {word_constant(0), a()});
      if (std::has_single_bit(bits(b())))
        return become(Opcode::IShl32,
                      {a(), word_constant(static_cast<std::uint32_t>(std::countr_zero(bits(b()))))});
      return Step::none;
    case Opcode::IAnd32:
      if (is(b(), 0)) return known(b());
      if (is(b(), kAll) || a() == b()) return known(a());
      if (const Step step = bits_of_select(); step != Step::none) return step;
      if (nested) return become(Opcode::IAnd32, {operand(a(), 0), word_constant(inner & bits(b()))});
      // Bits that a shift has cleared.
      if (constant(b()) && made_by(a(), Opcode::IShrU32) && constant(operand(a(), 1)) &&
          bits(operand(a(), 1)) < 32 && ((kAll >> bits(operand(a(), 1))) & ~bits(b())) == 0)
        return known(a());
      return constant(b()) && (bits(b()) & (bits(b()) + 1)) == 0 ? low_bits() : Step::none;
    case Opcode::IOr32:
      if (is(b(), kAll)) return known(b());
      if (is(b(), 0) || a() == b()) return known(a());
      if (const Step step = bits_of_select(); step != Step::none) return step;
      if (nested) return become(Opcode::IOr32, {operand(a(), 0), word_constant(inner | bits(b()))});
      return Step::none;
    case Opcode::IXor32:
      if (a() == b()) return known_bits(Type::i32, 0);
      if (is(b(), 0)) return known(a());
      if (const Step step = bits_of_select(); step != Step::none) return step;
      if (nested) return become(Opcode::IXor32, {operand(a(), 0), word_constant(inner ^ bits(b()))});
      return Step::none;
    case Opcode::IShl32:
    case Opcode::IShrU32:
    case Opcode::IShrS32: {
      if (is(a(), 0) || is(b(), 0)) return known(a());
      const bool arithmetic = e.opcode == Opcode::IShrS32;
      if (!constant(b())) return Step::none;
      if (const Step step = bits_of_select(); step != Step::none) return step;
      if (bits(b()) >= 32) {
        if (!arithmetic) return known_bits(Type::i32, 0);
        return become(e.opcode, {a(), word_constant(31)});
      }
      // The inner count is below 32 here: that instruction was simplified before.
      if (nested && inner < 32) return become(e.opcode, {operand(a(), 0), word_constant(inner + bits(b()))});
      // A sum that loses what was added.
      if (e.opcode == Opcode::IShl32 && made_by(a(), Opcode::IAdd32) && constant(operand(a(), 1)) &&
          bits(operand(a(), 1)) << bits(b()) == 0)
        return become(e.opcode, {operand(a(), 0), b()});
      // Up and down again, with nothing lost on the way.
      if (e.opcode == Opcode::IShrU32 && made_by(a(), Opcode::IShl32) && constant(operand(a(), 1))) {
        const std::uint32_t up = bits(operand(a(), 1)), down = bits(b());
        const Value x = operand(a(), 0);
        if (up < 32 && (upper_bound(f, x) << up) >> 32 == 0)
          return up < down ? become(Opcode::IShrU32, {x, word_constant(down - up)})
                           : become(Opcode::IShl32, {x, word_constant(up - down)});
      }
      return e.opcode == Opcode::IShrU32 ? high_bits() : Step::none;
    }
    default:
      return Step::none;
  }
}

// True if v is a multiple of 2^n plus a constant below 2^n and not below `least`: then the sum does not wrap.
bool Folder::is_sum_from(Value v, std::uint32_t least) const {
  if (!made_by(v, Opcode::IAdd32) || !constant(operand(v, 1))) return false;
  const std::uint32_t added = bits(operand(v, 1));
  return added >= least && std::uint64_t{added} < std::uint64_t{1} << trailing_zeros(f, operand(v, 0));
}

Step Folder::integer_comparison() {
  if (a() == b()) {
    const bool reflexive =
        e.opcode == Opcode::IEq32 || e.opcode == Opcode::ILeS32 || e.opcode == Opcode::ILeU32;
    return known_bits(Type::i1, reflexive ? 1 : 0);
  }
  if (const Step step = comparison_of_select(); step != Step::none) return step;
  const std::uint32_t right = constant(b()) ? bits(b()) : 0;
  switch (e.opcode) {
    case Opcode::ILtU32:
      if (is(b(), 0) || is(a(), ~0u)) return known_bits(Type::i1, 0);
      if (is(b(), 1)) return become(Opcode::IEq32, {a(), word_constant(0)});
      if (constant(b()) && made_by(a(), Opcode::IAnd32) && constant(operand(a(), 1)) &&
          bits(operand(a(), 1)) < right)
        return known_bits(Type::i1, 1);
      if (constant(b()) && is_sum_from(a(), right)) return known_bits(Type::i1, 0);
      return Step::none;
    case Opcode::ILeU32:
      if (is(a(), 0) || is(b(), ~0u)) return known_bits(Type::i1, 1);
      if (constant(a()) && is_sum_from(b(), bits(a()))) return known_bits(Type::i1, 1);
      if (constant(b())) return become(Opcode::ILtU32, {a(), word_constant(right + 1)});
      return Step::none;
    case Opcode::ILtS32:
      if (is(b(), 0x80000000) || is(a(), 0x7fffffff)) return known_bits(Type::i1, 0);
      return Step::none;
    case Opcode::ILeS32:
      if (is(b(), 0x7fffffff) || is(a(), 0x80000000)) return known_bits(Type::i1, 1);
      if (constant(b())) return become(Opcode::ILtS32, {a(), word_constant(right + 1)});
      return Step::none;
    default:
      return Step::none;
  }
}

}  // namespace warpjit::ir::fold_detail
