// Which slots of a vertex a fragment program reads (docs/guests/valhall.md 10.2).
#pragma once

#include <vector>

#include "frontend/valhall/facts/varyings.h"
#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {

// What the code reads, each once and in order: Shader::slot_uses(), which numbers of uses refer to.
std::vector<pixels::SlotUse> fragment_uses(const Program& program, const ReachedCode& code);

}  // namespace warpjit::valhall
