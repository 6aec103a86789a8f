// What groups keep while others run: the values that live across a barrier, and where they stand in the
// frame. A part of schedule_groups.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "ir/barrier.h"
#include "ir/function.h"

namespace warpjit::ir {

class Liveness;

class BarrierValues {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // A barrier at which groups wait, and what they keep there.
  struct Stop {
    Inst barrier;
    std::vector<Value> live{};
  };

  // Values have slots of the frame from `first_slot` on. Errors: resource_limit if groups keep too much.
  static Result<BarrierValues> find(const Function& f, const std::vector<Block>& order,
                                    std::uint32_t first_slot);

  // In the order of the blocks.
  const std::vector<Stop>& stops() const { return stops_; }
  std::uint32_t frame_slots() const { return frame_slots_; }

  // Each value that lives across a barrier is a variable.
  const std::vector<Type>& variable_types() const { return types_; }
  bool crosses(Value v) const { return variable_[v.id] != kNone; }
  std::uint32_t variable(Value v) const { return variable_[v.id]; }

  // Made again wherever it is used: casts, and few pure operations on what costs nothing. Those are mostly
  // places in the block, of which the backend then knows how they vary from lane to lane.
  bool remade(Value v) const { return remake_cost_[v.id] <= kMaxRemakeCost || is_cast(v); }
  bool is_cast(Value v) const { return family(f_->definition_of(v).opcode) == Family::cast; }

  // Where the value that is number `index` of a stop stands: in a slot of its own, or of the stop.
  std::uint32_t slot(Value v, std::uint32_t index) const {
    return slot_[v.id] != kNone ? slot_[v.id] : first_slot_ + index;
  }
  // Then it has a slot of its own.
  bool stored_where_made(Value v) const {
    return !stored_where_made_.empty() && stored_where_made_[v.id] != 0;
  }

 private:
  static constexpr std::uint32_t kMaxRemakeCost = 6;

  BarrierValues(const Function& f, std::uint32_t first_slot) : f_(&f), first_slot_(first_slot) {}
  Value kept(Value v) const;
  void find_remade(const std::vector<Block>& order);
  Status find_crossing(const std::vector<Block>& order);
  void find_stops(Block b, const std::vector<Inst>& barriers, const Liveness& liveness);
  void find_slots();

  const Function* f_;
  std::uint32_t first_slot_, frame_slots_ = 0;
  std::vector<std::uint32_t> remake_cost_;  // per value: operations
  std::vector<std::uint32_t> place_;        // per value: among those that find_stops holds live
  std::vector<Stop> stops_;
  std::vector<std::uint32_t> variable_;  // per value
  std::vector<Type> types_;              // of variables
  std::vector<std::uint32_t> slot_;      // per value: its own, or kNone
  std::vector<char> stored_where_made_;  // per value
};

}  // namespace warpjit::ir
