#include "ir/analysis/dominators.h"

#include <algorithm>
#include <utility>

namespace warpjit::ir {
namespace {

// Searches from the entry: enter(block, the block it was found from) in preorder; appends the reverse
// postorder to `order`.
template <class Enter>
void depth_first(const Function& f, std::vector<Block>& order, Enter enter) {
  std::vector<std::pair<Block, std::uint32_t>> stack;
  stack.reserve(f.block_count());
  std::vector<std::uint8_t> seen(f.block_count());
  const auto open = [&](Block b, Block from) {
    seen[b.id] = 1;
    enter(b, from);
    stack.emplace_back(b, 0);
  };
  open(Function::entry(), Block{});
  while (!stack.empty()) {
    auto& [b, edge] = stack.back();
    const auto& successors = f.block(b).successors;
    if (edge == successors.size()) {
      order.push_back(b);
      stack.pop_back();
      continue;
    }
    const Block target = successors[edge++];
    if (seen[target.id] == 0) open(target, Block{b});
  }
  std::reverse(order.begin(), order.end());
}

// The immediate dominator of each node by preorder number; node 0 is the root, `parent` the search tree.
// Semi-NCA: semidominators with path compression (Lengauer and Tarjan 1979), then the nearest common
// ancestor of a node's parent and its semidominator (Georgiadis 2005). Unlike the iteration of Cooper, Harvey
// and Kennedy it does not turn quadratic when a long chain of blocks branches to one exit.
template <class Predecessors>
std::vector<std::uint32_t> immediate_dominators(const std::vector<std::uint32_t>& parent,
                                                Predecessors predecessors) {
  const auto count = static_cast<std::uint32_t>(parent.size());
  std::vector<std::uint32_t> semi(count), label(count), up = parent, path;
  for (std::uint32_t k = 0; k < count; ++k) semi[k] = label[k] = k;
  for (std::uint32_t node = count; --node > 0;) {
    std::uint32_t best = parent[node];
    predecessors(node, [&](std::uint32_t p) {
      // Nodes above `node` hang on their parents; `up` skips what was looked through before.
      std::uint32_t at = p;
      for (; at > node && up[at] > node; at = up[at]) path.push_back(at);
      while (!path.empty()) {
        const std::uint32_t below = path.back(), above = up[below];
        path.pop_back();
        if (semi[label[above]] < semi[label[below]]) label[below] = label[above];
        up[below] = up[above];
      }
      best = std::min(best, semi[label[p]]);
    });
    semi[node] = best;
  }
  std::vector<std::uint32_t> dominator = parent;
  for (std::uint32_t node = 1; node < count; ++node)
    while (dominator[node] > semi[node]) dominator[node] = dominator[dominator[node]];
  return dominator;
}

}  // namespace

std::vector<Block> reverse_postorder(const Function& f) {
  std::vector<Block> order;
  order.reserve(f.block_count());
  depth_first(f, order, [](Block, Block) {});
  return order;
}

Dominators::Dominators(const Function& f)
    : position_(f.block_count(), kNone),
      parent_(f.block_count()),
      in_(f.block_count(), kNone),
      out_(f.block_count(), 0) {
  std::vector<Block> preorder;
  std::vector<std::uint32_t> number(f.block_count(), kNone), search_parent;
  order_.reserve(f.block_count());
  preorder.reserve(f.block_count());
  search_parent.reserve(f.block_count());
  depth_first(f, order_, [&](Block b, Block from) {
    number[b.id] = static_cast<std::uint32_t>(preorder.size());
    preorder.push_back(b);
    search_parent.push_back(from.valid() ? number[from.id] : 0);
  });
  for (std::uint32_t k = 0; k < order_.size(); ++k) position_[order_[k].id] = k;
  const std::vector<std::uint32_t> parent =
      immediate_dominators(search_parent, [&](std::uint32_t node, auto visit) {
        for (Block p : f.block(preorder[node]).predecessors)
          if (number[p.id] != kNone) visit(number[p.id]);
      });
  // Parents come first: subtree sizes sum up from the back, starts come down from the front.
  std::vector<std::uint32_t> size(order_.size(), 1), taken(order_.size(), 1);
  for (std::size_t k = order_.size(); --k > 0;) size[parent[k]] += size[k];
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    std::uint32_t& in = in_[preorder[k].id];
    in = 0;
    if (k != 0) {
      parent_[preorder[k].id] = preorder[parent[k]];
      in = in_[preorder[parent[k]].id] + taken[parent[k]];
      taken[parent[k]] += size[k];
    }
    out_[preorder[k].id] = in + size[k];
  }
}

}  // namespace warpjit::ir
