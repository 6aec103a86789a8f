#include "frontend/valhall/translate/translate.h"

#include <algorithm>

#include "frontend/key.h"
#include "frontend/valhall/translate/program.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::valhall {
namespace {

class KernelTranslator final : public ProgramTranslator {
 public:
  KernelTranslator(const Program& program, const LaunchFacts& facts, const ReachedCode& code)
      : ProgramTranslator(program, facts, code) {
    function_.may_widen = !Effects(code, facts).warps_meet();
  }

 private:
  // Lanes beyond the workgroup's threads, or the last vertex, leave at once.
  void begin() override {
    if (program_.stage == Stage::vertex) {
      const I32 number = b_.IAdd32(b_.IShl32(b_.BlockIndex(0), word(6)), thread_index());
      begin_vertex(number);
      b_.branch(b_.ILtU32(number, launch_word(LaunchWord::vertices)), start(), exit());
      return;
    }
    begin_thread();
    if (facts_.threads() % function_.group_lanes == 0)
      b_.jump(start());
    else
      b_.branch(b_.ILtU32(thread_index(), word(facts_.threads())), start(), exit());
  }
};

// Finds out whether all lanes of a workgroup that have not ended come to each barrier together. Where they
// part, only one side may lead to a barrier before they meet, and the other must do nothing that is seen.
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

}  // namespace

Result<ir::Function> translate(const Program& program, const ReachedCode& code, const LaunchFacts& facts) {
  WARPJIT_CHECK(check_special_values(program, code));
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
  if (program.stage == Stage::fragment) {
    frontend::append_value(key, program.fragment.blend_targets);
    frontend::append_value(key, program.fragment.points_from_bottom);
    frontend::append_value(key, program.fragment.samples);
    frontend::append_value(key, program.fragment.sample);
    if (program.fragment.samples != 1) frontend::append_value(key, program.fragment.sample_points);
  }
  frontend::append_value(key, program.fragment.texture_table);
  frontend::append_value(key, program.fragment.sampler_table);
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

}  // namespace warpjit::valhall
