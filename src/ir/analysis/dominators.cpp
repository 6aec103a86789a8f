#include "ir/analysis/dominators.h"

#include <algorithm>
#include <utility>

namespace warpjit::ir {

std::vector<Block> reverse_postorder(const Function& f) {
  std::vector<Block> order;
  order.reserve(f.block_count());
  std::vector<std::pair<Block, std::uint32_t>> stack;
  stack.reserve(f.block_count());
  std::vector<std::uint8_t> seen(f.block_count());
  stack.emplace_back(Function::entry(), 0);
  seen[Function::entry().id] = 1;
  while (!stack.empty()) {
    auto& [b, edge] = stack.back();
    const auto& successors = f.block(b).successors;
    if (edge == successors.size()) {
      order.push_back(b);
      stack.pop_back();
      continue;
    }
    const Block target = successors[edge++];
    if (seen[target.id] != 0) continue;
    seen[target.id] = 1;
    stack.emplace_back(target, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Dominators::Dominators(const Function& f)
    : order_(reverse_postorder(f)),
      position_(f.block_count(), kNone),
      parent_(f.block_count()),
      in_(f.block_count(), kNone),
      out_(f.block_count(), 0) {
  for (std::uint32_t k = 0; k < order_.size(); ++k) position_[order_[k].id] = k;
  std::vector<std::uint32_t> parent(order_.size(), kNone);  // by position
  parent[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t k = 1; k < order_.size(); ++k) {
      std::uint32_t meet = kNone;
      for (Block predecessor : f.block(order_[k]).predecessors) {
        std::uint32_t p = position_[predecessor.id];
        if (p == kNone || parent[p] == kNone) continue;
        if (meet == kNone) meet = p;
        while (meet != p) {
          while (meet > p) meet = parent[meet];
          while (p > meet) p = parent[p];
        }
      }
      if (parent[k] != meet) parent[k] = meet, changed = true;
    }
  }
  // Parents come first: subtree sizes sum up from the back, starts come down from the front.
  std::vector<std::uint32_t> size(order_.size(), 1), taken(order_.size(), 1);
  for (std::size_t k = order_.size(); --k > 0;) size[parent[k]] += size[k];
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    std::uint32_t& in = in_[order_[k].id];
    in = 0;
    if (k != 0) {
      parent_[order_[k].id] = order_[parent[k]];
      in = in_[order_[parent[k]].id] + taken[parent[k]];
      taken[parent[k]] += size[k];
    }
    out_[order_[k].id] = in + size[k];
  }
}

}  // namespace warpjit::ir
