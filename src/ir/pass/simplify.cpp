// Folding over a whole function, and what follows for control flow.
#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/builder.h"
#include "ir/pass/fold.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class Simplifier {
 public:
  explicit Simplifier(Function& f) : f_(f), builder_(f) {}

  void run() {
    // A round sees what the one before made constant: two are the rule, deep chains of constant loops are not
    // worth more.
    constexpr int kRounds = 4;
    bool values = true;  // some have become others since instructions were visited
    for (int round = 0; round < kRounds; ++round) {
      again_ = false;
      const std::vector<Block> order = reverse_postorder(f_);
      remove_unreachable(order);
      if (values)
        for (Block b : order) instructions(b);
      phi_replaced_ = false;  // of those until here all but phis over back edges have heard
      // What comes over a back edge was visited after the phi that takes it.
      for (Block b : order) phis(b);
      for (Block b : order) terminator(b);
      for (Block b : order) thread_jump(b);
      for (Block b : order) merge(b);
      values = phi_replaced_;
      if (!again_ && !values) break;
    }
    if (replaced_) f_.replace_values(replacement_);
  }

 private:
  Value resolve(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }
  void replace(Value old, Value by) {
    if (replacement_.size() <= old.id)
      replacement_.resize(std::max<std::size_t>(f_.value_count(), old.id + 1));
    replacement_[old.id] = by;
    replaced_ = true;
  }
  std::size_t predecessor_count(Block b) const { return f_.block(b).predecessors.size(); }
  bool has_phis(Block b) const { return f_.inst(f_.block(b).first).opcode == Opcode::Phi; }

  void remove_unreachable(const std::vector<Block>& order) {
    if (order.size() == f_.block_count()) return;
    std::vector<char> reachable(f_.block_count(), 0);
    for (Block b : order) reachable[b.id] = 1;
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      if (!reachable[b] && f_.block(Block{b}).first.valid()) f_.clear_block(Block{b});
  }

  void instructions(Block b) {
    for (Inst i : f_.insts(b)) {
      for (Value& v : f_.operands(i)) v = resolve(v);
      const Opcode opcode = f_.inst(i).opcode;
      if (opcode == Opcode::Phi) {
        phi(i);
      } else if (opcode == Opcode::LoadUniformRow) {
        row(i);
      } else if (info(opcode).guarded) {
        const Value guard = f_.operand(i, 0);
        if (f_.is_constant(guard) && f_.constant(guard) == 0) nobody(i);
      } else if (const Value known = simplify_in_place(f_, i); known.valid()) {
        replace(f_.result(i), known);
        f_.remove(i);
      }
    }
  }

  // No lane runs it: what it gives is unspecified, or true of all of none.
  void nobody(Inst i) {
    const InstData data = f_.inst(i);
    for (std::uint32_t k = 0; k < data.result_count; ++k)
      replace(f_.result(i, k),
              f_.constant_value(f_.value(f_.result(i, k)).type, data.opcode == Opcode::AllActive));
    f_.remove(i);
  }

  void phis(Block b) {
    for (Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode != Opcode::Phi) return;
      for (Value& v : f_.operands(i)) v = resolve(v);
      phi(i);
    }
  }

  // A phi of one value and itself is that value.
  void phi(Inst i) {
    const Value result = f_.result(i);
    Value same;
    for (Value v : f_.operands(i)) {
      if (v == result || v == same) continue;
      if (same.valid()) return;
      same = v;
    }
    if (!same.valid()) return;
    replace(result, same);
    f_.remove(i);
    phi_replaced_ = true;  // what came before over a back edge may fold now
  }

  void row(Inst i) {
    const Value index = f_.operand(i, 0);
    if (!f_.is_constant(index)) return;
    builder_.set_before(i);
    builder_.set_guest_address(f_.inst(i).guest_address);
    const auto words = builder_.LoadUniformRow(I32{index}, f_.inst(i).immediate);
    for (std::uint32_t k = 0; k < 4; ++k) replace(f_.result(i, k), words[k]);
    f_.remove(i);
  }

  // Keeps edge k of b only.
  void keep_edge(Block b, std::size_t kept) {
    const auto targets = f_.block(b).successors;
    for (std::size_t k = 0; k < targets.size(); ++k)
      if (k != kept) f_.remove_predecessor(targets[k], f_.predecessor_index(targets[k], b));
    BlockData& block = f_.block(b);
    block.successors.assign(1, targets[kept]);
    block.backward = kept < 64 ? (block.backward >> kept) & 1 : 0;
    const Inst last = block.last;
    f_.inst(last).opcode = Opcode::Jump;
    f_.set_operands(last, {});
    again_ = true;
  }

  void terminator(Block b) {
    const Inst last = f_.terminator(b);
    if (!last.valid()) return;
    const Opcode opcode = f_.inst(last).opcode;
    if (opcode != Opcode::Branch && opcode != Opcode::Switch) return;
    const std::size_t edges = f_.block(b).successors.size();
    const Value condition = resolve(f_.operand(last, 0));
    if (f_.is_constant(condition)) {
      const std::uint64_t bits = f_.constant(condition);
      return keep_edge(
          b, opcode == Opcode::Branch ? (bits != 0 ? 0 : 1) : std::min<std::uint64_t>(bits, edges - 1));
    }
    if (edges == 1) return keep_edge(b, 0);
    BlockData& block = f_.block(b);
    if (opcode == Opcode::Switch && edges == 2) {
      builder_.set_before(last);
      builder_.set_guest_address(f_.inst(last).guest_address);
      f_.set_operand(last, 0, builder_.IEq32(I32{condition}, builder_.constant(0)));
      f_.inst(last).opcode = Opcode::Branch;
    } else if (opcode == Opcode::Branch && f_.definition_of(condition).opcode == Opcode::Not1 &&
               !f_.ordered) {  // the order of the edges makes that of the blocks
      f_.set_operand(last, 0, f_.operand(f_.definition(condition), 0));
      std::swap(block.successors[0], block.successors[1]);
      block.backward = ((block.backward & 1) << 1) | ((block.backward >> 1) & 1);
    }
  }

  // An edge into a block that does nothing but jump goes to that block's target. Marks add up; an edge
  // cannot carry two.
  void thread_jump(Block b) {
    if (b == Function::entry() || !f_.block(b).first.valid()) return;
    const Inst first = f_.block(b).first;
    if (f_.inst(first).opcode != Opcode::Jump) return;
    const Block target = f_.block(b).successors[0];
    if (target == b) return;
    const bool marked = f_.block(b).backward != 0;
    for (std::size_t k = predecessor_count(b); k-- > 0;) {
      const Block from = f_.block(b).predecessors[k];
      auto& successors = f_.block(from).successors;
      std::size_t edge = 0;
      while (successors[edge] != b) ++edge;
      const bool edge_marked = edge < 64 && ((f_.block(from).backward >> edge) & 1) != 0;
      if ((marked && edge_marked) || (marked && edge >= 64)) continue;
      if (f_.predecessor_index(target, from) < predecessor_count(target)) {
        // Both ways of a branch meet there: one is enough if nothing tells them apart.
        join_edges(from, b, target, marked || edge_marked);
        continue;
      }
      add_predecessor(target, from, f_.predecessor_index(target, b));
      f_.block(from).successors[edge] = target;
      if (marked) f_.block(from).backward |= std::uint64_t{1} << edge;
      f_.remove_predecessor(b, k);
      again_ = true;
    }
    if (predecessor_count(b) == 0) f_.clear_block(b);
  }

  // Gives `target` one more predecessor, from which phis get what they get over edge `like`.
  void add_predecessor(Block target, Block predecessor, std::size_t like) {
    f_.block(target).predecessors.push_back(predecessor);
    for (Inst i : f_.insts(target)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const std::span<const Value> old = f_.operands(i);
      operands_.assign(old.begin(), old.end());
      operands_.push_back(old[like]);
      f_.set_operands(i, operands_);
    }
  }

  void join_edges(Block from, Block through, Block target, bool marked) {
    const Inst last = f_.terminator(from);
    if (f_.inst(last).opcode != Opcode::Branch) return;
    auto& successors = f_.block(from).successors;
    const std::size_t direct = successors[0] == target ? 0 : 1;
    const bool direct_marked = ((f_.block(from).backward >> direct) & 1) != 0;
    if (marked != direct_marked) return;
    const std::size_t a = f_.predecessor_index(target, from), b = f_.predecessor_index(target, through);
    for (Inst i : f_.insts(target)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      if (resolve(f_.operands(i)[a]) != resolve(f_.operands(i)[b])) return;
    }
    keep_edge(from, direct);
  }

  // A block and its only successor's only predecessor become one.
  void merge(Block b) {
    if (!f_.block(b).first.valid()) return;
    for (;;) {
      const BlockData& block = f_.block(b);
      if (block.successors.size() != 1 || block.backward != 0 || f_.inst(block.last).opcode != Opcode::Jump)
        return;
      const Block next = block.successors[0];
      if (next == b || next == Function::entry() || predecessor_count(next) != 1) return;
      for (Inst i : f_.insts(next)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        replace(f_.result(i), resolve(f_.operand(i, 0)));
        f_.remove(i);
        phi_replaced_ = true;
      }
      f_.absorb_successor(b);
    }
  }

  Function& f_;
  Builder builder_;
  std::vector<Value> replacement_;
  std::vector<Value> operands_;
  bool replaced_ = false;
  bool again_ = false, phi_replaced_ = false;  // another round has something to do
};

}  // namespace

void simplify(Function& f) { Simplifier(f).run(); }

}  // namespace warpjit::ir
