// Whether the order in which diverged lanes run matters to a kernel. The hardware's control stack runs the
// taken side of a divergent branch first, until it reconverges or ends; the IR's group form runs each block
// once for all lanes that reach it. Both give the same result if blocks that depend on other lanes, or on
// memory that these write, are reached from one side only and run in the hardware's order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/tesla/flow/control_flow.h"

namespace warpjit::tesla {

// The effects of a block that other lanes can observe.
struct LaneEffects {
  struct Memory {
    bool load = false, store = false;
    std::uint32_t atomics = 0;  // a bit for each function; two bits if it does not commute with itself
    bool any() const { return load || store || atomics != 0; }
  };
  bool reads_lanes = false;        // vote, quadop, quadon
  bool needs_all_lanes = false;    // of these: quadop, quadon
  bool writes_neighbours = false;  // registers that a quadop of other lanes may read where these have gone
  bool barrier = false;
  // s[], then g0 to g15, which are taken to be different memory.
  std::array<Memory, 1 + kGlobalSpaces> memory{};

  bool touches_memory() const;
  bool any() const { return reads_lanes || writes_neighbours || barrier || touches_memory(); }
  void add(const LaneEffects& other);
};
// Whether a result depends on which lane a thread is, or on the other lanes of its quad or warp. A texture
// instruction of a fragment program always may.
bool shows_lanes(const Instruction& i);
LaneEffects effects_of(const Instruction& i, const Program& program);
// The effects of each block.
std::vector<LaneEffects> lane_effects(const ReachedCode& code, const ControlFlow& flow,
                                      const Program& program);

// Whether any result depends on which lanes run these together, or in which order.
bool order_matters(const std::vector<LaneEffects>& effects);

// Whether any result depends on which lanes form a warp, or on the order of warps, barriers aside (all_meet).
// A store by one warp and a load by another with no barrier between them are a race; lanes of one warp keep
// the order of their instructions in groups of several warps.
bool warps_meet(const std::vector<LaneEffects>& effects);

// Puts the blocks into the hardware's order, as far as an order of blocks can express it. Sets
// first_edge, which is the taken side of a bra unless only the other side has effects, and `before` of
// blocks that end threads.
void arrange(ControlFlow& flow, const std::vector<LaneEffects>& effects);

struct LaneOrder {
  const ControlFlow& flow;
  const std::vector<LaneEffects>& effects;
  std::vector<bool> diverges;           // per block: lanes may diverge at its two edges
  std::vector<bool> has_all_lanes;      // per block: it runs with all the lanes of its quads
  std::vector<std::uint32_t> position;  // per block: where the group form has it
};
struct OrderProblem {
  const char* reason = nullptr;  // null: there is no problem
  std::uint32_t block = 0;
  // Blocks whose bras could be split (discover) to solve it; empty if that would not help.
  std::vector<std::uint32_t> splits;
};
OrderProblem check_lane_order(const LaneOrder& order);

// Whether all lanes that have not ended reach each barrier together: no barrier lies between a divergent
// branch and its reconvergence. Then several warps may run as one group, which waits there as a whole.
bool all_meet(const LaneOrder& order);

}  // namespace warpjit::tesla
