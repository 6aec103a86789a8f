// Dominators, in nearly linear time, with an interval per block, so that a query costs two comparisons.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

// The blocks that the entry reaches, each before its successors except over retreating edges.
std::vector<Block> reverse_postorder(const Function& f);

class Dominators {
 public:
  explicit Dominators(const Function& f);

  bool reachable(Block b) const { return position_[b.id] != kNone; }
  // Does every path from the entry to b go through a? Reflexive; false if either is not reachable.
  bool dominates(Block a, Block b) const { return in_[a.id] <= in_[b.id] && in_[b.id] < out_[a.id]; }
  // Invalid for the entry and for blocks that are not reachable.
  Block immediate(Block b) const { return parent_[b.id]; }
  // The reverse postorder it was computed over, and a block's place in it (~0u if not reachable).
  const std::vector<Block>& order() const { return order_; }
  std::uint32_t position(Block b) const { return position_[b.id]; }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::vector<Block> order_;
  std::vector<std::uint32_t> position_;
  std::vector<Block> parent_;
  std::vector<std::uint32_t> in_, out_;  // preorder interval [in, out) of the subtree; empty if not reachable
};

}  // namespace warpjit::ir
