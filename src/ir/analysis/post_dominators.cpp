#include "ir/analysis/post_dominators.h"

#include "ir/analysis/ancestors.h"

namespace warpjit::ir {

PostDominators::PostDominators(const Function& f, const Loops& loops)
    : parent_(f.block_count()), in_(f.block_count(), ~0u), out_(f.block_count(), 0) {
  // Where a loop can be left to.
  std::vector<std::vector<Block>> exits(loops.loops().size());
  for (Block b : loops.order())
    for (Block s : f.block(b).successors)
      for (std::uint32_t loop = loops.innermost(b); !loops.contains(loop, s); loop = loops.loop(loop).parent)
        if (exits[loop].empty() || exits[loop].back() != s) exits[loop].push_back(s);

  // Without back edges the order is topological: one sweep from the end, in which the tree's root is a node
  // after all blocks that return.
  const auto& order = loops.order();
  const auto end = static_cast<std::uint32_t>(order.size());
  AncestorTree tree(end + 1, end);
  std::vector<std::uint32_t> parent(end + 1, end);
  for (std::uint32_t k = end; k-- > 0;) {
    std::uint32_t meet = ~0u;
    const auto visit = [&](Block s) {
      // A way out of an inner loop may turn back in the one around it; where that leads is not followed.
      const std::uint32_t p = loops.position(s) > k ? loops.position(s) : end;
      meet = meet == ~0u ? p : tree.nearest_common(meet, p);
    };
    for (Block s : f.block(order[k]).successors) {
      if (loops.position(s) > k) {
        visit(s);
      } else {
        for (Block exit : exits[loops.innermost(s)]) visit(exit);
      }
    }
    parent[k] = meet == ~0u ? end : meet;
    tree.add(k, parent[k]);
  }
  std::vector<std::uint32_t> size(end + 1, 1), taken(end + 1, 1), in(end + 1, 0);
  for (std::uint32_t k = 0; k < end; ++k) size[parent[k]] += size[k];
  for (std::uint32_t k = end; k-- > 0;) {
    in[k] = in[parent[k]] + taken[parent[k]];
    taken[parent[k]] += size[k];
    if (parent[k] != end) parent_[order[k].id] = order[parent[k]];
    in_[order[k].id] = in[k];
    out_[order[k].id] = in[k] + size[k];
  }
}

}  // namespace warpjit::ir
