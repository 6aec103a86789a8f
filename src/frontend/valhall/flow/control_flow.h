// The instructions that control can reach, and the blocks that they make. A branch goes to an address in the
// code, so there is nothing to follow but edges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "frontend/flow/graph.h"
#include "frontend/reach.h"
#include "frontend/valhall/container/program.h"
#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

using ReachedCode = flow::CodeMap<Instruction, 8>;  // addresses are bytes from the first word

inline constexpr std::uint32_t kThreadEnds = ~0U;  // instead of a block

struct FlowEdge {
  std::uint32_t target = kThreadEnds;  // a block
  bool backward = false;               // a transfer to an address at or before its own: it takes fuel
};

// Code [first, end). With two edges the last instruction is a branch: edge 0 is where it goes if it is taken.
struct FlowBlock {
  std::uint32_t first = 0, end = 0;  // byte addresses
  std::array<FlowEdge, 2> edges{};
  std::uint8_t edge_count = 1;
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;  // that of the entry, then the others by their addresses
  flow::Successors successors() const;
};

// Whether a branch on a constant is taken; nothing for others.
std::optional<bool> always_taken(const Instruction& i);

// Errors, with the guest address: those of decode(); unsupported for control that may leave the code, which
// only threads that come there do, and for branches to addresses in registers.
Result<ReachedCode> find_reached(const Program& program);
ControlFlow find_blocks(const Program& program, const ReachedCode& code);

}  // namespace warpjit::valhall
