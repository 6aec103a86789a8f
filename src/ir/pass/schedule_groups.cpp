// Barriers as coroutines: a function of one group of threads becomes a function of a block that runs its
// groups in turns. At a barrier a group stores what it still needs to its frame and the next group goes on; a
// group resumes after the barrier where it stood, when all have come to one. The function is built anew:
// values that live across a barrier are variables, which SSA construction gives to their users.
//
// Where all barriers are plain, groups run in phases, at the end of which all that have not ended wait at one
// barrier. Else barriers are counted: what they count, and which groups may run, is kept in the frame of
// group 0, and groups that may run take turns until none may.
#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/analysis/uniformity.h"
#include "ir/barrier.h"
#include "ir/builder.h"
#include "ir/pass/barrier_values.h"
#include "ir/pass/passes.h"
#include "ir/pass/ssa.h"

namespace warpjit::ir {
namespace {

class Scheduler {
 public:
  Scheduler(const Function& f, const std::vector<Block>& order, bool counted)
      : f_(f), order_(order), resume_slot_(f.frame_slots), counted_(counted), builder_(made_) {}

  Result<Function> run() {
    find_barriers();
    WARPJIT_TRY(BarrierValues values, BarrierValues::find(f_, order_, first_value_slot_));
    values_ = &values;
    remade_.resize(f_.value_count());
    copy_.resize(f_.value_count());
    static_cast<FunctionFacts&>(made_) = f_;
    made_.reserve(f_.inst_count() * 2);
    made_.form = Form::group;
    made_.inner_groups = f_.block_groups;
    made_.frame_slots = values.frame_slots();

    make_blocks();
    make_turns();
    SsaBuilder ssa(builder_, values.variable_types());
    ssa_ = &ssa;
    for (Block b : order_) copy_block(b);
    make_end_of_phase();
    fill_phis();
    WARPJIT_CHECK(ssa.finish());
    return std::move(made_);
  }

 private:
  using Stop = BarrierValues::Stop;

  const std::vector<Stop>& stops() const { return values_->stops(); }

  // A way from a group that stops or ends to the next one, with the barrier's number + 1, or 0.
  struct Yield {
    Block from;
    std::uint32_t barrier;
  };

  BarrierForm form(Inst barrier) const { return BarrierForm::unpack(f_.inst(barrier).immediate); }
  void find_barriers() {
    if (counted_)
      for (Block b : order_)
        for (Inst i : f_.insts(b)) {
          if (f_.inst(i).opcode != Opcode::Barrier) continue;
          if (std::find(numbers_.begin(), numbers_.end(), form(i).number) == numbers_.end())
            numbers_.push_back(form(i).number);
        }
    first_value_slot_ = resume_slot_ + 1;
    if (counted_) first_value_slot_ = state_slot(static_cast<std::uint32_t>(numbers_.size()), kCount);
  }

  void make_blocks() {
    entry_ = made_.add_block();
    turn_ = made_.add_block();
    next_ = made_.add_block();
    first_.resize(f_.block_count());
    last_.resize(f_.block_count());
    for (Block b : order_) first_[b.id] = made_.add_block(f_.block(b).guest_address);
    for (const Stop& stop : stops()) resumes_.push_back(made_.add_block(f_.inst(stop.barrier).guest_address));
  }

  // The head of the loop over groups and phases.
  void make_turns() {
    builder_.set_block(entry_);
    if (counted_) start_counts();
    builder_.jump(turn_);
    builder_.set_block(turn_);
    group_ = builder_.phi<I32>(turn_);
    later_ = builder_.phi<I32>(turn_);  // not 0 after the first phase; kStuck: no group can go on
    // The barrier at which groups wait in this phase, + 1; 0: none yet.
    if (!counted_) waiting_ = builder_.phi<I32>(turn_);
    builder_.SetGroup(group_);
    if (counted_) skip_unless_ready();
    const Block resumes = made_.add_block();
    builder_.branch(builder_.IEq32(later_, builder_.constant(0u)), first_[Function::entry().id], resumes);
    builder_.set_block(resumes);
    const I32 state = builder_.LoadFrameUniform(group_, resume_slot_);
    std::vector<Block> targets = resumes_;
    const Block finished = made_.add_block();
    targets.push_back(finished);
    builder_.switch_(builder_.ISub32(state, builder_.constant(1u)), targets);
    builder_.set_block(finished);
    yield(0);
  }

  // --- Counted barriers

  static constexpr std::uint32_t kStuck = 2;
  // Words for all groups: which may run, a bit each; how many have not ended; of each barrier its count, what
  // the last arrival wants, and which groups wait there.
  static constexpr std::uint32_t kReady = 1, kAlive = 2, kBarriers = 3;
  static constexpr std::uint32_t kCount = 0, kArrivals = 1, kWaiting = 2, kBarrierWords = 3;

  std::uint32_t state_slot(std::uint32_t index, std::uint32_t word) const {
    return resume_slot_ + kBarriers + index * kBarrierWords + word;
  }
  std::uint32_t barrier_slot(std::uint32_t number, std::uint32_t word) const {
    const auto at = std::find(numbers_.begin(), numbers_.end(), number) - numbers_.begin();
    return state_slot(static_cast<std::uint32_t>(at), word);
  }
  I32 state(std::uint32_t slot) { return builder_.LoadFrameUniform(builder_.constant(0u), slot); }
  void set_state(std::uint32_t slot, I32 value) {
    builder_.StoreFrameUniform(builder_.constant(0u), value, slot);
  }
  I32 bit_of_group() { return builder_.IShl32(builder_.constant(1u), group_); }

  void start_counts() {
    const I32 zero = builder_.constant(0u);
    set_state(resume_slot_ + kReady, builder_.constant(~0u >> (32 - f_.block_groups)));
    set_state(resume_slot_ + kAlive, builder_.constant(f_.block_groups));
    for (std::uint32_t slot = resume_slot_ + kBarriers; slot < first_value_slot_; ++slot)
      set_state(slot, zero);
  }

  // If groups can never go on, the first one fails where it waits.
  void skip_unless_ready() {
    const I32 zero = builder_.constant(0u);
    const Block runs = made_.add_block(), skips = made_.add_block(), stuck = made_.add_block();
    const I32 ready = builder_.IAnd32(state(resume_slot_ + kReady), bit_of_group());
    builder_.branch(builder_.INe32(ready, zero), runs, skips);
    builder_.set_block(skips);
    builder_.branch(builder_.IEq32(later_, builder_.constant(kStuck)), stuck, next_);
    builder_.set_block(stuck);
    const I32 resumes = builder_.LoadFrameUniform(group_, resume_slot_);
    std::vector<Block> targets;
    for (std::size_t k = 0; k <= stops().size(); ++k) targets.push_back(made_.add_block());
    builder_.switch_(builder_.ISub32(resumes, builder_.constant(1u)), targets);
    for (std::size_t k = 0; k < stops().size(); ++k) {
      builder_.set_block(targets[k]);
      builder_.set_guest_address(f_.inst(stops()[k].barrier).guest_address);
      builder_.Stop(builder_.constant(true), static_cast<std::uint64_t>(StopReason::barrier_never_complete));
      builder_.ret();
    }
    builder_.set_guest_address(kNoAddress);
    builder_.set_block(targets.back());
    builder_.jump(next_);
    builder_.set_block(runs);
  }

  void arrive(const BarrierForm& form) {
    const std::uint32_t count = barrier_slot(form.number, kCount);
    set_state(count, builder_.IAdd32(state(count), builder_.constant(1u)));
    set_state(barrier_slot(form.number, kArrivals), builder_.constant(form.arrivals));
  }
  void wait(const BarrierForm& form) {
    const std::uint32_t waiting = barrier_slot(form.number, kWaiting);
    set_state(waiting, builder_.IOr32(state(waiting), bit_of_group()));
    rest();
  }
  void rest() {
    const std::uint32_t ready = resume_slot_ + kReady;
    set_state(ready, builder_.IXor32(state(ready), bit_of_group()));
  }
  void end_group() {
    rest();
    const std::uint32_t alive = resume_slot_ + kAlive;
    set_state(alive, builder_.ISub32(state(alive), builder_.constant(1u)));
  }

  // Opens the barriers that are complete, now that some group has waited or ended.
  void complete_barriers() {
    const I32 zero = builder_.constant(0u), alive = state(resume_slot_ + kAlive);
    I32 ready = state(resume_slot_ + kReady);
    for (std::uint32_t k = 0; k < numbers_.size(); ++k) {
      const I32 arrivals = state(state_slot(k, kArrivals)), waiting = state(state_slot(k, kWaiting));
      const I32 enough = builder_.SelectI32(builder_.IEq32(arrivals, zero), alive, arrivals);
      I32 count = state(state_slot(k, kCount));
      count = builder_.SelectI32(builder_.ILeU32(enough, count), zero, count);
      set_state(state_slot(k, kCount), count);
      const I1 open = builder_.IEq32(count, zero);
      ready = builder_.IOr32(ready, builder_.SelectI32(open, waiting, zero));
      set_state(state_slot(k, kWaiting), builder_.SelectI32(open, zero, waiting));
    }
    set_state(resume_slot_ + kReady, ready);
  }

  // ---

  void yield(std::uint32_t barrier) {
    yields_.push_back({builder_.block(), barrier});
    builder_.jump(next_);
  }

  Value use(Value v) {
    if (values_->crosses(v)) return ssa_->read(builder_.block(), values_->variable(v));
    const InstData& data = f_.definition_of(v);
    if (is_constant(data.opcode)) return made_.constant_value(f_.value(v).type, data.immediate);
    if (!values_->remade(v)) return copy_[v.id];
    if (data.opcode == Opcode::GroupIndex) return group_;
    if (values_->is_cast(v))
      return builder_.emit(data.opcode, std::array{use(f_.operand(f_.definition(v), 0))});
    if (remade_[v.id].block != builder_.block()) {
      std::array<Value, kMaxOperands> operands;
      for (std::uint32_t k = 0; k < data.operand_count; ++k)
        operands[k] = use(f_.operand(f_.definition(v), k));
      const Value made =
          builder_.emit(data.opcode, std::span(operands.data(), data.operand_count), data.immediate);
      remade_[v.id] = {builder_.block(), made};
    }
    return remade_[v.id].value;
  }
  void define(Value v, Value copy) {
    copy_[v.id] = copy;
    made_.value(copy).uniformity = f_.value(v).uniformity;
    if (values_->crosses(v)) ssa_->write(builder_.block(), values_->variable(v), copy);
    if (values_->stored_where_made(v)) to_store_.push_back(v);
  }
  // After phis, which stand together.
  void store_made() {
    for (Value v : to_store_) store(values_->slot(v, 0), v);
    to_store_.clear();
  }

  void copy_block(Block b) {
    builder_.set_block(first_[b.id]);
    for (Inst i : f_.insts(b)) {
      const InstData& data = f_.inst(i);
      if (data.opcode != Opcode::Phi) store_made();
      builder_.set_guest_address(data.guest_address);
      if (data.opcode == Opcode::Phi) {
        const Value phi = builder_.phi(builder_.block(), data.phi_type);
        phis_.push_back({phi, i});
        define(f_.result(i), phi);
      } else if (data.opcode == Opcode::Barrier) {
        stop_at(i);
      } else if (info(data.opcode).terminator) {
        leave(b, i);
      } else if (data.result_count == 0 || !values_->remade(f_.result(i))) {
        std::array<Value, kMaxOperands> operands;
        for (std::uint32_t k = 0; k < data.operand_count; ++k) operands[k] = use(f_.operand(i, k));
        const Inst made =
            builder_.emit_inst(data.opcode, std::span(operands.data(), data.operand_count), data.immediate);
        for (std::uint32_t k = 0; k < data.result_count; ++k) define(f_.result(i, k), made_.result(made, k));
      }
    }
  }

  // The group keeps what it needs, and takes it up again when its turn has come.
  void stop_at(Inst barrier) {
    if (counted_ && form(barrier).arrives) arrive(form(barrier));
    if (!form(barrier).waits) return;
    const Stop& stop = stops()[stop_];
    const std::uint32_t number = ++stop_;
    for (std::uint32_t k = 0; k < stop.live.size(); ++k)
      if (const Value v = stop.live[k]; !values_->stored_where_made(v)) store(values_->slot(v, k), v);
    builder_.StoreFrameUniform(group_, builder_.constant(number), resume_slot_);
    const std::uint32_t id = form(barrier).number + 1;
    if (counted_) {
      wait(form(barrier));
    } else if (several_barriers()) {
      const I1 others = builder_.INe32(waiting_, builder_.constant(0u));
      builder_.Stop(builder_.And1(others, builder_.INe32(waiting_, builder_.constant(id))),
                    static_cast<std::uint64_t>(StopReason::barrier_never_complete));
    }
    yield(id);
    const Block resumes = resumes_[number - 1];
    builder_.set_block(resumes);
    for (std::uint32_t k = 0; k < stop.live.size(); ++k) {
      const Value v = stop.live[k];
      ssa_->write(resumes, values_->variable(v), load(values_->slot(v, k), v));
    }
  }
  bool several_barriers() const {
    return std::any_of(stops().begin(), stops().end(), [&](const Stop& stop) {
      return f_.inst(stop.barrier).immediate != f_.inst(stops()[0].barrier).immediate;
    });
  }

  void store(std::uint32_t slot, Value v) {
    const Value value = use(v);
    I32 word{value};
    if (f_.value(v).type == Type::i1)
      word = builder_.SelectI32(I1{value}, builder_.constant(1), builder_.constant(0));
    else if (f_.value(v).type == Type::f32)
      word = builder_.BitcastF32ToI32(F32{value});
    if (f_.value(v).uniformity == Uniformity::varying)
      builder_.StoreFrame(group_, word, slot);
    else
      builder_.StoreFrameUniform(group_, word, slot);
  }
  Value load(std::uint32_t slot, Value v) {
    const I32 word = f_.value(v).uniformity == Uniformity::varying ? builder_.LoadFrame(group_, slot)
                                                                   : builder_.LoadFrameUniform(group_, slot);
    switch (f_.value(v).type) {
      case Type::i1:
        return builder_.INe32(word, builder_.constant(0));
      case Type::f32:
        return builder_.BitcastI32ToF32(word);
      default:
        return word;
    }
  }

  void leave(Block b, Inst end) {
    last_[b.id] = builder_.block();
    std::vector<Block> targets;
    for (Block s : f_.block(b).successors) targets.push_back(first_[s.id]);
    switch (f_.inst(end).opcode) {
      case Opcode::Jump:
        return builder_.jump(targets[0]);
      case Opcode::Branch:
        return builder_.branch(I1{use(f_.operand(end, 0))}, targets[0], targets[1]);
      case Opcode::Switch:
        return builder_.switch_(I32{use(f_.operand(end, 0))}, targets);
      default:
        builder_.StoreFrameUniform(group_, builder_.constant(static_cast<std::uint32_t>(stops().size() + 1)),
                                   resume_slot_);
        if (counted_) end_group();
        return yield(0);
    }
  }

  // On to the next group; after the last to the next phase, if any group waits.
  void make_end_of_phase() {
    builder_.set_guest_address(kNoAddress);
    if (counted_) return make_end_of_counted_phase();
    const I32 waiting = builder_.phi<I32>(next_);
    builder_.set_block(next_);
    std::vector<Value> arriving;
    for (Block from : made_.block(next_).predecessors) {
      const auto yielded =
          std::find_if(yields_.begin(), yields_.end(), [&](const Yield& y) { return y.from == from; });
      arriving.push_back(yielded->barrier == 0 ? Value(waiting_)
                                               : Value(builder_.constant(yielded->barrier)));
    }
    made_.set_operands(made_.definition(waiting), arriving);
    const I32 group = builder_.IAdd32(group_, builder_.constant(1u));
    const Block same_phase = made_.add_block(), phase_ends = made_.add_block(), again = made_.add_block(),
                finished = made_.add_block();
    builder_.branch(builder_.ILtU32(group, builder_.constant(f_.block_groups)), same_phase, phase_ends);
    builder_.set_block(same_phase);
    builder_.jump(turn_);
    builder_.set_block(phase_ends);
    builder_.branch(builder_.INe32(waiting, builder_.constant(0u)), again, finished);
    builder_.set_block(again);
    builder_.jump(turn_);
    builder_.set_block(finished);
    builder_.ret();
    // In the order of the turn's predecessors: the entry, the same phase, the next one.
    const I32 zero = builder_.constant(0u), one = builder_.constant(1u);
    made_.set_operands(made_.definition(group_), std::array<Value, 3>{zero, group, zero});
    made_.set_operands(made_.definition(later_), std::array<Value, 3>{zero, later_, one});
    made_.set_operands(made_.definition(waiting_), std::array<Value, 3>{zero, waiting, zero});
  }

  void make_end_of_counted_phase() {
    builder_.set_block(next_);
    complete_barriers();
    const I32 zero = builder_.constant(0u);
    const I32 group = builder_.IAdd32(group_, builder_.constant(1u));
    const Block same_phase = made_.add_block(), phase_ends = made_.add_block(), again = made_.add_block(),
                idle = made_.add_block(), stuck = made_.add_block(), finished = made_.add_block();
    builder_.branch(builder_.ILtU32(group, builder_.constant(f_.block_groups)), same_phase, phase_ends);
    builder_.set_block(same_phase);
    builder_.jump(turn_);
    builder_.set_block(phase_ends);
    builder_.branch(builder_.INe32(state(resume_slot_ + kReady), zero), again, idle);
    builder_.set_block(again);
    builder_.jump(turn_);
    builder_.set_block(idle);
    builder_.branch(builder_.INe32(state(resume_slot_ + kAlive), zero), stuck, finished);
    builder_.set_block(stuck);
    builder_.jump(turn_);
    builder_.set_block(finished);
    builder_.ret();
    // In the order of the turn's predecessors: the entry, the same phase, the next one, one more to fail in.
    made_.set_operands(made_.definition(group_), std::array<Value, 4>{zero, group, zero, zero});
    made_.set_operands(made_.definition(later_),
                       std::array<Value, 4>{zero, later_, builder_.constant(1u), builder_.constant(kStuck)});
  }

  void fill_phis() {
    for (const auto& [phi, original] : phis_) {
      const Block home = f_.inst(original).block;
      std::vector<Value> operands;
      for (Block from : made_.block(first_[home.id]).predecessors) {
        const auto& predecessors = f_.block(home).predecessors;
        const auto slot = std::find_if(predecessors.begin(), predecessors.end(),
                                       [&](Block p) { return last_[p.id] == from; }) -
                          predecessors.begin();
        const Value v = f_.operand(original, static_cast<std::uint32_t>(slot));
        builder_.set_before(made_.terminator(from));
        operands.push_back(use(v));
      }
      made_.set_operands(made_.definition(phi), operands);
    }
  }

  const Function& f_;
  const std::vector<Block>& order_;
  // In the frame, after what f keeps there; the values follow. 0: at the start; k: after barrier k; one
  // more: finished.
  const std::uint32_t resume_slot_;
  const bool counted_;
  std::vector<std::uint32_t> numbers_;  // of the barriers, where these are counted
  std::uint32_t first_value_slot_ = 0;
  Function made_;
  Builder builder_;
  SsaBuilder* ssa_ = nullptr;
  const BarrierValues* values_ = nullptr;
  std::vector<Block> resumes_;  // by stop
  std::uint32_t stop_ = 0;      // the next one, in the order of copy_block
  struct Remade {
    Block block;
    Value value;
  };
  std::vector<Remade> remade_;       // per value of f: where it was made again last
  std::vector<Value> to_store_;      // made, but not stored yet
  std::vector<Value> copy_;          // per value of f
  std::vector<Block> first_, last_;  // per block of f: where its code begins and ends
  std::vector<Yield> yields_;
  std::vector<std::pair<Value, Inst>> phis_;  // and what each is a copy of
  Block entry_, turn_, next_;
  I32 group_, later_, waiting_;
};

}  // namespace

Status schedule_groups(Function& f) {
  constexpr std::uint64_t kMostBits = std::uint64_t{1} << 31;
  const std::vector<Block> order = reverse_postorder(f);
  std::uint32_t barriers = 0;
  bool counted = false;
  for (Block b : order)
    for (Inst i : f.insts(b))
      if (f.inst(i).opcode == Opcode::Barrier) {
        ++barriers;
        counted = counted || !BarrierForm::unpack(f.inst(i).immediate).is_plain();
      }
  if (barriers == 0) return {};
  if (f.block_groups == 0 || (f.block_groups == 1 && !counted)) {
    for (Block b : order)
      for (Inst i : f.insts(b))
        if (f.inst(i).opcode == Opcode::Barrier) f.remove(i);
    return {};
  }
  if (std::uint64_t{f.value_count()} * (f.block_count() + barriers) > kMostBits)
    return Error{ErrorCode::resource_limit, "the program is too large for barriers", f.name};
  if (counted && f.block_groups > 32)
    return Error{ErrorCode::resource_limit, "counted barriers of more than 32 groups", f.name};
  WARPJIT_TRY(f, Scheduler(f, order, counted).run());
  analyze_uniformity(f);
  return {};
}

}  // namespace warpjit::ir
