// Edges into blocks that do nothing but jump go to where these lead. A part of simplify.
#pragma once

#include <span>

#include "ir/function.h"

namespace warpjit::ir {

// `order` holds the reachable blocks; values are as `replacement` maps them. Marks of backward transfers add
// up; an edge cannot carry two. Linear in edges and operands of phis. Returns whether an edge has changed.
bool thread_jumps(Function& f, std::span<const Block> order, std::span<const Value> replacement);

}  // namespace warpjit::ir
