#include "ir/pass/dispatch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ir/analysis/dominators.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"
#include "ir/pass/dispatch_slots.h"

namespace warpjit::ir {
namespace {

class Dispatcher {
 public:
  explicit Dispatcher(Function& f)
      : f_(f), next_slot_(f.slot_count), builder_(f), order_(reverse_postorder(f)) {
    if (f.lane_order == LaneOrder::lowest_address_first) sort_by_address();
  }

  void run() {
    move_entry();
    slots_.emplace(f_, order_, next_slot_ + 1);
    f_.slot_count = slots_->end();
    take_apart();
    make_loop();
    for (Block b : order_) make_case(b);
    f_.form = Form::group;
    analyze_uniformity(f_);
  }

 private:
  static constexpr std::uint32_t kStretch = 1u << 14;  // turns

  // Ways that passes have made come before the block that they lead to. All lanes begin
  // together, at the entry block.
  void sort_by_address() {
    const std::vector<std::uint32_t> addresses = waiting_addresses(f_);
    const auto place = [&](Block b) { return std::pair{addresses[b.id], order_matters_in(f_, b)}; };
    std::stable_sort(order_.begin() + 1, order_.end(), [&](Block a, Block b) { return place(a) < place(b); });
  }

  // Constants stay in the entry block, where they dominate everything; the rest of it becomes a case.
  void move_entry() {
    const Block entry = Function::entry();
    const Block moved = f_.add_block(f_.block(entry).guest_address);
    for (Inst i : f_.insts(entry)) {
      if (is_constant(f_.inst(i).opcode)) continue;
      f_.remove(i);
      f_.append(moved, i);
    }
    f_.block(moved).successors.swap(f_.block(entry).successors);
    std::swap(f_.block(moved).backward, f_.block(entry).backward);
    for (Block s : f_.block(moved).successors)
      f_.block(s).predecessors[f_.predecessor_index(s, entry)] = moved;
    order_[0] = moved;
  }

  // Takes edges and instructions out of the blocks, to be put together anew.
  void take_apart() {
    const std::size_t count = f_.block_count();
    predecessors_.resize(count);
    successors_.resize(count);
    backward_.resize(count);
    number_.resize(count);
    phis_.resize(count);
    body_.resize(count);
    home_.resize(f_.value_count());
    wanted_in_.resize(f_.value_count());
    stored_in_.resize(f_.slot_count);
    stored_.resize(f_.slot_count);
    local_.resize(f_.value_count());
    read_in_.resize(f_.value_count());
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      const Block b = order_[k];
      number_[b.id] = k;
      predecessors_[b.id].swap(f_.block(b).predecessors);
      successors_[b.id].swap(f_.block(b).successors);
      std::swap(backward_[b.id], f_.block(b).backward);
      for (Inst i : f_.insts(b)) {
        const InstData& data = f_.inst(i);
        if (is_constant(data.opcode)) continue;
        const bool phi = data.opcode == Opcode::Phi;
        if (!phi)
          for (std::uint32_t r = 0; r < data.result_count; ++r) home_[f_.result(i, r).id] = b;
        f_.remove(i);
        (phi ? phis_ : body_)[b.id].push_back(i);
      }
    }
  }

  // The turn: a block at which lanes wait, and the lanes that wait there. Mostly the lowest one, because lanes
  // that parted so come together again. But then the lanes of an endless program may take turns until each of
  // them has used up its fuel, one after the other. So where the order is free, in one of four stretches of
  // turns the first lane that is not finished takes every turn; others join in where they wait.
  void make_loop() {
    turn_ = f_.add_block();
    builder_.set_block(Function::entry());
    const I1 always = builder_.constant(true);
    const I32 start = builder_.constant(0u);
    builder_.StoreSlot(always, start, next_slot_);
    const Block finished = f_.add_block();
    const auto place_finished = static_cast<std::uint32_t>(order_.size());
    I32 waiting, chosen;
    if (f_.lane_order != LaneOrder::none) {
      builder_.jump(turn_);
      builder_.set_block(turn_);
      waiting = builder_.LoadSlot(next_slot_);
      chosen = builder_.MinLaneU32(waiting);
    } else {
      const Block head = f_.add_block(), lowest = f_.add_block(), leading = f_.add_block(),
                  choice = f_.add_block();
      builder_.jump(head);
      builder_.set_block(turn_);
      builder_.jump(head);
      builder_.set_block(head);
      const Inst count = f_.make(Opcode::Phi, std::array<Value, 2>{start, start}, 0, Type::i32);
      f_.append(head, count);
      const I32 turns{f_.result(count)};
      f_.set_operand(count, 1, builder_.IAdd32(turns, builder_.constant(1u)));
      waiting = builder_.LoadSlot(next_slot_);
      const I32 in_stretch = builder_.IAnd32(turns, builder_.constant(4 * kStretch - 1));
      builder_.branch(builder_.ILtU32(in_stretch, builder_.constant(3 * kStretch)), lowest, leading);
      builder_.set_block(lowest);
      const I32 lowest_place = builder_.MinLaneU32(waiting);
      builder_.jump(choice);
      builder_.set_block(leading);
      const I32 none = builder_.constant(~0u), last = builder_.constant(place_finished);
      const I32 own = builder_.LaneIndex();
      const I32 lane = builder_.select(builder_.IEq32(waiting, last), none, own);
      const I1 is_leader = builder_.IEq32(lane, builder_.MinLaneU32(lane));
      const I32 place = builder_.MinLaneU32(builder_.select(is_leader, waiting, last));
      builder_.jump(choice);
      const Inst either = f_.make(Opcode::Phi, std::array<Value, 2>{lowest_place, place}, 0, Type::i32);
      f_.append(choice, either);
      chosen = I32{f_.result(either)};
      builder_.set_block(choice);
    }
    lanes_ = builder_.IEq32(waiting, chosen);
    std::vector<Block> cases = order_;
    cases.push_back(finished);
    builder_.switch_(chosen, cases);
    builder_.set_block(finished);
    builder_.ret();
  }

  void make_case(Block b) {
    note_reads(b);
    builder_.set_block(b);
    for (Inst i : body_[b.id]) {
      builder_.set_guest_address(f_.inst(i).guest_address);
      for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k)
        f_.set_operand(i, k, read(f_.operand(i, k), b));
      if (info(f_.inst(i).opcode).terminator) {
        leave(b, i);
        return;
      }
      if (const std::uint32_t k = info(f_.inst(i).opcode).guard(); k != OpcodeInfo::kNoGuard)
        f_.set_operand(i, k, builder_.And1(I1{f_.operand(i, k)}, lanes_));
      f_.append(b, i);
      for (std::uint32_t r = 0; r < f_.inst(i).result_count; ++r) keep(f_.result(i, r), b);
    }
  }

  // What the code of b reads of its slots.
  void note_reads(Block b) {
    for (Inst i : body_[b.id])
      for (Value v : f_.operands(i)) wanted_in_[v.id] = b;
    for (Block target : successors_[b.id]) {
      const std::uint32_t index = edge_index(b, target);
      for (Inst phi : phis_[target.id]) wanted_in_[f_.operand(phi, index).id] = b;
    }
  }

  // Stores a value that b makes, if it has a slot. What is there now is read first, if b reads it at all.
  void keep(Value v, Block b) {
    const std::uint32_t slot = slots_->of(v);
    if (slot == DispatchSlots::kNone) return;
    if (stored_in_[slot] != b)
      if (const Value before = slots_->at_begin(b, slot); before.valid() && wanted_in_[before.id] == b)
        read(before, b);
    store(slot, lanes_, v);
    stored_in_[slot] = b;
    stored_[slot] = v;
  }

  // True if the slot of a phi holds the operand already at the end of b.
  bool is_in_place(Value phi, Value operand, Block b) const {
    const std::uint32_t slot = slots_->of(phi);
    if (slots_->of(operand) != slot) return false;
    if (stored_in_[slot] != b && operand == phi) return true;
    return (stored_in_[slot] == b ? stored_[slot] : slots_->at_begin(b, slot)) == operand;
  }

  // A value as block b sees it: made there, or loaded from its slot once.
  Value read(Value v, Block b) {
    if (v.id >= home_.size() || f_.is_constant(v) || home_[v.id] == b) return v;
    if (read_in_[v.id] == b) return local_[v.id];
    read_in_[v.id] = b;
    Value& local = local_[v.id];
    const std::uint32_t slot = slots_->of(v);
    if (slot == DispatchSlots::kNone)
      return local = builder_.emit(f_.definition_of(v).opcode, {}, f_.definition_of(v).immediate);
    const I32 word = builder_.LoadSlot(slot);
    switch (f_.value(v).type) {
      case Type::i1:
        return local = builder_.INe32(word, builder_.constant(0));
      case Type::f32:
        return local = builder_.BitcastI32ToF32(word);
      default:
        return local = word;
    }
  }

  void store(std::uint32_t slot, I1 guard, Value v) {
    I32 word{v};
    if (f_.value(v).type == Type::i1)
      word = builder_.SelectI32(I1{v}, builder_.constant(1), builder_.constant(0));
    else if (f_.value(v).type == Type::f32)
      word = builder_.BitcastF32ToI32(F32{v});
    builder_.StoreSlot(guard, word, slot);
  }

  // Which predecessor of `target` b is.
  std::uint32_t edge_index(Block b, Block target) const {
    const auto& predecessors = predecessors_[target.id];
    return static_cast<std::uint32_t>(std::find(predecessors.begin(), predecessors.end(), b) -
                                      predecessors.begin());
  }

  // Each lane notes where it goes and what the phis there get.
  void leave(Block b, Inst end) {
    const Edges& targets = successors_[b.id];
    const auto count = static_cast<std::uint32_t>(targets.size());
    // Which lanes take edge k, among those of the block; the last edge is what remains.
    std::vector<I1> taken(count);
    for (std::uint32_t k = 0; k + 1 < count; ++k) {
      const Value operand = f_.operand(end, 0);
      taken[k] = f_.inst(end).opcode == Opcode::Branch ? I1{operand}
                                                       : builder_.IEq32(I32{operand}, builder_.constant(k));
    }
    I32 next = builder_.constant(static_cast<std::uint32_t>(order_.size()));
    I1 rest = lanes_;
    struct Write {
      Value phi;
      I1 guard;
      Value value;
    };
    std::vector<Write> writes;  // every value is read before any is written
    I1 marked = builder_.constant(false);
    for (std::uint32_t k = 0; k < count; ++k) {
      const bool last = k + 1 == count;
      const I1 guard = last ? rest : builder_.And1(rest, taken[k]);
      if (!last) rest = builder_.AndNot1(rest, taken[k]);
      const std::uint32_t index = edge_index(b, targets[k]);
      for (Inst phi : phis_[targets[k].id])
        if (const Value operand = f_.operand(phi, index); !is_in_place(f_.result(phi), operand, b))
          writes.push_back({f_.result(phi), guard, read(operand, b)});
      if (k < 64 && ((backward_[b.id] >> k) & 1) != 0) marked = builder_.Or1(marked, guard);
    }
    for (const Write& write : writes) store(slots_->of(write.phi), write.guard, write.value);
    for (std::uint32_t k = count; k-- > 0;) {
      const I32 number = builder_.constant(number_[targets[k].id]);
      next = k + 1 == count ? number : builder_.SelectI32(taken[k], number, next);
    }
    builder_.StoreSlot(lanes_, next, next_slot_);
    if (backward_[b.id] == 0) return builder_.jump(turn_);
    if (count != 1) {
      const Block burning = f_.add_block();
      builder_.branch(builder_.AnyLane(marked), burning, turn_);
      builder_.set_block(burning);
    }
    builder_.BurnFuel(marked);
    builder_.jump(turn_);
  }

  Function& f_;
  const std::uint32_t next_slot_;  // the number of the block where a lane waits
  Builder builder_;
  std::vector<Block> order_;  // a block's number is its place here
  std::vector<std::uint32_t> number_;
  std::vector<Edges> predecessors_, successors_;  // the edges before
  std::vector<std::uint64_t> backward_;
  std::vector<std::vector<Inst>> phis_, body_;  // per block
  std::vector<Block> home_;                     // per value: where it is made; invalid for phis
  std::optional<DispatchSlots> slots_;
  std::vector<Block> wanted_in_;  // per value: the last block that was seen to read it
  std::vector<Block> stored_in_;  // per slot: the last block that stored a value there
  std::vector<Value> stored_;     // per slot: that value
  std::vector<Value> local_;      // per value: what stands for it in the block read_in_
  std::vector<Block> read_in_;
  Block turn_;
  I1 lanes_;
};

}  // namespace

void dispatch(Function& f) { Dispatcher(f).run(); }

}  // namespace warpjit::ir
