// Masks that depend on the lane's number alone: which lanes have them is known.
#pragma once

#include <bitset>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

using LaneSet = std::bitset<kMaxGroupLanes>;

// For comparisons of the lane's number with constants, and what logic makes of them. One pass over the
// function: what is not known by then is unknown, as phis are.
class LaneSets {
 public:
  // `number` gives the lane's number, `lanes` is how many there are: LaneIndex and f.group_lanes; or, before
  // assign_lanes, ThreadIndex and the threads of a block, as if it were one group. No lanes, or more than
  // kMaxGroupLanes: nothing is known.
  LaneSets(const Function& f, Opcode number, std::uint64_t lanes);

  // The lanes that have the i1 value; null: unknown. Lanes after the group's last are not in it.
  const LaneSet* find(Value mask) const {
    const std::uint32_t at = mask.id < place_.size() ? place_[mask.id] : 0;
    return at != 0 ? &sets_[at - 1] : nullptr;
  }
  // True if a mask is known that is not a constant.
  bool any() const { return any_; }
  const LaneSet& all() const { return all_; }

 private:
  bool make(const Function& f, Inst i, LaneSet& made) const;

  Opcode number_;
  bool any_ = false;
  LaneSet all_;                       // the lanes that there are
  std::vector<std::uint32_t> place_;  // by value: index in sets_ + 1, or 0
  std::vector<LaneSet> sets_;
};

}  // namespace warpjit::ir
