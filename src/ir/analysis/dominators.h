// Dominators and post-dominators: Cooper, Harvey and Kennedy's iteration over reverse postorder, then an
// interval per block, so that a query costs two comparisons.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

// The blocks that the entry reaches, each before its successors except over retreating edges.
std::vector<Block> reverse_postorder(const Function& f);

namespace detail {

// A tree over nodes 0..n-1 with O(1) ancestor queries.
class DominatorTree {
 public:
  bool reachable(std::uint32_t node) const { return parent_[node] != kNone; }
  // Reflexive. False if either node is not in the tree.
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return in_[a] <= in_[b] && in_[b] < out_[a] && reachable(b);
  }

 protected:
  static constexpr std::uint32_t kNone = ~0u;
  // `order` is a reverse postorder from its first node; `preds(node, visit)` calls visit(p) for each
  // predecessor p.
  template <class Predecessors>
  void build(const std::vector<std::uint32_t>& order, std::size_t node_count, Predecessors preds);

  std::vector<std::uint32_t> parent_;    // the root is its own parent; kNone: not in the tree
  std::vector<std::uint32_t> in_, out_;  // preorder interval [in, out)
};

}  // namespace detail

class Dominators : public detail::DominatorTree {
 public:
  explicit Dominators(const Function& f);

  bool reachable(Block b) const { return DominatorTree::reachable(b.id); }
  // Does every path from the entry to b go through a? Reflexive.
  bool dominates(Block a, Block b) const { return DominatorTree::dominates(a.id, b.id); }
  // Invalid for the entry and for blocks that are not reachable.
  Block immediate(Block b) const {
    return parent_[b.id] == b.id || parent_[b.id] == kNone ? Block{} : Block{parent_[b.id]};
  }
  // The reverse postorder it was computed over, and a block's place in it (~0u if not reachable).
  const std::vector<Block>& order() const { return order_; }
  std::uint32_t position(Block b) const { return position_[b.id]; }

 private:
  std::vector<Block> order_;
  std::vector<std::uint32_t> position_;
};

// Post-dominators over the paths that end in a Return. A block from which no Return is reachable is not in
// the tree.
class PostDominators : public detail::DominatorTree {
 public:
  explicit PostDominators(const Function& f);

  bool reaches_return(Block b) const { return reachable(b.id); }
  // Does every path from b to a Return go through a? Reflexive.
  bool dominates(Block a, Block b) const { return DominatorTree::dominates(a.id, b.id); }
  // Invalid if only the end of the function post-dominates b.
  Block immediate(Block b) const {
    return parent_[b.id] == kNone || parent_[b.id] == exit_ ? Block{} : Block{parent_[b.id]};
  }

 private:
  std::uint32_t exit_;  // a node behind every Return
};

}  // namespace warpjit::ir
