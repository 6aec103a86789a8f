#include "frontend/usse/flow/control_flow.h"

#include <algorithm>

#include "frontend/flow/states.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kMostBlocks = 1 << 14, kMostCalls = 8;

struct State {
  std::uint32_t pc = 0, depth = 0;
  std::array<std::uint32_t, kMostCalls> returns{};
  Increments increments;
};

}  // namespace

void Increments::set(const Instruction& i) {
  constexpr Immediate kOperands[] = {Immediate::d, Immediate::s0, Immediate::s1, Immediate::s2};
  if (i.opcode == Opcode::smlsi)
    swizzled = {i.swizzled_d ? 1 : 0, i.swizzled_0 ? 1 : 0, i.swizzled_1 ? 1 : 0, i.swizzled_2 ? 1 : 0};
  for (std::size_t k = 0; k < 4; ++k)
    (i.opcode == Opcode::smlsi ? increment : offset)[k] = i.value(kOperands[k]);
}

std::int32_t Increments::step(std::size_t operand, unsigned turn) const {
  const std::int32_t k = static_cast<std::int32_t>(turn) + offset[operand];
  if (swizzled[operand] == 0) return increment[operand] * k;
  return increment[operand] >> (k & 3) * 2 & 3;
}

bool is_branch(const Instruction& i) { return i.opcode == Opcode::br || i.opcode == Opcode::ba; }

std::int64_t branch_target(const Instruction& i, std::uint32_t address) {
  const std::int64_t offset = i.value(Immediate::offset);
  return i.opcode == Opcode::br ? std::int64_t{address} + offset : offset;
}

Error Code::error(ErrorCode code, std::string message, std::size_t word) const {
  return {code, std::move(message), program_->where(secondary_, word)};
}

Result<Code> Code::decode(const Program& program, bool secondary) {
  Code code(program, secondary);
  for (const std::uint64_t word : secondary ? program.secondary : program.primary) {
    const Result<Instruction> instruction = usse::decode(word);
    const std::size_t place = code.instructions_.size();
    if (!instruction) return code.error(instruction.error().code, instruction.error().message, place);
    code.instructions_.push_back(*instruction);
  }
  return code;
}

Result<ControlFlow> Code::find_blocks() const {
  const auto size = static_cast<std::uint32_t>(instructions_.size());
  std::vector<bool> leads(size + 1U);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (!is_branch(instructions_[pc])) continue;
    const std::int64_t target = branch_target(instructions_[pc], pc);
    if (target >= 0 && target <= size) leads[static_cast<std::size_t>(target)] = true;
  }
  flow::Explorer<State, FlowBlock> explorer(kMostBlocks);
  const auto target = [&](const State& state) {
    return state.pc == size ? kThreadEnds : explorer.target(state);
  };
  const auto step = [&](State& state, FlowBlock& block) -> Status {
    block.first = state.pc;
    block.increments = state.increments;
    for (;;) {
      const std::uint32_t pc = state.pc++;
      const Instruction& i = instructions_[pc];
      block.end = state.pc;
      if (const Status executes = check_executes(i); !executes)
        return error(executes.error().code, executes.error().message, pc);
      if (i.group == Group::moe) state.increments.set(i);
      if (i.opcode == Opcode::emit && (secondary_ || program_->stage != Stage::vertex || state.pc != size))
        return error(ErrorCode::unsupported, "emit before the end of a vertex program", pc);
      if (i.end && (state.pc == size || instructions_[state.pc].opcode != Opcode::phas)) return {};
      if (i.opcode == Opcode::ret || is_branch(i)) {
        State taken = state;
        if (i.opcode == Opcode::ret) {
          if (state.depth == 0) return error(ErrorCode::unsupported, "a return without a call", pc);
          taken.pc = state.returns[--taken.depth];
          taken.returns[taken.depth] = 0;
        } else {
          const std::int64_t to = branch_target(i, pc);
          if (to < 0 || to > size) return error(ErrorCode::unsupported, "the branch leaves the code", pc);
          taken.pc = static_cast<std::uint32_t>(to);
          if (i.link) {
            if (state.depth == kMostCalls) return error(ErrorCode::unsupported, "too many calls", pc);
            taken.returns[taken.depth++] = state.pc;
          }
        }
        block.edges[0] = {target(taken), taken.pc <= pc};
        if (i.predicate == Predicate::always) return {};
        block.edges[1] = {target(state), false};
        block.edge_count = 2;
        return {};
      }
      if (state.pc == size) return {};
      if (leads[state.pc]) {
        block.edges[0] = {target(state), false};
        return {};
      }
    }
  };
  ControlFlow flow;
  if (size == 0) {
    flow.blocks.push_back({});
    return flow;
  }
  WARPJIT_TRY(flow.blocks, explorer.run(State{}, step, [&](const State& state, std::string message) {
    return error(ErrorCode::unsupported, std::move(message), state.pc);
  }));
  flow::keep_backward_in_cycles(flow.blocks, flow.successors());
  return flow;
}

flow::Successors ControlFlow::successors() const {
  flow::Successors result(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (unsigned k = 0; k < blocks[b].edge_count; ++k)
      if (const std::uint32_t target = blocks[b].edges[k].target; target != kThreadEnds)
        result[b].push_back(target);
  return result;
}

bool ControlFlow::has_copies() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  for (const FlowBlock& block : blocks) ranges.emplace_back(block.first, block.end);
  std::ranges::sort(ranges);
  for (std::size_t k = 1; k < ranges.size(); ++k)
    if (ranges[k].first < ranges[k - 1].second) return true;
  return false;
}

// The lanes at lower addresses run first. So they are, if none can jump over the address, come back to it or
// end before.
bool Code::lanes_are_together(std::uint32_t address) const {
  for (std::uint32_t pc = 0; pc < instructions_.size(); ++pc) {
    const Instruction& i = instructions_[pc];
    if (i.opcode == Opcode::ret || (is_branch(i) && i.link)) return false;
    if (!is_branch(i)) continue;
    const std::int64_t target = branch_target(i, pc);
    if (pc < address ? target > address : target <= address) return false;
  }
  return true;
}

}  // namespace warpjit::usse
