// Natural loops and their nesting, and an order of the blocks in which linearize works.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/dominators.h"
#include "ir/function.h"

namespace warpjit::ir {

class Loops {
 public:
  static constexpr std::uint32_t kNone = ~0u;
  // A loop is known by its number. Inner loops have smaller numbers than the loops around them.
  struct Loop {
    Block header;
    std::uint32_t parent = kNone;
    std::uint32_t depth = 1;           // 1: outermost
    std::uint32_t first = 0, end = 0;  // its blocks are order()[first .. end)
  };

  Loops(const Function& f, const Dominators& dominators);

  // False if some retreating edge does not go to a dominator: a cycle with more than one entry. Then loops
  // are incomplete and there is no order.
  bool reducible() const { return reducible_; }
  const std::vector<Loop>& loops() const { return loops_; }
  const Loop& loop(std::uint32_t number) const { return loops_[number]; }

  // The innermost loop that holds b (for a header, its own), or kNone.
  std::uint32_t innermost(Block b) const { return nodes_[b.id].innermost; }
  // The innermost loop that b is a part of when each inner loop counts as one node: for a header, the loop
  // around its own.
  std::uint32_t level(Block b) const {
    const std::uint32_t own = nodes_[b.id].innermost;
    return own != kNone && loops_[own].header == b ? loops_[own].parent : own;
  }
  bool is_header(Block b) const {
    return nodes_[b.id].innermost != kNone && loops_[nodes_[b.id].innermost].header == b;
  }
  bool contains(std::uint32_t loop, Block b) const {
    return loop == kNone ||
           (loops_[loop].first <= nodes_[b.id].position && nodes_[b.id].position < loops_[loop].end);
  }
  std::uint32_t depth(Block b) const {
    return nodes_[b.id].innermost == kNone ? 0 : loops_[nodes_[b.id].innermost].depth;
  }

  // The reachable blocks such that: a block precedes its successors except over back edges; a
  // loop is contiguous; and what a block dominates is contiguous within one level of nesting,
  // where each inner loop is one node.
  const std::vector<Block>& order() const { return order_; }
  std::uint32_t position(Block b) const { return nodes_[b.id].position; }
  // The immediate dominator of b within its level; for one that lies in an inner loop, that loop's header.
  Block level_dominator(Block b) const { return nodes_[b.id].parent; }

 private:
  void find_loops(const Function& f, const Dominators& dominators);
  void make_order(const Dominators& dominators);

  bool reducible_ = true;
  std::vector<Loop> loops_;
  std::vector<Block> order_;
  struct Node {
    std::uint32_t innermost = kNone, position = kNone;
    Block parent;
  };
  std::vector<Node> nodes_;  // per block
};

}  // namespace warpjit::ir
