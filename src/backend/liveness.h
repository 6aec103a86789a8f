// Where the virtual registers of LIR are used and live: use positions in emission order, live-in and live-out
// of blocks, loops as ranges of blocks. What the allocator asks at every step, laid out flat.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backend/lir.h"

namespace warpjit::lir {

inline constexpr std::uint32_t kNever = ~0u;

// Bits of a table with all blocks and all registers that cross from one to another: what Liveness takes
// memory and time for. Linear.
std::uint64_t liveness_bits(const Code& code);

class Liveness {
 public:
  explicit Liveness(const Code& code);

  // Positions are instruction indices; a block argument counts as used by the terminator.
  // The first use after `position` in emission order, or kNever. Queries of one register must ascend.
  std::uint32_t next_use(Reg v, std::uint32_t position) {
    std::uint32_t& c = cursor_[v];
    while (c < use_first_[v + 1] && use_position_[c] <= position) ++c;
    return c < use_first_[v + 1] ? use_position_[c] : kNever;
  }
  // The use before the one that next_use last returned, or kNever.
  std::uint32_t previous_use(Reg v) const {
    return cursor_[v] > use_first_[v] ? use_position_[cursor_[v] - 1] : kNever;
  }
  bool used_between(Reg v, std::uint32_t first, std::uint32_t end) const;

  bool live_out(std::uint32_t block, Reg v) const { return test(out_, block, v); }
  bool live_in(std::uint32_t block, Reg v) const { return test(in_, block, v); }

  // The innermost loop around a block, as blocks [header, last]; header = kNever outside loops.
  struct Loop {
    std::uint32_t header = kNever, last = kNever;
  };
  const Loop& loop_of(std::uint32_t block) const { return loops_[block]; }
  bool has_loops() const { return has_loops_; }
  // Most registers of a class that are live at once anywhere in the loop that begins at `header`.
  std::uint32_t loop_pressure(std::uint32_t header, RegClass c) const;

  std::uint32_t definition(Reg v) const {
    return definition_[v];
  }  // position; a parameter's: its block's first
  std::uint32_t last_position(Reg v) const { return last_position_[v]; }

 private:
  bool test(const std::vector<std::uint64_t>& bits, std::uint32_t block, Reg v) const {
    std::uint32_t g = global_[v];
    return g != kNever && (bits[std::size_t{block} * words_ + g / 64] >> (g % 64) & 1) != 0;
  }
  void collect_uses(const Code& code);
  void solve(const Code& code);
  void find_loops(const Code& code);
  void measure_pressure(const Code& code);

  std::vector<std::uint32_t> use_first_, use_position_, cursor_;
  std::vector<std::uint32_t> global_;  // dense number of a register that crosses blocks
  std::vector<Reg> globals_;
  std::vector<std::pair<Reg, std::uint32_t>> upward_exposed_;  // uses of globals, with their blocks
  std::uint32_t words_ = 0;
  std::vector<std::uint64_t> in_, out_;
  std::vector<std::uint32_t> definition_, definition_block_, last_position_;
  std::vector<Loop> loops_;
  std::vector<std::array<std::uint32_t, kClassCount>> pressure_;  // per block, where there are loops
  bool has_loops_ = false;
};

}  // namespace warpjit::lir
