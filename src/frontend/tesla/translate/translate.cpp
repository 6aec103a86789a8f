#include "frontend/tesla/translate/translate.h"

#include <algorithm>
#include <cstring>

#include "frontend/flow/ssa_blocks.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/instruction.h"
#include "frontend/tesla/translate/stack.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::tesla {
namespace {

// Rounds of splitting blocks, and how much larger these may make a kernel.
constexpr unsigned kMaxSplits = 8;
constexpr std::size_t kMaxGrowth = 8;

// Does a barrier count single warps?
bool counts_warps(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    return reached.instruction.opcode == Opcode::bar && !barrier_form(reached.instruction).is_plain();
  });
}

// One function from control flow that was resolved statically.
class Translation : private InstructionTranslator {
 public:
  Translation(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
              const ControlFlow& flow, const std::vector<LaneEffects>& effects)
      : InstructionTranslator(program, facts, code), code_(code), flow_(flow), blocks_(function_, b_, ssa_) {
    if (order_matters(effects)) function_.lane_order = ir::LaneOrder::taken_first;
    function_.may_widen = !warps_meet(effects) && !counts_warps(code);
  }

  Status run() {
    return blocks_.run(
        flow_.successors(), flow_.order(), [&](std::uint32_t number) { return flow_.blocks[number].first; },
        [&] { begin(); }, [&](std::uint32_t number) { translate_block(flow_.blocks[number]); }, [] {});
  }

  ir::Function& function() { return function_; }
  // Of a block of the control flow.
  ir::Block block(std::uint32_t number) const { return blocks_[number]; }

 private:
  // Lanes beyond the block's threads leave at once.
  void begin() {
    lanes_ = b_.constant(true);
    const ir::I32 thread = thread_index();
    begin_thread(thread);
    if (facts_.threads() % kLanes == 0)
      b_.jump(blocks_[0]);
    else
      b_.branch(b_.ILtU32(thread, b_.constant(facts_.threads())), blocks_[0], blocks_.exit());
  }

  ir::Block target(const FlowEdge& edge) const {
    return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
  }
  void edge_made(std::uint32_t target) {
    if (target != kThreadEnds) blocks_.edge_made(target);
  }

  void translate_block(const FlowBlock& block) {
    const Instruction* i = nullptr;
    for (std::uint32_t pc = block.first; pc < block.end; pc += 4 * i->words()) {
      i = code_.at(pc);
      b_.set_guest_address(pc);
      instruction(*i);
      if (i->opcode == Opcode::bar) barrier(*i);
    }
    end_block(block, *i);
  }

  void end_block(const FlowBlock& block, const Instruction& last) {
    if (last.opcode == Opcode::trap)
      b_.Stop(b_.constant(true), static_cast<std::uint64_t>(ir::StopReason::trap));
    if (block.before != kThreadEnds) {
      // No such group exists: this edge is never taken, and only fixes the order of the blocks.
      const ir::I1 never = b_.IEq32(b_.GroupIndex(), b_.constant(~0U));
      b_.branch(never, blocks_[block.before], blocks_.exit());
      edge_made(block.before);
    } else if (block.edge_count == 1) {
      b_.jump(target(block.edges[0]), block.edges[0].backward);
    } else {
      // What the last successor leads to comes first in the order of the blocks.
      const unsigned last_edge = block.first_edge, first_edge = 1 - last_edge;
      const ir::I1 holds = condition(last);
      const FlowEdge &a = block.edges[first_edge], &b = block.edges[last_edge];
      b_.branch(first_edge == 0 ? holds : b_.Not1(holds), target(a), target(b),
                (a.backward ? 1U : 0U) | (b.backward ? 2U : 0U));
    }
    for (unsigned k = 0; k < block.edge_count; ++k) edge_made(block.edges[k].target);
  }

  const ReachedCode& code_;
  const ControlFlow& flow_;
  flow::SsaBlocks blocks_;
};

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

// Whether the blocks, each run once for all lanes that reach it, give the same result as the control stack.
OrderProblem check(Translation& translation, const ControlFlow& flow, const std::vector<LaneEffects>& effects,
                   const ComputeFacts& facts) {
  ir::Function& f = translation.function();
  const ir::Dominators dominators(f);
  const ir::Loops loops(f, dominators);
  if (!loops.reducible()) return {"a loop with several entries, and the order of lanes matters", 0, {}};
  analyze_uniformity(f, loops);
  LaneOrder order{flow, effects, {}, {}, {}};
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    order.diverges.push_back(flow.blocks[b].edge_count == 2 && parts(f, translation.block(b)));
    order.position.push_back(loops.position(translation.block(b)));
  }
  f.may_widen = f.may_widen && all_meet(order);
  order.has_all_lanes.assign(flow.blocks.size(), false);
  const bool quads = std::ranges::any_of(effects, [](const LaneEffects& e) { return e.needs_all_lanes; });
  if (quads && facts.threads() % 4 == 0 && every_loop_ends(f, loops)) {
    const WholeBlocks whole(f, loops, translation.block(0));
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
      order.has_all_lanes[b] = whole.holds(translation.block(b));
  }
  return check_lane_order(order);
}

Status check_facts(const ComputeFacts& facts) {
  const auto& [x, y, z] = facts.block;
  if (x == 0 || y == 0 || z == 0 || x > 512 || y > 512 || z > 64 || facts.threads() > kMaxBlockThreads)
    return Error{ErrorCode::bad_input, "a block has 1 to 512 threads, at most 64 in z", {}};
  return {};
}

// The thread form. Errors: unsupported where edges and an order of blocks cannot express what lanes do.
Result<ir::Function> translate_thread(const Program& program, const ComputeFacts& facts,
                                      const ReachedCode& code) {
  std::vector<std::uint32_t> split;
  std::size_t most_blocks = ~std::size_t{0};
  OrderProblem problem;
  std::uint32_t problem_address = 0;
  for (unsigned round = 0; round <= kMaxSplits; ++round) {
    WARPJIT_TRY(ControlFlow flow, discover(program, code, facts.modes.call_limit, split));
    if (flow.blocks.size() > most_blocks) break;
    most_blocks = std::min(most_blocks, kMaxGrowth * (flow.blocks.size() + 16));
    const std::vector<LaneEffects> effects = lane_effects(code, flow, program.registers);
    if (order_matters(effects)) arrange(flow, effects);
    Translation translation(program, facts, code, flow, effects);
    WARPJIT_CHECK(translation.run());
    if (translation.function().lane_order != ir::LaneOrder::none)
      problem = check(translation, flow, effects, facts);
    if (problem.reason == nullptr) return std::move(translation.function());

    problem_address = flow.blocks[problem.block].last;
    const std::size_t before = split.size();
    for (const std::uint32_t block : problem.splits)
      if (const std::uint32_t address = flow.blocks[block].last;
          std::ranges::find(split, address) == split.end())
        split.push_back(address);
    if (split.size() == before) break;
  }
  return Error{ErrorCode::unsupported, problem.reason, program.where(problem_address)};
}

template <class T>
void append(std::vector<std::byte>& key, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  key.insert(key.end(), bytes.begin(), bytes.end());
}

}  // namespace

Result<ir::Function> translate(const Program& program, const ComputeFacts& facts, bool dispatch_all) {
  WARPJIT_CHECK(check_facts(facts));
  WARPJIT_TRY(const ReachedCode code, ReachedCode::find(program, facts.branch_targets));
  if (!dispatch_all && !code.branches_through_constants()) {
    auto function = translate_thread(program, facts, code);
    if (function || function.error().code != ErrorCode::unsupported) return function;
  }
  return translate_stack(program, facts, code);
}

std::vector<std::byte> code_key(const Program& program, const ReachedCode& code) {
  std::vector<std::byte> key;
  append(key, program.entry);
  append(key, program.registers);
  append(key, static_cast<std::uint32_t>(code.instructions().size()));
  for (const auto& [address, i] : code.instructions()) {
    append(key, address);
    append(key, i.raw);
  }
  if (code.branches_through_constants()) {
    append(key, program.code.size());
    const auto all = std::as_bytes(std::span(program.code));
    key.insert(key.end(), all.begin(), all.end());
  }
  return key;
}

void append_key(const ComputeFacts& facts, std::vector<std::byte>& key) {
  append(key, facts.block);
  append(key, facts.shared_bytes);
  append(key, facts.local_bytes);
  append(key, facts.constant_bytes);
  const Modes& modes = facts.modes;
  for (const bool mode :
       {modes.saturated_nan_is_zero, modes.zero_wins, modes.infinite_derivatives, modes.fast_fmad})
    append(key, mode);
  append(key, modes.call_limit);
  append(key, static_cast<std::uint32_t>(facts.branch_targets.size()));
  for (const BranchTarget& target : facts.branch_targets) append(key, target);
}

}  // namespace warpjit::tesla
