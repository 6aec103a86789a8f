#include "ir/analysis/loops.h"

namespace warpjit::ir {

Loops::Loops(const Function& f, const Dominators& dominators) {
  innermost_.assign(f.block_count(), kNone);
  position_.assign(f.block_count(), kNone);
  parent_.assign(f.block_count(), Block{});
  find_loops(f, dominators);
  if (reducible_) make_order(dominators);
}

void Loops::find_loops(const Function& f, const Dominators& dominators) {
  const std::vector<Block>& order = dominators.order();
  std::vector<Block> stack;
  std::vector<std::uint32_t> up;  // union-find: from a loop towards the outermost one around it so far
  const auto outermost = [&](std::uint32_t loop) {
    while (up[loop] != loop) loop = up[loop] = up[up[loop]];
    return loop;
  };
  // Headers from the back: a loop inside another has the later header.
  for (std::size_t k = order.size(); k-- > 0;) {
    const Block header = order[k];
    stack.clear();
    for (Block p : f.block(header).predecessors) {
      if (!dominators.reachable(p) || dominators.position(p) < k) continue;
      if (dominators.dominates(header, p))
        stack.push_back(p);
      else
        reducible_ = false;
    }
    if (stack.empty()) continue;
    const auto number = static_cast<std::uint32_t>(loops_.size());
    loops_.push_back({header});
    up.push_back(number);
    innermost_[header.id] = number;
    while (!stack.empty()) {
      Block b = stack.back();
      stack.pop_back();
      if (innermost_[b.id] == kNone) {
        innermost_[b.id] = number;
      } else {
        const std::uint32_t top = outermost(innermost_[b.id]);
        if (top == number) continue;
        loops_[top].parent = number;
        up[top] = number;
        b = loops_[top].header;
      }
      for (Block p : f.block(b).predecessors)
        // Predecessors that the header does not dominate exist only in irreducible graphs.
        if (dominators.dominates(header, p)) stack.push_back(p);
    }
  }
  for (std::size_t k = loops_.size(); k-- > 0;)
    if (loops_[k].parent != kNone) loops_[k].depth = loops_[loops_[k].parent].depth + 1;
}

// Preorder over the tree of level dominators. The children of a block stand in reverse postorder, those
// inside the loop that it heads before those behind the loop; that makes the order topological, because a
// path to a child from outside its parent's subtree comes through a child that is earlier.
void Loops::make_order(const Dominators& dominators) {
  const std::vector<Block>& order = dominators.order();
  const std::size_t count = innermost_.size();
  std::vector<Block> first_inside(count), first_behind(count), sibling(count);
  for (std::size_t k = order.size(); k-- > 1;) {
    const Block b = order[k];
    const std::uint32_t wanted = level(b);
    const std::uint32_t wanted_depth = wanted == kNone ? 0 : loops_[wanted].depth;
    Block parent = dominators.immediate(b);
    for (std::uint32_t loop = innermost_[parent.id]; loop != wanted; loop = loops_[loop].parent) {
      if (loops_[loop].depth <= wanted_depth) break;
      parent = loops_[loop].header;
    }
    parent_[b.id] = parent;
    const bool inside = is_header(parent) && innermost_[parent.id] == wanted;
    Block& first = inside ? first_inside[parent.id] : first_behind[parent.id];
    sibling[b.id] = first;
    first = b;
  }
  std::vector<Block> stack = {Function::entry()};
  order_.reserve(order.size());
  while (!stack.empty()) {
    const Block b = stack.back();
    stack.pop_back();
    position_[b.id] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(b);
    if (sibling[b.id].valid()) stack.push_back(sibling[b.id]);
    if (first_behind[b.id].valid()) stack.push_back(first_behind[b.id]);
    if (first_inside[b.id].valid()) stack.push_back(first_inside[b.id]);
  }
  for (Loop& loop : loops_) {
    loop.first = position_[loop.header.id];
    loop.end = loop.first + 1;
  }
  for (Block b : order_) {
    const std::uint32_t own = innermost_[b.id];
    if (own != kNone && loops_[own].end <= position_[b.id]) loops_[own].end = position_[b.id] + 1;
  }
  for (const Loop& loop : loops_)
    if (loop.parent != kNone && loops_[loop.parent].end < loop.end) loops_[loop.parent].end = loop.end;
}

}  // namespace warpjit::ir
