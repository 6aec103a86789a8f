#include "ir/analysis/loops.h"

namespace warpjit::ir {

Loops::Loops(const Function& f, const Dominators& dominators) : nodes_(f.block_count()) {
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
    nodes_[header.id].innermost = number;
    while (!stack.empty()) {
      Block b = stack.back();
      stack.pop_back();
      if (nodes_[b.id].innermost == kNone) {
        nodes_[b.id].innermost = number;
      } else {
        const std::uint32_t top = outermost(nodes_[b.id].innermost);
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
// inside the loop that it heads before those after the loop; that makes the order topological, because a
// path to a child from outside its parent's subtree comes through a child that is earlier.
void Loops::make_order(const Dominators& dominators) {
  const std::vector<Block>& order = dominators.order();
  struct Family {
    Block first_inside, first_behind, sibling;
  };
  std::vector<Family> families(nodes_.size());
  for (std::size_t k = order.size(); k-- > 1;) {
    const Block b = order[k];
    const std::uint32_t wanted = level(b);
    const std::uint32_t wanted_depth = wanted == kNone ? 0 : loops_[wanted].depth;
    Block parent = dominators.immediate(b);
    for (std::uint32_t loop = nodes_[parent.id].innermost; loop != wanted; loop = loops_[loop].parent) {
      if (loops_[loop].depth <= wanted_depth) break;
      parent = loops_[loop].header;
    }
    nodes_[b.id].parent = parent;
    const bool inside = is_header(parent) && nodes_[parent.id].innermost == wanted;
    Block& first = inside ? families[parent.id].first_inside : families[parent.id].first_behind;
    families[b.id].sibling = first;
    first = b;
  }
  std::vector<Block> stack;
  stack.reserve(order.size() + 1);
  stack.push_back(Function::entry());
  order_.reserve(order.size());
  while (!stack.empty()) {
    const Block b = stack.back();
    stack.pop_back();
    nodes_[b.id].position = static_cast<std::uint32_t>(order_.size());
    order_.push_back(b);
    const Family& family = families[b.id];
    for (Block next : {family.sibling, family.first_behind, family.first_inside})
      if (next.valid()) stack.push_back(next);
  }
  for (Loop& loop : loops_) {
    loop.first = nodes_[loop.header.id].position;
    loop.end = loop.first + 1;
  }
  for (Block b : order_) {
    const std::uint32_t own = nodes_[b.id].innermost;
    if (own != kNone && loops_[own].end <= nodes_[b.id].position) loops_[own].end = nodes_[b.id].position + 1;
  }
  for (const Loop& loop : loops_)
    if (loop.parent != kNone && loops_[loop.parent].end < loop.end) loops_[loop.parent].end = loop.end;
}

}  // namespace warpjit::ir
