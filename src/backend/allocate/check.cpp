#include <algorithm>
#include <deque>

#include "backend/allocate/allocator.h"
#include "backend/allocate/parallel_move.h"

namespace warpjit::lir {
namespace {

// Simulates an allocation: which virtual register's value each register and slot holds. States meet over all
// edges until nothing changes; then every use of every instruction must find its value.
class Checker {
 public:
  Checker(const Code& code, const Allocation& allocation) : code_(code), allocation_(allocation) {}

  std::string run() {
    const std::size_t blocks = code_.blocks.size();
    const std::size_t locations = kClassCount * kMaxRegisters + allocation_.slot_offset.size();
    if (std::string wrong = check_slots(); !wrong.empty()) return wrong;
    entry_.assign(blocks, {});
    entry_[0].assign(locations, kNoReg);
    std::deque<std::uint32_t> work = {0};
    while (!work.empty()) {
      std::uint32_t b = work.front();
      work.pop_front();
      std::vector<Reg> state = entry_[b];
      simulate(b, state, false);
      for (std::uint32_t s : code_.blocks[b].successors) {
        std::vector<Reg> next = state;
        if (std::string wrong = bind_params(b, s, state, next); !wrong.empty()) return wrong;
        if (entry_[s].empty()) {
          entry_[s] = next;
          work.push_back(s);
          continue;
        }
        bool changed = false;
        for (std::size_t l = 0; l < locations; ++l)
          if (entry_[s][l] != kNoReg && entry_[s][l] != next[l]) {
            entry_[s][l] = kNoReg;
            changed = true;
          }
        if (changed) work.push_back(s);
      }
    }
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (entry_[b].empty()) continue;
      std::vector<Reg> state = entry_[b];
      if (std::string wrong = simulate(b, state, true); !wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  std::size_t reg_location(RegClass c, Reg r) const {
    return static_cast<std::size_t>(c) * kMaxRegisters + r;
  }
  std::size_t slot_location(std::int32_t slot) const {
    return kClassCount * kMaxRegisters + static_cast<std::size_t>(slot);
  }

  // Slots are as wide as their class, so each serves one class only, except those that no value owns.
  std::string check_slots() {
    read_from_.assign(code_.classes.size(), {});
    constexpr std::size_t kUnknown = kClassCount;
    std::vector<std::size_t> classes(allocation_.slot_offset.size(), kUnknown);
    for (std::size_t i = 0; i < allocation_.insts.size(); ++i) {
      const Inst& inst = allocation_.insts[i];
      if (inst.mem.base != MemBase::spill ||
          static_cast<std::uint32_t>(inst.mem.displacement) < kReservedSlots)
        continue;
      const Reg v = allocation_.origin[i] == kInserted ? inst.virtual_def : folded_use(i);
      if (v == kNoReg) return "allocation, instruction " + std::to_string(i) + ": slot of no value";
      std::size_t& slot = classes[static_cast<std::size_t>(inst.mem.displacement)];
      if (slot == kUnknown) slot = static_cast<std::size_t>(code_.classes[v]);
      const std::size_t location = slot_location(inst.mem.displacement);
      const bool reads = allocation_.origin[i] != kInserted || inst.def != kNoReg;
      if (reads && !is_slot_of(v, location)) read_from_[v].push_back(location);
      if (slot != static_cast<std::size_t>(code_.classes[v])) return "allocation: spill slot of two classes";
    }
    return {};
  }

  std::string bind_params(std::uint32_t from, std::uint32_t to, const std::vector<Reg>& state,
                          std::vector<Reg>& next) const {
    const Block& target = code_.blocks[to];
    for (std::size_t k = 0; k < target.params.size(); ++k) {
      auto found = std::find_if(allocation_.params.begin(), allocation_.params.end(),
                                [&](const Allocation::Param& p) { return p.value == target.params[k]; });
      if (found == allocation_.params.end()) return "block argument without a place";
      Reg arg = code_.blocks[from].args[k];
      if (found->reg >= 0) {
        std::size_t l = reg_location(code_.classes[arg], static_cast<Reg>(found->reg));
        if (state[l] != arg)
          return edge(from, to) + "argument " + std::to_string(k) + " is not in its register";
        next[l] = target.params[k];
      } else {
        // The code that reads it names its slot: accept any slot that holds the value.
        bool somewhere = false;
        for (std::size_t l = kClassCount * kMaxRegisters; l < state.size(); ++l)
          if (state[l] == arg && is_slot_of(target.params[k], l)) {
            next[l] = target.params[k];
            somewhere = true;
          }
        if (!somewhere && is_read_from_slot(target.params[k]))
          return edge(from, to) + "argument " + std::to_string(k) + " is not in its slot";
      }
    }
    return {};
  }
  static std::string edge(std::uint32_t from, std::uint32_t to) {
    return "allocation, edge " + std::to_string(from) + " to " + std::to_string(to) + ": ";
  }
  // True if the allocated code reads v from this location; is_read_from_slot: from any slot.
  bool is_slot_of(Reg v, std::size_t location) const {
    return std::find(read_from_[v].begin(), read_from_[v].end(), location) != read_from_[v].end();
  }
  bool is_read_from_slot(Reg v) const { return !read_from_[v].empty(); }
  // The virtual register whose use an original instruction reads from memory.
  Reg folded_use(std::size_t i) const {
    const Inst& original = code_.insts[allocation_.origin[i]];
    for (int k = 0; k < original.use_count; ++k)
      if (original.use[k] != kNoReg && allocation_.insts[i].use[k] == kNoReg) return original.use[k];
    return kNoReg;
  }

  std::string simulate(std::uint32_t b, std::vector<Reg>& state, bool verify) const {
    for (std::uint32_t i = allocation_.block_first[b]; i < allocation_.block_first[b + 1]; ++i) {
      const Inst& inst = allocation_.insts[i];
      auto wrong = [&](const std::string& what) {
        return "allocation, block " + std::to_string(b) + ", instruction " + std::to_string(i) + " (op " +
               std::to_string(inst.op) + "): " + what;
      };
      if (allocation_.origin[i] == kInserted) {
        Reg v = inst.virtual_def;
        if (v == kNoReg) {  // a loan
          if (inst.def != kNoReg)
            state[reg_location(loan_class_, inst.def)] = loan_;
          else {
            loan_class_ = class_of_loan(inst);
            loan_ = state[reg_location(loan_class_, inst.use[0])];
          }
          continue;
        }
        RegClass c = code_.classes[v];
        Reg source;
        if (inst.flags & kRemat) {
          if (verify && !makes(inst, v)) return wrong("does not make v" + std::to_string(v) + " again");
          source = v;
        } else if (inst.use_count == 1) {
          source = state[reg_location(c, inst.use[0])];
        } else {
          source = state[slot_location(inst.mem.displacement)];
        }
        if (inst.def != kNoReg)
          state[reg_location(c, inst.def)] = source;
        else
          state[slot_location(inst.mem.displacement)] = source;
        continue;
      }
      const Inst& original = code_.insts[allocation_.origin[i]];
      if (verify)
        for (int k = 0; k < original.use_count; ++k) {
          Reg v = original.use[k];
          if (v == kNoReg) continue;
          if (inst.use[k] == kNoReg) {
            const bool holds = inst.mem.base == MemBase::spill
                                   ? state[slot_location(inst.mem.displacement)] == v
                                   : folds_to(inst.mem, v);
            if (!holds) return wrong("memory does not hold v" + std::to_string(v));
            continue;
          }
          if (state[reg_location(code_.classes[v], inst.use[k])] != v)
            return wrong("register " + std::to_string(inst.use[k]) + " does not hold v" + std::to_string(v));
        }
      if (verify && (original.flags & kFixed))
        for (const FixedOperand& fixed : code_.fixed)
          if (fixed.op == original.op &&
              (fixed.use == FixedOperand::kDefinition ? inst.def : inst.use[fixed.use]) != fixed.reg)
            return wrong("operand in another register than " + std::to_string(fixed.reg));
      if (original.def != kNoReg) {
        if (verify && (inst.flags & kTied) && inst.def != inst.use[0])
          return wrong("tied definition elsewhere");
        if (verify && (inst.flags & kEarlyClobber))
          for (int k = 0; k < original.use_count; ++k)
            if (original.use[k] != kNoReg && code_.classes[original.use[k]] == code_.classes[original.def] &&
                inst.use[k] == inst.def)
              return wrong("early-clobbered operand");
        // The value overwrites what the register held.
        state[reg_location(code_.classes[original.def], inst.def)] = original.def;
      }
    }
    return {};
  }
  static bool same(const Mem& a, const Mem& b) {
    return a.base == b.base && a.broadcast == b.broadcast && a.displacement == b.displacement;
  }
  const Inst* definition(Reg v) const {
    if (definitions_.empty()) {
      definitions_.assign(code_.classes.size(), nullptr);
      for (const Inst& inst : code_.insts)
        if (inst.def != kNoReg) definitions_[inst.def] = &inst;
    }
    return definitions_[v];
  }
  // True if the instruction is the definition of v, which may be made again anywhere.
  bool makes(const Inst& inst, Reg v) const {
    const Inst* made = definition(v);
    return made != nullptr && (made->flags & kRemat) && made->op == inst.op && made->imm == inst.imm &&
           same(made->mem, inst.mem);
  }
  bool folds_to(const Mem& mem, Reg v) const {
    const Inst* made = definition(v);
    return made != nullptr && (made->flags & kRematFolds) && same(made->mem, mem);
  }
  RegClass class_of_loan(const Inst& inst) const { return static_cast<RegClass>(inst.imm); }

  const Code& code_;
  const Allocation& allocation_;
  std::vector<std::vector<Reg>> entry_;
  mutable std::vector<const Inst*> definitions_;     // of virtual registers
  std::vector<std::vector<std::size_t>> read_from_;  // by virtual register: slots it is read from
  mutable Reg loan_ = kNoReg;
  mutable RegClass loan_class_ = RegClass::vector;
};

}  // namespace

std::string check(const Code& code, const Allocation& allocation) { return Checker(code, allocation).run(); }

}  // namespace warpjit::lir
