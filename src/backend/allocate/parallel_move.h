// Parallel moves: a set of "destination := source" that happen at once, as a sequence of copies, loads,
// stores and re-emitted constants. Cycles go through a register that nobody needs, else through a parking
// slot of the frame.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/lir/lir.h"

namespace warpjit::lir {

// Spill slots that no value owns: one to break cycles, one to lend a register for a slot-to-slot move.
inline constexpr std::uint32_t kCycleSlot = 0;
inline constexpr std::uint32_t kLoanSlot = 1;
inline constexpr std::uint32_t kReservedSlots = 2;

struct Location {
  enum class Kind : std::uint8_t { reg, slot, emit };
  Kind kind = Kind::reg;
  RegClass cls = RegClass::vector;
  std::uint32_t index = 0;  // register number, slot number, or virtual register to emit again

  static Location in_register(RegClass c, std::uint32_t r) { return {Kind::reg, c, r}; }
  static Location in_slot(RegClass c, std::uint32_t slot) { return {Kind::slot, c, slot}; }
  static Location emitted_again(RegClass c, Reg v) { return {Kind::emit, c, v}; }
  friend bool operator==(const Location& a, const Location& b) {
    // Slot numbers are shared by all classes, register numbers are not.
    return a.kind == b.kind && a.index == b.index && (a.kind != Kind::reg || a.cls == b.cls);
  }
};

struct Move {
  Location destination, source;
  Reg value;  // the virtual register that moves
};

struct MoveStep {
  enum class Kind : std::uint8_t { copy, load, store, emit };
  Kind kind;
  RegClass cls;
  std::uint32_t destination;  // register number; store: slot number
  std::uint32_t source;       // register number; load: slot number
  Reg value;
};

// Appends the steps to `steps`. `usable` are the registers of each class that may be written at all, `busy`
// those that hold values needed afterwards. `moves` is used up.
void resolve_parallel_moves(std::vector<Move>& moves, const std::array<std::uint32_t, kClassCount>& usable,
                            const std::array<std::uint32_t, kClassCount>& busy, std::vector<MoveStep>& steps);

}  // namespace warpjit::lir
