#include "frontend/pica200/flow/control_flow.h"

#include <algorithm>
#include <array>

#include "frontend/flow/states.h"

namespace warpjit::pica200 {
namespace {

constexpr unsigned kCallDepth = 4, kIfDepth = 8, kLoopDepth = 4;

// A stack of the hardware: circular, a push on a full one overwrites the oldest entry. Entries are kept from
// the oldest on; unused ones are zero so that equal stacks are equal bytes.
template <class Entry, unsigned kDepth>
struct ScopeStack {
  std::array<Entry, kDepth> entries{};
  std::uint16_t size = 0;

  bool empty() const { return size == 0; }
  Entry& top() { return entries[size - 1u]; }
  void push(const Entry& entry) {
    if (size == kDepth) {
      std::copy(entries.begin() + 1, entries.end(), entries.begin());
      --size;
    }
    entries[size++] = entry;
  }
  void pop() { entries[--size] = Entry{}; }
};

struct CallEntry {
  std::uint16_t end = 0, ret = 0;
};
struct IfEntry {
  std::uint16_t otherwise = 0, end = 0;
};
struct LoopEntry {
  std::uint16_t entry = 0, end = 0;
  std::uint8_t uniform = 0, slot = 0;  // slot: where counter and saved aL are
};

// Everything that decides where control goes, apart from flags, booleans and counters.
struct State {
  std::uint16_t pc = 0;
  // 1: the end of the innermost LOOP's body was reached at decision_pc; see Explorer::decide_loop.
  std::uint16_t deciding = 0, decision_pc = 0;
  ScopeStack<CallEntry, kCallDepth> calls;
  ScopeStack<IfEntry, kIfDepth> ifs;
  ScopeStack<LoopEntry, kLoopDepth> loops;
};

class Explorer {
 public:
  Explorer(const Program& program, const ReachedCode& code, std::uint16_t known, std::uint16_t bools)
      : program_(program),
        code_(code),
        known_(known),
        bools_(bools),
        states_(std::max<std::uint32_t>(4096, static_cast<std::uint32_t>(8 * program.code.size()))) {}

  Result<ControlFlow> run(std::uint32_t entry) {
    State start;
    start.pc = static_cast<std::uint16_t>(entry);
    const auto step = [&](State& state, FlowBlock& block) {
      block_ = {};
      const Status status = state.deciding != 0 ? decide_loop(state) : run_block(state);
      block = block_;
      return status;
    };
    const auto too_many = [&](const State& state, std::string message) {
      return Error{ErrorCode::resource_limit, std::move(message), program_.where(state.pc)};
    };
    ControlFlow result;
    WARPJIT_TRY(result.blocks, states_.run(start, step, too_many));
    // No decision on the way from the entry to the end of the code: then it is sure to be reached.
    std::vector<char> passed(result.blocks.size(), 0);
    for (std::uint32_t b = 0; !passed[b]; b = result.blocks[b].edges[0].target) {
      passed[b] = 1;
      if (result.blocks[b].runs_off)
        return Error{ErrorCode::bad_input, "control runs past the last word of the program",
                     "word " + std::to_string(result.blocks[b].address)};
      if (result.blocks[b].edge_count != 1) break;
    }
    flow::keep_backward_in_cycles(result.blocks, result.successors());
    return result;
  }

 private:
  Status run_block(State& state) {
    block_.first = state.pc;
    for (std::uint32_t pc = state.pc;; ++pc) {
      if (pc >= program_.code.size()) {
        // This may be impossible at run time: conditions may exclude each other, and jumps may leave scopes
        // open that nothing closes.
        block_.end = block_.address = static_cast<std::uint16_t>(pc);
        block_.runs_off = true;
        return {};
      }
      const Instruction* reached = code_.code.at(pc);
      if (reached == nullptr) return decode(program_.code[pc], pc, program_.source_name).error();
      const Instruction& i = *reached;
      if (program_.stage != Stage::geometry && (i.info().traits & kGeometry) != 0)
        return Error{ErrorCode::bad_input, std::string(i.info().name) + " belongs to geometry programs",
                     program_.where(pc)};
      block_.end = static_cast<std::uint16_t>(pc + 1);
      block_.address = static_cast<std::uint16_t>(pc);
      if (i.opcode == Opcode::end) {
        block_.ends_thread = true;
        return {};
      }
      const bool flow = (i.info().traits & kFlow) != 0;
      if (!flow && !scope_ends(state, pc + 1)) {
        if (code_.leader[pc + 1] == 0) continue;
        state.pc = static_cast<std::uint16_t>(pc + 1);
        add_edge(state, {});
        return {};
      }
      execute(state, i, pc);
      return {};
    }
  }

  static bool scope_ends(State& state, std::uint32_t next) {
    return (!state.calls.empty() && state.calls.top().end == next) ||
           (!state.ifs.empty() && state.ifs.top().otherwise == next) ||
           (!state.loops.empty() && state.loops.top().end == next);
  }

  void execute(State state, const Instruction& i, std::uint32_t pc) {
    const auto next = static_cast<std::uint16_t>(pc + 1);
    const auto target = static_cast<std::uint16_t>(i.target);
    const auto end = static_cast<std::uint16_t>(i.target + i.num);
    State taken = state, other = state;
    taken.pc = other.pc = next;
    EdgeEffect effect;
    bool breaks = false, two_ways = true;
    switch (i.opcode) {
      case Opcode::call:
        two_ways = false;
        [[fallthrough]];
      case Opcode::callc:
      case Opcode::callu:
        taken.calls.push({end, next});
        taken.pc = target;
        break;
      case Opcode::ifu:
      case Opcode::ifc:
        taken.ifs.push({target, end});
        other.pc = target;
        break;
      case Opcode::loop:
        two_ways = false;
        effect = {EdgeEffect::Kind::begin_loop, free_slot(state), static_cast<std::uint8_t>(i.uniform & 3)};
        taken.loops.push({next, static_cast<std::uint16_t>(target + 1), effect.uniform, effect.slot});
        break;
      case Opcode::break_:
        two_ways = false;
        [[fallthrough]];
      case Opcode::breakc:
        breaks = true;
        break;
      case Opcode::jmpc:
      case Opcode::jmpu:
        taken.pc = target;
        break;
      default:
        two_ways = false;
        break;
    }
    if (two_ways) {
      const bool by_flags = (i.info().traits & kReadsFlags) != 0;
      block_.test = by_flags ? Test::condition : Test::boolean;
      if (!by_flags) {
        block_.uniform = static_cast<std::uint8_t>(i.uniform & 15);
        const bool inverted = i.opcode == Opcode::jmpu && (i.num & 1) != 0;
        if (known_ >> block_.uniform & 1) {
          block_.test = Test::always;
          if (((bools_ >> block_.uniform & 1) != 0) != inverted)
            add_alternative(taken, next, effect, breaks);
          else
            add_alternative(other, next, {}, false);
          return;
        }
        if (inverted) std::swap(taken, other);
      }
    }
    add_alternative(taken, next, effect, breaks);
    if (two_ways) add_alternative(other, next, {}, false);
  }

  // A slot for a LOOP's counter that no open LOOP uses; the oldest one's if the push overwrites that.
  static std::uint8_t free_slot(const State& state) {
    if (state.loops.size == kLoopDepth) return state.loops.entries[0].slot;
    unsigned used = 0;
    for (unsigned k = 0; k < state.loops.size; ++k) used |= 1u << state.loops.entries[k].slot;
    std::uint8_t slot = 0;
    while (used >> slot & 1) ++slot;
    return slot;
  }

  // The END check of one instruction (pica200.md 9), in the hardware's order: CALL, IF, LOOP.
  void add_alternative(State state, std::uint16_t next, EdgeEffect effect, bool breaks) {
    std::uint16_t compared = next;
    for (unsigned pops = 1; !state.calls.empty() && state.calls.top().end == compared; ++pops) {
      compared = state.calls.top().ret;
      if (pops < kCallDepth) state.pc = compared;  // the fourth pop leaves the pc as it is: a hardware bug
      state.calls.pop();
      if (pops == kCallDepth) break;
    }
    if (!state.ifs.empty() && state.ifs.top().otherwise == next) {
      state.pc = state.ifs.top().end;
      state.ifs.pop();
    }
    if (!state.loops.empty() && breaks) {
      LoopEntry loop = state.loops.top();
      state.loops.pop();
      state.pc = loop.end;
      if (!state.loops.empty()) effect = {EdgeEffect::Kind::restore_aL, loop.slot, 0};
    } else if (!state.loops.empty() && state.loops.top().end == next) {
      // The counter decides, in a block of its own, because this path may be one of two.
      state.deciding = 1;
      state.decision_pc = block_.address;
      state.pc = 0;
    }
    add_edge(state, effect);
  }

  // The end of a LOOP's body: once more from its entry, or past its end.
  Status decide_loop(State& state) {
    LoopEntry loop = state.loops.top();
    block_.first = block_.end = block_.address = state.decision_pc;
    block_.test = Test::loop;
    block_.slot = loop.slot;
    block_.uniform = loop.uniform;
    state.deciding = state.decision_pc = 0;
    State again = state;
    again.pc = loop.entry;
    add_edge(again, {});
    state.loops.pop();
    state.pc = loop.end;
    EdgeEffect effect;
    if (!state.loops.empty()) effect = {EdgeEffect::Kind::restore_aL, loop.slot, 0};
    add_edge(state, effect);
    return {};
  }

  void add_edge(const State& state, const EdgeEffect& effect) {
    FlowBlock::Edge& edge = block_.edges[block_.edge_count++];
    edge.target = states_.target(state);
    edge.effect = effect;
    // A loop decision is no transfer yet: its own edges are.
    edge.backward = state.deciding == 0 && state.pc <= block_.address;
  }

  const Program& program_;
  const ReachedCode& code_;
  const std::uint16_t known_, bools_;
  flow::Explorer<State, FlowBlock> states_;
  FlowBlock block_;
};

}  // namespace

flow::Successors ControlFlow::successors() const {
  flow::Successors result(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (unsigned k = 0; k < blocks[b].edge_count; ++k) result[b].push_back(blocks[b].edges[k].target);
  return result;
}

Result<ControlFlow> discover(const Program& program, const ReachedCode& code, std::uint32_t entry,
                             std::uint16_t known, std::uint16_t bools) {
  return Explorer(program, code, known, bools).run(entry);
}

}  // namespace warpjit::pica200
