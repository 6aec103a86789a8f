// Blocks that only jump form trees, whose roots are the blocks that they lead to. A root takes over the edges
// into its whole tree at once, so that each edge moves once and each phi grows once.
#include "ir/pass/thread_jumps.h"

#include <algorithm>
#include <vector>

namespace warpjit::ir {
namespace {

class JumpThreader {
 public:
  JumpThreader(Function& f, std::span<const Block> order, std::span<const Value> replacement)
      : f_(f), order_(order), replacement_(replacement) {}

  bool run() {
    only_jumps_.assign(f_.block_count(), 0);
    bool some = false;
    for (Block b : order_)
      if (is_only_jump(b)) only_jumps_[b.id] = 1, some = true;
    if (!some) return false;
    find_entering();
    known_.resize(f_.block_count());
    for (Block b : order_)
      if (only_jumps_[b.id] == 0) take_over(b);
    // Roots of their own, because what leads to them carries a mark already.
    for (std::size_t k = 0; k < roots_.size(); ++k) take_over(roots_[k]);
    return changed_;
  }

 private:
  // Edge `index` of `from`.
  struct Edge {
    Block from;
    std::uint32_t index;
  };
  // A block of the tree, with the predecessor of the root whose way it goes.
  struct Node {
    Block block;
    std::uint32_t way;
    bool marked;  // some edge from here to the root
  };
  struct Known {
    Block root;         // whose predecessor a block is
    std::uint32_t way;  // which one, or the one whose operands of phis it gets
  };
  struct Added {
    Block from;
    std::uint32_t way;
  };

  bool is_only_jump(Block b) const {
    const BlockData& block = f_.block(b);
    return b != Function::entry() && block.first.valid() && f_.inst(block.first).opcode == Opcode::Jump &&
           block.successors[0] != b;
  }

  // The edges into blocks that only jump, block by block.
  void find_entering() {
    first_entering_.assign(f_.block_count() + 2, 0);
    const auto each = [&](auto visit) {
      for (Block b : order_) {
        const Edges& targets = f_.block(b).successors;
        for (std::uint32_t k = 0; k < targets.size(); ++k)
          if (only_jumps_[targets[k].id] != 0) visit(targets[k], Edge{b, k});
      }
    };
    each([&](Block to, Edge) { ++first_entering_[to.id + 2]; });
    for (std::size_t k = 2; k < first_entering_.size(); ++k) first_entering_[k] += first_entering_[k - 1];
    entering_.resize(first_entering_.back());
    each([&](Block to, Edge edge) { entering_[first_entering_[to.id + 1]++] = edge; });
  }
  std::span<const Edge> entering(Block b) const {
    return {entering_.data() + first_entering_[b.id], first_entering_[b.id + 1] - first_entering_[b.id]};
  }
  bool still(const Edge& edge, Block to) const {
    const Edges& targets = f_.block(edge.from).successors;
    return edge.index < targets.size() && targets[edge.index] == to;
  }
  bool marked(const Edge& edge) const {
    return edge.index < 64 && ((f_.block(edge.from).backward >> edge.index) & 1) != 0;
  }
  Value resolve(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }

  void take_over(Block root) {
    const Edges& predecessors = f_.block(root).predecessors;
    tree_.clear();
    for (std::uint32_t k = 0; k < predecessors.size(); ++k)
      if (only_jumps_[predecessors[k].id] != 0)
        tree_.push_back({predecessors[k], k, f_.block(predecessors[k]).backward != 0});
    if (tree_.empty()) return;
    for (std::uint32_t k = 0; k < predecessors.size(); ++k) known_[predecessors[k].id] = {root, k};
    for (std::size_t k = 0; k < tree_.size(); ++k) {
      const Node node = tree_[k];
      for (const Edge& edge : entering(node.block)) {
        if (only_jumps_[edge.from.id] == 0 || !still(edge, node.block)) continue;
        if (!node.marked || !marked(edge))
          tree_.push_back({edge.from, node.way, node.marked || marked(edge)});
        else if (roots_.empty() || roots_.back() != node.block)
          roots_.push_back(node.block);
      }
    }
    added_.clear();
    bool gone = false;
    for (std::size_t k = tree_.size(); k-- > 0;) gone |= leave(tree_[k], root);
    std::reverse(added_.begin(), added_.end());  // what came first in the tree comes first again
    if (gone || !added_.empty()) set_predecessors(root);
  }

  // Moves the edges into a block of the tree, whose children have been left. True: the block is gone.
  bool leave(const Node& node, Block root) {
    Edges kept;
    for (const Edge& edge : entering(node.block))
      if (still(edge, node.block) && !move(edge, node, root)) kept.push_back(edge.from);
    f_.block(node.block).predecessors = kept;
    if (!kept.empty()) return false;
    f_.block(node.block).successors.clear();
    f_.clear_block(node.block);
    return true;
  }

  bool move(const Edge& edge, const Node& node, Block root) {
    if (node.marked && (marked(edge) || edge.index >= 64)) return false;
    Known& known = known_[edge.from.id];
    if (known.root == root) return join(edge, node, root);
    known = {root, node.way};
    added_.push_back({edge.from, node.way});
    BlockData& from = f_.block(edge.from);
    from.successors[edge.index] = root;
    if (node.marked) from.backward |= std::uint64_t{1} << edge.index;
    return changed_ = true;
  }

  // Both ways of a branch meet at the root: one is enough if nothing tells them apart.
  bool join(const Edge& edge, const Node& node, Block root) {
    BlockData& from = f_.block(edge.from);
    if (f_.inst(from.last).opcode != Opcode::Branch) return false;
    const std::uint32_t direct = 1 - edge.index;
    if (from.successors[direct] != root) return false;
    const bool direct_marked = ((from.backward >> direct) & 1) != 0;
    if ((node.marked || marked(edge)) != direct_marked) return false;
    for (Inst i : f_.insts(root)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      if (resolve(f_.operand(i, known_[edge.from.id].way)) != resolve(f_.operand(i, node.way))) return false;
    }
    from.successors.assign(1, root);
    from.backward = direct_marked ? 1 : 0;
    const Inst last = from.last;
    f_.inst(last).opcode = Opcode::Jump;
    f_.set_operands(last, {});
    return changed_ = true;
  }

  void set_predecessors(Block root) {
    Edges& predecessors = f_.block(root).predecessors;
    const Edges before = predecessors;
    const auto stays = [&](Block b) { return f_.block(b).first.valid(); };
    predecessors.clear();
    for (Block b : before)
      if (stays(b)) predecessors.push_back(b);
    for (const Added& added : added_) predecessors.push_back(added.from);
    for (Inst i : f_.insts(root)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      operands_.clear();
      for (std::uint32_t k = 0; k < before.size(); ++k)
        if (stays(before[k])) operands_.push_back(f_.operand(i, k));
      for (const Added& added : added_) operands_.push_back(f_.operand(i, added.way));
      f_.set_operands(i, operands_);
    }
  }

  Function& f_;
  const std::span<const Block> order_;
  const std::span<const Value> replacement_;
  std::vector<char> only_jumps_;               // per block
  std::vector<std::uint32_t> first_entering_;  // per block: into entering_
  std::vector<Edge> entering_;
  std::vector<Known> known_;  // per block
  std::vector<Node> tree_;    // children after their parents
  std::vector<Added> added_;
  std::vector<Block> roots_;
  std::vector<Value> operands_;
  bool changed_ = false;
};

}  // namespace

bool thread_jumps(Function& f, std::span<const Block> order, std::span<const Value> replacement) {
  return JumpThreader(f, order, replacement).run();
}

}  // namespace warpjit::ir
