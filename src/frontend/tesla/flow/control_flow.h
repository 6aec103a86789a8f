// The control flow of a Tesla kernel, resolved statically: of the hardware's control stack
// (docs/guests/tesla.md 12.2) a thread sees the CALL, BREAK, QUADON and JOINAT entries, and these are
// followed as part of the state while blocks are discovered, so what comes out are plain edges. The BRANCH
// entries, which give the order in which diverged lanes run, are left out, except where the caller asks
// for them (`split`).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/flow/graph.h"
#include "frontend/tesla/facts/reach.h"

namespace warpjit::tesla {

// Entries of the control stack (docs/guests/tesla.md, section 12.2).
enum class EntryType : std::uint32_t { branch = 1, call, limited_call, break_, quadon, joinat };

inline constexpr std::uint32_t kThreadEnds = ~0U;  // instead of a block

struct FlowEdge {
  std::uint32_t target = kThreadEnds;  // a block
  bool backward = false;  // a transfer, also a return, to an address at or before its own: it takes fuel
};

// Code [first, end), of which the last instruction may transfer control. With two edges that is a conditional
// bra, break or ret: edge 0 is taken where its condition holds. With one edge control always goes there.
struct FlowBlock {
  std::uint32_t first = 0, end = 0;  // byte addresses
  std::uint32_t last = 0;            // of the last instruction
  std::array<FlowEdge, 2> edges{};
  std::uint8_t edge_count = 1;
  // Stack entries that are present throughout the block, after its `join`.
  std::uint16_t depth = 0;
  // For a conditional bra: the entries that stay until its lanes have reconverged, up to the innermost CALL,
  // BREAK or JOINAT. For a conditional break or ret: those that stay while the other lanes go on.
  std::uint16_t meeting_depth = 0;
  bool is_bra = false;          // the conditional transfer is a bra
  std::uint8_t first_edge = 0;  // whose blocks are to come first; see arrange()
  // For a block that ends the thread: a block that must come after it, where other lanes go on (arrange()).
  std::uint32_t before = kThreadEnds;
  // What it pushes: [first_push, end_push) of ControlFlow::pushes.
  std::uint32_t first_push = 0, end_push = 0;
};

// A pushed CALL, BREAK or JOINAT: the depth with it, and the address in it.
struct FlowPush {
  std::uint32_t depth = 0, pc = 0;
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;  // block 0 is the entry
  std::vector<FlowPush> pushes;

  // Successors with the target of first_edge first and `before` last.
  flow::Successors successors() const;
  // Reverse post-order in which the target of first_edge comes first, and a block comes before its `before`.
  std::vector<std::uint32_t> order() const;
};

// `split`: addresses of conditional bras whose two sides get separate blocks until their lanes reconverge.
// `call_limit`: see Modes. Errors: unsupported, with the reason and the address, for what edges cannot
// express: stacks that fail, recursion, transfers under quadon, control that may leave the code, more blocks
// than the bound (8 for each word, at least 4096).
Result<ControlFlow> discover(const Program& program, const ReachedCode& code, std::uint32_t call_limit,
                             std::span<const std::uint32_t> split = {});

}  // namespace warpjit::tesla
