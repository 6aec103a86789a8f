// Lowering of operations between the lanes of a group, and of the lanes' numbers.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

// clang-format off
#define WARPJIT_LOWERED_AS_LANES(OP) \
  OP(LaneIndex) OP(MinLaneU32) OP(QuadSwizzle32) OP(QuadSwizzle1) OP(QuadRead)
// clang-format on

class LaneLowering : protected ValueForms {
 public:
  LaneLowering(State& state, HostLanes& lanes) : ValueForms(state), lanes_(lanes) {}

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_LANES(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE

 private:
  HostLanes& lanes_;
};

}  // namespace warpjit::backend
