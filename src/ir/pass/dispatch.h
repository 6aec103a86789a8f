// The dispatcher (docs/ir.md): runs any control flow, lane by lane different, without restructuring it.
#pragma once

#include "ir/function.h"

namespace warpjit::ir {

// Thread form to group form: a loop that finds a block at which lanes wait and runs it for those; mostly the
// lowest block. Each lane's block number, and what is used outside the block it is made in, is kept in slots
// (pass/dispatch_slots.h) that are written under the mask. Blocks are numbered in reverse postorder, or by
// guest address where Function::lane_order is lowest_address_first; the highest number means finished. Needs
// another order than taken_first, and no Barrier.
void dispatch(Function& f);

}  // namespace warpjit::ir
