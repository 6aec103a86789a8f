// Where the dispatcher keeps values between blocks: which values are kept, and which of them share a slot.
//
// Each phi with a slot of its own, as SSA form suggests, costs a store for every edge into its block; a program
// of many blocks then costs blocks times registers. But most phis only say again what is there already. So a
// phi shares a slot with its operands where that is harmless, and an edge stores what is not in place.
#pragma once

#include <span>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

class DispatchSlots {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // For the blocks of `order`, which threads enter at the first one. Slots are numbered from `first` on.
  DispatchSlots(const Function& f, std::span<const Block> order, std::uint32_t first);

  std::uint32_t end() const { return end_; }  // after the last slot
  // The slot of a value that is stored where it is made (a phi: on edges where it is not in place); kNone for
  // other values.
  std::uint32_t of(Value v) const { return v.id < slot_.size() ? slot_[v.id] : kNone; }
  // The value in a shared slot where b begins; invalid: none that anyone reads, or a slot of one value.
  Value at_begin(Block b, std::uint32_t slot) const;

 private:
  static constexpr std::uint32_t kUnknown = ~0u - 1, kMixed = ~0u - 2;  // in place of a value's number

  void find_needed();
  void unite_phis();
  void number_webs();
  void find_contents();
  bool part_conflicts();
  void number_slots(std::uint32_t first);

  bool is_kept(Value v) const;
  bool is_phi(Value v) const { return f_.definition_of(v).opcode == Opcode::Phi; }
  bool is_local(Value v, Block b) const { return !is_phi(v) && f_.definition_of(v).block == b; }
  // Calls visit(phi, operand, target) for each phi that an edge out of b leads to.
  template <class Visit>
  void for_each_write(Block b, const Visit& visit) const;
  std::uint32_t root(std::uint32_t value);
  std::span<std::uint32_t> row(Block b) { return {contents_.data() + number_[b.id] * webs_, webs_}; }

  const Function& f_;
  const std::span<const Block> order_;
  std::vector<std::uint32_t> number_;  // per block: its place in order_
  std::vector<std::uint8_t> needed_;   // per value: some other block reads it
  std::vector<std::uint32_t> parent_;  // per value: union-find
  std::vector<std::uint32_t> web_;     // per value: the values that share a slot; kNone: it is alone
  std::size_t webs_ = 0;
  // What a block makes of the values of webs, in the order of the instructions.
  struct Definition {
    std::uint32_t web, value;
  };
  std::vector<std::vector<Definition>> definitions_;  // per place in order_
  std::vector<std::uint32_t> contents_;               // per place and web: the value that is there at first
  std::vector<std::uint32_t> slot_;                   // per value
  std::uint32_t first_ = 0, end_ = 0;
};

}  // namespace warpjit::ir
