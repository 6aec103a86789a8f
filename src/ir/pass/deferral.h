// The bookkeeping rule of partial linearization (Moll and Hack, PLDI 2018): after a divergent branch every
// target must be run, so all but the first in the order of the blocks are deferred, and handed on along
// the new edges until their turn comes.
#pragma once

#include <optional>
#include <vector>

#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::ir {

// True if lanes part at the end of b.
bool diverges(const Function& f, Block b);

// For each loop: the targets outside it that some lanes leave to while others still run the loop; none
// for a loop that all its lanes leave at once. No result if more than kMaxDeferred blocks wait on average:
// the work of linearization, and the code it makes, grow with that number.
inline constexpr std::size_t kMaxDeferred = 32;
std::optional<std::vector<std::vector<Block>>> deferred_exits(const Function& f, const Loops& loops);

}  // namespace warpjit::ir
