// Where the virtual registers of LIR are used and live: uses in emission order, live-in and live-out of
// blocks, loops as ranges of blocks. Flat tables, because the allocator asks at every step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/lir/lir.h"

namespace warpjit::lir {

inline constexpr std::uint32_t kNever = ~0u;

// Bits of a table with all blocks and all registers that cross from one to another: what Liveness takes
// memory and time for. Linear.
std::uint64_t liveness_bits(const Code& code);

class Liveness {
 public:
  // Looks at `code`, which must stay as it is. Keeps the memory of the run before.
  void run(const Code& code);

  // Uses are relative to a current position, which advances from instruction to instruction in emission
  // order; at first it is before all of them. Positions are instruction indices; a block argument counts as
  // used by the terminator.
  void pass(const Block& block, std::uint32_t position) {
    const Inst& inst = code_->insts[position];
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != kNoReg) pass_use(inst.use[k], position);
    if (position + 1 == block.end)
      for (Reg arg : block.args) pass_use(arg, position);
  }
  // The first use behind the current position, or kNever.
  std::uint32_t next_use(Reg v) const { return values_[v].next; }
  // The last one before it, or kNever.
  std::uint32_t previous_use(Reg v) const { return values_[v].previous; }

  bool live_out(std::uint32_t block, Reg v) const { return test(out_, block, v); }
  bool live_in(std::uint32_t block, Reg v) const { return test(in_, block, v); }

  // The innermost loop around a block, as blocks [header, last]; header = kNever outside loops.
  struct Loop {
    std::uint32_t header = kNever, last = kNever;
  };
  const Loop& loop_of(std::uint32_t block) const { return loops_[block]; }
  // Most registers of a class that are live at once anywhere in the loop that begins at `header`.
  std::uint32_t loop_pressure(std::uint32_t header, RegClass c);

  // Its position; a parameter's: its block's first.
  std::uint32_t definition(Reg v) const { return values_[v].definition; }
  std::uint32_t last_position(Reg v) const { return values_[v].last_position; }

 private:
  bool test(const std::vector<std::uint64_t>& bits, std::uint32_t block, Reg v) const {
    std::uint32_t g = values_[v].global;
    return g != kNever && (bits[std::size_t{block} * words_ + g / 64] >> (g % 64) & 1) != 0;
  }
  void pass_use(Reg v, std::uint32_t position) {
    values_[v].previous = position;
    values_[v].next = *--later_end_;
  }
  void collect_uses();
  void use(Reg v, std::uint32_t block, std::uint32_t position);
  void define(Reg v, std::uint32_t block, std::uint32_t position);
  void find_loops();
  void solve();
  void measure_pressure();

  struct Value {
    std::uint32_t next = kNever, previous = kNever;  // uses, relative to the current position
    std::uint32_t definition = 0, definition_block = kNever;
    std::uint32_t last_position = 0;
    std::uint32_t global = kNever;   // dense number of a register that crosses blocks
    std::uint32_t seen_in = kNever;  // the block that it was last seen used in
  };

  const Code* code_ = nullptr;
  std::vector<Value> values_;                 // by register
  std::vector<std::uint32_t> later_;          // of each use, the last one first: the use after it
  const std::uint32_t* later_end_ = nullptr;  // of those behind the current position
  std::vector<Reg> globals_;
  struct Use {
    Reg value;
    std::uint32_t block;
  };
  std::vector<Use> upward_exposed_;  // uses of globals, one a block
  std::uint32_t words_ = 0;
  std::vector<std::uint64_t> in_, out_, defined_;
  std::vector<Loop> loops_;
  bool has_loops_ = false;
  std::vector<std::array<std::uint32_t, kClassCount>> pressure_;  // per block of a loop, once asked for
};

}  // namespace warpjit::lir
