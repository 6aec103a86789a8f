#include "frontend/tesla/translate/thread_order.h"

#include <algorithm>

#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::tesla {
namespace {

// Whether lanes may diverge at the end of a block.
bool parts(const ir::Function& f, ir::Block b) {
  const ir::Inst end = f.terminator(b);
  return f.inst(end).opcode == ir::Opcode::Branch &&
         f.value(f.operand(end, 0)).uniformity == ir::Uniformity::varying;
}

// The blocks that always run with all lanes that the warp had at `start`.
class WholeBlocks {
 public:
  WholeBlocks(const ir::Function& f, const ir::Loops& loops, ir::Block start)
      : f_(f), loops_(loops), turns_(f, loops), whole_(f.block_count()), entered_(f.block_count()) {
    find_divergent_loops();
    for (const ir::Block b : loops.order()) {
      entered_[b.id] = b == start || arrives(b);
      whole_[b.id] = entered_[b.id] && !(loops.is_header(b) && divergent_[loops.innermost(b)]);
    }
  }
  bool holds(ir::Block b) const { return whole_[b.id]; }

 private:
  // Loops that lanes leave in different iterations.
  void find_divergent_loops() {
    divergent_.resize(loops_.loops().size());
    for (const ir::Block b : loops_.order()) {
      if (!parts(f_, b)) continue;
      for (std::uint32_t loop = loops_.innermost(b); loop != ir::Loops::kNone;
           loop = loops_.loop(loop).parent)
        for (const ir::Block s : f_.block(b).successors)
          if (!loops_.contains(loop, s)) divergent_[loop] = true;
    }
  }
  bool arrives(ir::Block b) const {
    bool from_whole = b != ir::Function::entry();
    for (const ir::Block p : f_.block(b).predecessors)
      if (loops_.position(p) < loops_.position(b)) from_whole = from_whole && whole_[p.id] && !parts(f_, p);
    if (from_whole || b == ir::Function::entry()) return from_whole;
    const ir::Block dominator = loops_.level_dominator(b);
    const bool left_loop = loops_.is_header(dominator) && !loops_.contains(loops_.innermost(dominator), b);
    return (left_loop ? entered_ : whole_)[dominator.id] && turns_.dominates(b, dominator);
  }

  const ir::Function& f_;
  const ir::Loops& loops_;
  const ir::PostDominators turns_;
  std::vector<bool> divergent_;  // per loop
  std::vector<bool> whole_, entered_;
};

bool every_loop_ends(const ir::Function& f, const ir::Loops& loops) {
  std::vector<bool> ends(loops.loops().size());
  for (const ir::Block b : loops.order())
    for (std::uint32_t loop = loops.innermost(b); loop != ir::Loops::kNone; loop = loops.loop(loop).parent)
      for (const ir::Block s : f.block(b).successors)
        if (!loops.contains(loop, s)) ends[loop] = true;
  return std::ranges::all_of(ends, [](bool e) { return e; });
}

}  // namespace

std::vector<bool> find_whole_blocks(ThreadTranslator& translation, const ControlFlow& flow) {
  ir::Function& f = translation.function();
  std::vector<bool> result(flow.blocks.size());
  const ir::Dominators dominators(f);
  const ir::Loops loops(f, dominators);
  if (!loops.reducible()) return result;
  analyze_uniformity(f, loops);
  if (!every_loop_ends(f, loops)) return result;
  const WholeBlocks whole(f, loops, translation.block(0));
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) result[b] = whole.holds(translation.block(b));
  return result;
}

OrderProblem check_order(ThreadTranslator& translation, const ControlFlow& flow,
                         const std::vector<LaneEffects>& effects, std::vector<bool> whole) {
  ir::Function& f = translation.function();
  const ir::Dominators dominators(f);
  const ir::Loops loops(f, dominators);
  if (!loops.reducible()) return {"a loop with several entries, and the order of lanes matters", 0, {}};
  analyze_uniformity(f, loops);
  LaneOrder order{flow, effects, {}, std::move(whole), {}};
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    order.diverges.push_back(flow.blocks[b].edge_count == 2 && parts(f, translation.block(b)));
    order.position.push_back(loops.position(translation.block(b)));
  }
  f.may_widen = f.may_widen && all_meet(order);
  return check_lane_order(order);
}

bool add_splits(const OrderProblem& problem, const ControlFlow& flow, std::vector<std::uint32_t>& split) {
  const std::size_t before = split.size();
  for (const std::uint32_t block : problem.splits)
    if (const std::uint32_t address = flow.blocks[block].last;
        std::ranges::find(split, address) == split.end())
      split.push_back(address);
  return split.size() != before;
}

}  // namespace warpjit::tesla
