// What the groups of a grid check, one after the other, is checked for many of them at once.
//
// A kernel without loops often begins with checks of scalars that grow by the same number from group to
// group: does any lane take part, are their addresses in the window, are they aligned? Each check ends a
// block, one side of which leaves the usual way. This pass makes the groups a loop, whose turns carry how
// many groups still pass all checks, and the scalars that the usual way needs:
//
//   entry    what is the same for all groups; once a call
//   head     is one of the groups left that pass all checks?
//   count    if not: the scalars of this group, and how many groups from this one on pass; cold
//   meet     both ways come here; the checks are next if this group does not pass, else the usual way
//   checks   as before, for groups that fail one, or that nothing is known of; cold
//   ...      the usual way; its end adds to the scalars what they grow by, and goes to the head
#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "backend/host.h"

namespace warpjit::backend {

using lir::Inst;
using lir::kNoBlock;
using lir::kNoReg;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

namespace {

constexpr std::size_t kFewestChecks = 2;
constexpr std::size_t kMostCarried = 6;  // scalars from turn to turn; hosts have a dozen registers for them
constexpr std::uint32_t kFewestOfBlock = 8;    // groups, to count within blocks alone
constexpr std::uint32_t kMostBlocks = 0xffff;  // of a row that are counted at once

// How a scalar changes from group to group, modulo 2^32.
struct Form {
  enum class Kind : std::uint8_t {
    none,     // not made by the checks
    any,      // as it likes
    windows,  // KernelArgs::windows
    fixed,    // the same during a call
    linear,   // + per_group with the group's number, + per_block with the block's column
  };
  Kind kind = Kind::none;
  std::uint32_t per_group = 0, per_block = 0;
  bool is_fixed() const { return kind == Kind::fixed || kind == Kind::windows; }
  bool can_count() const { return is_fixed() || kind == Kind::linear; }
};

class AheadChecker {
 public:
  AheadChecker(lir::Code& code, const Host& host, const Tuning& tuning, std::uint32_t block_groups,
               std::vector<Inst>& workspace)
      : code_(code), host_(host), tuning_(tuning), block_groups_(block_groups), made_(workspace) {}

  void run() {
    if (block_groups_ != 0 && find_end() && find_checks() && find_scalars() && choose_range() && pays())
      rebuild();
  }

 private:
  // Numbers of the new blocks. Those that were there follow.
  enum NewBlock : std::uint32_t { kEntry, kHead, kCount, kGoOn, kMeet, kPass, kNewBlocks };

  const Inst& terminator(std::uint32_t b) const { return code_.insts[code_.blocks[b].end - 1]; }
  const Form& form(Reg r) const { return forms_[r]; }

  // The one block that ends the group. There is no loop, and no end but this. False also if the
  // code writes to the uniform table.
  bool find_end() {
    for (const Inst& inst : code_.insts)
      if (inst.mem.base == MemBase::table && (inst.flags & lir::kPure) == 0) return false;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      const Op op = static_cast<Op>(terminator(b).op);
      if (op == Op::BurnFuel || (op == Op::Return && end_ != kNoBlock)) return false;
      if (op == Op::Return) end_ = b;
      for (const std::uint32_t s : code_.blocks[b].successors)
        if (s <= b) return false;
    }
    return end_ != kNoBlock;
  }

  bool find_checks() {
    forms_.resize(code_.classes.size());
    made_by_.resize(code_.classes.size());
    for (std::uint32_t b = 0; note_scalars(b); b = usual_) {
      if (!leaves_if_true(b) || !can_count(terminator(b))) break;
      checks_.push_back(b);
      usual_ = code_.blocks[b].successors[1];
    }
    return checks_.size() >= kFewestChecks;
  }

  // Does the block hold nothing but scalars before its end, which may be made in any order? Finds their
  // forms.
  bool note_scalars(std::uint32_t b) {
    const lir::Block& block = code_.blocks[b];
    for (std::uint32_t i = block.first; i + 1 < block.end; ++i) {
      const Inst& inst = code_.insts[i];
      if ((inst.flags & lir::kPure) == 0 || inst.def == kNoReg || code_.classes[inst.def] != RegClass::scalar)
        return false;
      for (int k = 0; k < inst.use_count; ++k)
        if (inst.use[k] == kNoReg || form(inst.use[k]).kind == Form::Kind::none) return false;
      forms_[inst.def] = form_of(inst);
      made_by_[inst.def] = i;
      if (form(inst.def).kind == Form::Kind::none) return false;
    }
    return true;
  }

  Form form_of(const Inst& inst) const {
    using Kind = Form::Kind;
    const Op op = static_cast<Op>(inst.op);
    if (info(op).reads || (inst.mem.base != MemBase::none && !info(op).takes_address))
      return form_of_load(inst);
    const bool all_fixed = std::all_of(inst.use.begin(), inst.use.begin() + inst.use_count,
                                       [&](Reg r) { return form(r).is_fixed(); });
    if (all_fixed) return {Kind::fixed};
    const Form& a = form(inst.use[0]);
    const Form& b = form(inst.use[inst.use_count - 1]);
    if (!a.can_count() || !b.can_count()) return {Kind::any};
    switch (op) {
      case Op::SCopy:
      case Op::SAddImm:
        return a;
      case Op::SAdd:
        return {Kind::linear, a.per_group + b.per_group, a.per_block + b.per_block};
      case Op::SSub:
        return {Kind::linear, a.per_group - b.per_group, a.per_block - b.per_block};
      case Op::SShlImm:
        return {Kind::linear, a.per_group << inst.imm, a.per_block << inst.imm};
      case Op::SMul:
        if (const std::optional<std::uint32_t> factor = number_of(inst.use[1]))
          return {Kind::linear, a.per_group * *factor, a.per_block * *factor};
        if (const std::optional<std::uint32_t> factor = number_of(inst.use[0]))
          return {Kind::linear, b.per_group * *factor, b.per_block * *factor};
        return {Kind::any};
      default:
        return {Kind::any};
    }
  }

  std::optional<std::uint32_t> number_of(Reg r) const {
    const Inst& made = code_.insts[made_by_[r]];
    if (static_cast<Op>(made.op) != Op::SImm) return std::nullopt;
    return static_cast<std::uint32_t>(made.imm);
  }

  // Of what nobody writes while a group runs.
  Form form_of_load(const Inst& inst) const {
    using Kind = Form::Kind;
    const Op op = static_cast<Op>(inst.op);
    const auto at = static_cast<std::size_t>(inst.mem.displacement);
    constexpr std::size_t kBlock = offsetof(KernelArgs, block);
    if (op != Op::SLoad && op != Op::SLoad64) return {};
    // Where an index says, it is not known what stands there, and a check may bound the index.
    if (inst.use_count != (inst.mem.base == MemBase::reg ? 1 : 0)) return {};
    switch (inst.mem.base) {
      case MemBase::table:
        return {Kind::fixed};
      case MemBase::args:
        if (op == Op::SLoad64) return {at == offsetof(KernelArgs, windows) ? Kind::windows : Kind::none};
        // The next group of a block that has but one is the next block.
        if (at == offsetof(KernelArgs, group_index)) return {Kind::linear, block_groups_ == 1 ? 0U : 1U, 0};
        if (at == kBlock) return {Kind::linear, block_groups_ == 1 ? 1U : 0U, 1};
        if (at == kBlock + 4 || at == kBlock + 8) return {Kind::linear};  // the same in a row of blocks
        return {};
      case MemBase::reg:
        return {form(inst.use[0]).kind == Kind::windows ? Kind::fixed : Kind::none};
      default:
        return {};
    }
  }

  // Does the branch, if true, leave to what is cold, or to a block that only jumps on? The other side is
  // neither.
  bool leaves_if_true(std::uint32_t b) const {
    const lir::Edges& to = code_.blocks[b].successors;
    const auto leaves = [&](std::uint32_t s) {
      const lir::Block& block = code_.blocks[s];
      return block.cold || (block.end - block.first == 1 && static_cast<Op>(terminator(s).op) == Op::Jump);
    };
    return to.size() == 2 && leaves(to[0]) && !leaves(to[1]);
  }

  // Is it known how many groups pass the check?
  bool can_count(const Inst& branch) const {
    const Op op = static_cast<Op>(branch.op);
    if (op != Op::BranchBits && op != Op::BranchCompare && op != Op::BranchCompare64) return false;
    const Form& a = form(branch.use[0]);
    if (!a.can_count()) return false;
    if (op == Op::BranchBits)
      return ((a.per_group | a.per_block) & ((std::uint32_t{1} << std::bit_width(bits_of(branch))) - 1)) == 0;
    if (op == Op::BranchCompare64) return end_of_span(branch) != nullptr;
    return (branch.imm & kCompareImmediate) != 0 && least_passing(branch).has_value() &&
           static_cast<std::int32_t>(a.per_group) <= 0;
  }

  static std::uint32_t bits_of(const Inst& branch) { return static_cast<std::uint32_t>(branch.imm); }

  // Of a comparison with a constant, which leaves if the scalar is less: the least that passes, above 0.
  static std::optional<std::int32_t> least_passing(const Inst& branch) {
    const std::int32_t constant = unpack_constant(branch.imm);
    const Condition condition = unpack_condition(branch.imm);
    if (condition == Condition::less_s && constant > 0) return constant;
    if (condition == Condition::less_equal_s && constant >= 0 && constant < INT32_MAX) return constant + 1;
    return std::nullopt;
  }

  // Of a branch that leaves if a size of 32 bits is less than the end of a span: what makes the end, of a
  // begin and a length. Else null.
  const Inst* end_of_span(const Inst& branch) const {
    if (unpack_condition(branch.imm) != Condition::less_u || (branch.imm & kCompareImmediate) != 0 ||
        !form(branch.use[0]).is_fixed() || form(branch.use[1]).kind == Form::Kind::none)
      return nullptr;
    const Inst& size = code_.insts[made_by_[branch.use[0]]];
    const Inst& end = code_.insts[made_by_[branch.use[1]]];
    constexpr std::int32_t kMostLength = 0x10000;
    const bool is_sum = static_cast<Op>(end.op) == Op::SAddress && end.use_count == 1 &&
                        end.mem.base == MemBase::reg && end.mem.displacement > 0 &&
                        end.mem.displacement <= kMostLength && form(end.use[0]).can_count();
    return is_sum && static_cast<Op>(size.op) == Op::SLoad ? &end : nullptr;
  }

  // The scalar whose growth a check counts.
  Reg counted(const Inst& branch) const {
    return static_cast<Op>(branch.op) == Op::BranchCompare64 ? end_of_span(branch)->use[0] : branch.use[0];
  }

  // Which of the checks' scalars others read. False: too many would be carried.
  bool find_scalars() {
    needed_.resize(forms_.size());
    read_.resize(forms_.size());
    is_check_.resize(code_.blocks.size());
    for (const std::uint32_t b : checks_) is_check_[b] = 1;
    std::vector<char> on_usual_way(code_.blocks.size());
    on_usual_way[usual_] = 1;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      if (is_check_[b]) continue;
      const lir::Block& block = code_.blocks[b];
      const auto note = [&](Reg r) {
        if (r == kNoReg || form(r).kind == Form::Kind::none) return;
        read_[r] = 1;
        if (on_usual_way[b]) needed_[r] = 1;
      };
      for (std::uint32_t i = block.first; i < block.end; ++i)
        for (int k = 0; k < code_.insts[i].use_count; ++k) note(code_.insts[i].use[k]);
      for (const Reg arg : block.args) note(arg);
      if (on_usual_way[b])
        for (const std::uint32_t s : block.successors) on_usual_way[s] = 1;
    }
    // What is linear is carried, what is made of that otherwise is made again where the ways meet.
    each_scalar_backward([&](const Inst& inst) {
      if (!needed_[inst.def]) return;
      if (form(inst.def).kind == Form::Kind::linear) carried_.push_back(inst.def);
      if (form(inst.def).kind != Form::Kind::any) return;
      for (int k = 0; k < inst.use_count; ++k) needed_[inst.use[k]] = 1;
    });
    return carried_.size() <= kMostCarried;
  }

  // Do all scalars grow from a block's last group to the next block's first as they do within blocks? Then
  // groups are counted to the end of a row of blocks, else to that of the block, if it pays.
  bool choose_range() {
    const auto in_line = [&](Reg r) { return form(r).per_block == block_groups_ * form(r).per_group; };
    whole_rows_ =
        std::ranges::all_of(carried_, in_line) &&
        std::ranges::all_of(checks_, [&](std::uint32_t b) { return in_line(counted(terminator(b))); });
    return whole_rows_ || block_groups_ >= kFewestOfBlock;
  }

  // ---- the new code

  template <class Visit>
  void each_scalar(Visit visit) {
    for (const std::uint32_t b : checks_)
      for (std::uint32_t i = code_.blocks[b].first; i + 1 < code_.blocks[b].end; ++i) visit(code_.insts[i]);
  }

  template <class Visit>
  void each_scalar_backward(Visit visit) {
    for (std::size_t c = checks_.size(); c-- > 0;) {
      const lir::Block& block = code_.blocks[checks_[c]];
      for (std::uint32_t i = block.end - 1; i-- > block.first;) visit(code_.insts[i]);
    }
  }

  Reg new_scalar() { return code_.new_reg(RegClass::scalar); }

  Reg add(Op op, std::initializer_list<Reg> uses, std::int64_t imm = 0) {
    Inst inst;
    inst.op = static_cast<std::uint16_t>(op);
    for (const Reg r : uses) inst.use[inst.use_count++] = r;
    inst.imm = imm;
    inst.flags = lir::kPure;
    if (host_.two_operand_scalars && op != Op::SCompare && op != Op::SImm) inst.flags |= lir::kTied;
    inst.def = new_scalar();
    made_.push_back(inst);
    return inst.def;
  }
  Reg number(std::uint32_t word) {
    const Reg r = add(Op::SImm, {}, word);
    made_.back().flags |= lir::kRemat;
    return r;
  }
  Reg argument(std::size_t displacement) {
    Inst inst;
    inst.op = static_cast<std::uint16_t>(Op::SLoad);
    inst.mem.base = MemBase::args;
    inst.mem.displacement = static_cast<std::int32_t>(displacement);
    inst.flags = lir::kPure;
    inst.def = new_scalar();
    made_.push_back(inst);
    return inst.def;
  }
  void end_with(Op op, std::initializer_list<Reg> uses = {}, std::int64_t imm = 0) {
    Inst inst;
    inst.op = static_cast<std::uint16_t>(op);
    for (const Reg r : uses) inst.use[inst.use_count++] = r;
    inst.imm = imm;
    made_.push_back(inst);
  }

  lir::Block& begin(std::uint32_t b) {
    blocks_[b].first = static_cast<std::uint32_t>(made_.size());
    return blocks_[b];
  }
  void end(std::uint32_t b) { blocks_[b].end = static_cast<std::uint32_t>(made_.size()); }
  void jump(std::uint32_t from, std::uint32_t to) {
    blocks_[from].successors = {to};
    end_with(Op::Jump);
    end(from);
  }

  // The blocks from the usual way on have the edge from the checks before them.
  std::uint32_t edge() const { return kNewBlocks + usual_; }
  std::uint32_t moved(std::uint32_t b) const { return kNewBlocks + b + (b >= usual_ ? 1 : 0); }

  void rebuild() {
    blocks_.resize(code_.blocks.size() + kNewBlocks + 1);
    made_.clear();
    made_.reserve(code_.insts.size() * 5 / 4);
    for (std::size_t k = 0; k < carried_.size(); ++k) in_turn_.push_back(new_scalar());
    make_entry();
    make_head();
    make_count();
    make_meeting();
    mark_read();
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      if (b == usual_) make_edge();
      move(b);
    }
    for (std::uint32_t b = kHead; b < blocks_.size(); ++b) blocks_[b].loop_depth = 1;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
      for (const std::uint32_t s : blocks_[b].successors) blocks_[s].predecessors.push_back(b);
    std::swap(code_.insts, made_);
    code_.blocks = std::move(blocks_);
    code_.part_of.resize(code_.classes.size(), 0);
    code_.first_of_group = kHead;
    if (host_.checks_ahead == ChecksAhead::in_short_turns ||
        instructions_from(kHead) < tuning_.fewest_that_ask)
      ask_for_pages();
  }

  std::size_t instructions_from(std::uint32_t first) const {
    std::size_t count = 0;
    for (std::uint32_t b = first; b < code_.blocks.size(); ++b)
      if (!code_.blocks[b].cold) count += code_.blocks[b].end - code_.blocks[b].first;
    return count;
  }
  // Before the loop is made: its turn will have these instructions and those that carry scalars.
  bool pays() const {
    constexpr std::size_t kOfHead = 4;
    return host_.checks_ahead == ChecksAhead::always ||
           instructions_from(usual_) + carried_.size() + kOfHead < tuning_.fewest_that_ask;
  }
  // In place of lines. Loads of one stream follow each other, by the same registers.
  void ask_for_pages() {
    Reg base = kNoReg, index = kNoReg;  // of the stream before
    for (Inst& inst : code_.insts) {
      if (static_cast<Op>(inst.op) != Op::LoadFullAhead) continue;
      const Reg from = inst.use[inst.mem.base_use];
      const Reg at = inst.mem.index_use != 0xff ? inst.use[inst.mem.index_use] : kNoReg;
      const bool first = from != base || at != index;
      base = from;
      index = at;
      inst.op = static_cast<std::uint16_t>(first ? Op::LoadFullPageAhead : Op::LoadFull);
      if (!first) inst.imm = 0;
    }
  }

  void make_entry() {
    lir::Block& block = begin(kEntry);
    each_scalar([&](const Inst& inst) {
      if (form(inst.def).is_fixed()) made_.push_back(inst);
    });
    const Reg none = number(0);
    block.args.resize(1 + carried_.size(), none);
    jump(kEntry, kHead);
  }

  void make_head() {
    lir::Block& head = begin(kHead);
    const Reg left = new_scalar();
    head.params.push_back(left);
    for (const Reg r : in_turn_) head.params.push_back(r);
    const Reg less = add(Op::SAddImm, {left}, -1);
    head.successors = {kCount, kGoOn};
    end_with(Op::BranchCompare, {less}, pack_condition(Condition::less_s, 0));
    end(kHead);
    lir::Block& go_on = blocks_[kGoOn];
    go_on.args.push_back(less);
    for (const Reg r : in_turn_) go_on.args.push_back(r);
  }

  // Behind this group, how many pass all checks; less than 0 if this one does not.
  void make_count() {
    lir::Block& block = begin(kCount);
    block.cold = true;
    std::vector<Reg> here(forms_.size(), kNoReg);  // what a linear scalar is in this group
    const auto value = [&](Reg r) { return here[r] != kNoReg ? here[r] : r; };
    std::vector<char> wanted(forms_.size());
    for (const Reg r : carried_) wanted[r] = 1;
    for (const std::uint32_t b : checks_) wanted[counted(terminator(b))] = 1;
    each_scalar_backward([&](const Inst& inst) {
      if (form(inst.def).kind != Form::Kind::linear || !wanted[inst.def]) return;
      for (int k = 0; k < inst.use_count; ++k) wanted[inst.use[k]] = 1;
    });
    each_scalar([&](const Inst& inst) {
      if (form(inst.def).kind != Form::Kind::linear || !wanted[inst.def]) return;
      Inst again = inst;
      for (int k = 0; k < again.use_count; ++k) again.use[k] = value(again.use[k]);
      again.def = here[inst.def] = new_scalar();
      made_.push_back(again);
    });
    Count count{groups_in_range()};
    for (const std::uint32_t b : checks_) {
      const Inst& branch = terminator(b);
      count_check(count, branch, value(counted(branch)));
    }
    block.args.push_back(add(Op::SSelect, {count.groups, number(~0U), count.wrong}));
    for (const Reg r : carried_) block.args.push_back(value(r));
    jump(kCount, kMeet);
    begin(kGoOn);
    jump(kGoOn, kMeet);
  }

  // Groups behind this one to the end of the row of blocks, or of the block. The call may end before.
  Reg groups_in_range() {
    Reg count = add(Op::SSub, {number(block_groups_ - 1), argument(offsetof(KernelArgs, group_index))});
    if (!whole_rows_) return count;
    Reg blocks =
        add(Op::SSub, {argument(offsetof(KernelArgs, grid_columns)), argument(offsetof(KernelArgs, block))});
    blocks = add(Op::SAddImm, {blocks}, -1);
    blocks = add(Op::SMin, {blocks, number(kMostBlocks)}, pack_condition(Condition::less_u));
    return add(Op::SAdd, {count, add(Op::SMul, {blocks, number(block_groups_)})});
  }

  // How many groups pass all checks that were counted so far; is this one among them?
  struct Count {
    Reg groups;
    Reg wrong = kNoReg;  // not 0: it is not
  };

  // Counts a check, too, whose scalar is `value` in this group.
  void count_check(Count& count, const Inst& branch, Reg value) {
    const auto step = static_cast<std::int32_t>(form(counted(branch)).per_group);
    const auto wrong_if = [&](Reg r) {
      count.wrong = count.wrong == kNoReg ? r : add(Op::SOr, {count.wrong, r});
    };
    const auto lasts_for = [&](auto room) {  // less than a step of it may be left
      if (step != 0) count.groups = least_s(count.groups, groups_in(room(), step));
    };
    switch (static_cast<Op>(branch.op)) {
      case Op::BranchBits:
        return wrong_if(add(Op::SAndImm, {value}, bits_of(branch)));
      case Op::BranchCompare64: {
        // In a window of `size` bytes, a span may begin at so many places, from 0 on.
        const std::int32_t behind_first = end_of_span(branch)->mem.displacement - 1;
        Reg places = add(Op::SMax, {branch.use[0], number(static_cast<std::uint32_t>(behind_first))},
                         pack_condition(Condition::less_u));
        places = add(Op::SAddImm, {places}, -std::int64_t{behind_first});
        wrong_if(add(Op::SCompare, {places, value}, pack_condition(Condition::less_equal_u)));
        return lasts_for([&] {
          return step < 0 ? value : add(Op::SAddImm, {add(Op::SSub, {places, value})}, -1);
        });
      }
      default: {
        const std::int32_t least = *least_passing(branch);
        wrong_if(add(Op::SCompare, {value}, pack_condition(Condition::less_s, least)));
        return lasts_for([&] { return add(Op::SAddImm, {value}, -std::int64_t{least}); });
      }
    }
  }

  Reg least_s(Reg a, Reg b) { return add(Op::SMin, {a, b}, pack_condition(Condition::less_s)); }

  // How often a step, rounded up to a power of two, goes into `room`: so the number is positive.
  Reg groups_in(Reg room, std::int32_t step) {
    const std::uint32_t size =
        step < 0 ? 0 - static_cast<std::uint32_t>(step) : static_cast<std::uint32_t>(step);
    return add(Op::SShrUImm, {room}, std::max(static_cast<int>(std::bit_width(size - 1)), 1));
  }

  // The scalars keep their registers, so that none of their readers changes.
  void make_meeting() {
    lir::Block& meet = begin(kMeet);
    left_ = new_scalar();
    meet.params.push_back(left_);
    for (const Reg r : carried_) meet.params.push_back(r);
    each_scalar([&](const Inst& inst) {
      if (form(inst.def).kind == Form::Kind::any && needed_[inst.def]) made_.push_back(inst);
    });
    meet.successors = {moved(0), kPass};
    end_with(Op::BranchCompare, {left_}, pack_condition(Condition::less_s, 0));
    end(kMeet);
    begin(kPass);
    jump(kPass, moved(usual_));
  }

  bool stays(const Inst& inst) const {
    return !form(inst.def).is_fixed() && !needed_[inst.def] && read_[inst.def];
  }

  // Of the checks' scalars that stay, which the checks themselves read.
  void mark_read() {
    for (std::size_t c = checks_.size(); c-- > 0;) {
      const lir::Block& block = code_.blocks[checks_[c]];
      for (std::uint32_t i = block.end; i-- > block.first;) {
        const Inst& inst = code_.insts[i];
        if (i + 1 != block.end && !stays(inst)) continue;
        for (int k = 0; k < inst.use_count; ++k) read_[inst.use[k]] = 1;
      }
    }
  }

  void make_edge() {
    begin(edge()).cold = true;
    jump(edge(), moved(usual_));
  }

  void move(std::uint32_t b) {
    const lir::Block& old = code_.blocks[b];
    const bool is_check = is_check_[b] != 0, is_last = checks_.back() == b;
    const bool behind_check =
        b != usual_ && old.predecessors.size() == 1 && is_check_[old.predecessors[0]] != 0;
    lir::Block& block = begin(moved(b));
    block.params = old.params;
    block.args = old.args;
    block.cold = old.cold || is_check || behind_check;
    block.rare = old.rare;
    for (const std::uint32_t s : old.successors)
      block.successors.push_back(is_last && s == usual_ ? edge() : moved(s));
    for (std::uint32_t i = old.first; i + 1 < old.end; ++i)
      if (!is_check || stays(code_.insts[i])) made_.push_back(code_.insts[i]);
    const Inst last = terminator(b);
    if (b == end_) {
      block.args = {left_};
      for (const Reg r : carried_) {
        const auto step = static_cast<std::int32_t>(form(r).per_group);
        block.args.push_back(step == 0 ? r : add(Op::SAddImm, {r}, step));
      }
      block.successors = {kHead};
    }
    made_.push_back(last);
    end(moved(b));
  }

  lir::Code& code_;
  const Host& host_;
  const Tuning& tuning_;
  const std::uint32_t block_groups_;
  std::vector<Inst>& made_;  // memory that is kept
  std::vector<lir::Block> blocks_;
  std::vector<Form> forms_;             // by register
  std::vector<std::uint32_t> made_by_;  // likewise: instructions
  std::vector<char> needed_, read_;     // likewise: on the usual way; by anyone but checks
  std::vector<std::uint32_t> checks_;   // blocks, in order
  std::vector<char> is_check_;          // by block
  std::uint32_t usual_ = 0,
                end_ = kNoBlock;  // where the usual way goes on behind the checks; where groups end
  Regs carried_, in_turn_;
  bool whole_rows_ = false;
  Reg left_ = kNoReg;
};

}  // namespace

void check_ahead(lir::Code& code, const Host& host, const Tuning& tuning, std::uint32_t block_groups,
                 std::vector<lir::Inst>& workspace) {
  AheadChecker(code, host, tuning, block_groups, workspace).run();
}

}  // namespace warpjit::backend
