// The control flow of a PICA200 program, resolved statically: the open scopes (docs/guests/pica200.md 9) are
// followed as part of the state while blocks are discovered, so what comes out are plain edges, calls
// inlined. The hardware's stacks are modelled exactly, also where scope ends coincide or stacks overflow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/flow/graph.h"
#include "frontend/pica200/flow/reach.h"

namespace warpjit::pica200 {

// What decides between the two successors of a block.
enum class Test : std::uint8_t {
  always,     // one way only
  condition,  // the flags, as the instruction's condition says
  boolean,    // a boolean uniform
  loop,       // a LOOP's counter is not used up
};

// What happens on an edge before control arrives.
struct EdgeEffect {
  // LOOP begins: counter[slot] = i.x, saved[slot] = aL, aL = i.y.
  // Iteration ends: aL += i.z. Iterates: counter[slot] -= 1. Leaves: aL = saved[slot] if a LOOP stays open.
  enum class Kind : std::uint8_t { none, begin_loop, restore_aL };
  Kind kind = Kind::none;
  std::uint8_t slot = 0;     // which of the four entries of the LOOP stack
  std::uint8_t uniform = 0;  // begin_loop: the i register
};

// One block. Code [first, end) runs, the last word being the one that may transfer control; then `test`
// chooses successor 0 (it holds) or 1. A pure decision block has first == end.
struct FlowBlock {
  std::uint16_t first = 0, end = 0;
  Test test = Test::always;
  bool ends_thread = false;  // END, or kEndAddress follows: no successors
  bool runs_off = false;  // control is past the last word at `address`: no successors, an error if executed
  std::uint16_t address = 0;  // of the instruction that transfers
  // Test::loop: counter slot and i register; the addition to aL belongs to the decision.
  std::uint8_t slot = 0, uniform = 0;
  struct Edge {
    std::uint32_t target = ~0u;
    EdgeEffect effect;
    bool backward = false;  // counts against the fuel
  };
  Edge edges[2];
  std::uint8_t edge_count = 0;
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;  // block 0 is the entry
  flow::Successors successors() const;
};

// Booleans in `known` have the values of `bools` and are decided here. Errors: bad_input (undefined words,
// control that leaves the program, geometry instructions of vertex programs), resource_limit (too many
// blocks). `code`: what is reached from the entry.
Result<ControlFlow> discover(const Program& program, const ReachedCode& code, std::uint32_t entry,
                             std::uint16_t known, std::uint16_t bools);

}  // namespace warpjit::pica200
