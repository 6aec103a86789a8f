#include "backend/allocate/allocator.h"

#include <algorithm>

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
        body_first_(tables.body_first) {
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
    for (std::size_t c = 0; c < kClassCount; ++c) find_runs(c);
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
  // After the instruction that was passed last, which is in block b.
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
        const std::int32_t r = tables_.find(exit_[from], code_.blocks[from].args[k]);
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

  // True if use k may read its value from memory, and that is better than loading it.
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
  // True if a register holds a value that is in a slot, too, and is not needed soon.
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

  // Calls visit(operand, register) for those that the instruction demands in a register of their own.
  template <class Visit>
  void for_each_fixed(const Inst& inst, Visit visit) const {
    if ((inst.flags & kFixed) == 0) return;
    for (const FixedOperand& fixed : code_.fixed)
      if (fixed.op == inst.op) visit(fixed.use, fixed.reg);
  }
  void copy(Reg v, std::uint32_t from, std::uint32_t to, std::uint32_t guest_address) {
    Inst copy;
    copy.op = file_.moves[class_of(v)].copy;
    copy.use_count = 1;
    copy.use[0] = from;
    copy.def = to;
    copy.virtual_def = v;
    copy.guest_address = guest_address;
    place(copy, kInserted);
    ++out_.moves;
  }

  // Moves values out of the registers that the instruction demands for others, and pins these.
  void make_way(const Inst& inst, std::array<std::uint32_t, kClassCount>& pinned, std::uint32_t b,
                std::uint32_t i) {
    std::array<std::uint32_t, kClassCount> used = {};
    for (int k = 0; k < inst.use_count; ++k)
      if (const Reg v = inst.use[k]; v != kNoReg && values_[v].where != kNowhere)
        used[class_of(v)] |= 1u << values_[v].where;
    const auto operand = [&](int use) { return use == FixedOperand::kDefinition ? inst.def : inst.use[use]; };
    for_each_fixed(inst, [&](int use, std::uint32_t r) { pinned[class_of(operand(use))] |= 1u << r; });
    for_each_fixed(inst, [&](int use, std::uint32_t r) {
      const std::size_t c = class_of(operand(use));
      if ((now_.occupied[c] >> r & 1) == 0) return;
      const Reg there = now_.held[c][r];
      const bool is_used = used[c] >> r & 1;
      const bool ends = is_used && !needed_after(there, b) && (inst.flags & kEarlyClobber) == 0;
      if (there == operand(use) || (use == FixedOperand::kDefinition && ends)) return;
      std::uint32_t available = free_registers(c) & ~pinned[c];
      if (available == 0 && !is_used) return spill(there);
      const std::uint32_t to =
          available != 0 ? pick_free(c, available, there) : evict(c, pinned[c] | used[c], b, i);
      copy(there, r, to, inst.guest_address);
      release(there);
      hold(there, to);
      used[c] |= is_used ? 1u << to : 0;
    });
  }

  // Copies uses to the registers that the instruction demands for them; from here on only registers that it
  // reads are pinned. Gives the register of the definition, if one is demanded.
  std::int32_t bring_fixed(const Inst& original, Inst& inst, std::array<std::uint32_t, kClassCount>& pinned) {
    std::int32_t definition = kNowhere;
    if ((inst.flags & kFixed) == 0) return definition;
    for_each_fixed(original, [&](int use, std::uint32_t r) {
      if (use == FixedOperand::kDefinition) definition = static_cast<std::int32_t>(r);
      if (use == FixedOperand::kDefinition || inst.use[use] == r) return;
      copy(original.use[use], inst.use[use], r, inst.guest_address);
      inst.use[use] = r;
    });
    pinned = {};
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != kNoReg) pinned[class_of(original.use[k])] |= 1u << inst.use[k];
    return definition;
  }

  void step(std::uint32_t b, std::uint32_t i) {
    live_.pass(b, i);
    const Inst& original = code_.insts[i];
    Inst inst = original;
    std::array<std::uint32_t, kClassCount> pinned = {};
    if (inst.flags & kFixed) make_way(original, pinned, b, i);
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
    const std::int32_t fixed_def = bring_fixed(original, inst, pinned);
    const bool early = (inst.flags & kEarlyClobber) != 0;
    // A definition that no value may stay in the register of is copied after the instruction.
    const bool copies_def = fixed_def != kNowhere && (all_[class_of(original.def)] >> fixed_def & 1) == 0;
    std::int32_t def_register = copies_def ? kNowhere : fixed_def;
    if (original.def != kNoReg && early && def_register == kNowhere)
      def_register = define(original, inst, pinned, b, i);
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
      inst.def = static_cast<Reg>(copies_def ? fixed_def : def_register);
      inst.virtual_def = original.def;
    }
    place(inst, i);
    if (copies_def) copy(original.def, inst.def, static_cast<Reg>(def_register), inst.guest_address);
    if (original.def != kNoReg && !needed_after(original.def, b)) release(original.def);
  }

  // What a parameter of a loop is in the next turn may have its slot, if the parameter is no longer needed.
  void share_slot(Reg v, std::uint32_t b) {
    const Reg param = values_[v].hint;
    if (param == kNoReg || values_[param].shared) return;
    const std::uint32_t header = live_.definition_block(param);
    if (header > b || live_.live_in(header, v) || needed_after(param, b)) return;
    values_[param].shared = true;
    values_[v].shares_slot_of = param;
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
    copy(original.use[0], inst.use[0], static_cast<Reg>(r), inst.guest_address);
    inst.use[0] = static_cast<Reg>(r);
    return r;
  }

  const Code& code_;
  const RegisterFile& file_;
  Tables& tables_;
  Liveness& live_;
  Allocation& out_;
  RegisterState now_;
  const std::array<std::uint32_t, kClassCount> all_ = file_.all();
  std::array<SmallVector<std::uint32_t, 4>, kClassCount> runs_;
  Value* values_ = nullptr;     // by virtual register
  std::vector<Reg>& in_slots_;  // those that need one
  std::vector<RegisterState>& entry_;
  std::vector<RegisterState>& exit_;
  std::vector<Inst>& body_;
  std::vector<std::uint32_t>& body_origin_;  // index in Code::insts, or kInserted
  std::vector<std::uint32_t>& body_first_;
};

}  // namespace

struct Allocator::State {
  Tables tables;
};

Allocator::Allocator() : state_(std::make_unique<State>()) {}
Allocator::~Allocator() = default;

const Allocation& Allocator::run(const Code& code, const RegisterFile& file) {
  Run(code, file, state_->tables).run();
  finish(code, file, state_->tables);
  return state_->tables.out;
}

Allocation allocate(const Code& code, const RegisterFile& file) {
  Tables tables;
  Run(code, file, tables).run();
  finish(code, file, tables);
  return std::move(tables.out);
}

}  // namespace warpjit::lir
