// Whether the blocks of a translated thread, each run once for all lanes that reach it, give the same result
// as the hardware's control stack.
#pragma once

#include <vector>

#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/thread.h"

namespace warpjit::tesla {

// Per block of the control flow: it always runs with all lanes that the warp had at the start, which has
// whole quads. Analyzes the uniformity of the function.
std::vector<bool> find_whole_blocks(ThreadTranslator& translation, const ControlFlow& flow);

// `whole`: per block, it runs with all lanes of its quads; or its quad operations do not care. Sets may_widen
// of the function, which had it before, to whether all lanes meet at barriers.
OrderProblem check_order(ThreadTranslator& translation, const ControlFlow& flow,
                         const std::vector<LaneEffects>& effects, std::vector<bool> whole);

// Adds the addresses where blocks should be split to those of earlier rounds. False: there are no new ones.
bool add_splits(const OrderProblem& problem, const ControlFlow& flow, std::vector<std::uint32_t>& split);

}  // namespace warpjit::tesla
