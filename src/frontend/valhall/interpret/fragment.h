// Instructions of fragment programs alone (docs/guests/valhall.md 10).
#pragma once

#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {

bool is_of_fragments(Opcode opcode);

// Says how such an instruction runs, and takes away sources that mean nothing.
// Errors: unsupported, without `where`.
Status make_fragment_op(WarpOp& op);
// Which colour target a BLEND writes, or FragmentSetup::kNoTarget.
std::uint8_t blend_target(const WarpOp& op, const FragmentSetup& setup);

}  // namespace warpjit::valhall
