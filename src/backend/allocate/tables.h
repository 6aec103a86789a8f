// The state of the allocator while it walks over code; the tables' memory is kept for the next run.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "backend/allocate/allocator.h"
#include "backend/allocate/liveness.h"

namespace warpjit::lir {

inline constexpr std::int32_t kNowhere = -1;

// Which value each register of each class holds; valid for occupied registers.
struct RegisterState {
  std::array<std::uint32_t, kClassCount> occupied = {};
  std::array<std::array<Reg, kMaxRegisters>, kClassCount> held = {};
};

// visit(register number) for each bit, ascending.
template <class Visit>
void for_each_bit(std::uint32_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// What is known of a virtual register.
struct Value {
  RegClass cls;
  bool needs_slot = false;
  bool stored_when_cold = false;  // not after its definition, but where cold blocks are entered
  bool begins_in_slot = false;    // a parameter of a loop that gets no register
  bool shared = false;  // a parameter that shares its slot with the value that it is in the next turn
  std::int32_t where = kNowhere;           // its register
  std::int32_t param_register = kNowhere;  // of a block argument: its register when the block begins
  Reg hint = kNoReg;                       // the block argument that it becomes
  Reg shares_slot_of = kNoReg;      // the parameter whose slot it may have, as both are never live at once
  std::uint32_t remat = kInserted;  // index of the instruction that makes it again
};

// What a run fills; kept for the next one.
struct Tables {
  Allocation out;
  Liveness live;
  std::vector<Value> values;
  std::vector<Reg> in_slots;
  std::vector<std::uint32_t> uses_in_loop;  // of the loop that was looked at last; 0 between
  std::vector<std::uint32_t> body_first, slot_of;
  std::vector<RegisterState> entry, exit;
  std::vector<Inst> body;
  std::vector<std::uint32_t> body_origin;
  std::vector<std::uint32_t> cold_entry;  // find_cold_entries
  std::vector<Reg> cold_only;
  std::vector<std::pair<std::uint32_t, Reg>> cold_stores;  // by block

  // The register that holds v in a state, or kNowhere.
  std::int32_t find(const RegisterState& state, Reg v) const {
    std::int32_t found = kNowhere;
    const auto c = static_cast<std::size_t>(values[v].cls);
    for_each_bit(state.occupied[c], [&](std::uint32_t r) {
      if (state.held[c][r] == v) found = static_cast<std::int32_t>(r);
    });
    return found;
  }
  // The value that v shares a slot with, if both have one.
  Reg sharer(Reg v) const {
    const Reg param = values[v].shares_slot_of;
    return param != kNoReg && values[v].needs_slot && values[param].needs_slot ? param : kNoReg;
  }
  void clear() {
    out.insts.clear();
    out.origin.clear();
    out.block_first.clear();
    out.params.clear();
    out.slot_offset.clear();
    out.written = {};
    out.spill_bytes = out.spill_stores = out.spill_loads = out.rematerialized = out.moves = 0;
    in_slots.clear();
    body.clear();
    body_origin.clear();
  }
};

// Assigns slots to the values that need one and writes the allocation, after the walk over the code.
void finish(const Code& code, const RegisterFile& file, Tables& tables);

}  // namespace warpjit::lir
