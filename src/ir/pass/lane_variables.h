// The variables of linearize. A phi becomes one: each edge into its block writes it, and the block reads it.
// The mask of a block is one too, unless the block gets exactly the lanes of its dominator. Variables live as
// long as their block is pending: lanes wait for it. At each place of the walk the pending blocks are known,
// and so SSA form falls out of it.
#pragma once

#include <span>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/pass/lane_mask.h"

namespace warpjit::ir {

class LaneVariables {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // A block that lanes wait for, with its variables: elements first ..., the mask first if it has one, then
  // one per phi. An element that is none() was not written on the way here.
  struct Pending {
    Block target;
    std::uint32_t first;
  };
  using Way = std::vector<Pending>;  // what is pending at a place, in the order of the blocks
  // A new edge into a block and what comes over it: what is pending besides, and the block's own variables.
  struct Arrival {
    Block from;
    std::uint32_t first, count, own;
    bool populated;  // some lane is sure to be in the target
    std::uint32_t next;
  };

  LaneVariables(Function& f, const Loops& loops, Builder& builder, MaskAlgebra& masks)
      : f_(f), loops_(loops), builder_(builder), masks_(masks), blocks_(f.block_count()) {}

  // Before the walk: those of b.
  void declare(Block b, bool own_mask);
  bool has_mask(Block b) const { return blocks_[b.id].own_mask; }
  std::uint32_t count(Block b) const { return blocks_[b.id].count; }
  Type type(Block b, std::uint32_t index) const;

  // The walk comes to b: what is pending there, with phis where the ways to it differ.
  void enter(Block b);
  // The ways to b.
  const Arrival& first_arrival(Block b) const { return arrivals_[blocks_[b.id].first_arrival]; }
  bool always_populated(Block b) const;
  // b's own variable, of all ways to it.
  Mask own(Block b, std::uint32_t index, Type type);

  // Where the walk stands.
  const Way& way() const { return way_; }
  void go_back(const Way& way);  // to what was pending there before
  // The first pending block, which is not any more then.
  Pending take_first();
  // Notes an edge `from` -> at.target, with what is pending.
  void arrive(Block from, const Pending& at, bool populated);
  // The first element of a block's variables, to be written: never those that an arrival shares.
  std::uint32_t writable(Block target);
  Mask element(std::uint32_t number) const { return elements_[number]; }
  void set(std::uint32_t number, Mask value) { elements_[number] = value; }
  // For a block that is pending.
  Mask pending(Block target, std::uint32_t index) const;

  // An element as a value, made where the builder stands; 0 if it was not written.
  Value definite(Mask element, Type type);
  // At the front of b.
  Value new_phi(Block b, Type type, std::span<const Value> operands);

 private:
  struct Variables {
    bool own_mask = false;
    std::uint32_t count = 0, first_type = 0;
    std::uint32_t first_arrival = kNone, last_arrival = kNone;
  };

  // What a variable is where several edges meet in b.
  Mask merge(Block b, Type type, std::span<const Mask> arriving);

  Function& f_;
  const Loops& loops_;
  Builder& builder_;
  MaskAlgebra& masks_;
  std::vector<Variables> blocks_;
  std::vector<Arrival> arrivals_;
  std::vector<Type> types_;       // of the variables of blocks
  std::vector<Pending> pending_;  // of arrivals
  std::vector<Mask> elements_;
  Way way_;
  std::uint32_t shared_ = 0;  // elements before this may be shared with arrivals
  std::vector<Value> operands_;
  std::vector<Mask> arriving_;
  std::vector<std::uint32_t> places_;
};

}  // namespace warpjit::ir
