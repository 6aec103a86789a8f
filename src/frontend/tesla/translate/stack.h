// Tesla kernels in group form, with the warp's control stack at run time (docs/guests/tesla.md 12.2): for
// programs whose control flow edges cannot express, or whose order of lanes blocks cannot keep.
// docs/architecture.md says which programs come here.
#pragma once

#include "frontend/tesla/flow/reach.h"
#include "frontend/tesla/translate/translate.h"

namespace warpjit::tesla {

// A loop; each iteration runs one straight-line block for the active lanes. The next block, the lane masks
// and the depth of the stack are variables of the loop; stack entries are rows of the group's frame.
// Registers are variables too, written under the mask, so that quad operations see the last values of
// inactive lanes. Errors: resource_limit; unsupported for branches through c[] to very many places.
Result<ir::Function> translate_stack(const Program& program, const ComputeFacts& facts,
                                     const ReachedCode& code, const SampledTextures& textures);

}  // namespace warpjit::tesla
