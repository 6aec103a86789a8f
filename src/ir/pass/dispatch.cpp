#include "ir/pass/dispatch.h"

#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"

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
    take_apart();
    assign_slots();
    make_loop();
    for (Block b : order_) make_case(b);
    f_.form = Form::group;
    analyze_uniformity(f_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

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
    slot_.assign(f_.value_count(), kNone);
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

  // True if a value is cheaper to make again than to keep.
  bool remade(Value v) const { return info(f_.definition_of(v).opcode).free_to_repeat; }

  // A slot for each phi and for each value that another block uses.
  void assign_slots() {
    f_.slot_count = next_slot_ + 1;
    const auto need = [&](Value v, Block user) {
      if (slot_[v.id] == kNone && !f_.is_constant(v) && home_[v.id] != user && !remade(v))
        slot_[v.id] = f_.slot_count++;
    };
    for (Block b : order_) {
      for (Inst i : phis_[b.id]) {
        slot_[f_.result(i).id] = f_.slot_count++;
        for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k)
          need(f_.operand(i, k), predecessors_[b.id][k]);
      }
      for (Inst i : body_[b.id])
        for (Value v : f_.operands(i)) need(v, b);
    }
  }

  // The turn: the lowest block at which a lane waits, and the lanes that wait there.
  void make_loop() {
    turn_ = f_.add_block();
    builder_.set_block(Function::entry());
    const I1 always = builder_.constant(true);
    const I32 first = builder_.constant(0u);
    builder_.StoreSlot(always, first, next_slot_);
    builder_.jump(turn_);
    const Block finished = f_.add_block();
    builder_.set_block(turn_);
    const I32 waiting = builder_.LoadSlot(next_slot_);
    const I32 lowest = builder_.MinLaneU32(waiting);
    lanes_ = builder_.IEq32(waiting, lowest);
    std::vector<Block> cases = order_;
    cases.push_back(finished);
    builder_.switch_(lowest, cases);
    builder_.set_block(finished);
    builder_.ret();
  }

  void make_case(Block b) {
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
      for (std::uint32_t r = 0; r < f_.inst(i).result_count; ++r) {
        const Value v = f_.result(i, r);
        if (slot_[v.id] != kNone) store(slot_[v.id], lanes_, v);
      }
    }
  }

  // A value as block b sees it: made there, or loaded from its slot once.
  Value read(Value v, Block b) {
    if (v.id >= home_.size() || f_.is_constant(v) || home_[v.id] == b) return v;
    if (read_in_[v.id] == b) return local_[v.id];
    read_in_[v.id] = b;
    Value& local = local_[v.id];
    if (slot_[v.id] == kNone)
      return local = builder_.emit(f_.definition_of(v).opcode, {}, f_.definition_of(v).immediate);
    const I32 word = builder_.LoadSlot(slot_[v.id]);
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
      const auto& predecessors = predecessors_[targets[k].id];
      const auto slot = static_cast<std::uint32_t>(std::find(predecessors.begin(), predecessors.end(), b) -
                                                   predecessors.begin());
      for (Inst phi : phis_[targets[k].id])
        writes.push_back({f_.result(phi), guard, read(f_.operand(phi, slot), b)});
      if (k < 64 && ((backward_[b.id] >> k) & 1) != 0) marked = builder_.Or1(marked, guard);
    }
    for (const Write& write : writes) store(slot_[write.phi.id], write.guard, write.value);
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
  std::vector<std::uint32_t> slot_;             // per value
  std::vector<Value> local_;                    // per value: what stands for it in the block read_in_
  std::vector<Block> read_in_;
  Block turn_;
  I1 lanes_;
};

}  // namespace

void dispatch(Function& f) { Dispatcher(f).run(); }

}  // namespace warpjit::ir
