// Lowering of operations between the lanes of a group, and of the lanes' numbers.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class LaneLowering : protected ValueForms {
 public:
  LaneLowering(State& state, HostLanes& lanes) : ValueForms(state), lanes_(lanes) {}

  void least_of_lanes(ir::Inst i);
  void swizzle_words(ir::Inst i);
  void swizzle_masks(ir::Inst i);

 private:
  HostLanes& lanes_;
};

}  // namespace warpjit::backend
