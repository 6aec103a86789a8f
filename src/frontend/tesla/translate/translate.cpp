#include "frontend/tesla/translate/translate.h"

#include <algorithm>
#include <cstring>

#include "frontend/key.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/thread.h"
#include "frontend/tesla/translate/thread_order.h"

namespace warpjit::tesla {
namespace {

// Rounds of splitting blocks, and how much larger these may make a kernel.
constexpr unsigned kMaxSplits = 8;
constexpr std::size_t kMaxGrowth = 8;

// True if a barrier counts single warps.
bool counts_warps(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    return reached.instruction.opcode == Opcode::bar && !barrier_form(reached.instruction).is_plain();
  });
}

class KernelTranslator final : public ThreadTranslator {
 public:
  KernelTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                   const SampledTextures& textures)
      : ThreadTranslator(program, facts, code, textures) {}

  // Before run().
  void set_effects(const std::vector<LaneEffects>& effects) {
    if (order_matters(effects)) function_.lane_order = ir::LaneOrder::taken_first;
    function_.may_widen = !warps_meet(effects) && !counts_warps(code_);
  }

 private:
  // Lanes beyond the block's threads leave at once.
  void begin() override {
    lanes_ = b_.constant(true);
    const ir::I32 thread = thread_index();
    begin_thread(thread);
    const std::uint32_t threads = facts_.threads();
    enter(threads % kLanes == 0 ? lanes_ : b_.ILtU32(thread, b_.constant(threads)));
  }
};

// Per block: its quads run whole. Found only if some block needs all lanes.
std::vector<bool> whole_blocks(ThreadTranslator& translation, const ControlFlow& flow,
                               const std::vector<LaneEffects>& effects, const ComputeFacts& facts) {
  const bool asked = std::ranges::any_of(effects, [](const LaneEffects& e) { return e.needs_all_lanes; });
  if (!asked || facts.threads() % 4 != 0) return std::vector<bool>(flow.blocks.size());
  return find_whole_blocks(translation, flow);
}

Status check_facts(const ComputeFacts& facts) {
  const auto& [x, y, z] = facts.block;
  if (x == 0 || y == 0 || z == 0 || x > 512 || y > 512 || z > 64 || facts.threads() > kMaxBlockThreads)
    return Error{ErrorCode::bad_input, "a block has 1 to 512 threads, at most 64 in z", {}};
  return {};
}

// The thread form. Errors: unsupported where edges and an order of blocks cannot express what lanes do.
Result<ir::Function> translate_thread(const Program& program, const ComputeFacts& facts,
                                      const ReachedCode& code, const SampledTextures& textures) {
  std::vector<std::uint32_t> split;
  std::size_t most_blocks = ~std::size_t{0};
  OrderProblem problem;
  std::uint32_t problem_address = 0;
  for (unsigned round = 0; round <= kMaxSplits; ++round) {
    WARPJIT_TRY(ControlFlow flow, discover(program, code, facts.modes.call_limit, split));
    if (flow.blocks.size() > most_blocks) break;
    most_blocks = std::min(most_blocks, kMaxGrowth * (flow.blocks.size() + 16));
    std::vector<LaneEffects> effects = lane_effects(code, flow, program);
    mark_samples(program, code, flow, textures, facts.modes, effects);
    if (order_matters(effects)) arrange(flow, effects);
    KernelTranslator translation(program, facts, code, textures);
    translation.set_effects(effects);
    WARPJIT_CHECK(translation.run(flow));
    if (translation.function().lane_order != ir::LaneOrder::none)
      problem = check_order(translation, flow, effects, whole_blocks(translation, flow, effects, facts));
    if (problem.reason == nullptr) return std::move(translation.function());

    problem_address = flow.blocks[problem.block].last;
    if (!add_splits(problem, flow, split)) break;
  }
  return Error{ErrorCode::unsupported, problem.reason, program.where(problem_address)};
}

}  // namespace

Result<ir::Function> translate(const Program& program, const ComputeFacts& facts, bool dispatch_all,
                               const SampledTextures& textures) {
  WARPJIT_CHECK(check_facts(facts));
  WARPJIT_TRY(const ReachedCode code, ReachedCode::find(program, facts.branch_targets));
  WARPJIT_CHECK(check_samples(program, code, textures, facts.modes));
  if (!dispatch_all && !code.branches_through_constants()) {
    auto function = translate_thread(program, facts, code, textures);
    if (function || function.error().code != ErrorCode::unsupported) return function;
  }
  KernelTranslator translation(program, facts, code, textures);
  WARPJIT_CHECK(translation.run_stack());
  return std::move(translation.function());
}

std::vector<std::byte> code_key(const Program& program, const ReachedCode& code) {
  std::vector<std::byte> key;
  frontend::append_value(key, program.entry);
  frontend::append_value(key, program.registers);
  frontend::append_value(key, static_cast<std::uint32_t>(code.instructions().size()));
  for (const auto& [address, i] : code.instructions()) {
    frontend::append_value(key, address);
    frontend::append_value(key, i.raw);
  }
  if (code.branches_through_constants()) {
    frontend::append_value(key, program.code.size());
    const auto all = std::as_bytes(std::span(program.code));
    key.insert(key.end(), all.begin(), all.end());
  }
  return key;
}

void append_modes(const Modes& modes, std::vector<std::byte>& key) {
  for (const bool mode : {modes.saturated_nan_is_zero, modes.zero_wins, modes.infinite_derivatives,
                          modes.linked_samplers, modes.fast_fmad, modes.fast_sfu})
    frontend::append_value(key, mode);
  frontend::append_value(key, modes.call_limit);
}

}  // namespace warpjit::tesla
