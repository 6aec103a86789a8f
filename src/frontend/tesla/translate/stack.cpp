// Group form, with the warp's control stack at run time (docs/guests/tesla.md 12.2): for programs whose
// control flow edges cannot express, or whose order of lanes blocks cannot keep. docs/architecture.md says
// which programs come here.
//
// A loop; each iteration runs one straight-line block for the active lanes. The next block, the lane masks
// and the depth of the stack are variables of the loop; stack entries are rows of the group's frame.
// Registers are variables too, written under the mask, so that quad operations see the last values of
// inactive lanes.
#include "frontend/tesla/translate/thread.h"

#include <algorithm>

#include "frontend/tesla/flow/control_flow.h"
#include "ir/analysis/uniformity.h"

namespace warpjit::tesla {
namespace {

using ir::I1;
using ir::I32;

constexpr std::uint32_t kMaxCases = 1 << 16;
constexpr std::size_t kMaxTargets = 1 << 13;  // that all `bra c[]` look for

// A stack entry is a row with a word for each lane: kOutside for lanes outside the mask, else the type, the
// depth with the innermost CALL or BREAK below (0: none), the number of the case where control goes on.
constexpr std::uint32_t kTypeBits = 3, kInnerShift = 3, kInnerBits = 12, kCaseShift = 15, kOutside = ~0U;
static_assert((kMaxStackEntries & (kMaxStackEntries - 1)) == 0);
static_assert(kMaxStackEntries <= 1U << kInnerBits && kMaxCases < 1U << (32 - kCaseShift));
constexpr std::uint64_t kRows = std::uint64_t{kMaxStackEntries} << 32;  // immediate of the row operations

// Variables. Lanes that left a loop or a function wait until its entry is popped.
constexpr std::uint32_t kVarActive = kVarMasks, kVarBroken = kVarMasks + 1, kVarReturned = kVarMasks + 2,
                        kVarExited = kVarMasks + 3;
// kVarInner: the depth with the innermost CALL or BREAK. kVarCalls counts CALL entries of both kinds.
// kVarQuadon: 1 where a QUADON is on top.
constexpr std::uint32_t kVarCase = kVarWords, kVarDepth = kVarWords + 1, kVarInner = kVarWords + 2,
                        kVarCalls = kVarWords + 3, kVarLimitedCalls = kVarWords + 4,
                        kVarQuadon = kVarWords + 5;

bool is_straight(Opcode opcode) {
  return opcode < Opcode::bra || opcode == Opcode::nop || opcode == Opcode::pmevent ||
         opcode == Opcode::brkpt;
}

}  // namespace

class StackControl final : public ThreadTranslator::Stack {
 public:
  explicit StackControl(ThreadTranslator& thread)
      : thread_(thread),
        program_(thread.program_),
        code_(thread.code_),
        function_(thread.function_),
        b_(thread.b_),
        ssa_(thread.ssa_) {}

  Status run() {
    WARPJIT_CHECK(find_cases());
    function_.form = ir::Form::group;
    function_.lane_order = ir::LaneOrder::taken_first;
    function_.may_widen = false;
    function_.group_lanes = kLanes;
    function_.frame_slots = kMaxStackEntries;
    make_loop();
    for (std::size_t k = 0; k < starts_.size(); ++k) translate_case(starts_[k], cases_[k]);
    ssa_.seal(turn_);
    WARPJIT_CHECK(ssa_.finish());
    analyze_uniformity(function_);
    return {};
  }

  void enter(I1 lanes) override {
    set(kVarActive, lanes);
    set(kVarExited, b_.Not1(lanes));
    go_to(program_.entry);
    b_.jump(turn_);
  }
  // The case ends after the instruction, so that no entry is pushed with no lanes.
  void end_lanes(I1 ended) override {
    set(kVarExited, b_.Or1(mask(kVarExited), b_.And1(mask(kVarActive), ended)));
    set(kVarActive, b_.AndNot1(mask(kVarActive), ended));
  }

 private:
  struct Entry {
    I32 header;
    I1 mask;
  };

  // Straight-line code begins at targets of transfers, after transfers, and at joins.
  Status find_cases() {
    // For each word: whether it is a start, and whether an instruction ends before it.
    constexpr char kStart = 1, kBehind = 2;
    std::vector<char> starts(program_.code.size() + 4);
    const auto start_at = [&](std::uint32_t address) {
      if (address / 4 < program_.code.size()) starts[address / 4] |= kStart;
    };
    start_at(program_.entry);
    std::size_t looked_for = 0;
    for (const auto& [address, i] : code_.instructions()) {
      const std::uint32_t next = address + 4 * i.words();
      if (has_target(i)) start_at(i.target);
      if (!is_straight(i.opcode) || i.opcode == Opcode::discard) start_at(next);
      if (i.marker == Instruction::Marker::join) start_at(address);
      // Instructions that overlap go on together.
      if ((starts[next / 4] & kBehind) != 0) start_at(next);
      starts[next / 4] |= kBehind;
      if (i.opcode == Opcode::bra_c) {
        start_at(address);
        const std::span<const BranchTarget> targets = code_.targets(i.src[0].space);
        for (const BranchTarget& target : targets) start_at(target.address);
        looked_for += targets.size();
        if (looked_for > kMaxTargets)
          return Error{ErrorCode::unsupported, "branches through c[] that may go to very many places",
                       program_.where(address)};
      }
      if (i.opcode == Opcode::prebrk) first_after_loop_ = std::min(first_after_loop_, i.target);
      if (i.opcode == Opcode::preret) first_return_ = std::min(first_return_, i.target);
      if (i.opcode == Opcode::call) first_return_ = std::min(first_return_, next);
      has_break_ |= i.opcode == Opcode::prebrk;
      has_call_ |= i.opcode == Opcode::call || i.opcode == Opcode::preret;
      has_quadon_ |= i.opcode == Opcode::quadon;
    }
    case_of_word_.assign(starts.size(), kNoCase);
    for (std::uint32_t word = 0; word < program_.code.size(); ++word) {
      if ((starts[word] & kStart) == 0 || code_.at(4 * word) == nullptr) continue;
      case_of_word_[word] = static_cast<std::uint32_t>(starts_.size());
      starts_.push_back(4 * word);
    }
    if (starts_.size() > kMaxCases)
      return Error{ErrorCode::resource_limit,
                   "more than " + std::to_string(kMaxCases) + " pieces of straight code",
                   program_.source_name};
    return {};
  }
  // The last case is where no code is.
  std::uint32_t case_at(std::uint32_t address) const {
    const std::uint32_t word = address / 4;
    const std::uint32_t number = word < case_of_word_.size() ? case_of_word_[word] : kNoCase;
    return number != kNoCase ? number : static_cast<std::uint32_t>(starts_.size());
  }

  // --- The loop --------------------------------------------------------------------------------------------

  void make_loop() {
    const ir::Block entry = function_.add_block();
    turn_ = function_.add_block();
    const ir::Block running = function_.add_block(), unwinding = function_.add_block(),
                    popping = function_.add_block(), finished = function_.add_block();
    for (const std::uint32_t start : starts_) cases_.push_back(function_.add_block(start));
    cases_.push_back(function_.add_block());

    begin(entry);
    thread_.begin();

    b_.set_block(turn_);
    b_.branch(b_.AnyLane(mask(kVarActive)), running, unwinding);
    begin(running);
    b_.switch_(value(kVarCase), cases_);
    begin(unwinding);
    b_.branch(b_.IEq32(value(kVarDepth), b_.constant(0U)), finished, popping);
    begin(popping);
    unwind();
    b_.jump(turn_);
    begin(finished);
    thread_.end();
    b_.ret();
    begin(cases_.back());
    stop_if(b_.constant(true), ir::StopReason::no_code);
    b_.ret();
  }

  // No lane is active: goes on with those of the entry on top, if any of them still live.
  void unwind() {
    const Entry entry = top();
    if (has_break_)
      set(kVarBroken, b_.AndNot1(mask(kVarBroken), b_.And1(entry.mask, is(entry, EntryType::break_))));
    if (has_call_) {
      const I1 is_call = b_.Or1(is(entry, EntryType::call), is(entry, EntryType::limited_call));
      set(kVarReturned, b_.AndNot1(mask(kVarReturned), b_.And1(entry.mask, is_call)));
    }
    const I1 active = alive(entry.mask);
    set(kVarActive, active);
    set(kVarCase, case_of(entry));
    // A JOINAT is popped by the join that its lanes go on at.
    const I1 stays = b_.And1(is(entry, EntryType::joinat), b_.AnyLane(active));
    pop(entry);
    set(kVarDepth, b_.IAdd32(value(kVarDepth), b_.select(stays, b_.constant(1U), b_.constant(0U))));
  }

  // --- The stack -------------------------------------------------------------------------------------------

  I1 alive(I1 lanes) {
    return b_.AndNot1(lanes, b_.Or1(mask(kVarExited), b_.Or1(mask(kVarBroken), mask(kVarReturned))));
  }

  void push(EntryType type, std::uint32_t number, I1 lanes) {
    const I32 depth = value(kVarDepth);
    stop_if(b_.IEq32(depth, b_.constant(kMaxStackEntries)), ir::StopReason::stack_overflow);
    const I32 header = b_.IOr32(b_.constant(static_cast<std::uint32_t>(type) | number << kCaseShift),
                                b_.IShl32(value(kVarInner), b_.constant(kInnerShift)));
    b_.StoreFrameRow(group(), depth, b_.select(lanes, header, b_.constant(kOutside)), kRows);
    set(kVarDepth, b_.IAdd32(depth, b_.constant(1U)));
    const bool is_call = type == EntryType::call || type == EntryType::limited_call;
    if (is_call || type == EntryType::break_) set(kVarInner, value(kVarDepth));
    if (is_call) set(kVarCalls, b_.IAdd32(value(kVarCalls), b_.constant(1U)));
    if (type == EntryType::limited_call)
      set(kVarLimitedCalls, b_.IAdd32(value(kVarLimitedCalls), b_.constant(1U)));
  }

  Entry top() { return entry_of(value(kVarDepth)); }
  // The one with which the stack has this depth. The mask of every entry has some lane.
  Entry entry_of(I32 depth) {
    const I32 row = b_.LoadFrameRow(group(), b_.ISub32(depth, b_.constant(1U)), kRows);
    const I32 header = b_.MinLaneU32(row);
    return {header, b_.IEq32(row, header)};
  }
  // Whose frame it is: of those of a block.
  I32 group() { return function_.block_groups != 0 ? b_.GroupIndex() : b_.constant(0U); }
  I32 case_of(const Entry& entry) { return b_.IShrU32(entry.header, b_.constant(kCaseShift)); }
  I1 is(const Entry& entry, EntryType type) {
    const I32 bits = b_.IAnd32(entry.header, b_.constant((1U << kTypeBits) - 1));
    return b_.IEq32(bits, b_.constant(static_cast<std::uint32_t>(type)));
  }
  void pop(const Entry& entry) {
    set(kVarDepth, b_.ISub32(value(kVarDepth), b_.constant(1U)));
    if (!has_break_ && !has_call_) return;
    set(kVarInner,
        b_.IAnd32(b_.IShrU32(entry.header, b_.constant(kInnerShift)), b_.constant((1U << kInnerBits) - 1)));
    if (!has_call_) return;
    const I1 is_limited = is(entry, EntryType::limited_call);
    const auto one_if = [&](I1 condition) { return b_.select(condition, b_.constant(1U), b_.constant(0U)); };
    const I32 calls = one_if(b_.Or1(is(entry, EntryType::call), is_limited));
    set(kVarCalls, b_.ISub32(value(kVarCalls), calls));
    set(kVarLimitedCalls, b_.ISub32(value(kVarLimitedCalls), one_if(is_limited)));
  }

  // --- Cases -----------------------------------------------------------------------------------------------

  void translate_case(std::uint32_t pc, ir::Block block) {
    begin(block);
    thread_.lanes_ = mask(kVarActive);
    b_.set_guest_address(pc);
    if (code_.at(pc)->marker == Instruction::Marker::join) join();
    while (true) {
      const Instruction* i = code_.at(pc);
      if (i == nullptr) return end_case(pc);
      b_.set_guest_address(pc);
      const std::uint32_t next = pc + 4 * i->words();
      if (!is_straight(i->opcode)) return control(*i, pc, next);
      thread_.instruction(*i);
      if (i->marker == Instruction::Marker::exit || case_of_word_[next / 4] != kNoCase)
        return end_case(*i, next);
      pc = next;
    }
  }

  // Control goes on at `address`, except for lanes that the instruction ends.
  void end_case(std::uint32_t address) {
    go_to(address);
    b_.jump(turn_);
  }
  void end_case(const Instruction& i, std::uint32_t address) {
    if (i.marker == Instruction::Marker::exit) {
      forbid_under_quadon();
      set(kVarExited, b_.Or1(mask(kVarExited), mask(kVarActive)));
      set(kVarActive, b_.constant(false));
    }
    end_case(address);
  }

  // tesla.md 12.3: back to lanes that wait, or on with all that came here.
  void join() {
    stop_if(empty(), ir::StopReason::stack_underflow);
    const Entry entry = top();
    const I1 is_branch = is(entry, EntryType::branch);
    stop_if(b_.Not1(b_.Or1(is_branch, is(entry, EntryType::joinat))), ir::StopReason::stack_mismatch);
    pop(entry);
    thread_.lanes_ = alive(entry.mask);
    set(kVarActive, thread_.lanes_);
    const ir::Block resumes = function_.add_block(), goes_on = function_.add_block();
    b_.branch(is_branch, resumes, goes_on);
    begin(resumes);
    set(kVarCase, case_of(entry));
    b_.jump(turn_);
    begin(goes_on);
  }

  void control(const Instruction& i, std::uint32_t pc, std::uint32_t next) {
    if (i.opcode != Opcode::quadpop && i.opcode != Opcode::trap) forbid_under_quadon();
    const bool backward = i.target <= pc;
    switch (i.opcode) {
      case Opcode::bra:
        return branch(i, backward, next);
      case Opcode::bra_c:
        return branch_through_constants(i, pc);
      case Opcode::call:
      case Opcode::preret:
        return call(i, backward, next);
      case Opcode::prebrk:
      case Opcode::joinat:
        if (backward && i.opcode == Opcode::joinat) b_.BurnFuel(lanes());
        push(i.opcode == Opcode::joinat ? EntryType::joinat : EntryType::break_, case_at(i.target), lanes());
        return end_case(i, next);
      case Opcode::brk:
      case Opcode::ret:
        return leave(i, pc, next);
      case Opcode::quadon:
        push(EntryType::quadon, 0, lanes());
        set(kVarQuadon, b_.constant(1U));
        set(kVarActive, whole_quads(lanes()));
        return end_case(i, next);
      case Opcode::quadpop:
        stop_if(empty(), ir::StopReason::stack_underflow);
        stop_if(b_.IEq32(value(kVarQuadon), b_.constant(0U)), ir::StopReason::stack_mismatch);
        if (has_quadon_) {
          const Entry entry = top();
          set(kVarActive, entry.mask);
          pop(entry);
          set(kVarQuadon, b_.constant(0U));
        }
        return end_case(i, next);
      case Opcode::bar:
        thread_.barrier(i);
        return end_case(i, next);
      default:
        b_.Stop(b_.constant(true), static_cast<std::uint64_t>(ir::StopReason::trap));
        return b_.ret();
    }
  }

  // The block in which some lanes execute i; if no lane does, control goes on after it.
  // No block if i always executes.
  bool begin_where_executed(const Instruction& i, I1 executing, std::uint32_t next) {
    const std::uint16_t table = condition_table(i.condition);
    if (table == 0) {
      end_case(i, next);
      return false;
    }
    if (table == 0xffff) return true;
    const ir::Block some = function_.add_block(), none = function_.add_block();
    b_.branch(b_.AnyLane(executing), some, none);
    begin(none);
    end_case(i, next);
    begin(some);
    return true;
  }

  // Lanes that take it go first.
  void branch(const Instruction& i, bool backward, std::uint32_t next) {
    const I1 taken = b_.And1(lanes(), thread_.condition(i));
    if (!begin_where_executed(i, taken, next)) return;
    if (backward) b_.BurnFuel(taken);
    if (condition_table(i.condition) != 0xffff) {
      part(taken, next);
    }
    end_case(i, i.target);
  }

  // The lanes that go on are those of the branch that took it; the others, if any, wait to go on elsewhere.
  void part(I1 taken, std::uint32_t elsewhere) {
    const I1 others = b_.AndNot1(lanes(), taken);
    const ir::Block parted = function_.add_block(), whole = function_.add_block();
    b_.branch(b_.AnyLane(others), parted, whole);
    begin(parted);
    push(EntryType::branch, case_at(elsewhere), others);
    b_.jump(whole);
    begin(whole);
    set(kVarActive, taken);
  }

  // Lanes that go where the lowest one goes are first. The others wait at the branch.
  void branch_through_constants(const Instruction& i, std::uint32_t pc) {
    const I32 targets = thread_.branch_target(i), lane = b_.LaneIndex(), none = b_.constant(kNoCase);
    const I32 lowest = b_.MinLaneU32(b_.select(lanes(), lane, none));
    const I32 target = b_.MinLaneU32(b_.select(b_.IEq32(lane, lowest), targets, none));
    I32 number = none;
    for (const BranchTarget& known : code_.targets(i.src[0].space))
      number = b_.select(b_.IEq32(target, b_.constant(known.address)), b_.constant(case_at(known.address)),
                         number);
    stop_if(b_.IEq32(number, none), ir::StopReason::no_code);
    const I1 taken = b_.And1(lanes(), b_.IEq32(targets, target));
    const ir::Block backward = function_.add_block(), paid = function_.add_block();
    b_.branch(b_.ILeU32(target, b_.constant(pc)), backward, paid);
    begin(backward);
    b_.BurnFuel(taken);
    b_.jump(paid);
    begin(paid);
    part(taken, pc);
    set(kVarCase, number);
    b_.jump(turn_);
  }

  void call(const Instruction& i, bool backward, std::uint32_t next) {
    const bool is_call = i.opcode == Opcode::call;
    if (i.limited != 0) {
      const I1 skipped = b_.ILeU32(b_.constant(thread_.facts_.modes.call_limit), value(kVarLimitedCalls));
      const ir::Block skips = function_.add_block(), calls = function_.add_block();
      b_.branch(skipped, skips, calls);
      begin(skips);
      end_case(i, next);
      begin(calls);
    }
    if (is_call && backward) b_.BurnFuel(lanes());
    push(i.limited != 0 ? EntryType::limited_call : EntryType::call, case_at(is_call ? next : i.target),
         lanes());
    end_case(i, is_call ? i.target : next);
  }

  // Lanes wait for the entry that they leave. Below others than BRANCH and JOINAT it is not found; `ret` with
  // no CALL at all ends lanes for good.
  void leave(const Instruction& i, std::uint32_t pc, std::uint32_t next) {
    const I1 leaving = b_.And1(lanes(), thread_.condition(i));
    if (!begin_where_executed(i, leaving, next)) return;
    const bool is_return = i.opcode == Opcode::ret;
    const I1 outside = b_.IEq32(value(kVarInner), b_.constant(0U));
    const Entry entry = entry_of(value(kVarInner));
    const I1 in_loop = b_.AndNot1(is(entry, EntryType::break_), outside);
    if (is_return) {
      stop_if(b_.And1(in_loop, b_.INe32(value(kVarCalls), b_.constant(0U))), ir::StopReason::stack_mismatch);
    } else {
      stop_if(outside, ir::StopReason::stack_underflow);
      stop_if(b_.Not1(in_loop), ir::StopReason::stack_mismatch);
    }
    if ((is_return ? first_return_ : first_after_loop_) <= pc) {
      // Cases are in the order of their addresses.
      const auto to_here = std::ranges::upper_bound(starts_, pc) - starts_.begin();
      const I1 is_back = b_.ILtU32(case_of(entry), b_.constant(static_cast<std::uint32_t>(to_here)));
      const I1 finds = is_return ? b_.Not1(b_.Or1(outside, in_loop)) : in_loop;
      const ir::Block backward = function_.add_block(), paid = function_.add_block();
      b_.branch(b_.And1(finds, is_back), backward, paid);
      begin(backward);
      b_.BurnFuel(leaving);
      b_.jump(paid);
      begin(paid);
    }
    const std::uint32_t state = is_return ? kVarReturned : kVarBroken;
    set(state, b_.Or1(mask(state), leaving));
    set(kVarActive, b_.AndNot1(lanes(), leaving));
    end_case(i, next);
  }

  I1 whole_quads(I1 lanes) {
    I32 some = b_.select(lanes, b_.constant(1U), b_.constant(0U));
    some = b_.IOr32(some, b_.QuadSwizzle32(some, 0b10'11'00'01));
    some = b_.IOr32(some, b_.QuadSwizzle32(some, 0b01'00'11'10));
    return b_.INe32(some, b_.constant(0U));
  }

  void forbid_under_quadon() {
    if (has_quadon_) stop_if(b_.INe32(value(kVarQuadon), b_.constant(0U)), ir::StopReason::leaves_quads);
  }

  I1 empty() { return b_.IEq32(value(kVarDepth), b_.constant(0U)); }
  void stop_if(I1 condition, ir::StopReason reason) {
    b_.Stop(condition, static_cast<std::uint64_t>(reason));
  }
  void go_to(std::uint32_t address) { set(kVarCase, b_.constant(case_at(address))); }

  // All edges into the block are made.
  void begin(ir::Block block) {
    ssa_.seal(block);
    b_.set_block(block);
  }
  I1 mask(std::uint32_t variable) { return I1{ssa_.read(b_.block(), variable)}; }
  I32 value(std::uint32_t variable) { return I32{ssa_.read(b_.block(), variable)}; }
  void set(std::uint32_t variable, ir::Value value) { ssa_.write(b_.block(), variable, value); }

  static constexpr std::uint32_t kNoCase = ~0U;

  // That run the case.
  I1 lanes() const { return thread_.lanes_; }

  ThreadTranslator& thread_;
  const Program& program_;
  const ReachedCode& code_;
  ir::Function& function_;
  ir::Builder& b_;
  ir::SsaBuilder& ssa_;
  std::vector<std::uint32_t> starts_, case_of_word_;
  std::vector<ir::Block> cases_;
  ir::Block turn_;
  // The lowest addresses where lanes go on after a `ret` and after a `break`.
  std::uint32_t first_return_ = ~0U, first_after_loop_ = ~0U;
  bool has_break_ = false, has_call_ = false, has_quadon_ = false;
};

Status ThreadTranslator::run_stack() {
  StackControl control(*this);
  stack_ = &control;
  Status status = control.run();
  stack_ = nullptr;
  return status;
}

}  // namespace warpjit::tesla
