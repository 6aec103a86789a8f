// Where the virtual registers of LIR are used and live: uses in emission order, live-in and live-out of
// blocks, loops as ranges of blocks. What the allocator looks up at every step, laid out flat. Where a
// register lives is kept as ranges of blocks, so that memory does not grow with blocks times registers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/lir/lir.h"

namespace warpjit::lir {

inline constexpr std::uint32_t kNever = ~0u;

// Blocks times registers that cross from one to another: the bound of what Liveness takes time for. Linear.
std::uint64_t liveness_bound(const Code& code);

class Liveness {
 public:
  // Looks at `code`, which must stay as it is. Keeps the memory of the run before.
  void run(const Code& code);

  // Uses are relative to a current position, which advances from instruction to instruction in emission
  // order; at first it is before all of them. Positions are instruction indices; a block argument counts as
  // used by the terminator.
  void pass(std::uint32_t b, std::uint32_t position) {
    const Block& block = code_->blocks[b];
    const Inst& inst = code_->insts[position];
    for (int k = 0; k < inst.use_count; ++k)
      if (inst.use[k] != kNoReg) pass_use(inst.use[k], position, is_aside(b));
    if (position + 1 == block.end)
      for (Reg arg : block.args) pass_use(arg, position, is_aside(b));
  }
  // The first use after the current position, or kNever.
  std::uint32_t next_use(Reg v) const { return values_[v].next; }
  // The first such use in a block that is not aside, or kNever.
  std::uint32_t next_use_on_way(Reg v) const { return values_[v].next_on_way; }
  // The last one before it, or kNever.
  std::uint32_t previous_use(Reg v) const { return values_[v].previous; }

  bool live_out(std::uint32_t block, Reg v) const {
    const std::uint32_t g = values_[v].global;
    return g != kNever && covers(globals_[g].first_out, globals_[g].end, block);
  }
  bool live_in(std::uint32_t block, Reg v) const {
    const std::uint32_t g = values_[v].global;
    return g != kNever && covers(globals_[g].first_in, globals_[g].first_out, block);
  }

  // The innermost loop around a block, as blocks [header, last]; header = kNever outside loops.
  struct Loop {
    std::uint32_t header = kNever, last = kNever;
  };
  const Loop& loop_of(std::uint32_t block) const { return loops_[block]; }
  // True if the block is off the way that control mostly takes: cold, or without a way on but out of the
  // innermost loop around it.
  bool is_aside(std::uint32_t block) const { return aside_[block] != 0; }
  // Most registers of a class that are live at once on the way through the loop that begins at `header`.
  struct Pressure {
    std::uint32_t all = 0;
    std::uint32_t made = 0;  // of those that instructions of the loop define
  };
  Pressure loop_pressure(std::uint32_t header, RegClass c);

  // Its position; a parameter's: its block's first.
  std::uint32_t definition(Reg v) const { return values_[v].definition; }
  std::uint32_t definition_block(Reg v) const { return values_[v].definition_block; }
  std::uint32_t last_position(Reg v) const { return values_[v].last_position; }

 private:
  // Blocks [first, last].
  struct Range {
    std::uint32_t first, last;
  };
  // True if one of the ranges [k, end) holds the block.
  bool covers(std::uint32_t k, std::uint32_t end, std::uint32_t block) const {
    constexpr std::uint32_t kFew = 8;
    while (end - k > kFew) {
      const std::uint32_t middle = k + (end - k) / 2;
      (ranges_[middle].first <= block ? k : end) = middle;
    }
    for (; k < end && ranges_[k].first <= block; ++k)
      if (block <= ranges_[k].last) return true;
    return false;
  }
  void pass_use(Reg v, std::uint32_t position, bool aside) {
    values_[v].previous = position;
    values_[v].next = *--later_end_;
    if (!aside) values_[v].next_on_way = *--later_on_way_end_;
  }
  void collect_uses();
  void use(Reg v, std::uint32_t block, std::uint32_t position);
  void define(Reg v, std::uint32_t block, std::uint32_t position);
  void find_loops();
  void solve();
  struct Value;
  void walk_up(Reg v);
  std::uint32_t walk_few(Value& value);
  std::uint32_t walk_many(Value& value);
  void take_ranges(std::vector<std::uint64_t>& blocks, std::uint32_t first, std::uint32_t last);
  void measure_pressure();

  struct Value {
    std::uint32_t next = kNever, previous = kNever;  // uses, relative to the current position
    std::uint32_t next_on_way = kNever;
    std::uint32_t definition = 0, definition_block = kNever;
    std::uint32_t last_position = 0;
    std::uint32_t global = kNever;   // into globals_, of a register that crosses blocks
    std::uint32_t seen_in = kNever;  // the block that it was last seen used in
    std::uint32_t exposed = kNever;  // into exposed_: the first block that uses it
  };
  // A register that crosses blocks, and where: it lives into ranges_[first_in, first_out), out of
  // ranges_[first_out, end).
  struct Global {
    Reg value;
    std::uint32_t first_in = 0, first_out = 0, end = 0;
  };
  // A block that uses a register, and the next one that does.
  struct Exposed {
    std::uint32_t block, next;
  };

  const Code* code_ = nullptr;
  std::vector<Value> values_;                 // by register
  std::vector<std::uint32_t> later_;          // of each use, the last one first: the use after it
  const std::uint32_t* later_end_ = nullptr;  // of uses after the current position
  std::vector<std::uint32_t> later_on_way_;   // the same of uses in blocks that are not aside
  const std::uint32_t* later_on_way_end_ = nullptr;
  std::vector<Global> globals_;
  std::vector<Exposed> exposed_;
  std::vector<Range> ranges_;
  std::vector<std::uint64_t> in_, out_;      // bits of blocks, of one register at a time
  std::vector<std::uint64_t> predecessors_;  // by block, as bits; of code with few blocks
  std::vector<std::uint32_t> to_visit_;
  std::vector<Loop> loops_;
  std::vector<char> aside_;  // by block
  // Per block of a loop, once loop_pressure has measured it.
  std::vector<std::array<Pressure, kClassCount>> pressure_;
};

}  // namespace warpjit::lir
