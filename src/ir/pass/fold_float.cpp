// Exact algebra of f32. What looks missing is inexact: x + 0 (-0, unless x cannot be), x * 0 (NaN, inf, -0),
// x - x, and the negation of a sum (0).
#include <bit>
#include <cmath>
#include <utility>

#include "ir/analysis/float_bounds.h"
#include "ir/analysis/range.h"
#include "ir/pass/fold.h"

namespace warpjit::ir::fold_detail {
namespace {

constexpr std::uint32_t kMinusZero = 0x80000000, kOne = 0x3f800000, kMinusOne = 0xbf800000,
                        kSign = 0x80000000;

float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// True if 1/c is exact and normal. Then x / c = x * (1/c), also where the result is denormal.
bool exact_reciprocal(std::uint32_t bits) {
  const std::uint32_t exponent = (bits >> 23) & 0xff;
  return (bits & 0x7fffff) == 0 && exponent >= 1 && exponent <= 252;
}

// a < b as b > a.
Opcode mirrored(Opcode opcode) {
  using enum Opcode;
  for (const auto& [less, greater] : {std::pair{FLt32, FGt32}, std::pair{FLe32, FGe32}})
    if (opcode == less || opcode == greater) return opcode == less ? greater : less;
  return opcode;
}

}  // namespace

Value Folder::negated(Value v) {
  if (made_by(v, Opcode::FNeg32)) return operand(v, 0);
  if (constant(v)) return float_constant(bits(v) ^ kSign);
  return {};
}

Step Folder::uniform_load(Opcode opcode, Value source) {
  const std::uint64_t offset = f.definition_of(source).immediate;
  become(opcode, {});
  e.immediate = offset;
  return Step::changed;
}

Step Folder::float_arithmetic() {
  auto is_negation = [&](Value v) { return made_by(v, Opcode::FNeg32); };
  const auto sum_of_negation = [&](Opcode difference) {
    if (is_negation(b())) return become(difference, {a(), operand(b(), 0)});
    if (is_negation(a())) return become(difference, {b(), operand(a(), 0)});
    return Step::none;
  };
  switch (e.opcode) {
    case Opcode::FAdd32:
      if (is(b(), kMinusZero) || (is(b(), 0) && !can_be_minus_zero(f, a()))) return known(a());
      return sum_of_negation(Opcode::FSub32);
    case Opcode::FAddFlush32:
      return sum_of_negation(Opcode::FSubFlush32);
    case Opcode::FSub32:
      if (is(b(), 0) || (is(b(), kMinusZero) && !can_be_minus_zero(f, a()))) return known(a());
      if (is(a(), kMinusZero)) return become(Opcode::FNeg32, {b()});
      if (is_negation(b())) return become(Opcode::FAdd32, {a(), operand(b(), 0)});
      return Step::none;
    case Opcode::FSubFlush32:
      if (is_negation(b())) return become(Opcode::FAddFlush32, {a(), operand(b(), 0)});
      return Step::none;
    case Opcode::FMul32:
    case Opcode::FMulZeroInf32:
    case Opcode::FMulNoZeroInf32: {
      if (is(b(), kOne)) return known(a());
      if (is(b(), kMinusOne)) return become(Opcode::FNeg32, {a()});
      if (is_negation(a()) && (is_negation(b()) || constant(b())))
        return become(e.opcode, {operand(a(), 0), negated(b())});
      if (e.opcode != Opcode::FMulZeroInf32) return Step::none;
      // No zero can meet an infinity: an ordinary product.
      if (a() == b()) return become(Opcode::FMul32, {a(), b()});
      const FloatFacts x = float_facts(f, a()), y = float_facts(f, b());
      const bool x_infinite = x.positive_infinity || x.negative_infinity,
                 y_infinite = y.positive_infinity || y.negative_infinity;
      if (!(x.zero && y_infinite) && !(x_infinite && y.zero)) return become(Opcode::FMul32, {a(), b()});
      return Step::none;
    }
    case Opcode::FDiv32:
      if (is(b(), kOne)) return known(a());
      if (constant(b()) && exact_reciprocal(bits(b())))
        return become(Opcode::FMul32,
                      {a(), float_constant(std::bit_cast<std::uint32_t>(1.0f / real(bits(b()))))});
      if (is_negation(a()) && (is_negation(b()) || constant(b())))
        return become(Opcode::FDiv32, {operand(a(), 0), negated(b())});
      if (constant(a()) && is_negation(b())) return become(Opcode::FDiv32, {negated(a()), operand(b(), 0)});
      return Step::none;
    case Opcode::FFma32:
      if (is(b(), kOne)) return become(Opcode::FAdd32, {a(), c()});
      if (is(b(), kMinusOne)) return become(Opcode::FSub32, {c(), a()});
      if (is(c(), kMinusZero)) return become(Opcode::FMul32, {a(), b()});
      if (is_negation(a()) && (is_negation(b()) || constant(b())))
        return become(Opcode::FFma32, {operand(a(), 0), negated(b()), c()});
      return Step::none;
    case Opcode::FFmaOdd32:
      if (is_negation(a()) && (is_negation(b()) || constant(b())))
        return become(Opcode::FFmaOdd32, {operand(a(), 0), negated(b()), c()});
      return Step::none;
    case Opcode::FFlush32:
      return may_be_denormal(f, a()) ? Step::none : known(a());
    case Opcode::FRoundHalf32:
      return holds_half(f, a()) ? known(a()) : Step::none;
    case Opcode::FNeg32:
      if (is_negation(a())) return known(operand(a(), 0));
      return Step::none;
    case Opcode::FAbs32:
      if (made_by(a(), Opcode::FAbs32)) return known(a());
      if (is_negation(a())) return become(Opcode::FAbs32, {operand(a(), 0)});
      return Step::none;
    case Opcode::FFloor32:
      if (made_by(a(), Opcode::FFloor32) || made_by(a(), Opcode::I32ToF32)) return known(a());
      return Step::none;
    case Opcode::FMaxSelect32:
    case Opcode::FMinSelect32:
      if (a() == b()) return known(a());
      // max(max(x, c), c): the inner one never is NaN and equals c only as c itself.
      if (constant(b()) && made_by(a(), e.opcode) && operand(a(), 1) == b() && !float_facts(f, b()).nan)
        return known(a());
      return extreme();
    case Opcode::FMaxNum32:
    case Opcode::FMinNum32:
      return extreme();
    case Opcode::CanonicalizeNaN32: {
      if (!float_facts(f, a()).nan || made_by(a(), Opcode::CanonicalizeNaN32)) return known(a());
      // A select copies bits.
      auto definite = [&](Value v) {
        return made_by(v, Opcode::CanonicalizeNaN32) || is(v, 0x7fc00000) || !float_facts(f, v).nan;
      };
      if (made_by(a(), Opcode::SelectF32) && definite(operand(a(), 1)) && definite(operand(a(), 2)))
        return known(a());
      return Step::none;
    }
    case Opcode::CanonicalizeNaNOnes32:
      if (!float_facts(f, a()).nan || made_by(a(), Opcode::CanonicalizeNaNOnes32)) return known(a());
      return Step::none;
    default:
      return Step::none;
  }
}

// Least and greatest of a number and a constant, where bounds of that number tell which one it is. Equal
// numbers are the same bits, but for zeros.
Step Folder::extreme() {
  const bool greater = e.opcode == Opcode::FMaxSelect32 || e.opcode == Opcode::FMaxNum32;
  const bool selects = e.opcode == Opcode::FMaxSelect32 || e.opcode == Opcode::FMinSelect32;
  const bool first = constant(a());
  if (first == constant(b()) || (first && !selects)) return Step::none;
  const float limit = real(bits(first ? a() : b()));
  if (std::isnan(limit)) return Step::none;
  const Value number = first ? b() : a();
  const FloatBounds bounds = float_bounds(f, number);
  const bool beyond = greater ? bounds.least >= limit : bounds.greatest <= limit;
  const bool within = greater ? bounds.greatest <= limit : bounds.least >= limit;
  // An equal number loses, and a NaN does.
  if (first) return beyond ? known(b()) : Step::none;
  const bool same_zero = greater && is(b(), 0) && !bounds.minus_zero;
  if (beyond && !bounds.nan && (limit != 0 || same_zero)) return known(a());
  return within && selects ? known(b()) : Step::none;
}

Step Folder::cast() {
  const bool to_float = e.opcode == Opcode::BitcastI32ToF32;
  if (made_by(a(), to_float ? Opcode::BitcastF32ToI32 : Opcode::BitcastI32ToF32))
    return known(operand(a(), 0));
  const Opcode load = Opcode::LoadUniformI32, load_float = Opcode::LoadUniformF32;
  if (made_by(a(), to_float ? load : load_float)) return uniform_load(to_float ? load_float : load, a());
  return Step::none;
}

Step Folder::comparison_of_select() {
  const Opcode source = f.definition_of(a()).opcode;
  if ((source != Opcode::SelectF32 && source != Opcode::SelectI32) || !constant(b())) return Step::none;
  const Value condition = operand(a(), 0), x = operand(a(), 1), y = operand(a(), 2);
  if (!constant(x) || !constant(y)) return Step::none;
  auto compare = [&](Value v) {
    Expression arm(e.opcode, std::array<Value, 2>{v, b()});
    return f.constant(simplify_expression(f, arm)) != 0;  // both constant: always known
  };
  const bool if_true = compare(x), if_false = compare(y);
  if (if_true == if_false) return known_bits(Type::i1, if_true ? 1 : 0);
  if (if_true) return known(condition);
  return become(Opcode::Not1, {condition});
}

Step Folder::float_comparison() {
  const bool ordering = mirrored(e.opcode) != e.opcode;
  if (ordering) {
    // A constant stands right; else less-than is the form to number values by.
    const bool greater = e.opcode == Opcode::FGt32 || e.opcode == Opcode::FGe32;
    if (constant(a()) || (greater && !constant(b()))) return become(mirrored(e.opcode), {b(), a()});
  }
  if (constant(b()) && std::isnan(real(bits(b()))))
    return known_bits(Type::i1, e.opcode == Opcode::FNe32 || e.opcode == Opcode::FUnordered32 ? 1 : 0);
  if (const Step step = comparison_of_select(); step != Step::none) return step;
  if (made_by(a(), Opcode::FNeg32) && (made_by(b(), Opcode::FNeg32) || constant(b())))
    return become(mirrored(e.opcode), {operand(a(), 0), negated(b())});
  if (a() == b()) {
    const bool nan = float_facts(f, a()).nan;
    switch (e.opcode) {
      case Opcode::FLt32:
      case Opcode::FGt32:
        return known_bits(Type::i1, 0);
      case Opcode::FEq32:
        return nan ? Step::none : known_bits(Type::i1, 1);
      case Opcode::FLe32:
      case Opcode::FGe32:
        return become(Opcode::FEq32, {a(), a()});
      case Opcode::FNe32:
        return become(Opcode::FUnordered32, {a(), a()});
      default:
        return nan ? Step::none : known_bits(Type::i1, 0);
    }
  }
  if (e.opcode == Opcode::FUnordered32) {
    if (!float_facts(f, b()).nan) return become(Opcode::FUnordered32, {a(), a()});
    if (!float_facts(f, a()).nan) return become(Opcode::FUnordered32, {b(), b()});
  }
  return Step::none;
}

}  // namespace warpjit::ir::fold_detail
