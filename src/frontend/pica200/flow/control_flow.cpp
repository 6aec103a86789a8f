#include "frontend/pica200/flow/control_flow.h"

#include <algorithm>
#include <type_traits>

#include "frontend/flow/states.h"
#include "frontend/pica200/flow/scopes.h"

namespace warpjit::pica200 {
namespace {

// Everything that decides where control goes, apart from flags, booleans and counters.
template <class Scopes>
struct State {
  std::uint16_t pc = 0;
  // 1: the end of the innermost LOOP's body was reached at decision_pc; see Explorer::decide_loop.
  std::uint16_t deciding = 0, decision_pc = 0;
  Scopes scopes;
};

template <class Scopes>
class Explorer {
  using State = pica200::State<Scopes>;
  static_assert(std::has_unique_object_representations_v<State>);

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
    std::uint32_t origin = entry;  // the last word that runs
    for (std::uint32_t b = 0; !passed[b]; b = result.blocks[b].edges[0].target) {
      passed[b] = 1;
      const FlowBlock& block = result.blocks[b];
      if (block.runs_off) {
        if (block.first < program_.code.size()) origin = static_cast<std::uint32_t>(program_.code.size()) - 1;
        return Error{ErrorCode::bad_input,
                     "the program runs past its last word without an `end`: control reaches word " +
                         std::to_string(block.address),
                     program_.where(origin)};
      }
      if (block.edge_count != 1) break;
      origin = block.address;
    }
    flow::keep_backward_in_cycles(result.blocks, result.successors());
    return result;
  }

 private:
  Status run_block(State& state) {
    block_.first = state.pc;
    for (std::uint32_t pc = state.pc;; ++pc) {
      if (pc == kEndAddress) {
        block_.end = block_.address = kEndAddress;
        block_.ends_thread = true;
        return {};
      }
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
      if (!flow && !state.scopes.ends_at(pc + 1)) {
        if (code_.leader[pc + 1] == 0) continue;
        state.pc = static_cast<std::uint16_t>(pc + 1);
        add_edge(state, {}, false);
        return {};
      }
      execute(state, i, pc);
      return {};
    }
  }

  void execute(State state, const Instruction& i, std::uint32_t pc) {
    const auto next = static_cast<std::uint16_t>(pc + 1);
    const auto target = static_cast<std::uint16_t>(i.target);
    const auto end = static_cast<std::uint16_t>(i.target + i.num);
    State taken = state, other = state;
    taken.pc = other.pc = next;
    EdgeEffect effect;
    Transfer transfer = Transfer::next;
    bool two_ways = true;
    switch (i.opcode) {
      case Opcode::call:
        two_ways = false;
        [[fallthrough]];
      case Opcode::callc:
      case Opcode::callu:
        taken.scopes.open_call(end, next);
        taken.pc = target;
        break;
      case Opcode::ifu:
      case Opcode::ifc:
        taken.scopes.open_if(next, target, end);
        other.pc = target;
        break;
      case Opcode::loop:
        two_ways = false;
        effect = {EdgeEffect::Kind::begin_loop, 0, static_cast<std::uint8_t>(i.uniform & 3)};
        effect.slot = taken.scopes.open_loop(next, static_cast<std::uint16_t>(target + 1), effect.uniform);
        break;
      case Opcode::break_:
        two_ways = false;
        [[fallthrough]];
      case Opcode::breakc:
        transfer = Transfer::break_;
        break;
      case Opcode::jmpc:
      case Opcode::jmpu:
        transfer = Transfer::jump;
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
            add_alternative(taken, next, effect, transfer);
          else
            add_alternative(other, next, {}, Transfer::next);
          return;
        }
        if (inverted) std::swap(taken, other);
      }
    }
    add_alternative(taken, next, effect, transfer);
    if (two_ways) add_alternative(other, next, {}, Transfer::next);
  }

  void add_alternative(State state, std::uint16_t next, const EdgeEffect& effect, Transfer transfer) {
    Move move{state.pc, false, effect};
    state.scopes.close(next, transfer, move);
    follow(state, move, false);
  }

  // The end of a LOOP's body: once more from its entry, or past its end.
  Status decide_loop(const State& state) {
    const LoopScope loop = state.scopes.innermost_loop();
    block_.first = block_.end = block_.address = state.decision_pc;
    block_.test = Test::loop;
    block_.slot = loop.slot;
    block_.uniform = loop.uniform;
    State again = state, past = state;
    Move move;
    again.scopes.repeat(move);
    follow(again, move, true);
    move = {};
    past.scopes.leave(move);
    follow(past, move, false);
    return {};
  }

  // `repeats`: from the end of a LOOP's body to its beginning.
  void follow(State& state, const Move& move, bool repeats) {
    // The counter decides in a block of its own, because this path may be one of two.
    state.deciding = move.decides ? 1 : 0;
    state.decision_pc = move.decides ? block_.address : 0;
    state.pc = move.decides ? 0 : move.pc;
    add_edge(state, move.effect, repeats);
  }

  void add_edge(const State& state, const EdgeEffect& effect, bool repeats) {
    FlowBlock::Edge& edge = block_.edges[block_.edge_count++];
    edge.target = states_.target(state);
    edge.effect = effect;
    // A loop decision is no transfer yet: its own edges are.
    edge.backward = state.deciding == 0 ? state.pc <= block_.address : repeats;
  }

  const Program& program_;
  const ReachedCode& code_;
  const std::uint16_t known_, bools_;
  flow::Explorer<State, FlowBlock> states_;
  FlowBlock block_;
};

}  // namespace

flow::Successors ControlFlow::successors() const { return flow::successors_of(blocks, ~0U); }

Result<ControlFlow> discover(const Program& program, const ReachedCode& code, std::uint32_t entry,
                             std::uint16_t known, std::uint16_t bools) {
  if (program.structural_scopes) return Explorer<StructuralScopes>(program, code, known, bools).run(entry);
  return Explorer<HardwareScopes>(program, code, known, bools).run(entry);
}

}  // namespace warpjit::pica200
