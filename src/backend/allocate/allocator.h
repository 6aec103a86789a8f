// The register allocator of all hosts: one walk over the code in emission order that keeps, per class, which
// value each register holds. A value that must leave its register is stored once, right after its definition,
// so that its slot is valid wherever the value is live, or, if only cold blocks read that, where control
// comes to them; or it is rematerialized, if that is cheap. The victim is the value whose next use is
// furthest, counted beyond the loop it is not used in, and without cold blocks. Where an innermost loop needs
// more vectors than there are, its turns begin with those in registers that it uses most, and what a value is
// in the next turn is stored to the slot that it has in this one. Each block begins in the state in which the
// predecessor ended that control comes from most; parallel moves on the other edges bring about that state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/lir/lir.h"

namespace warpjit::lir {

inline constexpr int kMaxRegisters = 32;  // per class

// What a host offers: which register numbers of each class may be allocated, in order of preference, and the
// opcodes of the moves the allocator inserts.
struct RegisterFile {
  struct Moves {
    std::uint16_t copy, load, store;
  };
  std::array<SmallVector<std::uint8_t, kMaxRegisters>, kClassCount> allocatable;
  std::array<Moves, kClassCount> moves;
  std::array<std::uint32_t, kClassCount> slot_bytes;
  // The allocatable registers of each class, as bits.
  std::array<std::uint32_t, kClassCount> all() const {
    std::array<std::uint32_t, kClassCount> bits = {};
    for (std::size_t c = 0; c < kClassCount; ++c)
      for (const std::uint8_t r : allocatable[c]) bits[c] |= 1u << r;
    return bits;
  }
};

inline constexpr std::uint32_t kInserted = ~0u;  // origin of an instruction the allocator made

// Code with registers of the host in place of virtual ones.
struct Allocation {
  // Where a block argument is when its block begins.
  struct Param {
    std::uint32_t block;
    Reg value;
    std::int32_t reg;  // -1: in its slot
  };
  std::vector<Inst> insts;                 // of all blocks, in order
  std::vector<std::uint32_t> origin;       // index in Code::insts, or kInserted
  std::vector<std::uint32_t> block_first;  // per block, plus one at the end
  std::vector<Param> params;               // by block, ascending
  std::vector<std::uint32_t> slot_offset;  // per spill slot: bytes into the spill area
  std::uint32_t spill_bytes = 0;
  std::array<std::uint32_t, kClassCount> written = {};  // bit per register number
  std::uint32_t spill_stores = 0, spill_loads = 0, rematerialized = 0, moves = 0;
};

Allocation allocate(const Code& code, const RegisterFile& file);

// The same with memory that is kept from one run to the next, so that compiling many programs takes memory
// from the system once. The result is valid until the next run.
class Allocator {
 public:
  Allocator();
  ~Allocator();
  const Allocation& run(const Code& code, const RegisterFile& file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Proves by simulation that every use reads the value it should, on every path; empty text if so.
std::string check(const Code& code, const Allocation& allocation);

}  // namespace warpjit::lir
