// Sums up what loops of emitted code cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/host.h"
#include "backend/loop_cost.h"

namespace warpjit::backend {

// Where the code of a block is.
struct BlockPlace {
  std::uint32_t block, begin, end;
};
// The costs of the loops among `places`, the blocks that are not cold, in their order in the
// code; outer loops first. If groups follow each other, all of them are the outermost one.
// Needs a table of the host's costs.
std::vector<LoopCost> loop_costs(const Host& host, const EntryCode& entry,
                                 std::span<const BlockPlace> places);

}  // namespace warpjit::backend
