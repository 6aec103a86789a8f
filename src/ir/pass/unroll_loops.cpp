// Loops around barriers whose turns can be counted become that many copies of what they do. In a block that
// is one group, lanes that are below a number of the turn are known then (analysis/lane_sets), as in sums
// over a block, which halve it.
#include <optional>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/evaluate.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

constexpr std::uint32_t kMostTurns = 16;
constexpr std::size_t kMostInsts = 600;  // of all turns of all loops

// The loops that may be unrolled, and how many turns each makes.
class CountedLoops {
 public:
  explicit CountedLoops(const Function& f)
      : f_(f), dominators_(f), loops_(f, dominators_), blocks_before_(f.block_count()) {}

  bool any() {
    std::size_t most = kMostInsts;
    return for_each(most, [](const Turns&) { return true; });
  }

 protected:
  struct Turns {
    std::uint32_t count;
    Block last;  // its branch ends the last one
  };

  // Visits loops of `most` instructions in all their turns together, until a visit
  // returns true: then it returns true.
  template <class Visit>
  bool for_each(std::size_t& most, Visit visit) {
    if (!loops_.reducible()) return false;
    std::vector<char> holds_loops(loops_.loops().size(), 0);
    for (const Loops::Loop& loop : loops_.loops())
      if (loop.parent != Loops::kNone) holds_loops[loop.parent] = 1;
    for (std::uint32_t n = 0; n < loops_.loops().size(); ++n) {
      if (holds_loops[n] != 0 || !begin(n)) continue;
      const std::optional<Turns> turns = count_turns();
      if (turns && turns->count * insts_ <= most && visit(*turns)) return true;
    }
    return false;
  }

  // False: the loop may not be unrolled.
  bool begin(std::uint32_t number) {
    const Loops::Loop& loop = loops_.loop(number);
    number_ = number;
    blocks_ = std::span(loops_.order()).subspan(loop.first, loop.end - loop.first);
    header_ = loop.header;
    insts_ = 0;
    bool barriers = false;
    for (Block b : blocks_)
      for (Inst i : f_.insts(b)) {
        ++insts_;
        barriers = barriers || f_.inst(i).opcode == Opcode::Barrier;
      }
    const Edges& from = f_.block(header_).predecessors;
    if (!barriers || from.size() != 2 || insts_ > kMostInsts) return false;
    const bool first_inside = inside(from[0]);
    if (first_inside == inside(from[1])) return false;
    around_ = first_inside ? 0 : 1;
    latch_ = from[around_];
    before_ = from[1 - around_];
    return f_.block(latch_).successors.size() == 1;
  }

  // Blocks that were made since are copies, in no loop that is left.
  bool inside(Block b) const { return b.id < blocks_before_ && loops_.contains(number_, b); }
  bool leaves(Block b) const {
    for (Block to : f_.block(b).successors)
      if (!inside(to)) return true;
    return false;
  }

  // Nothing: it depends on what is no constant, or there are too many.
  std::optional<Turns> count_turns() {
    known_.assign(f_.value_count(), std::nullopt);
    for (Inst i : f_.insts(header_)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const Value first = f_.operand(i, 1 - around_);
      if (f_.is_constant(first)) known_[f_.result(i).id] = f_.constant(first);
    }
    for (std::uint32_t turn = 1; turn <= kMostTurns; ++turn) {
      for (Block b : blocks_) {
        for (Inst i : f_.insts(b)) evaluate_inst(i);
        if (!leaves(b)) continue;
        const Inst end = f_.terminator(b);
        if (f_.inst(end).opcode != Opcode::Branch || !dominators_.dominates(b, latch_)) return std::nullopt;
        const std::optional<std::uint64_t> condition = value_of(f_.operand(end, 0));
        if (!condition) return std::nullopt;
        if (!inside(f_.block(b).successors[*condition != 0 ? 0 : 1])) return Turns{turn, b};
      }
      next_.clear();
      for (Inst i : f_.insts(header_)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        next_.push_back(value_of(f_.operand(i, around_)));
      }
      std::size_t k = 0;
      for (Inst i : f_.insts(header_)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        known_[f_.result(i).id] = next_[k++];
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> value_of(Value v) const {
    if (f_.is_constant(v)) return f_.constant(v);
    return known_[v.id];
  }

  // For whole numbers and truth values: floats depend on the mode.
  void evaluate_inst(Inst i) {
    const InstData& data = f_.inst(i);
    if (!info(data.opcode).lane_wise() || data.result_count != 1 || data.operand_count > kMostOperands)
      return;
    std::array<std::uint64_t, kMostOperands> words{};
    bool all = f_.value(f_.result(i)).type != Type::f32;
    for (std::uint32_t k = 0; k < data.operand_count && all; ++k) {
      const Value v = f_.operand(i, k);
      const std::optional<std::uint64_t> word = value_of(v);
      all = word.has_value() && f_.value(v).type != Type::f32;
      if (all) words[k] = *word;
    }
    std::optional<std::uint64_t>& known = known_[f_.result(i).id];
    known.reset();
    if (all) known = evaluate(data.opcode, std::span(words).first(data.operand_count));
  }

  static constexpr std::size_t kMostOperands = 4;

  const Function& f_;
  const Dominators dominators_;
  const Loops loops_;
  const std::size_t blocks_before_;
  // The loop that is looked at.
  std::uint32_t number_ = 0;
  std::span<const Block> blocks_;
  Block header_, latch_, before_;
  std::uint32_t around_ = 0;  // the header's predecessor that is the latch
  std::size_t insts_ = 0;
  std::vector<std::optional<std::uint64_t>> known_, next_;  // by value; by phi
};

class LoopUnroller : CountedLoops {
 public:
  explicit LoopUnroller(Function& f) : CountedLoops(f), to_(f) {}

  bool run() {
    bool changed = false;
    std::size_t most = kMostInsts;
    for_each(most, [&](const Turns& turns) {
      if (!make_room(turns.count)) return false;
      most -= turns.count * insts_;
      unroll(turns);
      changed = true;
      return false;
    });
    return changed;
  }

 private:
  // Where lanes run in the order of addresses, those of each turn come after those of the turn before, and
  // what is after the loop after them all. False: there are others in between.
  bool make_room(std::uint32_t turns) {
    room_ = 0;
    if (to_.lane_order != LaneOrder::lowest_address_first) return true;
    std::uint32_t low = kNoAddress, high = 0, last = 0;
    for (Block b : blocks_) {
      const std::uint32_t address = to_.block(b).guest_address;
      if (address == kNoAddress) return false;
      low = std::min(low, address), high = std::max(high, address);
    }
    const auto for_others = [&](auto visit) {
      for (Block b{0}; b.id < to_.block_count(); ++b.id)
        if (const std::uint32_t address = to_.block(b).guest_address;
            address != kNoAddress && !inside(b) && address > low)
          visit(to_.block(b).guest_address);
    };
    bool apart = true;
    for_others([&](std::uint32_t address) {
      apart = apart && address > high;
      last = std::max(last, address);
    });
    const std::uint64_t room = std::uint64_t{high} - low + 1;
    if (!apart || std::max(last, high) + room * turns >= kNoAddress) return false;
    room_ = static_cast<std::uint32_t>(room);
    const std::uint32_t all = room_ * (turns - 1);
    for_others([&](std::uint32_t& address) { address += all; });
    for (Block b : blocks_) to_.block(b).guest_address += all;
    return true;
  }

  // All turns but the last one are copies in front of the loop, which then makes one.
  void unroll(const Turns& turns) {
    map_.assign(to_.value_count(), Value{});
    copy_of_.assign(to_.block_count(), Block{});
    std::vector<Value> arriving;
    for (Inst i : to_.insts(header_)) {
      if (to_.inst(i).opcode != Opcode::Phi) break;
      arriving.push_back(to_.operand(i, 1 - around_));
    }
    Block from = before_;
    if (to_.block(latch_).backward & 1)
      for (std::uint32_t turn = 1; turn < turns.count; ++turn) from = go_backward(from);
    for (std::uint32_t left = turns.count - 1; left != 0; --left) from = copy_turn(from, arriving, left);
    if (from != before_) {
      to_.block(header_).predecessors[1 - around_] = from;
      std::size_t k = 0;
      for (Inst i : to_.insts(header_)) {
        if (to_.inst(i).opcode != Opcode::Phi) break;
        to_.set_operand(i, 1 - around_, arriving[k++]);
      }
    }
    go_one_way(turns.last);
  }

  // What the turns burn of the fuel, all before the first one, so that their code stays in one piece: a block
  // after `from` whose edge to the header is marked backward. Gives that.
  Block go_backward(Block from) {
    const Block made = to_.add_block(to_.block(from).guest_address);
    const Inst jump = to_.make(Opcode::Jump, {});
    to_.inst(jump).guest_address = to_.inst(to_.terminator(latch_)).guest_address;
    to_.append(made, jump);
    for (Block& target : to_.block(from).successors)
      if (target == header_) target = made;
    BlockData& block = to_.block(made);
    block.predecessors.push_back(from);
    block.successors.push_back(header_);
    block.backward = 1;
    return made;
  }

  Value mapped(Value v) const { return v.id < map_.size() && map_[v.id].valid() ? map_[v.id] : v; }

  // A copy of the loop's blocks that is entered from a block and goes on to the header. `arriving`, what the
  // header's phis are, becomes that of the next turn; `left` turns follow. Gives the block that goes on.
  Block copy_turn(Block from, std::vector<Value>& arriving, std::uint32_t left) {
    for (Block b : blocks_) copy_of_[b.id] = to_.add_block(to_.block(b).guest_address - left * room_);
    std::size_t n = 0;
    std::vector<Value> operands;
    for (Block b : blocks_) {
      const Block copy = copy_of_[b.id];
      for (Inst i : to_.insts(b)) {
        const InstData data = to_.inst(i);
        if (b == header_ && data.opcode == Opcode::Phi) {
          map_[to_.result(i).id] = arriving[n++];
          continue;
        }
        const bool jumps = info(data.opcode).terminator && leaves(b);
        operands.clear();
        if (!jumps)
          for (Value v : to_.operands(i)) operands.push_back(mapped(v));
        const Inst made = jumps ? to_.make(Opcode::Jump, {})
                                : to_.make(data.opcode, operands, data.immediate, data.phi_type);
        to_.inst(made).guest_address = data.guest_address;
        to_.append(copy, made);
        for (std::uint32_t r = 0; r < data.result_count; ++r) map_[to_.result(i, r).id] = to_.result(made, r);
      }
      const Edges targets = to_.block(b).successors, sources = to_.block(b).predecessors;
      Edges to, edges;
      std::uint64_t backward = 0;
      for (std::size_t k = 0; k < targets.size(); ++k) {
        if (!inside(targets[k])) continue;
        if (targets[k] != header_ && (to_.block(b).backward >> k & 1))
          backward |= std::uint64_t{1} << to.size();
        to.push_back(targets[k] == header_ ? header_ : copy_of_[targets[k].id]);
      }
      if (b == header_)
        edges.push_back(from);
      else
        for (Block source : sources) edges.push_back(copy_of_[source.id]);
      to_.block(copy).successors = to;
      to_.block(copy).predecessors = edges;
      to_.block(copy).backward = backward;
    }
    for (Block& target : to_.block(from).successors)
      if (target == header_) target = copy_of_[header_.id];
    std::vector<Value> next;
    for (Inst i : to_.insts(header_)) {
      if (to_.inst(i).opcode != Opcode::Phi) break;
      next.push_back(mapped(to_.operand(i, around_)));
    }
    arriving = std::move(next);
    return copy_of_[latch_.id];
  }

  // Out of the loop.
  void go_one_way(Block b) {
    const Edges targets = to_.block(b).successors;
    const std::size_t out = inside(targets[0]) ? 1 : 0;
    const Block other = targets[1 - out];
    const bool backward = (to_.block(b).backward >> out & 1) != 0;
    const Inst end = to_.terminator(b), jump = to_.make(Opcode::Jump, {});
    to_.inst(jump).guest_address = to_.inst(end).guest_address;
    to_.remove_predecessor(other, to_.predecessor_index(other, b));
    to_.remove(end);
    to_.append(b, jump);
    to_.block(b).successors = {};
    to_.block(b).successors.push_back(targets[out]);
    to_.block(b).backward = backward ? 1 : 0;
  }

  Function& to_;            // the same function
  std::uint32_t room_ = 0;  // addresses of a turn, where they matter
  std::vector<Value> map_;  // by value: the copy in the turn that is made
  std::vector<Block> copy_of_;
};

}  // namespace

bool has_loops_to_unroll(const Function& f) { return CountedLoops(f).any(); }
bool unroll_loops(Function& f) { return LoopUnroller(f).run(); }

}  // namespace warpjit::ir
