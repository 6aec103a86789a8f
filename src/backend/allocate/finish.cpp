// The second half of the allocator: slots of values that left their registers, and the final list of
// instructions, with stores after definitions and moves on edges.
#include <algorithm>

#include "backend/allocate/parallel_move.h"
#include "backend/allocate/tables.h"

namespace warpjit::lir {
namespace {

class Finisher {
 public:
  Finisher(const Code& code, const RegisterFile& file, Tables& tables)
      : code_(code),
        file_(file),
        tables_(tables),
        live_(tables.live),
        out_(tables.out),
        values_(tables.values),
        in_slots_(tables.in_slots),
        entry_(tables.entry),
        exit_(tables.exit),
        body_(tables.body),
        body_origin_(tables.body_origin),
        body_first_(tables.body_first),
        slot_of_(tables.slot_of) {}

  void run() {
    assign_slots();
    move_stores();
    write();
  }

 private:
  std::size_t class_of(Reg v) const { return static_cast<std::size_t>(values_[v].cls); }

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
      if (tables_.sharer(v) == kNoReg) continue;
      Lifetime& mine = lifetimes[slot_of_[v]];
      Lifetime& both = lifetimes[slot_of_[tables_.sharer(v)]];
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
      if (tables_.sharer(v) != kNoReg) slot_of_[v] = slot_of_[tables_.sharer(v)];
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
      // The only one; a value with several is stored once, after its definition.
      std::uint32_t entry = kNoBlock;
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
          tables_.find(entry_[entry], v) == kNowhere)
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
        return (tables_.find(entry_[to], v) != kNowhere && live_.definition(v) != code_.blocks[to].first) ||
               std::find(args.begin(), args.end(), v) != args.end();
      };
      for (Reg v : open)
        if (tables_.find(exit_[b], v) == kNowhere && is_read(v)) note(v, b);
    }
    for (std::size_t n = 0; n < readers.size(); ++n) {
      if (readers[n].hot) continue;
      values_[in_slots_[n]].stored_when_cold = true;
      if (readers[n].entry != kNoBlock) tables_.cold_stores.push_back({readers[n].entry, in_slots_[n]});
    }
    std::sort(tables_.cold_stores.begin(), tables_.cold_stores.end());
  }

  // The final list of instructions: stores after definitions of values that have slots, moves on edges.
  void write() {
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
        append(store_of(v, static_cast<std::uint32_t>(tables_.find(entry_[b], v))), kInserted);
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

  // True if the argument was stored to the slot of the parameter where it was defined.
  bool is_there(Reg arg, Reg param) const {
    return tables_.sharer(arg) == param && !values_[arg].stored_when_cold;
  }

  void edge_moves(std::uint32_t from, std::uint32_t to) {
    const Block& target = code_.blocks[to];
    const Regs& args = code_.blocks[from].args;
    const RegisterState &before = exit_[from], &after = entry_[to];
    moves_.clear();
    auto location = [&](Reg v) -> Location {
      const RegClass c = values_[v].cls;
      if (const std::int32_t r = tables_.find(before, v); r != kNowhere)
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
    resolve_parallel_moves(moves_, file_.all(), after.occupied, steps_);
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
  const Liveness& live_;
  Allocation& out_;
  std::vector<Value>& values_;
  std::vector<Reg>& in_slots_;
  const std::vector<RegisterState>&entry_, &exit_;
  std::vector<Inst>& body_;
  const std::vector<std::uint32_t>&body_origin_, &body_first_;
  std::vector<std::uint32_t>& slot_of_;
  std::vector<Move> moves_;
  std::vector<MoveStep> steps_;
};

}  // namespace

void finish(const Code& code, const RegisterFile& file, Tables& tables) {
  Finisher(code, file, tables).run();
}

}  // namespace warpjit::lir
