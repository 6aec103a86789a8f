// Divisions of whole numbers by constants, as normalized formats have them, without a division.
//
// With h = RN(1/c) and l = RN(1/c - h), h + l is 1/c but for a relative error of 2^-48, and so RN(x h + RN(x
// l)) is x/c rounded once but for one of 2^-47 before that rounding. That is the nearest float of x/c: no
// midpoint m of two floats is so near. Where 0 < |x| <= 2^24, m = k / 2^s with an odd k of 25 bits and s
// >= 1. x 2^s = k c would make the odd k a factor of x, which is smaller; so the two differ by 1 at least,
// which is 2^-25 / c of x/c, and 2^-45 or more with the divisors here.
#include <bit>
#include <cmath>
#include <vector>

#include "ir/analysis/float_bounds.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

constexpr float kMostDividend = 0x1p24F, kMostDivisor = 0x1p20F;

// A whole number up to 2^24, not -0: products with l < 0 would make +0 of it.
bool is_dividend(const Function& f, Value v) {
  switch (f.definition_of(v).opcode) {
    case Opcode::I32ToF32:
    case Opcode::U32ToF32:
    case Opcode::FFloor32:
    case Opcode::FCeil32:
    case Opcode::FTrunc32:
    case Opcode::FRoundEven32:
      break;
    default:
      return false;
  }
  const FloatBounds bounds = float_bounds(f, v);
  return !bounds.nan && !bounds.minus_zero && bounds.least >= -kMostDividend &&
         bounds.greatest <= kMostDividend;
}

// True for a whole number. For powers of two, simplify makes products.
bool is_divisor(const Function& f, Value v) {
  if (!f.is_constant(v)) return false;
  const float c = std::bit_cast<float>(static_cast<std::uint32_t>(f.constant(v)));
  return c > 2 && c <= kMostDivisor && std::floor(c) == c;
}

}  // namespace

void multiply_by_reciprocals(Function& f) {
  std::vector<Inst> divisions;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::FDiv32 && is_divisor(f, f.operand(i, 1)) &&
          is_dividend(f, f.operand(i, 0)))
        divisions.push_back(i);
  if (divisions.empty()) return;
  Builder builder(f);
  std::vector<Value> replacement(f.value_count());
  for (Inst i : divisions) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    const F32 x{f.operand(i, 0)};
    const double c = std::bit_cast<float>(static_cast<std::uint32_t>(f.constant(f.operand(i, 1))));
    const auto high = static_cast<float>(1 / c);
    const auto low = static_cast<float>((1 - c * double{high}) / c);  // the remainder is exact
    replacement[f.result(i).id] =
        builder.FFma32(x, builder.constant(high), builder.FMul32(x, builder.constant(low)));
  }
  f.replace_values(replacement);
  for (Inst i : divisions) f.remove(i);
}

}  // namespace warpjit::ir
