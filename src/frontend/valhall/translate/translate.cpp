#include "frontend/valhall/translate/translate.h"

#include <algorithm>

#include "frontend/flow/ssa_blocks.h"
#include "frontend/key.h"
#include "frontend/valhall/translate/instruction.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::valhall {
namespace {

// What threads can see of each other.
struct Effects {
  bool loads = false, stores = false, atomics = false, results_of_atomics = false, several_functions = false;
  bool other_lanes = false, barriers = false;

  // Whether any result depends on which lanes run these together, or in which order.
  bool order_matters() const {
    return other_lanes || stores || results_of_atomics || (atomics && (loads || several_functions));
  }
  // Whether any depends on which lanes form a warp, or on the order of warps. A store by one warp and a load
  // by another with no barrier between them are a race.
  bool warps_meet() const { return atomics && (results_of_atomics || loads || stores || several_functions); }
};
Effects effects_of(const ReachedCode& code) {
  Effects effects;
  std::uint32_t functions = 0;
  for (const auto& reached : code.instructions()) {
    const Instruction& i = reached.instruction;
    switch (i.opcode) {
      case Opcode::load:
        effects.loads = true;
        break;
      case Opcode::store:
        effects.stores = true;
        break;
      case Opcode::atom_return:
      case Opcode::atom1_return:
        effects.results_of_atomics = effects.results_of_atomics || i.write.count != 0;
        [[fallthrough]];
      case Opcode::atom:
        effects.atomics = true;
        functions |= 1U << static_cast<unsigned>(i.atomic);
        break;
      case Opcode::clper:
      case Opcode::wmask:
        effects.other_lanes = true;
        break;
      case Opcode::barrier:
        effects.barriers = true;
        break;
      default:
        break;
    }
  }
  effects.several_functions = (functions & (functions - 1)) != 0;
  return effects;
}

class KernelTranslator final : private InstructionTranslator {
 public:
  KernelTranslator(const Program& program, const LaunchFacts& facts, const ReachedCode& code)
      : InstructionTranslator(program, facts, code),
        code_(code),
        flow_(find_blocks(program, code)),
        blocks_(function_, b_, ssa_) {
    const Effects effects = effects_of(code);
    if (effects.order_matters()) function_.lane_order = ir::LaneOrder::lowest_address_first;
    function_.may_widen = !effects.warps_meet();
  }

  Result<ir::Function> run() {
    Status status;
    const flow::Successors successors = flow_.successors();
    WARPJIT_CHECK(blocks_.run(
        successors, flow::reverse_post_order(successors),
        [&](std::uint32_t number) { return flow_.blocks[number].first; }, [&] { begin(); },
        [&](std::uint32_t number) {
          const Status translated = translate_block(flow_.blocks[number]);
          if (status && !translated) status = translated;
        },
        [] {}));
    WARPJIT_CHECK(status);
    return std::move(function_);
  }

 private:
  // Lanes beyond the workgroup's threads, or the last vertex, leave at once.
  void begin() {
    if (program_.stage == Stage::vertex) {
      const I32 number = b_.IAdd32(b_.IShl32(b_.BlockIndex(0), word(6)), thread_index());
      begin_vertex(number);
      b_.branch(b_.ILtU32(number, launch_word(LaunchWord::vertices)), blocks_[0], blocks_.exit());
      return;
    }
    begin_thread();
    if (facts_.threads() % function_.group_lanes == 0)
      b_.jump(blocks_[0]);
    else
      b_.branch(b_.ILtU32(thread_index(), word(facts_.threads())), blocks_[0], blocks_.exit());
  }

  Status translate_block(const FlowBlock& block) {
    Status status;
    for (std::uint32_t pc = block.first; pc < block.end && status; pc += 8) {
      b_.set_guest_address(pc);
      const Instruction& i = *code_.at(pc);
      if (i.opcode != Opcode::branchz) status = instruction(i, pc);
    }
    end_block(block);
    return status;
  }

  void end_block(const FlowBlock& block) {
    const auto target = [&](const FlowEdge& edge) {
      return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
    };
    const auto made = [&](const FlowEdge& edge) {
      if (edge.target != kThreadEnds) blocks_.edge_made(edge.target);
    };
    if (block.edge_count == 1) {
      b_.jump(target(block.edges[0]), block.edges[0].backward);
      return made(block.edges[0]);
    }
    // What the last successor leads to comes first in the order of the blocks: here the next address.
    const FlowEdge &branch = block.edges[0], &next = block.edges[1];
    const I1 condition = taken(*code_.at(block.end - 8));
    if (target(branch) == target(next))
      b_.jump(target(branch), branch.backward || next.backward);
    else
      b_.branch(condition, target(branch), target(next), branch.backward ? 1 : 0);
    made(branch);
    made(next);
  }

  const ReachedCode& code_;
  const ControlFlow flow_;
  flow::SsaBlocks blocks_;
};

// Do all lanes of a workgroup that have not ended come to each barrier together? Where they part, only one
// side may lead to a barrier before they meet, and the other must do nothing that is seen.
class Barriers {
 public:
  explicit Barriers(ir::Function& f) : f_(f), dominators_(f), loops_(f, dominators_), turns_(f, loops_) {}

  // The first branch where that may not be so; none: an invalid block.
  ir::Block find_problem() {
    for (const ir::Block b : loops_.order()) {
      const ir::Inst end = f_.terminator(b);
      if (f_.inst(end).opcode != ir::Opcode::Branch ||
          f_.value(f_.operand(end, 0)).uniformity != ir::Uniformity::varying)
        continue;
      const ir::Block meeting = turns_.immediate(b);
      const Side first = side(f_.block(b).successors[0], meeting),
                 second = side(f_.block(b).successors[1], meeting);
      if ((first.waits && (second.waits || second.seen)) || (second.waits && first.seen)) return b;
    }
    return {};
  }
  bool reducible() const { return loops_.reducible(); }
  const ir::Loops& loops() const { return loops_; }

 private:
  struct Side {
    bool waits = false, seen = false;
  };
  Side side(ir::Block first, ir::Block meeting) {
    Side result;
    std::vector<bool> visited(f_.block_count());
    std::vector<ir::Block> work{first};
    while (!work.empty()) {
      const ir::Block b = work.back();
      work.pop_back();
      if (b == meeting || visited[b.id]) continue;
      visited[b.id] = true;
      if (++visits_ > kMostVisits) return {true, true};
      result.seen = result.seen || ir::order_matters_in(f_, b);
      for (const ir::Inst i : f_.insts(b))
        result.waits = result.waits || f_.inst(i).opcode == ir::Opcode::Barrier;
      for (const ir::Block s : f_.block(b).successors) work.push_back(s);
    }
    return result;
  }

  static constexpr std::size_t kMostVisits = 1 << 20;

  const ir::Function& f_;
  const ir::Dominators dominators_;
  const ir::Loops loops_;
  const ir::PostDominators turns_;
  std::size_t visits_ = 0;
};

// Special values that programs have: those of operand.cpp.
bool has_special(unsigned page, unsigned entry) {
  constexpr std::pair<unsigned, unsigned> kKnown[] = {{0, 2}, {1, 1}, {1, 3}, {3, 1}, {3, 3}, {3, 15}};
  return std::ranges::find(kKnown, std::pair{page, entry}) != std::end(kKnown);
}

}  // namespace

Result<ir::Function> translate(const Program& program, const ReachedCode& code, const LaunchFacts& facts) {
  for (const auto& [address, i] : code.instructions())
    for (const Source& source : i.source)
      if (source.kind == Source::Kind::special &&
          !has_special(special_page(source.value), special_entry(source.value)))
        return Error{ErrorCode::unsupported, "a special value that programs of this stage do not have",
                     program.where(address)};
  WARPJIT_TRY(ir::Function function, KernelTranslator(program, facts, code).run());
  const bool waits = std::ranges::any_of(
      code.instructions(), [](const auto& reached) { return reached.instruction.opcode == Opcode::barrier; });
  if (!waits) return function;
  Barriers barriers(function);
  if (!barriers.reducible())
    return Error{ErrorCode::unsupported, "barriers beside a loop with several entries", program.source_name};
  ir::analyze_uniformity(function, barriers.loops());
  if (const ir::Block problem = barriers.find_problem(); problem.valid())
    return Error{ErrorCode::unsupported, "threads may come to barriers one by one",
                 program.where(function.block(problem).guest_address / 8 * 8)};
  return function;
}

std::vector<std::byte> code_key(const Program& program, const ReachedCode& code) {
  std::vector<std::byte> key;
  frontend::append_value(key, program.stage);
  frontend::append_value(key, program.entry);
  frontend::append_value(key, program.address);
  frontend::append_value(key, program.local_bytes);
  const FloatMode& mode = program.mode;
  for (const bool flag : {mode.flush_single, mode.flush_half, mode.suppress_nan, mode.suppress_infinity})
    frontend::append_value(key, flag);
  frontend::append_value(key, static_cast<std::uint32_t>(code.instructions().size()));
  for (const auto& [address, i] : code.instructions()) {
    frontend::append_value(key, address);
    frontend::append_value(key, i.raw);
  }
  return key;
}

void append_key(const LaunchFacts& facts, std::vector<std::byte>& key) {
  frontend::append_value(key, facts.block);
  frontend::append_value(key, facts.shared_bytes);
  frontend::append_value(key, facts.offset_blocks);
  frontend::append_value(key, facts.uniform_words);
  frontend::append_list(key, facts.high_words);
  frontend::append_value(key, facts.buffer_bytes);
  frontend::append_value(key, facts.packet_stride);
  for (const AttributeFacts& attribute : facts.attributes) frontend::append_value(key, attribute.pack());
  frontend::append_key(facts.samples, key);
}

}  // namespace warpjit::valhall
