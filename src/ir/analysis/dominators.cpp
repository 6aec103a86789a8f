#include "ir/analysis/dominators.h"

#include <algorithm>
#include <utility>

namespace warpjit::ir {
namespace {

// Depth-first search from `root`; gives its reverse postorder. `next(node, k)` is the k-th edge's target, or
// ~0u behind the last one.
template <class Next>
std::vector<std::uint32_t> search(std::uint32_t root, std::size_t node_count, Next next) {
  std::vector<std::uint32_t> order;
  order.reserve(node_count);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
  stack.reserve(node_count);
  std::vector<std::uint8_t> seen(node_count);
  stack.emplace_back(root, 0);
  seen[root] = 1;
  while (!stack.empty()) {
    auto& [node, edge] = stack.back();
    const std::uint32_t target = next(node, edge++);
    if (target == ~0u) {
      order.push_back(node);
      stack.pop_back();
    } else if (seen[target] == 0) {
      seen[target] = 1;
      stack.emplace_back(target, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::uint32_t nth(const std::vector<Block>& list, std::uint32_t k) {
  return k < list.size() ? list[k].id : ~0u;
}

std::vector<std::uint32_t> forward_order(const Function& f) {
  return search(Function::entry().id, f.block_count(),
                [&](std::uint32_t b, std::uint32_t k) { return nth(f.block(Block{b}).successors, k); });
}

}  // namespace

std::vector<Block> reverse_postorder(const Function& f) {
  std::vector<Block> order;
  order.reserve(f.block_count());
  for (std::uint32_t b : forward_order(f)) order.push_back(Block{b});
  return order;
}

template <class Predecessors>
void detail::DominatorTree::build(const std::vector<std::uint32_t>& order, std::size_t node_count,
                                  Predecessors preds) {
  parent_.assign(node_count, kNone);
  in_.assign(node_count, 0);
  out_.assign(node_count, 0);
  std::vector<std::uint32_t>& position = in_;  // until the intervals are known
  for (std::uint32_t k = 0; k < order.size(); ++k) position[order[k]] = k;
  parent_[order[0]] = order[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 1; k < order.size(); ++k) {
      std::uint32_t meet = kNone;
      preds(order[k], [&](std::uint32_t p) {
        if (parent_[p] == kNone) return;
        if (meet == kNone) {
          meet = p;
          return;
        }
        while (meet != p) {
          while (position[meet] > position[p]) meet = parent_[meet];
          while (position[p] > position[meet]) p = parent_[p];
        }
      });
      if (parent_[order[k]] != meet) parent_[order[k]] = meet, changed = true;
    }
  }
  // Parents precede children in `order`: subtree sizes sum up from the back, starts come down from the front.
  std::vector<std::uint32_t> size(node_count, 1);
  for (std::size_t k = order.size(); --k > 0;) size[parent_[order[k]]] += size[order[k]];
  std::vector<std::uint32_t> taken(node_count, 1);
  for (std::uint32_t node : order) {
    const std::uint32_t parent = parent_[node];
    if (parent == node) {
      in_[node] = 0;
    } else {
      in_[node] = in_[parent] + taken[parent];
      taken[parent] += size[node];
    }
    out_[node] = in_[node] + size[node];
  }
}

Dominators::Dominators(const Function& f) {
  const std::vector<std::uint32_t> order = forward_order(f);
  position_.assign(f.block_count(), kNone);
  order_.reserve(order.size());
  for (std::uint32_t b : order) {
    position_[b] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(Block{b});
  }
  build(order, f.block_count(), [&](std::uint32_t b, auto visit) {
    for (Block p : f.block(Block{b}).predecessors) visit(p.id);
  });
}

PostDominators::PostDominators(const Function& f) : exit_(static_cast<std::uint32_t>(f.block_count())) {
  std::vector<Block> returns;
  for (std::uint32_t b = 0; b < exit_; ++b)
    if (f.block(Block{b}).first.valid() && f.block(Block{b}).successors.empty()) returns.push_back(Block{b});
  const std::vector<std::uint32_t> order = search(exit_, exit_ + 1, [&](std::uint32_t b, std::uint32_t k) {
    return nth(b == exit_ ? returns : f.block(Block{b}).predecessors, k);
  });
  build(order, exit_ + 1, [&](std::uint32_t b, auto visit) {
    const auto& successors = f.block(Block{b}).successors;
    if (successors.empty()) visit(exit_);
    for (Block s : successors) visit(s.id);
  });
}

}  // namespace warpjit::ir
