#include "ir/analysis/range.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/analysis/float_bounds.h"
#include "ir/callout.h"
#include "ir/evaluate.h"

namespace warpjit::ir {
namespace {

std::uint64_t bound(const Function& f, Value v, int depth);

// The bound of `v` where `condition` is `truth`: a comparison with a constant bounds it.
std::uint64_t bound_under(const Function& f, Value v, Value condition, bool truth, int depth) {
  std::uint64_t limit = bound(f, v, depth);
  if (depth <= 0) return limit;
  const InstData& compare = f.definition_of(condition);
  if (compare.opcode == Opcode::Not1)
    return bound_under(f, v, f.operand(f.definition(condition), 0), !truth, depth - 1);
  if (compare.opcode == Opcode::And1 && truth) {
    for (Value part : f.operands(f.definition(condition)))
      limit = std::min(limit, bound_under(f, v, part, true, depth - 1));
    return limit;
  }
  if (compare.operand_count != 2) return limit;
  const Value a = f.operand(f.definition(condition), 0), b = f.operand(f.definition(condition), 1);
  const bool less = compare.opcode == Opcode::ILtU32, less_equal = compare.opcode == Opcode::ILeU32;
  if (compare.opcode == Opcode::IEq32 && truth && a == v) return std::min(limit, bound(f, b, depth - 1));
  if (!less && !less_equal) return limit;
  if (truth && a == v) {  // v < b or v <= b
    const std::uint64_t other = bound(f, b, depth - 1);
    limit = std::min(limit, less && other > 0 ? other - 1 : other);
  }
  if (!truth && b == v) {  // v <= a or v < a
    const std::uint64_t other = bound(f, a, depth - 1);
    limit = std::min(limit, less || other == 0 ? other : other - 1);
  }
  return limit;
}

std::uint64_t bound(const Function& f, Value v, int depth) {
  const Inst i = f.definition(v);
  const InstData& data = f.inst(i);
  if (data.opcode == Opcode::ConstI32) return data.immediate;
  if (depth <= 0) return kMaxWord;
  const auto of = [&](std::uint32_t k) { return bound(f, f.operand(i, k), depth - 1); };
  const auto shift = [&]() -> std::uint64_t {
    const Value amount = f.operand(i, 1);
    return f.is_constant(amount) ? std::min<std::uint64_t>(f.constant(amount), 32) : 32;
  };
  switch (data.opcode) {
    case Opcode::IAnd32:
      return std::min(of(0), of(1));
    case Opcode::IOr32:
    case Opcode::IXor32:
      return std::bit_ceil((of(0) | of(1)) + 1) - 1;
    case Opcode::IAdd32: {
      const std::uint64_t sum = of(0) + of(1);
      return sum <= kMaxWord ? sum : kMaxWord;
    }
    case Opcode::IMul32: {
      const std::uint64_t a = of(0), b = of(1);
      return a == 0 || b <= kMaxWord / a ? a * b : kMaxWord;
    }
    case Opcode::IShl32: {
      if (!f.is_constant(f.operand(i, 1))) return kMaxWord;
      if (shift() >= 32) return 0;
      const std::uint64_t shifted = of(0) << shift();
      return shifted <= kMaxWord ? shifted : kMaxWord;
    }
    case Opcode::IShrU32:
      return f.is_constant(f.operand(i, 1)) ? of(0) >> shift() : of(0);
    case Opcode::IShrS32: {
      const std::uint64_t a = of(0);
      return a <= 0x7fffffffu ? (f.is_constant(f.operand(i, 1)) ? a >> shift() : a) : kMaxWord;
    }
    case Opcode::SelectI32: {
      const Value condition = f.operand(i, 0);
      return std::max(bound_under(f, f.operand(i, 1), condition, true, depth - 1),
                      bound_under(f, f.operand(i, 2), condition, false, depth - 1));
    }
    case Opcode::F32ToI32Sat:
    case Opcode::F32ToI32Lowest: {
      const FloatBounds number = float_bounds(f, f.operand(i, 0), depth);
      if (number.nan || number.least <= -1 || number.greatest >= 0x1p31F) return kMaxWord;
      return static_cast<std::uint64_t>(number.greatest);
    }
    case Opcode::F32ToHalf:
      return 0xffff;
    case Opcode::LaneIndex:
      return f.group_lanes != 0 ? f.group_lanes - 1 : kMaxWord;
    case Opcode::GroupIndex:
      return f.block_groups != 0 ? f.block_groups - 1 : kMaxWord;
    case Opcode::BlockIndex:
      return kMaxGridExtent - 1;
    case Opcode::ThreadIndex:
      return f.block_groups != 0 ? std::uint64_t{f.block_groups} * f.group_lanes - 1 : kMaxWord;
    default:
      return kMaxWord;
  }
}

std::uint32_t zeros(const Function& f, Value v, int depth) {
  const Inst i = f.definition(v);
  const InstData& data = f.inst(i);
  if (data.opcode == Opcode::ConstI32)
    return static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint32_t>(data.immediate)));
  if (depth <= 0) return 0;
  const auto of = [&](std::uint32_t k) { return zeros(f, f.operand(i, k), depth - 1); };
  const auto amount = [&] {
    const Value count = f.operand(i, 1);
    return f.is_constant(count) ? static_cast<std::uint32_t>(std::min<std::uint64_t>(f.constant(count), 32))
                                : 0;
  };
  switch (data.opcode) {
    case Opcode::IAnd32:
      return std::max(of(0), of(1));
    case Opcode::IOr32:
    case Opcode::IXor32:
    case Opcode::IAdd32:
    case Opcode::ISub32:
      return std::min(of(0), of(1));
    case Opcode::IMul32:
      return std::min(of(0) + of(1), 32u);
    case Opcode::IShl32:
      return std::min(of(0) + amount(), 32u);
    case Opcode::IShrU32:
    case Opcode::IShrS32: {
      const std::uint32_t below = of(0);
      if (below == 32) return 32;
      return f.is_constant(f.operand(i, 1)) && below > amount() ? below - amount() : 0;
    }
    case Opcode::SelectI32:
      return std::min(of(1), of(2));
    default:
      return 0;
  }
}

// True if `holds` is true of each operand that the result may be.
template <class Holds>
bool each_choice(const OpcodeInfo& row, Holds holds) {
  if (!row.chooses) return false;
  for (std::uint32_t k = 0; k < row.operands.size(); ++k)
    if (row.operands[k] == 'f' && !holds(k)) return false;
  return true;
}

}  // namespace

std::uint64_t upper_bound(const Function& f, Value v, int depth) { return bound(f, v, depth); }

std::uint32_t trailing_zeros(const Function& f, Value v) { return zeros(f, v, 6); }

bool fits_i32(const Function& f, Value v) {
  const FloatBounds number = float_bounds(f, v);
  return !number.nan && number.least >= -0x1p31F && number.greatest < 0x1p31F;
}

bool holds_half(const Function& f, Value v, int depth) {
  const Inst i = f.definition(v);
  const InstData& data = f.inst(i);
  const auto of = [&](std::uint32_t k) { return depth > 0 && holds_half(f, f.operand(i, k), depth - 1); };
  switch (data.opcode) {
    case Opcode::ConstF32: {
      const auto bits = static_cast<std::uint32_t>(data.immediate);
      return (bits & 0x7fffffffU) > 0x7f800000U || evaluate(Opcode::FRoundHalf32, {{bits}}) == bits;
    }
    case Opcode::HalfToF32:
    case Opcode::FRoundHalf32:
    case Opcode::TeslaF16ToF32:
      return true;
    case Opcode::BitcastI32ToF32: {  // of a sign: a zero
      const Value word = f.operand(i, 0);
      if (f.definition_of(word).opcode != Opcode::IAnd32) return false;
      const Value mask = f.operand(f.definition(word), 1);
      return f.is_constant(mask) && (f.constant(mask) & 0x7fffffffU) == 0;
    }
    case Opcode::FFloor32:
    case Opcode::FCeil32:
    case Opcode::FTrunc32:
    case Opcode::FRoundEven32:
      return of(0);
    default:
      return each_choice(info(data.opcode), of);
  }
}

bool may_be_denormal(const Function& f, Value v, int depth) {
  const InstData& made = f.definition_of(v);
  const auto never = [&](std::uint32_t k) {
    return depth > 0 && !may_be_denormal(f, f.operand(f.definition(v), k), depth - 1);
  };
  if (family(made.opcode) == Family::float_flush) return false;
  switch (made.opcode) {
    case Opcode::TeslaSpecialFunction32: {
      const auto function = static_cast<TeslaSpecialFunction>(made.immediate);
      return function == TeslaSpecialFunction::presin || function == TeslaSpecialFunction::preex2;
    }
    case Opcode::ConstF32: {
      const std::uint64_t magnitude = made.immediate & 0x7fffffff;
      return magnitude != 0 && magnitude < 0x00800000;
    }
    case Opcode::I32ToF32:
    case Opcode::U32ToF32:
    case Opcode::IntToF32:
    case Opcode::TeslaF16ToF32:
    case Opcode::HalfToF32:
    case Opcode::FRoundHalf32:
    case Opcode::FFloor32:
    case Opcode::FCeil32:
    case Opcode::FTrunc32:
    case Opcode::FRoundEven32:
      return false;
    default:
      return !each_choice(info(made.opcode), never);
  }
}

}  // namespace warpjit::ir
