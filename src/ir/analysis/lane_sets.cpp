#include "ir/analysis/lane_sets.h"

#include <array>

#include "ir/evaluate.h"

namespace warpjit::ir {

LaneSets::LaneSets(const Function& f, Opcode number, std::uint64_t lanes) : number_(number) {
  if (lanes > kMaxGroupLanes) return;
  for (std::uint64_t n = 0; n < lanes; ++n) all_.set(n);
  if (all_.none()) return;
  LaneSet made;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const InstData& data = f.inst(i);
      if (data.result_count != 1 || f.value(f.result(i)).type != Type::i1 || !make(f, i, made)) continue;
      if (place_.empty()) place_.resize(f.value_count(), 0);
      sets_.push_back(made);
      place_[f.result(i).id] = static_cast<std::uint32_t>(sets_.size());
      any_ = any_ || data.opcode != Opcode::ConstI1;
    }
}

bool LaneSets::make(const Function& f, Inst i, LaneSet& made) const {
  const InstData& data = f.inst(i);
  const auto operand = [&](std::uint32_t k) { return find(f.operand(i, k)); };
  if (data.opcode == Opcode::ConstI1) {
    made = data.immediate != 0 ? all_ : LaneSet();
    return true;
  }
  if (family(data.opcode) == Family::integer_comparison) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      const Value other = f.operand(i, 1 - k);
      if (f.definition_of(f.operand(i, k)).opcode != number_ || !f.is_constant(other)) continue;
      made.reset();
      for (std::uint64_t n = 0; n < all_.count(); ++n) {
        const std::uint64_t of_lane = n, constant = f.constant(other);
        const std::array<std::uint64_t, 2> operands =
            k == 0 ? std::array{of_lane, constant} : std::array{constant, of_lane};
        made.set(n, evaluate(data.opcode, operands) != 0);
      }
      return true;
    }
    return false;
  }
  const auto both = [&](auto combine) {
    const LaneSet *a = operand(0), *b = operand(1);
    if (a == nullptr || b == nullptr) return false;
    made = combine(*a, *b);
    return true;
  };
  switch (data.opcode) {
    case Opcode::Not1:
      if (operand(0) == nullptr) return false;
      made = all_ & ~*operand(0);
      return true;
    case Opcode::And1:
      return both([](const LaneSet& a, const LaneSet& b) { return a & b; });
    case Opcode::Or1:
      return both([](const LaneSet& a, const LaneSet& b) { return a | b; });
    case Opcode::Xor1:
      return both([](const LaneSet& a, const LaneSet& b) { return a ^ b; });
    case Opcode::AndNot1:
      return both([](const LaneSet& a, const LaneSet& b) { return a & ~b; });
    default:
      return false;
  }
}

}  // namespace warpjit::ir
