// Does it matter to a kernel in which order lanes that parted are run? The hardware's control stack runs the
// taken side of a divergent branch first, until it meets the other side or ends; the IR's group form runs
// each block once for all lanes that come there. That is the same where blocks that look at other lanes, or
// at memory that these write, are reached over one side only, and in the hardware's order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/tesla/control_flow.h"

namespace warpjit::tesla {

// What a block does that other lanes notice.
struct LaneEffects {
  struct Memory {
    bool load = false, store = false;
    std::uint32_t atomics = 0;  // a bit for each function; two bits for what does not commute with itself
    bool any() const { return load || store || atomics != 0; }
  };
  bool reads_lanes = false;      // vote, quadop, quadon
  bool needs_all_lanes = false;  // of these: quadop, quadon
  bool barrier = false;
  // s[], then g0 to g15, which are taken to be different memory.
  std::array<Memory, 1 + kGlobalSpaces> memory{};

  bool touches_memory() const;
  bool any() const { return reads_lanes || barrier || touches_memory(); }
  void add(const LaneEffects& other);
};
LaneEffects effects_of(const Instruction& i, std::uint32_t registers);
// Of each block.
std::vector<LaneEffects> lane_effects(const ReachedCode& code, const ControlFlow& flow,
                                      std::uint32_t registers);

// Whether anything depends on which lanes run these together or in which order.
bool order_matters(const std::vector<LaneEffects>& effects);

// Whether lanes notice which warp others are in, or which warp comes first, barriers aside (all_meet). What
// one warp stores while another one loads it, with no barrier between, is a race; lanes of one warp find
// their instructions in the same order in groups of several warps.
bool warps_meet(const std::vector<LaneEffects>& effects);

// Brings the blocks into the hardware's order, as far as an order of blocks can: sets first_edge, which is
// the taken side of a bra unless only the other one has effects, and what comes behind blocks that end
// threads.
void arrange(ControlFlow& flow, const std::vector<LaneEffects>& effects);

struct LaneOrder {
  const ControlFlow& flow;
  const std::vector<LaneEffects>& effects;
  std::vector<bool> diverges;           // per block: its two edges may part lanes
  std::vector<bool> has_all_lanes;      // per block: it runs with all the lanes of its quads
  std::vector<std::uint32_t> position;  // per block: where the group form has it
};
struct OrderProblem {
  const char* reason = nullptr;  // null: there is none
  std::uint32_t block = 0;
  // Blocks whose bras could be split (discover) to help; none if that would be of no use.
  std::vector<std::uint32_t> splits;
};
OrderProblem check_lane_order(const LaneOrder& order);

// Whether all lanes that have not ended come to each barrier together: none is between a branch that parts
// lanes and where these meet again. Then several warps may wait there as one group.
bool all_meet(const LaneOrder& order);

}  // namespace warpjit::tesla
