#include "backend/allocate/allocator.h"

#include <algorithm>

#include "backend/allocate/parallel_move.h"
#include "backend/allocate/tables.h"

namespace warpjit::lir {
namespace {

class Run {
 public:
  Run(const Code& code, const RegisterFile& file, Tables& tables)
      : code_(code),
        file_(file),
        tables_(tables),
        live_(tables.live),
        out_(tables.out),
        in_slots_(tables.in_slots),
        entry_(tables.entry),
        exit_(tables.exit),
        body_(tables.body),
        body_origin_(tables.body_origin),
        body_first_(tables.body_first),
        slot_of_(tables.slot_of) {
    tables.clear();
  }

  void run() {
    tables_.values.clear();
    tables_.values.reserve(code_.classes.size());
    for (RegClass c : code_.classes) tables_.values.push_back({c});
    values_ = tables_.values.data();
    live_.run(code_);
    find_hints(true);
    find_hints(false);
    for (std::size_t c = 0; c < kClassCount; ++c) {
      all_[c] = 0;
      for (std::uint8_t r : file_.allocatable[c]) all_[c] |= 1u << r;
      find_runs(c);
    }
    entry_.resize(code_.blocks.size());
    exit_.resize(code_.blocks.size());
    body_first_.resize(code_.blocks.size() + 1);
    body_.reserve(code_.insts.size() * 5 / 4);
    body_origin_.reserve(body_.capacity());
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      body_first_[b] = static_cast<std::uint32_t>(body_.size());
      begin_block(b);
      for (std::uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) step(b, i);
      exit_[b] = now_;
    }
    body_first_[code_.blocks.size()] = static_cast<std::uint32_t>(body_.size());
    assign_slots();
    finish();
  }

 private:
  // The parameters that values become: those of the next turn of a loop are looked for first, and stay.
  void find_hints(bool in_next_turn) {
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      const Block& block = code_.blocks[b];
      if (block.args.empty() || (block.successors[0] <= b) != in_next_turn) continue;
      for (std::size_t k = 0; k < block.args.size(); ++k)
        if (values_[block.args[k]].hint == kNoReg)
          values_[block.args[k]].hint = code_.blocks[block.successors[0]].params[k];
    }
  }

  std::size_t class_of(Reg v) const { return static_cast<std::size_t>(values_[v].cls); }
  std::uint32_t free_registers(std::size_t c) const { return all_[c] & ~now_.occupied[c]; }

  void hold(Reg v, std::uint32_t r) {
    std::size_t c = class_of(v);
    now_.held[c][r] = v;
    now_.occupied[c] |= 1u << r;
    values_[v].where = static_cast<std::int32_t>(r);
  }
  void release(Reg v) {
    if (values_[v].where == kNowhere) return;
    now_.occupied[class_of(v)] &= ~(1u << values_[v].where);
    values_[v].where = kNowhere;
  }
  void spill(Reg v) {
    release(v);
    if (values_[v].remat == kInserted) give_slot(v);
  }
  void give_slot(Reg v) {
    if (values_[v].needs_slot) return;
    values_[v].needs_slot = true;
    in_slots_.push_back(v);
  }
  // Where v is in a state, if it is in a register at all.
  std::int32_t find(const RegisterState& state, Reg v) const {
    std::int32_t found = kNowhere;
    const std::size_t c = class_of(v);
    for_each_bit(state.occupied[c], [&](std::uint32_t r) {
      if (state.held[c][r] == v) found = static_cast<std::int32_t>(r);
    });
    return found;
  }
  // Behind the instruction that was passed last, which is in block b.
  bool needed_after(Reg v, std::uint32_t b) const {
    return live_.next_use(v) < code_.blocks[b].end || live_.live_out(b, v);
  }

  // How far away the next use of v is, in positions; a use beyond the innermost loop counts as very far. Uses
  // aside do not count.
  std::uint32_t distance(Reg v, std::uint32_t b, std::uint32_t i) const {
    constexpr std::uint32_t kBeyondLoop = 1u << 24;
    std::uint32_t next = live_.is_aside(b) ? live_.next_use(v) : live_.next_use_on_way(v);
    const Liveness::Loop& loop = live_.loop_of(b);
    if (loop.header == kNever) return next == kNever ? kBeyondLoop : next - i;
    std::uint32_t loop_end = code_.blocks[loop.last].end;
    if (next < loop_end) return next - i;
    std::uint32_t loop_first = code_.blocks[loop.header].first;
    std::uint32_t previous = live_.previous_use(v);
    if (previous != kNever && previous >= loop_first && live_.live_in(loop.header, v))
      return loop_end - i + (previous - loop_first);
    return kBeyondLoop + (next == kNever ? 0 : std::min(next - i, kBeyondLoop));
  }

  // A store of v to its slot is made in any case: at its definition, or where the next turn begins.
  bool is_stored_anyway(Reg v) const {
    const Reg param = values_[v].shares_slot_of;
    return values_[v].needs_slot || (param != kNoReg && values_[param].begins_in_slot);
  }

  // Its store is made before the innermost loop then.
  bool is_made_before_loop(Reg v, std::uint32_t b) const {
    const Liveness::Loop& loop = live_.loop_of(b);
    return loop.header != kNever && live_.definition(v) < code_.blocks[loop.header].first;
  }

  // Frees the register of the class whose value is needed last; never one of `pinned`.
  std::uint32_t evict(std::size_t c, std::uint32_t pinned, std::uint32_t b, std::uint32_t i) {
    std::uint32_t best = 0, best_score = 0;
    bool found = false;
    for_each_bit(now_.occupied[c] & ~pinned, [&](std::uint32_t r) {
      Reg v = now_.held[c][r];
      std::uint32_t score = distance(v, b, i) * 4 + (values_[v].remat != kInserted ? 128
                                                     : values_[v].needs_slot || is_made_before_loop(v, b) ? 64
                                                     : is_stored_anyway(v)                                ? 8
                                                                           : 0);
      if (!found || score > best_score) {
        found = true;
        best = r;
        best_score = score;
      }
    });
    if (found) spill(now_.held[c][best]);
    return found ? best : 0;  // not found: more operands than registers, which no host instruction has
  }

  std::uint32_t pick_free(std::size_t c, std::uint32_t available, Reg v) const {
    // The register of the block argument that this value is passed to, if it is free.
    if (Reg h = values_[v].hint; h != kNoReg && values_[h].param_register != kNowhere) {
      std::uint32_t r = static_cast<std::uint32_t>(values_[h].param_register);
      if (available >> r & 1) return r;
    }
    for (std::uint32_t run : runs_[c])
      if ((available & run) != 0) return static_cast<std::uint32_t>(std::countr_zero(available & run));
    return 0;
  }

  // The allocatable registers in their order of preference, as sets of ascending numbers.
  void find_runs(std::size_t c) {
    std::uint32_t run = 0;
    for (std::uint8_t r : file_.allocatable[c]) {
      if (run >> r != 0) {
        runs_[c].push_back(run);
        run = 0;
      }
      run |= 1u << r;
    }
    runs_[c].push_back(run);
  }

  void begin_block(std::uint32_t b) {
    const Block& block = code_.blocks[b];
    if (b == 0) {
      entry_[b] = now_;
      return;
    }
    std::uint32_t from = kNever;
    const auto comes_more_often = [&](const Block& one, const Block& other) {
      return one.loop_depth != other.loop_depth ? one.loop_depth > other.loop_depth : other.cold && !one.cold;
    };
    for (std::uint32_t p : block.predecessors)
      if (p < b && (from == kNever || comes_more_often(code_.blocks[p], code_.blocks[from]))) from = p;
    for (std::size_t c = 0; c < kClassCount; ++c)
      for_each_bit(now_.occupied[c], [&](std::uint32_t r) { values_[now_.held[c][r]].where = kNowhere; });
    now_.occupied = {};
    if (from != kNever)
      for (std::size_t c = 0; c < kClassCount; ++c)
        for_each_bit(exit_[from].occupied[c], [&](std::uint32_t r) {
          if (Reg v = exit_[from].held[c][r]; live_.live_in(b, v)) hold(v, r);
        });
    if (live_.loop_of(b).header == b) {
      make_room_in_loop(b);
      choose_for_loop(b);
    }
    for (std::size_t k = 0; k < block.params.size(); ++k) {
      Reg param = block.params[k];
      std::size_t c = class_of(param);
      std::uint32_t available = values_[param].begins_in_slot ? 0 : free_registers(c);
      std::int32_t chosen = kNowhere;
      if (from != kNever) {
        const std::int32_t r = find(exit_[from], code_.blocks[from].args[k]);
        if (r != kNowhere && (available >> r & 1)) chosen = r;
      }
      if (chosen == kNowhere && available != 0)
        chosen = static_cast<std::int32_t>(pick_free(c, available, param));
      if (chosen == kNowhere)
        give_slot(param);
      else
        hold(param, static_cast<std::uint32_t>(chosen));
      values_[param].param_register = chosen;
      out_.params.push_back({b, param, chosen});
    }
    entry_[b] = now_;
  }

  // Values that live through a loop without being used in it give up their registers if it needs them.
  void make_room_in_loop(std::uint32_t b) {
    const Liveness::Loop& loop = live_.loop_of(b);
    const std::uint32_t end = code_.blocks[loop.last].end;
    for (std::size_t c = 0; c < kClassCount; ++c) {
      std::array<Reg, kMaxRegisters> unused;
      std::size_t count = 0;
      for_each_bit(now_.occupied[c], [&](std::uint32_t r) {
        if (live_.next_use(now_.held[c][r]) >= end) unused[count++] = now_.held[c][r];
      });
      if (count == 0) continue;
      std::uint32_t pressure = live_.loop_pressure(b, static_cast<RegClass>(c)).all;
      const auto registers = static_cast<std::uint32_t>(file_.allocatable[c].size());
      for (std::size_t k = 0; k < count && pressure > registers; ++k, --pressure) spill(unused[k]);
    }
  }

  // Where an innermost loop needs more vectors than there are registers, each turn begins with those in
  // registers that it uses most. The others are in their slots, and leave room for what the loop makes.
  void choose_for_loop(std::uint32_t b) {
    constexpr auto kVectors = RegClass::vector;
    const auto c = static_cast<std::size_t>(kVectors);
    const Liveness::Loop& loop = live_.loop_of(b);
    for (std::uint32_t inner = b; inner <= loop.last; ++inner)
      if (live_.loop_of(inner).header != b) return;
    SmallVector<Reg, kMaxRegisters> begin;
    for (Reg param : code_.blocks[b].params)
      if (class_of(param) == c) begin.push_back(param);
    const std::size_t params = begin.size();
    for_each_bit(now_.occupied[c], [&](std::uint32_t r) { begin.push_back(now_.held[c][r]); });
    const auto registers = static_cast<std::uint32_t>(file_.allocatable[c].size());
    const std::uint32_t fewest = registers / 2;  // that are chosen
    if (begin.size() <= fewest) return;
    const Liveness::Pressure pressure = live_.loop_pressure(b, kVectors);
    if (pressure.all <= registers) return;
    const auto for_each_use = [&](auto&& visit) {
      for (std::uint32_t in_loop = b; in_loop <= loop.last; ++in_loop)
        if (!live_.is_aside(in_loop))
          for (std::uint32_t i = code_.blocks[in_loop].first; i < code_.blocks[in_loop].end; ++i)
            for (int k = 0; k < code_.insts[i].use_count; ++k)
              if (code_.insts[i].use[k] != kNoReg) visit(code_.insts[i].use[k]);
    };
    std::vector<std::uint32_t>& uses = tables_.uses_in_loop;
    uses.resize(code_.classes.size());
    for_each_use([&](Reg v) { ++uses[v]; });
    struct Candidate {
      Reg value;
      bool is_param;
      std::uint32_t accesses, next;  // to its slot in a turn; its first use
    };
    std::vector<Candidate> candidates;
    for (std::size_t n = 0; n < begin.size(); ++n) {
      const Reg v = begin[n];
      const std::uint32_t made_again = n < params ? 1 : 0;
      candidates.push_back({v, made_again != 0, uses[v] + made_again, live_.next_use_on_way(v)});
    }
    for_each_use([&](Reg v) { uses[v] = 0; });
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
      return x.accesses != y.accesses ? x.accesses > y.accesses : x.next < y.next;
    });
    const std::uint32_t chosen = std::max(registers - std::min(registers, pressure.made), fewest);
    for (std::size_t n = chosen; n < candidates.size(); ++n)
      if (candidates[n].is_param)
        values_[candidates[n].value].begins_in_slot = true;
      else
        spill(candidates[n].value);
  }

  void place(const Inst& inst, std::uint32_t origin) {
    body_.push_back(inst);
    body_origin_.push_back(origin);
    if (inst.def != kNoReg)
      out_.written[static_cast<std::size_t>(values_[inst.virtual_def].cls)] |= 1u << inst.def;
  }

  // Brings v into a register: from its slot, or by emitting its definition again.
  std::uint32_t reload(Reg v, std::uint32_t pinned, std::uint32_t b, std::uint32_t i) {
    std::size_t c = class_of(v);
    std::uint32_t available = free_registers(c) & ~pinned;
    std::uint32_t r = available != 0 ? pick_free(c, available, v) : evict(c, pinned, b, i);
    hold(v, r);
    place(load_of(v, r, code_.insts[i].guest_address), kInserted);
    return r;
  }

  Inst load_of(Reg v, std::uint32_t r, std::uint32_t guest_address) {
    Inst load;
    if (values_[v].remat != kInserted) {
      load = code_.insts[values_[v].remat];
      ++out_.rematerialized;
    } else {
      give_slot(v);
      load.op = file_.moves[class_of(v)].load;
      load.mem.base = MemBase::spill;
      load.mem.displacement = static_cast<std::int32_t>(v);
      ++out_.spill_loads;
    }
    load.def = r;
    load.virtual_def = v;
    load.guest_address = guest_address;
    return load;
  }

  // May use k read its value from memory, and is that better than loading it?
  bool folds(const Inst& inst, const Inst& original, int k, std::uint32_t pinned, std::uint32_t b,
             std::uint32_t i) const {
    if (!(inst.fold >> k & 1) || inst.mem.base != MemBase::none) return false;
    const Reg v = original.use[k];
    for (int other = 0; other < inst.use_count; ++other)
      if (other != k && original.use[other] == v) return false;
    if (values_[v].remat != kInserted && !(code_.insts[values_[v].remat].flags & kRematFolds)) return false;
    constexpr std::uint32_t kSoon = 6;
    std::uint32_t next = live_.next_use(v);
    if (next == kNever || next > i + kSoon) return true;
    const std::size_t c = class_of(v);
    return (free_registers(c) & ~pinned) == 0 && !has_idle_register(c, pinned, kSoon, b, i);
  }
  // Does a register hold a value that is in a slot, too, and is not needed soon?
  bool has_idle_register(std::size_t c, std::uint32_t pinned, std::uint32_t soon, std::uint32_t b,
                         std::uint32_t i) const {
    bool found = false;
    for_each_bit(now_.occupied[c] & ~pinned, [&](std::uint32_t r) {
      const Reg v = now_.held[c][r];
      found = found || (is_stored_anyway(v) && distance(v, b, i) > soon);
    });
    return found;
  }

  // Brings the uses of `original` that are in no register into one, or lets them read memory.
  void bring_uses(const Inst& original, Inst& inst, std::array<std::uint32_t, kClassCount>& pinned,
                  std::uint32_t b, std::uint32_t i) {
    for (int k = 0; k < inst.use_count; ++k) {
      const Reg v = original.use[k];
      if (v == kNoReg) continue;
      if (values_[v].where == kNowhere) {
        if (folds(inst, original, k, pinned[class_of(v)], b, i)) {
          if (values_[v].remat != kInserted) {
            inst.mem = code_.insts[values_[v].remat].mem;
            ++out_.rematerialized;
          } else {
            give_slot(v);
            inst.mem.base = MemBase::spill;
            inst.mem.displacement = static_cast<std::int32_t>(v);
            ++out_.spill_loads;
          }
          inst.use[k] = kNoReg;
          continue;
        }
        const std::size_t c = class_of(v);
        pinned[c] |= 1u << reload(v, pinned[c], b, i);
      }
      inst.use[k] = static_cast<Reg>(values_[v].where);
    }
  }

  void step(std::uint32_t b, std::uint32_t i) {
    live_.pass(b, i);
    const Inst& original = code_.insts[i];
    Inst inst = original;
    std::array<std::uint32_t, kClassCount> pinned = {};
    bool all_there = true;
    for (int k = 0; k < inst.use_count; ++k) {
      const Reg v = original.use[k];
      if (v == kNoReg) continue;
      const std::int32_t r = values_[v].where;
      all_there &= r != kNowhere;
      inst.use[k] = static_cast<Reg>(r);
      if (r != kNowhere) pinned[class_of(v)] |= 1u << r;
    }
    if (!all_there) bring_uses(original, inst, pinned, b, i);
    const bool early = (inst.flags & kEarlyClobber) != 0;
    std::int32_t def_register = kNowhere;
    if (original.def != kNoReg && early) def_register = define(original, inst, pinned, b, i);
    std::array<std::uint32_t, kClassCount> freed = {};
    for (int k = 0; k < inst.use_count; ++k) {
      Reg v = original.use[k];
      if (v == kNoReg || values_[v].where == kNowhere || needed_after(v, b)) continue;
      freed[class_of(v)] |= 1u << values_[v].where;
      release(v);
    }
    if (original.def != kNoReg && !early) {
      std::size_t c = class_of(original.def);
      if (inst.flags & kTied) def_register = define_tied(original, inst, pinned, freed, b, i);
      if (def_register == kNowhere) {
        for (int k = 0; k < inst.use_count && def_register == kNowhere; ++k)
          if ((inst.prefer >> k & 1) && inst.use[k] != kNoReg && class_of(original.use[k]) == c &&
              (freed[c] >> inst.use[k] & 1) && (free_registers(c) >> inst.use[k] & 1))
            def_register = static_cast<std::int32_t>(inst.use[k]);
        pinned[c] &= ~freed[c];
        if (def_register == kNowhere) def_register = define(original, inst, pinned, b, i);
      }
    }
    if (original.def != kNoReg) {
      share_slot(original.def, b);
      hold(original.def, static_cast<std::uint32_t>(def_register));
      if (inst.flags & kRemat) values_[original.def].remat = i;
      inst.def = static_cast<Reg>(def_register);
      inst.virtual_def = original.def;
    }
    place(inst, i);
    if (original.def != kNoReg && !needed_after(original.def, b)) release(original.def);
  }

  // What a parameter of a loop is in the next turn may have its slot, if the parameter is not needed any
  // more.
  void share_slot(Reg v, std::uint32_t b) {
    const Reg param = values_[v].hint;
    if (param == kNoReg || values_[param].shared) return;
    const std::uint32_t header = live_.definition_block(param);
    if (header > b || live_.live_in(header, v) || needed_after(param, b)) return;
    values_[param].shared = true;
    values_[v].shares_slot_of = param;
  }
  // The value that v shares a slot with, if both have one.
  Reg sharer(Reg v) const {
    const Reg param = values_[v].shares_slot_of;
    return param != kNoReg && values_[v].needs_slot && values_[param].needs_slot ? param : kNoReg;
  }

  std::int32_t define(const Inst& original, const Inst&, const std::array<std::uint32_t, kClassCount>& pinned,
                      std::uint32_t b, std::uint32_t i) {
    std::size_t c = class_of(original.def);
    std::uint32_t available = free_registers(c) & ~pinned[c];
    return static_cast<std::int32_t>(available != 0 ? pick_free(c, available, original.def)
                                                    : evict(c, pinned[c], b, i));
  }

  // The definition's register is use[0]'s if that value ends here, else a copy of it in another one.
  std::int32_t define_tied(const Inst& original, Inst& inst,
                           const std::array<std::uint32_t, kClassCount>& pinned,
                           const std::array<std::uint32_t, kClassCount>& freed, std::uint32_t b,
                           std::uint32_t i) {
    std::size_t c = class_of(original.def);
    if (freed[c] >> inst.use[0] & 1) return static_cast<std::int32_t>(inst.use[0]);
    std::int32_t r = define(original, inst, pinned, b, i);
    Inst copy;
    copy.op = file_.moves[c].copy;
    copy.use_count = 1;
    copy.use[0] = inst.use[0];
    copy.def = static_cast<Reg>(r);
    copy.virtual_def = original.use[0];
    copy.guest_address = inst.guest_address;
    place(copy, kInserted);
    ++out_.moves;
    inst.use[0] = static_cast<Reg>(r);
    return r;
  }

  // Slots are shared by values whose lifetimes, taken as one range of positions, do not meet.
  void assign_slots() {
    slot_of_.assign(code_.classes.size(), 0);
    std::uint32_t widest = *std::max_element(file_.slot_bytes.begin(), file_.slot_bytes.end());
    for (std::uint32_t k = 0; k < kReservedSlots; ++k) out_.slot_offset.push_back(k * widest);
    std::uint32_t offset = kReservedSlots * widest;
    struct Lifetime {
      std::uint32_t first, last;
      Reg value;
    };
    std::sort(in_slots_.begin(), in_slots_.end());
    std::vector<Lifetime> lifetimes;
    lifetimes.reserve(in_slots_.size());
    for (Reg v : in_slots_) {
      slot_of_[v] = static_cast<std::uint32_t>(lifetimes.size());
      lifetimes.push_back({live_.definition(v), live_.last_position(v), v});
    }
    for (const Allocation::Param& param : out_.params) {  // written at the end of every predecessor
      if (!values_[param.value].needs_slot) continue;
      Lifetime& lifetime = lifetimes[slot_of_[param.value]];
      for (std::uint32_t p : code_.blocks[param.block].predecessors) {
        lifetime.first = std::min(lifetime.first, code_.blocks[p].end - 1);
        lifetime.last = std::max(lifetime.last, code_.blocks[p].end - 1);
      }
    }
    for (Reg v : in_slots_) {
      if (sharer(v) == kNoReg) continue;
      Lifetime& mine = lifetimes[slot_of_[v]];
      Lifetime& both = lifetimes[slot_of_[sharer(v)]];
      both = {std::min(both.first, mine.first), std::max(both.last, mine.last), both.value};
      mine.value = kNoReg;
    }
    std::erase_if(lifetimes, [](const Lifetime& l) { return l.value == kNoReg; });
    std::sort(lifetimes.begin(), lifetimes.end(),
              [](const Lifetime& a, const Lifetime& b) { return a.first < b.first; });
    struct Slot {
      std::uint32_t last, number;
    };
    std::array<std::vector<Slot>, kClassCount> slots;  // min-heaps on the end of the slot's last lifetime
    auto later = [](const Slot& a, const Slot& b) { return a.last > b.last; };
    for (const Lifetime& l : lifetimes) {
      std::size_t c = class_of(l.value);
      auto& heap = slots[c];
      std::uint32_t number;
      if (!heap.empty() && heap.front().last < l.first) {
        std::pop_heap(heap.begin(), heap.end(), later);
        number = heap.back().number;
        heap.pop_back();
      } else {
        number = static_cast<std::uint32_t>(out_.slot_offset.size());
        offset = (offset + file_.slot_bytes[c] - 1) / file_.slot_bytes[c] * file_.slot_bytes[c];
        out_.slot_offset.push_back(offset);
        offset += file_.slot_bytes[c];
      }
      heap.push_back({l.last, number});
      std::push_heap(heap.begin(), heap.end(), later);
      slot_of_[l.value] = number;
    }
    for (Reg v : in_slots_)
      if (sharer(v) != kNoReg) slot_of_[v] = slot_of_[sharer(v)];
    out_.spill_bytes = offset;
  }

  Inst store_of(Reg v, std::uint32_t r) {
    Inst store;
    store.op = file_.moves[class_of(v)].store;
    store.use_count = 1;
    store.use[0] = r;
    store.virtual_def = v;
    store.mem.base = MemBase::spill;
    store.mem.displacement = static_cast<std::int32_t>(slot_of_[v]);
    ++out_.spill_stores;
    return store;
  }

  // Values that only cold blocks read from their slots are stored where control enters those, if they are in
  // their registers there.
  void move_stores() {
    struct Readers {
      bool hot = false;
      std::uint32_t entry = kNoBlock;  // the only one; of a value with several, one store behind it is less
    };
    tables_.cold_stores.clear();
    if (in_slots_.empty()) return;
    find_cold_entries(code_, tables_.cold_entry);
    if (tables_.cold_entry.empty()) return;
    std::vector<Readers> readers(in_slots_.size());
    const auto of = [&](Reg v) -> Readers& {
      return readers[static_cast<std::size_t>(std::lower_bound(in_slots_.begin(), in_slots_.end(), v) -
                                              in_slots_.begin())];
    };
    const auto note = [&](Reg v, std::uint32_t b) {
      Readers& all = of(v);
      const std::uint32_t entry = tables_.cold_entry[b];
      if (entry == kNoBlock || (all.entry != kNoBlock && all.entry != entry) ||
          find(entry_[entry], v) == kNowhere)
        all.hot = true;
      else
        all.entry = entry;
    };
    for (const Allocation::Param& param : out_.params)
      if (values_[param.value].needs_slot && param.reg < 0) of(param.value).hot = true;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      for (std::uint32_t k = body_first_[b]; k < body_first_[b + 1]; ++k)
        if (body_[k].mem.base == MemBase::spill) note(static_cast<Reg>(body_[k].mem.displacement), b);
    std::vector<Reg>& open = tables_.cold_only;  // those that may be
    open.clear();
    for (std::size_t n = 0; n < readers.size(); ++n)
      if (!readers[n].hot) open.push_back(in_slots_[n]);
    constexpr std::size_t kMostOpen = 64;  // each is looked for at each edge
    for (; open.size() > kMostOpen; open.pop_back()) of(open.back()).hot = true;
    if (open.empty()) return;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {  // what edges read, see edge_moves()
      if (code_.blocks[b].successors.size() != 1) continue;
      const std::uint32_t to = code_.blocks[b].successors[0];
      const Regs& args = code_.blocks[b].args;
      const auto is_read = [&](Reg v) {  // arguments are, in place of parameters
        return (find(entry_[to], v) != kNowhere && live_.definition(v) != code_.blocks[to].first) ||
               std::find(args.begin(), args.end(), v) != args.end();
      };
      for (Reg v : open)
        if (find(exit_[b], v) == kNowhere && is_read(v)) note(v, b);
    }
    for (std::size_t n = 0; n < readers.size(); ++n) {
      if (readers[n].hot) continue;
      values_[in_slots_[n]].stored_when_cold = true;
      if (readers[n].entry != kNoBlock) tables_.cold_stores.push_back({readers[n].entry, in_slots_[n]});
    }
    std::sort(tables_.cold_stores.begin(), tables_.cold_stores.end());
  }

  // Writes the final instruction list: stores after definitions of values that have slots, edge moves.
  void finish() {
    move_stores();
    std::size_t next_store = 0;
    out_.insts.reserve(body_.size() + body_.size() / 8);
    out_.origin.reserve(out_.insts.capacity());
    std::size_t next_param = 0;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b) {
      out_.block_first.push_back(static_cast<std::uint32_t>(out_.insts.size()));
      for (; next_param < out_.params.size() && out_.params[next_param].block == b; ++next_param) {
        const Allocation::Param& param = out_.params[next_param];
        if (values_[param.value].needs_slot && param.reg >= 0 && !values_[param.value].stored_when_cold)
          append(store_of(param.value, static_cast<std::uint32_t>(param.reg)), kInserted);
      }
      for (; next_store < tables_.cold_stores.size() && tables_.cold_stores[next_store].first == b;
           ++next_store) {
        const Reg v = tables_.cold_stores[next_store].second;
        append(store_of(v, static_cast<std::uint32_t>(find(entry_[b], v))), kInserted);
      }
      for (std::uint32_t k = body_first_[b]; k < body_first_[b + 1]; ++k) {
        Inst& inst = body_[k];
        if (k + 1 == body_first_[b + 1] && code_.blocks[b].successors.size() == 1)
          edge_moves(b, code_.blocks[b].successors[0]);
        if (inst.mem.base == MemBase::spill)
          inst.mem.displacement =
              static_cast<std::int32_t>(slot_of_[static_cast<Reg>(inst.mem.displacement)]);
        append(inst, body_origin_[k]);
        if (inst.def != kNoReg && values_[inst.virtual_def].needs_slot &&
            !values_[inst.virtual_def].stored_when_cold && body_origin_[k] != kInserted)
          append(store_of(inst.virtual_def, inst.def), kInserted);
      }
    }
    out_.block_first.push_back(static_cast<std::uint32_t>(out_.insts.size()));
  }
  void append(const Inst& inst, std::uint32_t origin) {
    out_.insts.push_back(inst);
    out_.origin.push_back(origin);
  }

  // Was the argument stored to the slot of the parameter where it was defined?
  bool is_there(Reg arg, Reg param) const { return sharer(arg) == param && !values_[arg].stored_when_cold; }

  void edge_moves(std::uint32_t from, std::uint32_t to) {
    const Block& target = code_.blocks[to];
    const Regs& args = code_.blocks[from].args;
    const RegisterState &before = exit_[from], &after = entry_[to];
    moves_.clear();
    auto location = [&](Reg v) -> Location {
      const RegClass c = values_[v].cls;
      if (const std::int32_t r = find(before, v); r != kNowhere)
        return Location::in_register(c, static_cast<std::uint32_t>(r));
      if (values_[v].remat != kInserted) return Location::emitted_again(c, v);
      return Location::in_slot(c, slot_of_[v]);
    };
    for (std::size_t c = 0; c < kClassCount; ++c)
      for_each_bit(after.occupied[c], [&](std::uint32_t r) {
        Reg source = after.held[c][r];
        if (live_.definition(source) == target.first)  // a parameter: what else is defined there is later
          for (std::size_t k = 0; k < args.size(); ++k)
            if (target.params[k] == source) {
              source = args[k];
              break;
            }
        if ((before.occupied[c] >> r & 1) && before.held[c][r] == source) return;
        moves_.push_back({Location::in_register(static_cast<RegClass>(c), r), location(source), source});
      });
    for (std::size_t k = 0; k < args.size(); ++k)
      if (values_[target.params[k]].param_register == kNowhere && !is_there(args[k], target.params[k]))
        moves_.push_back({Location::in_slot(values_[args[k]].cls, slot_of_[target.params[k]]),
                          location(args[k]), args[k]});
    if (moves_.empty()) return;
    const std::uint32_t guest_address = code_.insts[code_.blocks[from].end - 1].guest_address;
    steps_.clear();
    resolve_parallel_moves(moves_, all_, after.occupied, steps_);
    for (const MoveStep& step : steps_) {
      std::size_t c = static_cast<std::size_t>(step.cls);
      Inst inst;
      inst.guest_address = guest_address;
      inst.virtual_def = step.value;
      inst.imm = static_cast<std::int64_t>(step.cls);
      switch (step.kind) {
        case MoveStep::Kind::copy:
          inst.op = file_.moves[c].copy;
          inst.use_count = 1;
          inst.use[0] = step.source;
          inst.def = step.destination;
          ++out_.moves;
          break;
        case MoveStep::Kind::load:
          inst.op = file_.moves[c].load;
          inst.def = step.destination;
          inst.mem.base = MemBase::spill;
          inst.mem.displacement = static_cast<std::int32_t>(step.source);
          ++out_.spill_loads;
          break;
        case MoveStep::Kind::store:
          inst.op = file_.moves[c].store;
          inst.use_count = 1;
          inst.use[0] = step.source;
          inst.mem.base = MemBase::spill;
          inst.mem.displacement = static_cast<std::int32_t>(step.destination);
          ++out_.spill_stores;
          break;
        case MoveStep::Kind::emit:
          inst = code_.insts[values_[step.value].remat];
          inst.def = step.destination;
          inst.virtual_def = step.value;
          inst.guest_address = guest_address;
          ++out_.rematerialized;
          break;
      }
      if (inst.def != kNoReg) out_.written[c] |= 1u << inst.def;
      append(inst, kInserted);
    }
  }

  const Code& code_;
  const RegisterFile& file_;
  Tables& tables_;
  Liveness& live_;
  Allocation& out_;
  RegisterState now_;
  std::array<std::uint32_t, kClassCount> all_ = {};
  std::array<SmallVector<std::uint32_t, 4>, kClassCount> runs_;
  Value* values_ = nullptr;     // by virtual register
  std::vector<Reg>& in_slots_;  // those that need one
  std::vector<RegisterState>& entry_;
  std::vector<RegisterState>& exit_;
  std::vector<Inst>& body_;
  std::vector<std::uint32_t>& body_origin_;  // index in Code::insts, or kInserted
  std::vector<std::uint32_t>& body_first_;
  std::vector<std::uint32_t>& slot_of_;
  std::vector<Move> moves_;
  std::vector<MoveStep> steps_;
};

}  // namespace

struct Allocator::State {
  Tables tables;
};

Allocator::Allocator() : state_(std::make_unique<State>()) {}
Allocator::~Allocator() = default;

const Allocation& Allocator::run(const Code& code, const RegisterFile& file) {
  Run(code, file, state_->tables).run();
  return state_->tables.out;
}

Allocation allocate(const Code& code, const RegisterFile& file) {
  Tables tables;
  Run(code, file, tables).run();
  return std::move(tables.out);
}

}  // namespace warpjit::lir
