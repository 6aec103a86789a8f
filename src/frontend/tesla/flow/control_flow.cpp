#include "frontend/tesla/flow/control_flow.h"

#include <algorithm>

#include "frontend/flow/states.h"

namespace warpjit::tesla {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxBlocks = 1 << 16;

// An entry: its type above the word address, which has 22 bits.
class Entry {
 public:
  Entry() = default;
  Entry(EntryType type, std::uint32_t pc) : bits_(static_cast<std::uint32_t>(type) << 28 | pc / 4) {}
  EntryType type() const { return static_cast<EntryType>(bits_ >> 28); }
  std::uint32_t pc() const { return (bits_ & 0xfffffff) * 4; }
  bool operator==(const Entry&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

// Everything that decides where control goes, apart from flags.
// Unused entries are zero, so that equal states are equal bytes.
struct State {
  std::uint32_t pc = 0;
  std::uint32_t size = 0;
  std::array<Entry, kMaxDepth> stack{};

  bool empty() const { return size == 0; }
  const Entry& top() const { return stack[size - 1]; }
  void pop() { stack[--size] = Entry{}; }
  void pop_to(std::uint32_t wanted) {
    while (size > wanted) pop();
  }
  bool under_quadon() const { return size != 0 && top().type() == EntryType::quadon; }
  // Entries up to the innermost one that is no BRANCH.
  std::uint32_t size_without_branches() const {
    std::uint32_t count = size;
    while (count != 0 && stack[count - 1].type() == EntryType::branch) --count;
    return count;
  }
};

bool is_call(EntryType type) { return type == EntryType::call || type == EntryType::limited_call; }

class Explorer {
 public:
  Explorer(const Program& program, const ReachedCode& code, std::uint32_t call_limit,
           std::span<const std::uint32_t> split)
      : program_(program),
        code_(code),
        call_limit_(call_limit),
        split_(split),
        states_(
            static_cast<std::uint32_t>(std::clamp<std::size_t>(8 * program.code.size(), 4096, kMaxBlocks))) {}

  Result<ControlFlow> run() {
    mark_leaders();
    State start;
    start.pc = program_.entry;
    const auto step = [&](const State& state, FlowBlock& block) -> Status {
      state_ = state;
      block_ = {};
      block_.first_push = static_cast<std::uint32_t>(pushes_.size());
      WARPJIT_CHECK(run_block());
      block_.end_push = static_cast<std::uint32_t>(pushes_.size());
      block = block_;
      return {};
    };
    ControlFlow flow;
    WARPJIT_TRY(flow.blocks, states_.run(start, step, [&](const State&, const std::string& message) {
      return fail(message);
    }));
    flow.pushes = std::move(pushes_);
    flow::keep_backward_in_cycles(flow.blocks, flow.successors());
    return flow;
  }

 private:
  Error fail(const std::string& reason) const {
    return {ErrorCode::unsupported, reason, program_.where(block_.last)};
  }

  // Blocks begin at targets of transfers and at joins, so that paths can meet there.
  void mark_leaders() {
    leader_.assign(program_.code.size() + 2, 0);
    for (const auto& [address, instruction] : code_.instructions()) {
      if (has_target(instruction)) leader_[instruction.target / 4] = 1;
      if (instruction.opcode == Opcode::call) leader_[address / 4 + instruction.words()] = 1;
      if (instruction.marker == Instruction::Marker::join) leader_[address / 4] = 1;
    }
  }

  Status run_block() {
    block_.first = block_.last = state_.pc;
    if (const Instruction* first = code_.at(state_.pc);
        first != nullptr && first->marker == Instruction::Marker::join)
      WARPJIT_CHECK(join());
    block_.depth = static_cast<std::uint16_t>(state_.size);
    ended_ = false;
    while (!ended_) {
      const Instruction* i = code_.at(state_.pc);
      block_.last = state_.pc;
      if (i == nullptr) return fail("control may reach code that is not there");
      block_.end = state_.pc + 4 * i->words();
      WARPJIT_CHECK(execute(*i, block_.end));
      if (!ended_ && i->marker == Instruction::Marker::exit) {
        if (state_.under_quadon()) return fail("control flow under quadon");
        end_thread();
      }
      if (!ended_ && leader_[state_.pc / 4] != 0) go_on();
    }
    return {};
  }

  // tesla.md 12.3. The popped entry must name the join's own address; else the lanes that arrive first and
  // those that arrive last would continue at different addresses.
  Status join() {
    state_.pop_to(state_.size_without_branches());
    if (state_.empty()) return fail("join: the control stack underflows");
    if (state_.top().type() != EntryType::joinat) return fail("join: the control stack does not match");
    if (state_.top().pc() != state_.pc) return fail("join at an address that its joinat does not name");
    state_.pop();
    return {};
  }

  static bool is_harmless(Opcode opcode) {
    return opcode < Opcode::bra || opcode == Opcode::nop || opcode == Opcode::pmevent ||
           opcode == Opcode::brkpt || opcode == Opcode::quadpop || opcode == Opcode::trap;
  }

  // One instruction; `next`: the address after it.
  Status execute(const Instruction& i, std::uint32_t next) {
    if (!is_harmless(i.opcode) && state_.under_quadon()) return fail("control flow under quadon");
    const std::uint32_t pc = state_.pc;
    state_.pc = next;
    switch (i.opcode) {
      case Opcode::bra:
        return branch(i, pc);
      case Opcode::call:
      case Opcode::preret:
        return call(i, pc);
      case Opcode::prebrk:
        return push(EntryType::break_, i.target, false);
      case Opcode::joinat:
        return push(EntryType::joinat, i.target, i.target <= pc);
      case Opcode::ret:
      case Opcode::brk:
        return leave(i, pc);
      case Opcode::quadon:
        return push(EntryType::quadon, 0, false);
      case Opcode::quadpop:
        if (!state_.under_quadon()) return fail("quadpop: the control stack does not match");
        state_.pop();
        block_.depth = std::min(block_.depth, static_cast<std::uint16_t>(state_.size));
        return {};
      case Opcode::trap:
        end_thread();  // and the run
        return {};
      default:
        return {};
    }
  }

  Status branch(const Instruction& i, std::uint32_t pc) {
    const std::uint16_t table = condition_table(i.condition);
    if (table == 0) return {};
    State taken = state_;
    taken.pc = i.target;
    block_.is_bra = true;
    block_.meeting_depth = static_cast<std::uint16_t>(state_.size_without_branches());
    if (table != 0xffff && std::ranges::find(split_, pc) != split_.end())
      WARPJIT_CHECK(note_branch(taken, pc));
    add_edge(taken, i.target <= pc);
    if (table != 0xffff) add_edge(state_, false);
    return {};
  }

  // Marks the taken side as one that runs while the other lanes wait;
  // only once, if discovery comes here again.
  Status note_branch(State& taken, std::uint32_t pc) {
    const Entry entry(EntryType::branch, pc);
    for (std::uint32_t k = taken.size_without_branches(); k < taken.size; ++k)
      if (taken.stack[k] == entry) return {};
    if (taken.size == kMaxDepth) return fail("the control stack becomes too deep");
    taken.stack[taken.size++] = entry;
    return {};
  }

  Status call(const Instruction& i, std::uint32_t pc) {
    const bool limited = i.limited != 0;
    if (limited) {
      const auto open = std::count_if(state_.stack.begin(), state_.stack.begin() + state_.size,
                                      [](Entry entry) { return entry.type() == EntryType::limited_call; });
      if (static_cast<std::uint64_t>(open) >= call_limit_) return {};  // skipped
    }
    const EntryType type = limited ? EntryType::limited_call : EntryType::call;
    if (i.opcode == Opcode::preret) return push(type, i.target, false);
    WARPJIT_CHECK(push(type, state_.pc, false));
    state_.pc = i.target;
    add_edge(state_, i.target <= pc);
    return {};
  }

  Status push(EntryType type, std::uint32_t pc, bool backward) {
    if (state_.size == kMaxDepth)
      return fail("the control stack becomes too deep, or the program is recursive");
    state_.stack[state_.size++] = Entry(type, pc);
    if (type != EntryType::quadon) pushes_.push_back({state_.size, pc});
    if (backward) add_edge(state_, true);
    return {};
  }

  // break and ret: to the innermost entry of their own kind, past JOINATs.
  // ret without any CALL ends the thread.
  Status leave(const Instruction& i, std::uint32_t pc) {
    const std::uint16_t table = condition_table(i.condition);
    if (table == 0) return {};
    const bool is_return = i.opcode == Opcode::ret;
    State left = state_;
    std::uint32_t size = state_.size;
    while (size != 0) {
      const EntryType type = state_.stack[size - 1].type();
      if (is_return ? is_call(type) : type == EntryType::break_) break;
      if (type != EntryType::branch && type != EntryType::joinat) {
        if (is_return && !has_call()) size = 0;
        if (size != 0) return fail("break or ret: the control stack does not match");
        break;
      }
      --size;
    }
    if (size == 0 && !is_return) return fail("break: the control stack underflows");
    block_.meeting_depth = static_cast<std::uint16_t>(size);
    if (size == 0) {
      end_thread();
    } else {
      left.pc = state_.stack[size - 1].pc();
      left.pop_to(size - 1);
      add_edge(left, left.pc <= pc);
    }
    if (table != 0xffff) add_edge(state_, false);
    return {};
  }
  bool has_call() const {
    return std::any_of(state_.stack.begin(), state_.stack.begin() + state_.size,
                       [](Entry entry) { return is_call(entry.type()); });
  }

  void go_on() { add_edge(state_, false); }
  void end_thread() { new_edge(); }

  FlowEdge& new_edge() {
    if (!ended_) block_.edge_count = 0;
    ended_ = true;
    return block_.edges[block_.edge_count++];
  }
  void add_edge(const State& state, bool backward) {
    FlowEdge& edge = new_edge();
    edge.target = states_.target(state);
    edge.backward = backward;
  }

  const Program& program_;
  const ReachedCode& code_;
  const std::uint32_t call_limit_;
  const std::span<const std::uint32_t> split_;
  flow::Explorer<State, FlowBlock> states_;
  std::vector<char> leader_;  // by word
  std::vector<FlowPush> pushes_;
  State state_;
  FlowBlock block_;
  bool ended_ = false;
};

}  // namespace

flow::Successors ControlFlow::successors() const {
  flow::Successors result(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const FlowBlock& block = blocks[b];
    for (unsigned k = 0; k < block.edge_count; ++k) {
      const FlowEdge& edge = block.edges[k ^ block.first_edge];
      if (edge.target != kThreadEnds) result[b].push_back(edge.target);
    }
    if (block.before != kThreadEnds) result[b].push_back(block.before);
  }
  return result;
}

std::vector<std::uint32_t> ControlFlow::order() const { return flow::reverse_post_order(successors()); }

Result<ControlFlow> discover(const Program& program, const ReachedCode& code, std::uint32_t call_limit,
                             std::span<const std::uint32_t> split) {
  return Explorer(program, code, call_limit, split).run();
}

}  // namespace warpjit::tesla
