// From the state of the fixed function to the thread form of the IR.
#pragma once

#include "frontend/pica200/facts/fragment.h"
#include "frontend/pixels/facts.h"
#include "ir/function.h"

namespace warpjit::pica200 {

// `pixels`: with the uses of slot_uses(state), and a plane of words for each of colour and depth that are touched.
ir::Function translate_fragment(const FragmentState& state, const frontend::PixelFacts& pixels);

}  // namespace warpjit::pica200
