// Folding over a whole function, and what follows for control flow.
#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/builder.h"
#include "ir/pass/fold.h"
#include "ir/pass/passes.h"
#include "ir/pass/thread_jumps.h"

namespace warpjit::ir {
namespace {

class Simplifier {
 public:
  explicit Simplifier(Function& f) : f_(f), builder_(f) {}

  void run() {
    // A round sees what the one before made constant: two are the rule, and deep chains of constant loops are
    // not worth more.
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
      remove_edges();
      if (f_.lane_order != LaneOrder::lowest_address_first || f_.form == Form::group) {
        if (thread_jumps(f_, order, replacement_)) again_ = true;
        merge_blocks(order);
      }
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
  // False: `by` is one that `old` has replaced already, around a loop that nothing enters; both then stay
  // what they are.
  bool replace(Value old, Value by) {
    by = resolve(by);
    if (by == old) return false;
    if (replacement_.size() <= old.id)
      replacement_.resize(std::max<std::size_t>(f_.value_count(), old.id + 1));
    replacement_[old.id] = by;
    replaced_ = true;
    return true;
  }

  void remove_unreachable(const std::vector<Block>& order) {
    if (order.size() == f_.block_count()) return;
    std::vector<char> reachable(f_.block_count(), 0);
    for (Block b : order) reachable[b.id] = 1;
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) {
      BlockData& block = f_.block(Block{b});
      if (reachable[b] || !block.first.valid()) continue;
      for (Block target : block.successors)
        if (reachable[target.id]) removed_.push_back({target, Block{b}});
      block.successors.clear();
      f_.clear_block(Block{b});
    }
    remove_edges();
  }

  // The removed edges leave the lists of predecessors, and what comes over them the phis: once for each
  // block, however many edges it loses.
  void remove_edges() {
    if (removed_.empty()) return;
    std::sort(removed_.begin(), removed_.end());
    std::vector<Block> lost(f_.block_count());  // per block: the last target that it goes to no more
    for (std::size_t k = 0; k < removed_.size();) {
      const Block target = removed_[k].to;
      for (; k < removed_.size() && removed_[k].to == target; ++k) lost[removed_[k].from.id] = target;
      f_.remove_predecessors(target, [&](Block from) { return lost[from.id] == target; });
    }
    removed_.clear();
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
        if (replace(f_.result(i), known)) f_.remove(i);
      }
    }
  }

  // No lane runs it: what it gives is the reader's own value, true of all of none, or unspecified.
  void nobody(Inst i) {
    const InstData data = f_.inst(i);
    if (data.opcode == Opcode::QuadRead || data.opcode == Opcode::LaneRead) {
      replace(f_.result(i), f_.operand(i, 2));
      return f_.remove(i);
    }
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

  void phi(Inst i) {
    const Value result = f_.result(i), same = only_value(f_, i, [&](Value v) { return resolve(v); });
    if (!same.valid()) return;
    if (!replace(result, same)) return;
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
      if (k != kept) removed_.push_back({targets[k], b});
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
               (f_.lane_order == LaneOrder::none || f_.form == Form::group)) {
      // Not in thread form with an order of lanes: there the order of the edges makes that of the blocks.
      f_.set_operand(last, 0, f_.operand(f_.definition(condition), 0));
      std::swap(block.successors[0], block.successors[1]);
      block.backward = ((block.backward & 1) << 1) | ((block.backward >> 1) & 1);
    }
  }

  // A block and its only successor's only predecessor become one.
  void merge_blocks(const std::vector<Block>& order) {
    std::vector<Block> into(f_.block_count());  // per block that is gone
    bool some = false;
    for (Block b : order)
      for (Block gone = absorb(b); gone.valid(); gone = absorb(b)) into[gone.id] = b, some = true;
    if (!some) return;
    // A block that absorbed others may itself be gone by now.
    const auto name = [&](Block b) {
      while (into[b.id].valid()) {
        if (const Block next = into[into[b.id].id]; next.valid()) into[b.id] = next;  // shortens the way
        b = into[b.id];
      }
      return b;
    };
    for (Block b : order)
      for (Block& predecessor : f_.block(b).predecessors) predecessor = name(predecessor);
  }
  // Gives the successor that b absorbed; it still stands among the predecessors of those after it.
  Block absorb(Block b) {
    const BlockData& block = f_.block(b);
    if (!block.first.valid() || block.successors.size() != 1 || block.backward != 0 ||
        f_.inst(block.last).opcode != Opcode::Jump)
      return {};
    const Block next = block.successors[0];
    if (next == b || next == Function::entry() || f_.block(next).predecessors.size() != 1) return {};
    for (Inst i : f_.insts(next)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      replace(f_.result(i), resolve(f_.operand(i, 0)));
      f_.remove(i);
      phi_replaced_ = true;
    }
    f_.absorb_successor(b);
    return next;
  }

  struct RemovedEdge {
    Block to, from;
    friend auto operator<=>(const RemovedEdge&, const RemovedEdge&) = default;
  };

  Function& f_;
  Builder builder_;
  std::vector<Value> replacement_;
  std::vector<RemovedEdge> removed_;
  bool replaced_ = false;
  bool again_ = false, phi_replaced_ = false;  // another round has something to do
};

}  // namespace

void simplify(Function& f) { Simplifier(f).run(); }

}  // namespace warpjit::ir
