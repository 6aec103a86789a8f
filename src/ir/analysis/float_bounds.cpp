// Rounding, flushing and truncation keep the order of numbers, so that the bounds of a result are the results
// for the bounds.
#include "ir/analysis/float_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/analysis/range.h"
#include "ir/evaluate.h"

namespace warpjit::ir {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool finite(const FloatBounds& x) { return x.least > -kInfinity && x.greatest < kInfinity; }
bool never_negative(const FloatBounds& x) { return x.least >= 0 && !x.minus_zero; }

// Bounds of what a monotonic function makes of x.
template <class Made>
FloatBounds ordered(const FloatBounds& x, Made made) {
  return {made(x.least), made(x.greatest), x.nan, x.minus_zero || x.least < 0};
}

template <class Product>
FloatBounds product_of(const FloatBounds& x, const FloatBounds& y, Product product) {
  FloatBounds all;
  if (!finite(x) || !finite(y)) return all;  // may be 0 times infinity
  const float corners[] = {product(x.least, y.least), product(x.least, y.greatest),
                           product(x.greatest, y.least), product(x.greatest, y.greatest)};
  all.least = *std::ranges::min_element(corners);
  all.greatest = *std::ranges::max_element(corners);
  all.nan = x.nan || y.nan;
  all.minus_zero = !never_negative(x) || !never_negative(y);
  return all;
}

template <class Product>
FloatBounds square_of(const FloatBounds& x, Product product) {
  const float least = product(x.least, x.least), greatest = product(x.greatest, x.greatest);
  return {x.least <= 0 && x.greatest >= 0 ? 0 : std::min(least, greatest), std::max(least, greatest), x.nan,
          false};
}

template <class Sum>
FloatBounds sum_of(const FloatBounds& x, const FloatBounds& y, Sum sum) {
  FloatBounds all;
  if (!finite(x) || !finite(y)) return all;
  all = {sum(x.least, y.least), sum(x.greatest, y.greatest), x.nan || y.nan, true};
  all.minus_zero = all.least <= 0 && !(x.least >= 0 && y.least >= 0 && !(x.minus_zero && y.minus_zero));
  return all;
}

template <class Mad>
FloatBounds mad_of(const FloatBounds& x, const FloatBounds& y, const FloatBounds& z, Mad mad) {
  FloatBounds all;
  if (!finite(x) || !finite(y) || !finite(z)) return all;
  all.least = kInfinity;
  all.greatest = -kInfinity;
  for (const float p : {x.least, x.greatest})
    for (const float q : {y.least, y.greatest})
      for (const float r : {z.least, z.greatest}) {
        all.least = std::min(all.least, mad(p, q, r));
        all.greatest = std::max(all.greatest, mad(p, q, r));
      }
  all.nan = x.nan || y.nan || z.nan;
  const bool positive = never_negative(x) && never_negative(y) && never_negative(z);
  all.minus_zero = all.least <= 0 && !positive;
  return all;
}

FloatBounds either(const FloatBounds& x, const FloatBounds& y) {
  return {std::min(x.least, y.least), std::max(x.greatest, y.greatest), x.nan || y.nan,
          x.minus_zero || y.minus_zero};
}

// x beyond y ? x : y.
FloatBounds selected(bool greater, const FloatBounds& x, const FloatBounds& y) {
  FloatBounds all = either(x, y);
  if (greater) all.least = x.nan ? y.least : std::max(x.least, y.least);
  if (!greater) all.greatest = x.nan ? y.greatest : std::min(x.greatest, y.greatest);
  all.nan = y.nan;
  // A zero that is beyond something.
  all.minus_zero = y.minus_zero || (x.minus_zero && (greater ? y.least < 0 : y.greatest > 0));
  return all;
}

// Bounds of an i32 as a number.
FloatBounds of_integer(const Function& f, Value value, bool is_signed, int depth) {
  const std::uint64_t most = upper_bound(f, value, depth);
  if (!is_signed || most <= 0x7fffffff) return {0, static_cast<float>(most), false, false};
  const InstData& data = f.definition_of(value);
  float limit = 0x1p31F;
  if (data.opcode == Opcode::IShrS32)
    if (const Value count = f.operand(f.definition(value), 1); f.is_constant(count))
      limit = std::ldexp(limit, -static_cast<int>(std::min<std::uint64_t>(f.constant(count), 31)));
  return {-limit, limit, false, false};
}

}  // namespace

FloatBounds float_bounds(const Function& f, Value value, int depth) {
  const InstData& data = f.definition_of(value);
  const Inst inst = f.definition(value);
  FloatBounds all;
  if (data.opcode == Opcode::ConstF32) {
    const auto word = static_cast<std::uint32_t>(data.immediate);
    const float x = std::bit_cast<float>(word);
    return std::isnan(x) ? all : FloatBounds{x, x, false, word == 0x80000000};
  }
  if (data.opcode == Opcode::I32ToF32 || data.opcode == Opcode::U32ToF32)
    return of_integer(f, f.operand(inst, 0), data.opcode == Opcode::I32ToF32, std::max(depth - 1, 0));
  if (depth <= 0) return all;
  // What has three operands counts twice: the time is bounded.
  const int left = depth - (info(data.opcode).operands.size() == 3 ? 2 : 1);
  const auto of = [&](std::uint32_t k) { return float_bounds(f, f.operand(inst, k), std::max(left, 0)); };
  const auto product = [&](auto multiply) {
    return f.operand(inst, 0) == f.operand(inst, 1) ? square_of(of(0), multiply)
                                                    : product_of(of(0), of(1), multiply);
  };
  const auto nothing = [&](FloatBounds x) {  // of a bound that is no number
    return std::isnan(x.least) || std::isnan(x.greatest) ? FloatBounds{} : x;
  };
  switch (data.opcode) {
    case Opcode::CanonicalizeNaN32:
    case Opcode::CanonicalizeNaNOnes32:
      return of(0);
    case Opcode::FFlush32:
      return ordered(of(0), meaning::FFlush32);
    case Opcode::FFloor32:
      return ordered(of(0), meaning::FFloor32);
    case Opcode::FCeil32:
      return ordered(of(0), meaning::FCeil32);
    case Opcode::FTrunc32:
      return ordered(of(0), meaning::FTrunc32);
    case Opcode::FRoundEven32:
      return ordered(of(0), meaning::FRoundEven32);
    case Opcode::FMul32:
    case Opcode::FMulNoZeroInf32:
      return nothing(product(meaning::FMul32));
    case Opcode::FMulZeroInf32:
      return nothing(product(meaning::FMulZeroInf32));
    case Opcode::FMulFlush32:
      return nothing(product(meaning::FMulFlush32));
    case Opcode::FAdd32:
      return nothing(sum_of(of(0), of(1), meaning::FAdd32));
    case Opcode::FAddFlush32:
      return nothing(sum_of(of(0), of(1), meaning::FAddFlush32));
    case Opcode::FFma32:
      return nothing(mad_of(of(0), of(1), of(2), meaning::FFma32));
    case Opcode::FFmaFlush32:
      return nothing(mad_of(of(0), of(1), of(2), meaning::FFmaFlush32));
    case Opcode::FMaxSelect32:
      return selected(true, of(0), of(1));
    case Opcode::FMinSelect32:
      return selected(false, of(0), of(1));
    case Opcode::FMaxNum32:
    case Opcode::FMinNum32: {
      // A NaN gives way to the other operand.
      const FloatBounds x = of(0), y = of(1);
      const bool greater = data.opcode == Opcode::FMaxNum32;
      FloatBounds one = selected(greater, x, y), other = selected(greater, y, x);
      all = either(one, other);
      if (!y.nan) all = one;
      if (!x.nan) all = other;
      all.nan = x.nan && y.nan;
      all.minus_zero = x.minus_zero || y.minus_zero;
      return all;
    }
    case Opcode::SelectF32:
      return either(of(1), of(2));
    default:
      return all;
  }
}

}  // namespace warpjit::ir
