#include <algorithm>

#include "ir/analysis/ancestors.h"
#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

bool remove_unreachable(Function& f) {
  std::vector<std::uint8_t> reachable(f.block_count());
  const std::vector<Block> order = reverse_postorder(f);
  for (Block b : order) reachable[b.id] = 1;
  bool changed = false;
  for (Block b : order)
    for (std::size_t k = f.block(b).predecessors.size(); k-- > 0;)
      if (reachable[f.block(b).predecessors[k].id] == 0) f.remove_predecessor(b, k);
  for (std::uint32_t id = 0; id < f.block_count(); ++id) {
    if (reachable[id] != 0 || !f.block(Block{id}).first.valid()) continue;
    for (Inst i : f.insts(Block{id})) f.remove(i);
    f.block(Block{id}) = BlockData{};
    changed = true;
  }
  return changed;
}

// One block returns; the others jump there.
bool unify_returns(Function& f) {
  std::vector<Block> returns;
  for (std::uint32_t id = 0; id < f.block_count(); ++id)
    if (f.block(Block{id}).first.valid() && f.block(Block{id}).successors.empty())
      returns.push_back(Block{id});
  if (returns.size() < 2) return false;
  const Block last = f.add_block();
  f.append(last, f.make(Opcode::Return, {}));
  for (Block b : returns) {
    const Inst old = f.terminator(b);
    const Inst jump = f.make(Opcode::Jump, {});
    f.inst(jump).guest_address = f.inst(old).guest_address;
    f.remove(old);
    f.append(b, jump);
    f.set_successors(b, {&last, 1});
  }
  return true;
}

// Gives the chosen predecessors of `target` a common new block before it; phis are split accordingly.
// If all the edges are marked backward, the mark moves to the new one.
void merge_edges(Function& f, Block target, const std::vector<Block>& chosen, bool move_marks) {
  const Block middle = f.add_block(f.block(target).guest_address);
  bool marked = move_marks;
  for (Block p : chosen) {
    auto& targets = f.block(p).successors;
    const auto k =
        static_cast<std::size_t>(std::find(targets.begin(), targets.end(), target) - targets.begin());
    targets[k] = middle;
    marked = marked && k < 64 && ((f.block(p).backward >> k) & 1) != 0;
  }
  if (marked) {
    for (Block p : chosen) {
      const auto& targets = f.block(p).successors;
      const auto k =
          static_cast<std::size_t>(std::find(targets.begin(), targets.end(), middle) - targets.begin());
      f.block(p).backward &= ~(std::uint64_t{1} << k);
    }
  }
  std::vector<Value> kept, moved;
  const Edges predecessors = f.block(target).predecessors;
  std::vector<std::uint32_t> numbers;
  for (Block p : chosen) numbers.push_back(p.id);
  std::ranges::sort(numbers);
  std::vector<char> is_chosen;  // per predecessor
  for (Block p : predecessors) is_chosen.push_back(std::ranges::binary_search(numbers, p.id) ? 1 : 0);
  for (Inst phi : f.insts(target)) {
    if (f.inst(phi).opcode != Opcode::Phi) break;
    kept.clear(), moved.clear();
    for (std::uint32_t k = 0; k < predecessors.size(); ++k)
      (is_chosen[k] != 0 ? moved : kept).push_back(f.operand(phi, k));
    Value merged = moved[0];
    if (std::any_of(moved.begin(), moved.end(), [&](Value v) { return v != moved[0]; })) {
      const Inst made = f.make(Opcode::Phi, moved, 0, f.inst(phi).phi_type);
      f.append(middle, made);
      merged = f.result(made);
    }
    kept.push_back(merged);
    f.set_operands(phi, kept);
  }
  Edges others, before;
  for (std::uint32_t k = 0; k < predecessors.size(); ++k)
    (is_chosen[k] != 0 ? before : others).push_back(predecessors[k]);
  f.block(target).predecessors = others;
  f.block(middle).predecessors = before;
  const Inst jump = f.make(Opcode::Jump, {});
  f.inst(jump).guest_address = f.inst(f.terminator(chosen[0])).guest_address;
  f.append(middle, jump);
  f.set_successors(middle, {&target, 1});
  f.block(middle).backward = marked ? 1 : 0;
}

// Every loop gets one edge into its header from a block that goes nowhere else, and one such back edge.
bool add_preheaders_and_latches(Function& f, const Dominators& dominators, const Loops& loops) {
  bool changed = false;
  std::vector<Block> entering, returning;
  for (const Loops::Loop& loop : loops.loops()) {
    entering.clear(), returning.clear();
    for (Block p : f.block(loop.header).predecessors) {
      (dominators.dominates(loop.header, p) ? returning : entering).push_back(p);
    }
    for (auto* edges : {&entering, &returning}) {
      if (edges->size() == 1 && f.block((*edges)[0]).successors.size() == 1) continue;
      merge_edges(f, loop.header, *edges, edges == &returning);
      changed = true;
    }
  }
  return changed;
}

// Loop-closed SSA: a value that is used outside the loop it is defined in leaves through a phi at the exit.
// Where it leaves several loops, the outermost one gets its phi first: what that phi reads then leaves one
// loop fewer, and each use is looked at once.
class Closing {
 public:
  Closing(Function& f, const Dominators& dominators, const Loops& loops)
      : f_(f),
        dominators_(dominators),
        loops_(loops),
        tree_(dominators.order().size(), 0),
        nest_(loops.loops().size() + 1, outside_all()) {}

  bool run() {
    std::vector<Use> uses;
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b))
        for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k)
          if (leaves(f_.operand(i, k), place_of(i, k))) uses.push_back({f_.operand(i, k), i, k, 0});
    if (uses.empty()) return false;
    hoist_launch_values(uses);
    const auto& order = dominators_.order();
    for (std::uint32_t k = 1; k < order.size(); ++k)
      tree_.add(k, dominators_.position(dominators_.immediate(order[k])));
    for (std::uint32_t loop = outside_all(); loop-- > 0;) {
      const std::uint32_t parent = loops_.loop(loop).parent;
      nest_.add(loop, parent == Loops::kNone ? outside_all() : parent);
    }
    value_at_.resize(f_.block_count());
    stamp_.resize(f_.block_count());
    std::ranges::stable_sort(uses, {}, &Use::value);
    for (std::size_t k = 0; k < uses.size();) {
      const Value v = uses[k].value;
      for (; k < uses.size() && uses[k].value == v; ++k) add(uses[k]);
      while (!left_.empty()) close_outermost();
    }
    return true;
  }

 private:
  struct Use {
    Value value;
    Inst user;
    std::uint32_t operand;
    std::uint32_t loop;  // the outermost one that the value leaves on the way here
  };

  std::uint32_t outside_all() const { return static_cast<std::uint32_t>(loops_.loops().size()); }
  Block place_of(Inst user, std::uint32_t operand) const {
    const InstData& data = f_.inst(user);
    return data.opcode == Opcode::Phi ? f_.block(data.block).predecessors[operand] : data.block;
  }
  bool leaves(Value v, Block place) const {
    return !loops_.contains(loops_.innermost(f_.definition_of(v).block), place);
  }
  // Outer loops have larger numbers.
  static bool is_inside(const Use& a, const Use& b) { return a.loop < b.loop; }
  void add(Use use) {
    const Block place = place_of(use.user, use.operand);
    use.loop = nest_.last(loops_.innermost(f_.definition_of(use.value).block), [&](std::uint32_t loop) {
      return loop != outside_all() && !loops_.contains(loop, place);
    });
    left_.push_back(use);
    std::ranges::push_heap(left_, is_inside);
  }

  // What every thread computes alike needs no phi: it moves to the entry block with all it depends on.
  void hoist_launch_values(std::vector<Use>& uses) {
    std::vector<std::uint8_t> launch(f_.value_count()), wanted(f_.inst_count());
    for (Block b : dominators_.order()) {
      for (Inst i : f_.insts(b)) {
        const InstData& data = f_.inst(i);
        const OpcodeInfo& row = info(data.opcode);
        if (!row.pure || row.convergent || row.per_lane || data.opcode == Opcode::Phi) continue;
        const auto operands = f_.operands(i);
        if (!std::all_of(operands.begin(), operands.end(), [&](Value v) { return launch[v.id] != 0; }))
          continue;
        for (std::uint32_t k = 0; k < data.result_count; ++k) launch[f_.result(i, k).id] = 1;
      }
    }
    std::vector<Inst> stack;
    std::erase_if(uses, [&](const Use& use) {
      if (launch[use.value.id] == 0) return false;
      stack.push_back(f_.definition(use.value));
      return true;
    });
    if (stack.empty()) return;
    while (!stack.empty()) {
      const Inst i = stack.back();
      stack.pop_back();
      if (wanted[i.id] != 0 || f_.inst(i).block == Function::entry()) continue;
      wanted[i.id] = 1;
      for (Value v : f_.operands(i)) stack.push_back(f_.definition(v));
    }
    const Inst end = f_.terminator(Function::entry());
    for (Block b : dominators_.order()) {
      for (Inst i : f_.insts(b)) {
        if (wanted[i.id] == 0) continue;
        f_.remove(i);
        f_.insert_before(end, i);
      }
    }
  }

  // The block nearest to `loop` where a value that leaves it is what it is in b: the first one outside on the
  // way from the loop down the tree of dominators. All ways from the loop to b go through it.
  Block origin(std::uint32_t loop, Block b) const {
    const Block header = loops_.loop(loop).header;
    const auto outside = [&](std::uint32_t position) {
      const Block at = dominators_.order()[position];
      return dominators_.dominates(header, at) && !loops_.contains(loop, at);
    };
    return dominators_.order()[tree_.last(dominators_.position(b), outside)];
  }

  // Rewrites the uses of one value outside the outermost loop that any of those left to do leave.
  void close_outermost() {
    const Value v = left_.front().value;
    const std::uint32_t loop = left_.front().loop;
    closed_.clear();
    while (!left_.empty() && left_.front().loop == loop) {
      closed_.push_back(left_.front());
      std::ranges::pop_heap(left_, is_inside);
      left_.pop_back();
    }
    ++generation_;
    region_.clear();
    const auto need = [&](Block b) {
      if (loops_.contains(loop, b)) return;
      const Block first = origin(loop, b);
      if (stamp_[first.id] == generation_) return;
      stamp_[first.id] = generation_;
      region_.push_back(first);
    };
    for (const Use& use : closed_) need(place_of(use.user, use.operand));
    for (std::size_t k = 0; k < region_.size(); ++k)
      if (!single_exit(loop, region_[k]))
        for (Block p : f_.block(region_[k]).predecessors) need(p);
    std::sort(region_.begin(), region_.end(),
              [&](Block a, Block b) { return dominators_.position(a) < dominators_.position(b); });
    const std::size_t first_phi = f_.inst_count();
    for (Block b : region_) value_at_[b.id] = merge(b, loop, v);
    for (Block b : region_) {
      const Value here = value_at_[b.id];
      const Inst phi = f_.definition(here);
      if (phi.id < first_phi || f_.inst(phi).block != b) continue;
      operands_.clear();
      for (Block p : f_.block(b).predecessors) operands_.push_back(at_end(p, loop, v));
      f_.set_operands(phi, operands_);
      for (std::uint32_t k = 0; k < operands_.size(); ++k)
        if (leaves(operands_[k], place_of(phi, k))) add({operands_[k], phi, k, 0});
    }
    for (const Use& use : closed_)
      f_.set_operand(use.user, use.operand, value_at_[origin(loop, place_of(use.user, use.operand)).id]);
  }

  // True if all ways into b come right out of the loop: then nothing before b matters.
  bool single_exit(std::uint32_t loop, Block b) const {
    const auto& predecessors = f_.block(b).predecessors;
    return std::all_of(predecessors.begin(), predecessors.end(),
                       [&](Block p) { return loops_.contains(loop, p); });
  }
  Value at_end(Block b, std::uint32_t loop, Value v) const {
    return loops_.contains(loop, b) ? v : value_at_[origin(loop, b).id];
  }

  Value merge(Block b, std::uint32_t loop, Value v) {
    const auto& predecessors = f_.block(b).predecessors;
    bool phi = false;
    const Value first = at_end(predecessors[0], loop, v);
    for (Block p : predecessors) {
      phi = phi || loops_.contains(loop, p) || at_end(p, loop, v) != first;
    }
    if (!phi) return first;
    const Inst made = f_.make(Opcode::Phi, {}, 0, f_.value(v).type);
    f_.value(f_.result(made)).uniformity = f_.value(v).uniformity;
    f_.insert_front(b, made);
    return f_.result(made);
  }

  Function& f_;
  const Dominators& dominators_;
  const Loops& loops_;
  AncestorTree tree_;      // of dominators, by position
  AncestorTree nest_;      // of loops
  std::vector<Use> left_;  // of one value, still to be closed; a heap with the outermost loop in front
  std::vector<Use> closed_;
  std::vector<Value> value_at_;  // per block of the region
  std::vector<std::uint32_t> stamp_;
  std::uint32_t generation_ = 0;
  std::vector<Block> region_;
  std::vector<Value> operands_;
};

}  // namespace

bool normalize_loops(Function& f) {
  bool changed = remove_unreachable(f);
  changed = unify_returns(f) || changed;
  bool blocks_added = false;
  {
    const Dominators dominators(f);
    const Loops loops(f, dominators);
    if (!loops.reducible() || loops.loops().empty()) return changed;
    blocks_added = add_preheaders_and_latches(f, dominators, loops);
    if (!blocks_added) return Closing(f, dominators, loops).run() || changed;
  }
  const Dominators dominators(f);
  const Loops loops(f, dominators);
  Closing(f, dominators, loops).run();
  return true;
}

}  // namespace warpjit::ir
