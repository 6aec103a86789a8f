#include "ir/analysis/dominators.h"

#include <algorithm>
#include <span>

namespace warpjit::ir {
namespace {

// Arrays of a number per block, from one piece of memory.
class Scratch {
 public:
  Scratch(std::size_t arrays, std::size_t count) : memory_(arrays * count), count_(count) {}
  std::span<std::uint32_t> take() { return {memory_.data() + count_ * taken_++, count_}; }

 private:
  std::vector<std::uint32_t> memory_;  // zeros
  std::size_t count_, taken_ = 0;
};

// Searches from the entry: enter(block, the block it was found from) in preorder. Gives the reverse
// postorder. Takes three arrays.
template <class Enter>
std::vector<Block> depth_first(const Function& f, Scratch& scratch, Enter enter) {
  const auto stack = scratch.take(), next_edge = scratch.take(), seen = scratch.take();
  std::size_t depth = 0, left = f.block_count();
  std::vector<Block> order(left);
  const auto open = [&](Block b, Block from) {
    seen[b.id] = 1;
    enter(b, from);
    stack[depth++] = b.id;
  };
  open(Function::entry(), Block{});
  while (depth != 0) {
    const Block b{stack[depth - 1]};
    const Edges& successors = f.block(b).successors;
    std::uint32_t& edge = next_edge[b.id];
    if (edge == successors.size()) {
      order[--left] = b;
      --depth;
      continue;
    }
    const Block target = successors[edge++];
    if (seen[target.id] == 0) open(target, b);
  }
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left));
  return order;
}

// The immediate dominator of each node by preorder number; node 0 is the root, `parent` the search tree.
// Semi-NCA: semidominators with path compression (Lengauer and Tarjan 1979), then the nearest common
// ancestor of a node's parent and its semidominator (Georgiadis 2005). Unlike the iteration of Cooper, Harvey
// and Kennedy it does not turn quadratic when a long chain of blocks branches to one exit.
// Leaves them in `dominator`; takes four arrays.
template <class Predecessors>
void immediate_dominators(std::span<const std::uint32_t> parent, std::span<std::uint32_t> dominator,
                          Scratch& scratch, Predecessors predecessors) {
  const auto count = static_cast<std::uint32_t>(parent.size());
  const auto semi = scratch.take(), label = scratch.take(), up = scratch.take(), path = scratch.take();
  std::copy(parent.begin(), parent.end(), up.begin());
  for (std::uint32_t k = 0; k < count; ++k) semi[k] = label[k] = k;
  for (std::uint32_t node = count; --node > 0;) {
    std::uint32_t best = parent[node];
    predecessors(node, [&](std::uint32_t p) {
      // Nodes above `node` hang on their parents; `up` skips what was looked through before.
      std::uint32_t at = p;
      std::size_t length = 0;
      for (; at > node && up[at] > node; at = up[at]) path[length++] = at;
      while (length != 0) {
        const std::uint32_t below = path[--length], above = up[below];
        if (semi[label[above]] < semi[label[below]]) label[below] = label[above];
        up[below] = up[above];
      }
      best = std::min(best, semi[label[p]]);
    });
    semi[node] = best;
  }
  std::copy(parent.begin(), parent.end(), dominator.begin());
  for (std::uint32_t node = 1; node < count; ++node)
    while (dominator[node] > semi[node]) dominator[node] = dominator[dominator[node]];
}

}  // namespace

std::vector<Block> reverse_postorder(const Function& f) {
  Scratch scratch(3, f.block_count());
  return depth_first(f, scratch, [](Block, Block) {});
}

bool are_all(const Function& f, const std::vector<Block>& reached) {
  std::size_t blocks = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b) blocks += f.block(Block{b}).first.valid() ? 1 : 0;
  return blocks == reached.size();
}

Dominators::Dominators(const Function& f) : nodes_(f.block_count()) {
  Scratch scratch(11, f.block_count());
  const auto preorder = scratch.take(), number = scratch.take(), search_parent = scratch.take(),
             parent = scratch.take();
  std::fill(number.begin(), number.end(), kNone);
  std::uint32_t count = 0;
  order_ = depth_first(f, scratch, [&](Block b, Block from) {
    preorder[count] = b.id;
    search_parent[count] = from.valid() ? number[from.id] : 0;
    number[b.id] = count++;
  });
  for (std::uint32_t k = 0; k < count; ++k) nodes_[order_[k].id].position = k;
  immediate_dominators(search_parent.first(count), parent, scratch, [&](std::uint32_t node, auto visit) {
    for (Block p : f.block(Block{preorder[node]}).predecessors)
      if (number[p.id] != kNone) visit(number[p.id]);
  });
  // Children come after their parents: subtree sizes sum up from the back, in `out` until the places of the
  // subtrees are known, starts come down from the front.
  const auto node = [&](std::uint32_t k) -> Node& { return nodes_[preorder[k]]; };
  for (std::uint32_t k = 0; k < count; ++k) node(k).out = 1;
  for (std::uint32_t k = count; --k > 0;) node(parent[k]).out += node(k).out;
  const auto taken = search_parent;  // of a subtree's interval; nobody needs the search tree any more
  for (std::uint32_t k = 0; k < count; ++k) {
    Node& own = node(k);
    own.in = 0;
    taken[k] = 1;
    if (k != 0) {
      own.parent = Block{preorder[parent[k]]};
      own.in = node(parent[k]).in + taken[parent[k]];
      taken[parent[k]] += own.out;
    }
    own.out += own.in;
  }
}

}  // namespace warpjit::ir
