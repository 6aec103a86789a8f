#include "frontend/usse/flow/control_flow.h"

#include <algorithm>

#include "frontend/flow/states.h"
#include "frontend/usse/facts/checks.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kMostBlocks = 1 << 14;
// Instructions of all blocks, besides those of the code itself: what follows takes time for each.
constexpr std::size_t kMostCopied = std::size_t{1} << 20;

struct State {
  std::uint32_t pc = 0, depth = 0;
  std::array<std::uint32_t, kMostCalls> returns{};
  Increments increments;
};

bool is_doubled(const Instruction& i, unsigned operand) {
  const auto is_float = [](Type type) { return type == Type::f32 || type == Type::f16 || type == Type::c10; };
  switch (i.group) {
    case Group::vmad2:
    case Group::nmad:
    case Group::mad:
    case Group::dp:
    case Group::comp:
      return true;
    case Group::mov:
      return is_float(i.type);
    case Group::pck:
      return operand != 0 && is_float(i.source_type);
    case Group::tst:
      return static_cast<unsigned>(i.alu) < 16;
    default:
      return false;
  }
}

bool moves(const Register& reg) {
  return reg.bank != Bank::c && reg.bank != Bank::g && reg.bank != Bank::immediate && reg.bank != Bank::idx;
}

// The number of the register that lies `registers` registers after it.
std::uint16_t number_behind(const Register& reg, std::int32_t registers, bool doubled) {
  if (!moves(reg)) return reg.number;
  const bool internal = reg.bank == Bank::i;
  const std::int32_t words = doubled && !internal ? 2 : 1;
  const auto number = static_cast<std::uint32_t>(reg.number + registers * words);
  return static_cast<std::uint16_t>(number % (internal ? 4 : kMaxRegisters));
}

// Operand 0 is the destination, the others are sources.
constexpr unsigned kMovedSources = 3;
const Register& operand_of(const Instruction& i, unsigned operand) {
  if (operand == 0) return i.d[0];
  return i.s[operand - 1];
}

// The register of an operand in a turn of an instruction that takes increments. Dot products write components
// of one register, turn by turn.
std::uint16_t number_in_turn(const Instruction& i, unsigned operand, unsigned turn,
                             const Increments& increments) {
  const Register& reg = operand_of(i, operand);
  if (operand == 0 && i.group == Group::dp) return reg.number;
  return number_behind(reg, increments.step(operand, turn), is_doubled(i, operand));
}

// True if the instruction reads or writes what it names there.
bool is_used(const Instruction& i, unsigned operand) {
  if (operand != 0) return reads_source(i, operand - 1);
  if (i.group == Group::tst) return i.opcode == Opcode::tstmsk || i.write_back;
  return i.group != Group::dp;
}

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

bool repeats(const Instruction& i) {
  switch (i.group) {
    case Group::mad:
    case Group::dp:
    case Group::comp:
    case Group::mov:
    case Group::pck:
    case Group::tst:
    case Group::bits:
    case Group::sop:
    case Group::i8mad:
    case Group::i16mad:
    case Group::i32mad:
    case Group::i32mad2:
      return true;
    default:
      return false;
  }
}

bool takes_increments(const Instruction& i) {
  const bool has_modes = i.group == Group::mad || i.group == Group::dp;
  return repeats(i) && (!has_modes || i.repeat_mode == RepeatMode::moe);
}

std::vector<std::uint16_t> moved_numbers(const Instruction& i, const Increments& increments) {
  std::vector<std::uint16_t> numbers;
  for (unsigned operand = 0; operand <= kMovedSources; ++operand)
    if (moves(operand_of(i, operand)) && is_used(i, operand))
      for (unsigned turn = 0; turn <= i.repeat; ++turn)
        numbers.push_back(number_in_turn(i, operand, turn, increments));
  return numbers;
}

Instruction in_turn(const Instruction& i, unsigned turn, const Increments& increments) {
  Instruction result = i;
  if (!repeats(i)) return result;
  if (takes_increments(i)) {
    result.d[0].number = number_in_turn(i, 0, turn, increments);
    for (unsigned k = 0; k < kMovedSources; ++k)
      result.s[k].number = number_in_turn(i, k + 1, turn, increments);
    return result;
  }
  const auto advance = [&](Register& reg) {
    const bool internal = reg.bank == Bank::i;
    if (i.repeat_mode != (internal ? RepeatMode::external : RepeatMode::internal))
      reg.number = number_behind(reg, static_cast<std::int32_t>(internal ? turn : 2 * turn), true);
  };
  if (i.group == Group::mad) advance(result.d[0]);
  for (Source& source : result.s) advance(source);
  return result;
}

bool is_branch(const Instruction& i) { return i.opcode == Opcode::br || i.opcode == Opcode::ba; }

std::int64_t branch_target(const Instruction& i, std::uint32_t address) {
  const std::int64_t offset = i.value(Immediate::offset);
  return i.opcode == Opcode::br ? std::int64_t{address} + offset : offset;
}

Error Code::error(ErrorCode code, std::string message, std::size_t word) const {
  return {code, std::move(message), program_->where(secondary_, word)};
}

Result<Code> Code::decode(const Program& program, bool secondary, bool writes_shared) {
  Code code(program, secondary);
  if (program.texture_buffer_samplers != 0)
    return Error{ErrorCode::unsupported, "textures of a texture buffer are not supported",
                 program.source_name};
  const std::vector<std::uint64_t>& words = secondary ? program.secondary : program.primary;
  for (const std::uint64_t word : words) {
    const Result<Instruction> instruction = usse::decode(word);
    const std::size_t place = code.instructions_.size();
    if (!instruction) return code.error(instruction.error().code, instruction.error().message, place);
    Status runs = check_instruction(*instruction, place + 1 == words.size(), program, secondary);
    if (runs && !secondary && !writes_shared) runs = check_not_shared(*instruction);
    if (!runs) return code.error(runs.error().code, runs.error().message, place);
    code.instructions_.push_back(*instruction);
  }
  return code;
}

Result<ControlFlow> Code::unfold() const {
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
  std::uint32_t most_calls = 0;
  std::size_t length = 0;  // of all blocks
  const auto step = [&](State& state, FlowBlock& block) -> Status {
    block.first = state.pc;
    block.increments = {state.increments};
    for (;;) {
      const std::uint32_t pc = state.pc++;
      const Instruction& i = instructions_[pc];
      block.end = state.pc;
      if (++length > size + kMostCopied)
        return error(ErrorCode::unsupported, "the control flow unfolds into too many instructions", pc);
      if (i.group == Group::moe) state.increments.set(i);
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
            most_calls = std::max(most_calls, taken.depth);
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
  flow.most_calls = most_calls;
  return flow;
}

Result<ControlFlow> Code::find_blocks() const {
  WARPJIT_TRY(ControlFlow flow, unfold());
  flow::keep_backward_in_cycles(flow.blocks, flow.successors());
  return flow;
}

Result<ControlFlow> Code::find_blocks_of_addresses() const {
  WARPJIT_TRY(const ControlFlow unfolded, unfold());
  ControlFlow flow;
  flow.most_calls = unfolded.most_calls;
  const auto size = static_cast<std::uint32_t>(instructions_.size());
  const auto address = [&](std::uint32_t target) {
    return target == kThreadEnds ? size : unfolded.blocks[target].first;
  };
  std::vector<std::uint32_t> at(size + 1U, kThreadEnds);  // the block of an address
  std::vector<std::vector<std::uint32_t>> returns;        // by block: the addresses that its return leads to
  const auto returns_from = [&](const FlowBlock& block) {
    return block.end > block.first && instructions_[block.end - 1].opcode == Opcode::ret;
  };
  for (const FlowBlock& block : unfolded.blocks) {
    std::uint32_t& number = at[block.first];
    if (number == kThreadEnds) {
      number = static_cast<std::uint32_t>(flow.blocks.size());
      flow.blocks.push_back(block);
      returns.emplace_back();
    } else {
      std::vector<Increments>& all = flow.blocks[number].increments;
      const Increments& own = block.increments[0];
      if (std::ranges::find(all, own) == all.end()) all.push_back(own);
      if (all.size() > kMostIncrements)
        return error(ErrorCode::unsupported, "too many increments of repeats that lanes may have here",
                     block.first);
    }
    if (returns_from(block)) returns[number].push_back(address(block.edges[0].target));
  }
  const auto edge = [&](std::uint32_t to, std::uint32_t from) {
    return FlowEdge{to == size ? kThreadEnds : at[to], to < from};
  };
  const std::size_t count = flow.blocks.size();
  for (std::size_t b = 0; b < count; ++b) {
    const std::uint32_t end = flow.blocks[b].end;
    std::vector<std::uint32_t>& targets = returns[b];
    for (unsigned k = targets.empty() ? 0 : 1; k < flow.blocks[b].edge_count; ++k) {
      std::uint32_t& target = flow.blocks[b].edges[k].target;
      if (target != kThreadEnds) target = at[address(target)];
    }
    if (targets.empty()) continue;
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    FlowEdge first = edge(targets[0], end);
    if (targets.size() > 1) first = {static_cast<std::uint32_t>(flow.blocks.size()), false};
    flow.blocks[b].edges[0] = first;
    for (std::size_t k = 0; k + 1 < targets.size(); ++k) {
      FlowBlock choice;
      choice.first = choice.end = end;
      choice.return_to = targets[k];
      choice.edge_count = 2;
      choice.edges[0] = edge(targets[k], end);
      choice.edges[1] = k + 2 == targets.size()
                            ? edge(targets[k + 1], end)
                            : FlowEdge{static_cast<std::uint32_t>(flow.blocks.size()) + 1, false};
      flow.blocks.push_back(choice);
    }
  }
  flow::keep_backward_in_cycles(flow.blocks, flow.successors());
  return flow;
}

flow::Successors ControlFlow::successors() const { return flow::successors_of(blocks, kThreadEnds); }

// The lanes at lower addresses run first. So all are together, if none can jump over the address, come back
// to it or end before.
std::vector<bool> Code::parted_lanes() const {
  const auto size = static_cast<std::int64_t>(instructions_.size());
  std::vector<std::int32_t> change(instructions_.size() + 1);  // of how many branches part them
  const auto part = [&](std::int64_t first, std::int64_t end) {
    first = std::clamp<std::int64_t>(first, 0, size);
    end = std::clamp<std::int64_t>(end, first, size);
    ++change[static_cast<std::size_t>(first)];
    --change[static_cast<std::size_t>(end)];
  };
  for (std::int64_t pc = 0; pc < size; ++pc) {
    const Instruction& i = instructions_[static_cast<std::size_t>(pc)];
    if (i.opcode == Opcode::ret || (is_branch(i) && i.link)) part(0, size);
    if (!is_branch(i)) continue;
    const std::int64_t target = branch_target(i, static_cast<std::uint32_t>(pc));
    if (target > pc)
      part(pc + 1, target);
    else
      part(target, pc + 1);
  }
  std::vector<bool> parted(instructions_.size());
  std::int32_t count = 0;
  for (std::size_t pc = 0; pc < parted.size(); ++pc) parted[pc] = (count += change[pc]) != 0;
  return parted;
}

}  // namespace warpjit::usse
