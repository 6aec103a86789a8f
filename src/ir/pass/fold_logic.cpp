// Algebra of i1, selects, and votes over values that do not vary. Masks that linearize makes, like
// (m and c) or (m and not c), fall together here.
#include "ir/analysis/float_bounds.h"
#include "ir/analysis/lane_comparison.h"
#include "ir/pass/fold.h"

namespace warpjit::ir {

OppositeComparison opposite_comparison(Opcode opcode) {
  using enum Opcode;
  constexpr struct {
    Opcode a, b;
    bool swapped;
  } kOpposites[] = {
      {FEq32, FNe32, false}, {IEq32, INe32, false}, {ILtS32, ILeS32, true}, {ILtU32, ILeU32, true}};
  for (const auto& [a, b, swapped] : kOpposites)
    if (opcode == a || opcode == b) return {opcode == a ? b : a, swapped};
  return {Not1, false};
}

namespace fold_detail {

Step Folder::logic() {
  auto has = [&](Value v, Opcode opcode, Value operand_wanted) {  // v = opcode(.., wanted, ..), commutative
    return made_by(v, opcode) && (operand(v, 0) == operand_wanted || operand(v, 1) == operand_wanted);
  };
  auto other = [&](Value v, Value one) { return operand(v, 0) == one ? operand(v, 1) : operand(v, 0); };
  auto is_not = [&](Value v) { return made_by(v, Opcode::Not1); };
  switch (e.opcode) {
    case Opcode::And1:
      if (is(b(), 0)) return known(b());
      if (is(b(), 1) || a() == b()) return known(a());
      if (is_not(b())) return become(Opcode::AndNot1, {a(), operand(b(), 0)});
      if (is_not(a())) return become(Opcode::AndNot1, {b(), operand(a(), 0)});
      for (const auto& [x, y] : {std::pair{a(), b()}, std::pair{b(), a()}}) {
        if (has(y, Opcode::And1, x)) return known(y);  // x and (x and z)
        if (has(y, Opcode::Or1, x)) return known(x);
        if (made_by(y, Opcode::AndNot1)) {
          if (operand(y, 0) == x) return known(y);
          if (operand(y, 1) == x) return known_bits(Type::i1, 0);
        }
      }
      return Step::none;
    case Opcode::Or1:
      if (is(b(), 1)) return known(b());
      if (is(b(), 0) || a() == b()) return known(a());
      for (const auto& [x, y] : {std::pair{a(), b()}, std::pair{b(), a()}}) {
        if (has(y, Opcode::Or1, x)) return known(y);
        if (has(y, Opcode::And1, x)) return known(x);
        if (is_not(y) && operand(y, 0) == x) return known_bits(Type::i1, 1);
        if (!made_by(y, Opcode::AndNot1)) continue;
        const Value mask = operand(y, 0), condition = operand(y, 1);
        if (mask == x) return known(x);
        if (condition == x) return become(Opcode::Or1, {x, mask});  // x or (m and not x)
        // (m and c) or (m and not c)
        if (has(x, Opcode::And1, mask) && other(x, mask) == condition) return known(mask);
      }
      return Step::none;
    case Opcode::Xor1:
      if (is(b(), 0)) return known(a());
      if (is(b(), 1)) return become(Opcode::Not1, {a()});
      if (a() == b()) return known_bits(Type::i1, 0);
      if (is_not(a()) && is_not(b())) return become(Opcode::Xor1, {operand(a(), 0), operand(b(), 0)});
      return Step::none;
    case Opcode::AndNot1:
      if (is(b(), 0) || is(a(), 0)) return known(a());
      if (is(b(), 1) || a() == b()) return known_bits(Type::i1, 0);
      if (is(a(), 1)) return become(Opcode::Not1, {b()});
      if (is_not(b())) return become(Opcode::And1, {a(), operand(b(), 0)});
      if (is_not(a()) && operand(a(), 0) == b()) return known(a());
      if (has(a(), Opcode::And1, b())) return known_bits(Type::i1, 0);  // (b and z) and not b
      // a and not (a and z)
      if (has(b(), Opcode::And1, a())) return become(Opcode::AndNot1, {a(), other(b(), a())});
      if (has(b(), Opcode::Or1, a())) return known_bits(Type::i1, 0);
      if (made_by(b(), Opcode::AndNot1) && operand(b(), 0) == a())
        return become(Opcode::And1, {a(), operand(b(), 1)});
      if (made_by(b(), Opcode::AndNot1) && operand(b(), 1) == a()) return known(a());
      if (made_by(a(), Opcode::AndNot1) && operand(a(), 1) == b()) return known(a());
      return Step::none;
    case Opcode::Not1: {
      if (is_not(a())) return known(operand(a(), 0));
      const OppositeComparison found = opposite_comparison(f.definition_of(a()).opcode);
      if (found.opcode == Opcode::Not1) return Step::none;
      const Value x = operand(a(), 0), y = operand(a(), 1);
      return found.swapped ? become(found.opcode, {y, x}) : become(found.opcode, {x, y});
    }
    default:
      return Step::none;
  }
}

// Where the lane's number is compared with a number for all lanes, it is enough to look at the first lane, or
// at the last. (The negation of a comparison is one, too.)
Step Folder::any_lane_number() {
  const std::optional<LaneComparison> found = lane_comparison(f, a());
  if (!found || found->negated || f.group_lanes < 2) return Step::none;
  const auto number = [&](std::uint32_t n) { return f.constant_value(Type::i32, n); };
  if (found->opcode == Opcode::INe32) return known_bits(Type::i1, 1);
  if (found->opcode == Opcode::IEq32) return become(Opcode::ILtU32, {found->number, number(f.group_lanes)});
  if (found->lane_first) return become(found->opcode, {number(0), found->number});
  return become(found->opcode, {found->number, number(f.group_lanes - 1)});
}

Step Folder::lanes() {
  if (e.opcode != Opcode::AnyLane && e.opcode != Opcode::MinLaneU32) return Step::none;
  // A value that is the same in all lanes is the result itself.
  if (constant(a()) || f.value(a()).uniformity != Uniformity::varying) return known(a());
  return e.opcode == Opcode::AnyLane ? any_lane_number() : Step::none;
}

Step Folder::selection() {
  if (constant(a())) return known(bits(a()) != 0 ? b() : c());
  if (b() == c()) return known(b());
  if (made_by(a(), Opcode::Not1)) return become(e.opcode, {operand(a(), 0), c(), b()});
  if (made_by(b(), e.opcode) && operand(b(), 0) == a()) return become(e.opcode, {a(), operand(b(), 1), c()});
  if (made_by(c(), e.opcode) && operand(c(), 0) == a()) return become(e.opcode, {a(), b(), operand(c(), 2)});
  // x <= 0 ? 0 : x, of an x that is not negative.
  if (e.opcode == Opcode::SelectF32 && is(b(), 0) && made_by(a(), Opcode::FLe32) && operand(a(), 0) == c() &&
      is(operand(a(), 1), 0)) {
    const FloatBounds bounds = float_bounds(f, c());
    if (bounds.least >= 0 && !bounds.minus_zero) return known(c());
  }
  if (e.opcode != Opcode::SelectI1) return Step::none;
  if (is(b(), 1) || a() == b()) return become(Opcode::Or1, {a(), c()});
  if (is(c(), 0) || a() == c()) return become(Opcode::And1, {a(), b()});
  if (is(b(), 0)) return is(c(), 1) ? become(Opcode::Not1, {a()}) : become(Opcode::AndNot1, {c(), a()});
  return Step::none;
}

}  // namespace fold_detail
}  // namespace warpjit::ir
