#include "ir/analysis/lane_sets.h"

#include <algorithm>

#include "ir/analysis/dominators.h"

namespace warpjit::ir {

namespace {

// The numbers below n.
LaneSet below(std::uint64_t n) {
  return n == 0 ? LaneSet() : ~LaneSet() >> (kMaxGroupLanes - std::min<std::uint64_t>(n, kMaxGroupLanes));
}

// The numbers of lanes that compare so with a constant.
LaneSet comparing(Opcode opcode, bool lane_first, std::uint32_t constant) {
  const bool is_signed = opcode == Opcode::ILtS32 || opcode == Opcode::ILeS32;
  const bool negative = is_signed && static_cast<std::int32_t>(constant) < 0;
  const std::uint64_t c = constant;
  switch (opcode) {
    case Opcode::IEq32:
      return below(c + 1) & ~below(c);
    case Opcode::INe32:
      return ~(below(c + 1) & ~below(c));
    case Opcode::ILtS32:
    case Opcode::ILtU32:  // lane < c, c < lane
      if (negative) return lane_first ? LaneSet() : ~LaneSet();
      return lane_first ? below(c) : ~below(c + 1);
    default:  // lane <= c, c <= lane
      if (negative) return lane_first ? LaneSet() : ~LaneSet();
      return lane_first ? below(c + 1) : ~below(c);
  }
}

}  // namespace

LaneSets::LaneSets(const Function& f, Opcode number, std::uint64_t lanes) : number_(number) {
  if (lanes > kMaxGroupLanes) return;
  all_ = below(lanes);
  if (all_.none()) return;
  LaneSet made;
  for (const Block b : reverse_postorder(f))
    for (Inst i : f.insts(b)) {
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
      made = all_ & comparing(data.opcode, k == 0, static_cast<std::uint32_t>(f.constant(other)));
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
