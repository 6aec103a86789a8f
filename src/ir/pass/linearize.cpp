// Partial control-flow linearization after Moll and Hack, "Partial Control-Flow Linearization" (PLDI 2018),
// as one walk over the blocks in the order of analysis/loops.
//
// After a divergent branch all targets must run: the first follows at once, the others are deferred. Phis
// and masks of blocks become variables (pass/lane_variables.h), which edges write in the predecessor: a phi's
// blended with what other lanes wrote before, a mask's by OR.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/uniformity.h"
#include "ir/pass/deferral.h"
#include "ir/pass/dispatch.h"
#include "ir/pass/lane_mask.h"
#include "ir/pass/lane_variables.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class Linearizer {
 public:
  Linearizer(Function& f, const Loops& loops, const std::vector<std::vector<Block>>& deferred)
      : f_(f),
        loops_(loops),
        turns_(f, loops),
        deferred_(deferred),
        builder_(f),
        masks_(builder_),
        variables_(f, loops, builder_, masks_),
        lanes_(f.block_count()),
        preheader_(loops.loops().size()),
        latch_phis_(loops.loops().size()),
        replacement_(f.value_count()),
        first_new_(static_cast<std::uint32_t>(f.inst_count())) {}

  // False, with the function half done, if it becomes more than `most` instructions.
  bool run(std::size_t most) {
    take_edges();
    for (Block b : loops_.order()) {
      enter(b);
      guard(b);
      leave(b);
      if (f_.inst_count() - first_new_ > most) return false;
    }
    f_.replace_values(replacement_);
    return true;
  }

 private:
  struct Lanes {
    Mask mask;
    bool populated = false;  // whenever the block runs, some lane is in it
    Block same;              // the first block that is sure to have the same mask
    Block anchor;  // for a block that is its own `same`: mask = mask of anchor and literal, if valid
    Mask literal;
    // If lanes part at its end: literals_[first_literal + k] is the condition of edge k.
    std::uint32_t first_literal = kNone;
  };
  // An original edge over which lanes move on.
  struct Edge {
    Block from, to;
    Mask literal;   // the condition of the divergent branch in `from`; none: all its lanes go
    Mask mask;      // once computed
    Mask any = {};  // the same: true if a lane is on it
  };
  // A phi of a header that waits for the value at the end of the loop: of a variable, or of the mask.
  struct LatchPhi {
    Inst phi;
    Block target;  // invalid: the header's own mask
    std::uint32_t index = 0;
  };
  static constexpr std::uint32_t kNone = LaneVariables::kNone;
  static constexpr std::uint32_t kMaxTests = 3;

  // ---- The function as it was.

  // The walk sets all edges anew; the old ones stay readable here.
  void take_edges() {
    predecessors_.resize(f_.block_count());
    successors_.resize(f_.block_count());
    for (Block b : loops_.order()) {
      predecessors_[b.id].swap(f_.block(b).predecessors);
      successors_[b.id].swap(f_.block(b).successors);
      for (Block s : successors_[b.id])
        if (loops_.is_header(s) && loops_.position(s) > loops_.position(b))
          preheader_[loops_.innermost(s)] = b;
    }
    for (Block b : loops_.order()) {
      if (loops_.is_header(b) || b == Function::entry()) continue;
      variables_.declare(b, !turns_.dominates(b, loops_.level_dominator(b)));
    }
  }

  // The block whose lanes reach b's level dominator; for one inside an inner loop, those that enter the loop.
  Block source(Block b) const {
    const Block dominator = loops_.level_dominator(b);
    const std::uint32_t loop = loops_.innermost(dominator);
    return loops_.is_header(dominator) && !loops_.contains(loop, b) ? preheader_[loop] : dominator;
  }
  bool is_preheader(Block b) const {
    const auto& targets = successors_[b.id];
    return targets.size() == 1 && loops_.is_header(targets[0]) &&
           loops_.position(targets[0]) > loops_.position(b);
  }
  Value current(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }

  // ---- Entering a block.

  void enter(Block b) {
    Lanes& lanes = lanes_[b.id];
    lanes.same = b;
    Inst phi = f_.block(b).first;  // the first to be replaced; new ones go before it
    variables_.enter(b);
    if (b == Function::entry()) {
      lanes.mask = masks_.all();
      lanes.populated = true;
      return;
    }
    if (loops_.is_header(b)) {
      open_loop(b, f_.terminator(variables_.first_arrival(b).from));
      return;
    }
    lanes.populated = variables_.always_populated(b);
    std::uint32_t index = 0;
    if (variables_.has_mask(b)) {
      lanes.mask = variables_.own(b, index++, Type::i1);
      relate(b);
    } else {
      const Lanes& from = lanes_[source(b).id];
      lanes.mask = from.mask;
      lanes.same = from.same;
      lanes.populated = lanes.populated || from.populated;
    }
    while (index < variables_.count(b)) {
      replacement_[f_.result(phi).id] = variables_.own(b, index++, f_.inst(phi).phi_type).value;
      const Inst next = f_.inst(phi).next;
      f_.remove(phi);
      phi = next;
    }
  }

  // A header: lanes come from the preheader now, and from the latch later. What is written for the deferred
  // exits, and the mask if lanes leave one by one, go round the loop.
  void open_loop(Block header, Inst before_loop) {
    Lanes& lanes = lanes_[header.id];
    const std::uint32_t loop = loops_.innermost(header);
    const Lanes& entering = lanes_[preheader_[loop].id];
    lanes.populated = true;
    if (deferred_[loop].empty()) {
      lanes.mask = entering.mask;
      lanes.same = entering.same;
      return;
    }
    builder_.set_before(before_loop);
    operands_.assign(2, masks_.value(entering.mask));
    lanes.mask = {variables_.new_phi(header, Type::i1, operands_), false};
    latch_phis_[loop].push_back({f_.definition(lanes.mask.value), Block{}, 0});
    for (Block target : deferred_[loop]) {
      const std::uint32_t first = variables_.writable(target);
      for (std::uint32_t k = 0; k < variables_.count(target); ++k) {
        const Type type = variables_.type(target, k);
        operands_.assign(2, variables_.definite(variables_.element(first + k), type));
        const Value phi = variables_.new_phi(header, type, operands_);
        variables_.set(first + k, {phi, false});
        latch_phis_[loop].push_back({f_.definition(phi), target, k});
      }
    }
  }

  // Notes how the mask of b follows from one branch, so that blends can use the bare condition.
  void relate(Block b) {
    if (predecessors_[b.id].size() != 1) return;
    const Block from = predecessors_[b.id][0];
    if (loops_.innermost(from) != loops_.innermost(b)) return;
    Lanes& lanes = lanes_[b.id];
    if (lanes_[from.id].first_literal == kNone) {
      lanes.same = lanes_[from.id].same;
    } else {
      const auto& targets = successors_[from.id];
      const auto k = std::find(targets.begin(), targets.end(), b) - targets.begin();
      lanes.anchor = lanes_[from.id].same;
      lanes.literal = literals_[lanes_[from.id].first_literal + static_cast<std::uint32_t>(k)];
    }
  }

  // ---- Inside a block.

  void guard(Block b) {
    const Mask mask = lanes_[b.id].mask;
    if (masks_.is_all(mask)) return;
    for (Inst i : f_.insts(b)) {
      const std::uint32_t k = info(f_.inst(i).opcode).guard();
      if (k == OpcodeInfo::kNoGuard) continue;
      builder_.set_before(i);
      builder_.set_guest_address(f_.inst(i).guest_address);
      const Mask own{current(f_.operand(i, k)), false};
      f_.set_operand(i, k, masks_.value(masks_.conjunction(own, mask)));
    }
  }

  // ---- Leaving a block.

  void leave(Block b) {
    const Edges& targets = successors_[b.id];
    if (targets.empty()) return;
    const Inst end = f_.terminator(b);
    const std::uint64_t backward = f_.block(b).backward;
    builder_.set_guest_address(f_.inst(end).guest_address);
    if (targets.size() > 1 && !diverges(f_, b)) return keep_branch(b, backward);
    f_.block(b).backward = 0;
    f_.remove(end);
    builder_.set_block(b);
    if (targets.size() > 1) return remove_branch(b, end, backward);
    if (loops_.position(targets[0]) <= loops_.position(b)) return close_loop(b, targets[0], backward != 0);
    Edge edge{b, targets[0], {}, lanes_[b.id].mask};
    const Block at = backward == 0 ? b : burn(b, edge.mask, lanes_[b.id].populated);
    write(edge);
    direct_.assign(1, targets[0]);
    go_on(at, lanes_[b.id].populated);
  }

  // A uniform branch stays. Each edge gets a block, where the variables of its target are written.
  void keep_branch(Block b, std::uint64_t backward) {
    const Edges& targets = successors_[b.id];
    const bool populated = lanes_[b.id].populated;
    f_.block(b).backward = 0;
    std::vector<Block> sides;
    for (Block target : targets) sides.push_back(f_.add_block(f_.block(target).guest_address));
    f_.set_successors(b, sides);
    const LaneVariables::Way before = variables_.way();
    for (std::size_t k = 0; k < targets.size(); ++k) {
      variables_.go_back(before);
      builder_.set_block(sides[k]);
      Edge edge{b, targets[k], {}, lanes_[b.id].mask};
      const bool marked = k < 64 && ((backward >> k) & 1) != 0;
      const Block at = marked ? burn(sides[k], edge.mask, populated) : sides[k];
      write(edge);
      direct_.assign(1, targets[k]);
      go_on(at, populated);
    }
  }

  // A divergent branch goes: all its targets are run.
  void remove_branch(Block b, Inst branch, std::uint64_t backward) {
    const Edges& targets = successors_[b.id];
    const Value condition = current(f_.operand(branch, 0));
    const auto first = static_cast<std::uint32_t>(literals_.size());
    lanes_[b.id].first_literal = first;
    const auto count = static_cast<std::uint32_t>(targets.size());
    if (f_.inst(branch).opcode == Opcode::Branch) {
      literals_.push_back({condition, false});
      literals_.push_back({condition, true});
    } else {
      for (std::uint32_t k = 0; k + 1 < count; ++k)
        literals_.push_back({builder_.IEq32(I32{condition}, builder_.constant(k)), false});
      literals_.push_back({builder_.ILtU32(I32{condition}, builder_.constant(count - 1)), true});
    }
    Block at = b;
    for (std::uint32_t k = 0; k < count; ++k) {
      Edge edge{b, targets[k], literals_[first + k], {}};
      if (k < 64 && ((backward >> k) & 1) != 0) at = burn(at, mask_of(edge), false);
      write(edge);
    }
    direct_ = targets;
    go_on(at, lanes_[b.id].populated);
  }

  // The end of a loop's turn: around again while any lane is left.
  void close_loop(Block latch, Block header, bool backward) {
    const std::uint32_t loop = loops_.innermost(header);
    const auto& predecessors = predecessors_[header.id];
    const std::uint32_t from_latch = predecessors[0] == latch ? 0 : 1;
    for (Inst phi : f_.insts(header)) {
      if (f_.inst(phi).opcode != Opcode::Phi) break;
      if (phi.id >= first_new_) continue;
      const std::array<Value, 2> arriving = {f_.operand(phi, 1 - from_latch), f_.operand(phi, from_latch)};
      f_.set_operands(phi, arriving);
    }
    for (const LatchPhi& latch_phi : latch_phis_[loop]) {
      Mask element = lanes_[latch.id].mask;
      if (latch_phi.target.valid()) element = variables_.pending(latch_phi.target, latch_phi.index);
      f_.set_operand(latch_phi.phi, 1, variables_.definite(element, f_.inst(latch_phi.phi).phi_type));
    }
    const Mask mask = lanes_[latch.id].mask;
    if (deferred_[loop].empty() || lanes_[latch.id].populated) {
      if (backward) builder_.BurnFuel(masks_.value(mask));
      return builder_.jump(header);
    }
    const Block out = f_.add_block(),
                around = backward ? f_.add_block(f_.block(header).guest_address) : header;
    builder_.branch(builder_.AnyLane(masks_.value(mask)), around, out);
    if (backward) {
      builder_.set_block(around);
      builder_.BurnFuel(masks_.value(mask));
      builder_.jump(header);
    }
    builder_.set_block(out);
    direct_.clear();
    go_on(out, false);
  }

  // Burns fuel after `at` if a lane of the mask is there; gives the block where to go on.
  Block burn(Block at, Mask mask, bool populated) {
    builder_.set_block(at);
    if (populated) {
      builder_.BurnFuel(masks_.value(mask));
      return at;
    }
    const Block behind = f_.add_block(), marked = f_.add_block();
    builder_.branch(builder_.AnyLane(masks_.value(mask)), marked, behind);
    builder_.set_block(marked);
    builder_.BurnFuel(masks_.value(mask));
    builder_.jump(behind);
    builder_.set_block(behind);
    return behind;
  }

  Mask mask_of(Edge& edge) {
    if (edge.mask.none()) edge.mask = masks_.conjunction(lanes_[edge.from.id].mask, edge.literal);
    return edge.mask;
  }

  Mask any_lane(Edge& edge) {
    if (edge.any.none()) edge.any = {builder_.AnyLane(masks_.value(mask_of(edge))), false};
    return edge.any;
  }

  // Which lanes write when lanes of `from` go to `to`. All that are in `from` may, because of them none
  // has been to `to` before, and who goes there later writes again. Nor do the lanes matter that do not reach
  // the dominator of `to`; so often a bare condition is enough. On the way out of a loop it is not:
  // others, now dead in the loop, have written before.
  Mask writers(Block from, Block to) const {
    const Block same = lanes_[from.id].same;
    if (loops_.innermost(from) == loops_.innermost(to)) {
      const Block all = lanes_[source(to).id].same;
      if (same == all) return masks_.all();
      if (lanes_[same.id].anchor == all) return lanes_[same.id].literal;
    }
    return lanes_[from.id].mask;
  }

  // The lanes of an edge write the variables of its target.
  void write(Edge& edge) {
    const std::uint32_t first = variables_.writable(edge.to), count = variables_.count(edge.to);
    std::uint32_t index = 0;
    if (variables_.has_mask(edge.to)) {
      variables_.set(first, masks_.disjunction(variables_.element(first), mask_of(edge)));
      ++index;
    }
    if (index == count) return;
    const auto& predecessors = predecessors_[edge.to.id];
    const auto slot = static_cast<std::uint32_t>(
        std::find(predecessors.begin(), predecessors.end(), edge.from) - predecessors.begin());
    for (Inst phi = f_.block(edge.to).first; index < count; phi = f_.inst(phi).next, ++index) {
      const Value value = current(f_.operand(phi, slot));
      Mask element = variables_.element(first + index);
      // What is uniform needs no blend: all the lanes that matter write the same, whenever they come. But
      // there may be none on this edge.
      const bool uniform = f_.value(f_.result(phi)).uniformity != Uniformity::varying;
      const Mask lanes = writers(edge.from, edge.to);
      const bool overwrites =
          uniform && (masks_.is_all(lanes) || (edge.literal.none() && lanes_[edge.from.id].populated));
      if (element.none() || overwrites)
        element.value = value;
      else if (element.value != value)
        element.value = masks_.select(uniform ? any_lane(edge) : lanes, value, element.value);
      variables_.set(first + index, element);
    }
  }

  // From `at` to the first block that is pending, or past it if no lane is there and that is worth a test.
  // direct_: the targets of the block that is being left; `populated`: that some lane takes one of them.
  void go_on(Block at, bool populated) {
    for (std::uint32_t tests = 0;; ++tests) {
      const LaneVariables::Pending next = variables_.take_first();
      const Block target = next.target;
      const bool header = loops_.is_header(target);
      const bool own_mask = variables_.has_mask(target);
      const bool sure = variables_.way().empty() ||
                        (populated && direct_.size() == 1 && direct_[0] == target) ||
                        (!header && !own_mask && lanes_[source(target).id].populated);
      if (sure || !wants_test(target, tests)) {
        variables_.arrive(at, next, sure);
        return builder_.jump(target);
      }
      const Mask mask = own_mask ? variables_.element(next.first) : lanes_[source(target).id].mask;
      const Block past = f_.add_block();
      variables_.arrive(at, next, true);
      builder_.branch(builder_.AnyLane(masks_.value(mask)), target, past);
      builder_.set_block(past);
      direct_.remove(target);
      at = past;
    }
  }

  // True if it must or should be known that lanes are in `target` before it runs. Others wait after it;
  // `tests` how many tests there are on this way already: where many blocks wait, they would be too many.
  bool wants_test(Block target, std::uint32_t tests) const {
    if (is_preheader(target)) return true;  // an empty loop need not end
    if (has_barrier(target)) return true;   // nobody arrives
    if (tests >= kMaxTests) return false;
    // A loop that lanes leave one by one is left with the last.
    const std::uint32_t loop = loops_.innermost(target);
    if (loop != Loops::kNone && !deferred_[loop].empty() &&
        !loops_.contains(loop, variables_.way().front().target))
      return true;
    return f_.block(target).worth_skipping;
  }

  bool has_barrier(Block b) const {
    if (f_.lane_order == LaneOrder::none) return false;
    for (Inst i : f_.insts(b))
      if (f_.inst(i).opcode == Opcode::Barrier) return true;
    return false;
  }

  Function& f_;
  const Loops& loops_;
  const PostDominators turns_;
  const std::vector<std::vector<Block>>& deferred_;  // per loop
  Builder builder_;
  MaskAlgebra masks_;
  LaneVariables variables_;
  std::vector<Lanes> lanes_;                       // per block
  std::vector<Block> preheader_;                   // per loop
  std::vector<std::vector<LatchPhi>> latch_phis_;  // per loop
  std::vector<Value> replacement_;                 // of phis that became variables
  std::vector<Edges> predecessors_, successors_;   // the edges before
  std::vector<Mask> literals_;
  const std::uint32_t first_new_;  // instructions from here on are made by the walk
  Edges direct_;
  std::vector<Value> operands_;
};

bool has_endless_loop(const Function& f, const Loops& loops) {
  for (std::uint32_t loop = 0; loop < loops.loops().size(); ++loop) {
    bool leaves = false;
    for (std::uint32_t at = loops.loop(loop).first; at < loops.loop(loop).end && !leaves; ++at)
      for (Block s : f.block(loops.order()[at]).successors) leaves = leaves || !loops.contains(loop, s);
    if (!leaves) return true;
  }
  return false;
}

// Removes blocks that only jump on, where their predecessors can go straight to the target.
void thread_jumps(Function& f, std::uint32_t first) {
  for (std::uint32_t id = first; id < f.block_count(); ++id) {
    const Block b{id};
    const Inst jump = f.block(b).first;
    if (!jump.valid() || f.inst(jump).opcode != Opcode::Jump || f.block(b).backward != 0) continue;
    const Block target = f.block(b).successors[0];
    const auto& sources = f.block(b).predecessors;
    if (sources.size() != 1 || f.predecessor_index(target, sources[0]) != ~std::size_t{0}) continue;
    auto& targets = f.block(sources[0]).successors;
    *std::find(targets.begin(), targets.end(), b) = target;
    f.block(target).predecessors[f.predecessor_index(target, b)] = sources[0];
    f.remove(jump);
    f.block(b) = BlockData{};
  }
}

bool has_barriers(const Function& f) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::Barrier) return true;
  return false;
}

bool can_dispatch(const Function& f) { return f.lane_order != LaneOrder::taken_first && !has_barriers(f); }

struct Size {
  std::size_t instructions = 0, phis = 0;
};
Size size_of(const Function& f, const Loops& loops) {
  Size size;
  for (Block b : loops.order())
    for (Inst i : f.insts(b)) {
      ++size.instructions;
      if (f.inst(i).opcode == Opcode::Phi) ++size.phis;
    }
  return size;
}

// To functions that guests' programs become, linearize adds fewer instructions than they have. Where very many
// variables wait in many blocks, the blends grow with the product of both: beyond a bound, and from these
// sizes on, the dispatcher makes less of it.
constexpr std::size_t kSmall = 1024, kMuchCode = 4096;
// Phis times blocks: what backends look at to find which values are live where. About half of their own bound.
constexpr std::size_t kMostCrossings = std::size_t{1} << 28;

}  // namespace

bool linearize(Function& f, bool dispatch_all) {
  const auto in_turns = [&] {
    const bool can = can_dispatch(f);
    if (can) dispatch(f);
    return can;
  };
  if (normalize_loops(f)) analyze_uniformity(f);
  const Dominators dominators(f);
  const Loops loops(f, dominators);
  if (dispatch_all || !loops.reducible() || has_endless_loop(f, loops)) return in_turns();
  if (!blocks_keep_lane_order(f, loops)) return in_turns();
  const Size size = size_of(f, loops);
  if (size.phis * loops.order().size() > kMostCrossings && can_dispatch(f)) return in_turns();
  if (std::any_of(loops.order().begin(), loops.order().end(), [&](Block b) { return diverges(f, b); })) {
    const auto deferred = deferred_exits(f, loops);
    if (!deferred) return in_turns();
    const auto first_new = static_cast<std::uint32_t>(f.block_count());
    std::optional<Function> before;
    std::size_t most = ~std::size_t{0};
    if (size.instructions > kSmall) {
      before = f;
      most = (can_dispatch(f) ? 2 : 16) * size.instructions + kMuchCode;
    }
    if (!Linearizer(f, loops, *deferred).run(most)) {
      f = std::move(*before);
      return in_turns();
    }
    thread_jumps(f, first_new);
    analyze_uniformity(f);
  }
  f.form = Form::group;
  return true;
}
}  // namespace warpjit::ir
