// Tesla kernels in group form, the warp's control stack and all (docs/guests/tesla.md 12.2): for programs
// whose control flow edges cannot say, or where the order of lanes matters. docs/architecture.md says which
// programs come here.
#pragma once

#include "frontend/tesla/reach.h"
#include "frontend/tesla/translate.h"

namespace warpjit::tesla {

// A loop of which each turn runs a piece of straight code for the lanes that are active; what follows it, the
// masks of lanes and the depth of the stack are variables of the loop, stack entries rows of the group's
// frame. Registers are variables too, written under the mask, so that quad operations see what inactive
// lanes last had. Errors: resource_limit; unsupported for branches through c[] to very many places.
Result<ir::Function> translate_stack(const Program& program, const ComputeFacts& facts,
                                     const ReachedCode& code);

}  // namespace warpjit::tesla
