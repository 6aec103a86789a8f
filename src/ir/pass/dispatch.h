// The dispatcher (DESIGN.md 3.4): runs any control flow, lane by lane different, without restructuring it.
#pragma once

#include "ir/function.h"

namespace warpjit::ir {

// Thread form to group form: a loop that finds the lowest block at which lanes wait and runs it for
// those. Each lane's block number, and every value that is used outside the block it is made in, is a slot
// written under the mask. Blocks are numbered in reverse postorder; the highest number means finished.
void dispatch(Function& f);

}  // namespace warpjit::ir
