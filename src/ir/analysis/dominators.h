// Dominators, in nearly linear time, with an interval per block, so that a query costs two comparisons.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

// The blocks that the entry reaches, each before its successors except over retreating edges.
std::vector<Block> reverse_postorder(const Function& f);
// True if these, of that order, are all blocks that are not empty.
bool are_all(const Function& f, const std::vector<Block>& reached);

class Dominators {
 public:
  explicit Dominators(const Function& f);

  bool reachable(Block b) const { return nodes_[b.id].position != kNone; }
  // True if every path from the entry to b goes through a. Reflexive; false if either is not reachable.
  bool dominates(Block a, Block b) const {
    const std::uint32_t in = nodes_[b.id].in;
    return nodes_[a.id].in <= in && in < nodes_[a.id].out;
  }
  // Invalid for the entry and for blocks that are not reachable.
  Block immediate(Block b) const { return nodes_[b.id].parent; }
  // The reverse postorder it was computed over, and a block's place in it (~0u if not reachable).
  const std::vector<Block>& order() const { return order_; }
  std::uint32_t position(Block b) const { return nodes_[b.id].position; }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  struct Node {
    std::uint32_t position = kNone;
    Block parent;
    std::uint32_t in = kNone, out = 0;  // preorder interval [in, out) of the subtree; empty if not reachable
  };
  std::vector<Block> order_;
  std::vector<Node> nodes_;  // per block
};

}  // namespace warpjit::ir
