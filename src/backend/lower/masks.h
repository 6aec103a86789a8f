// Lowering of i1 logic, selects and votes.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

// clang-format off
#define WARPJIT_LOWERED_AS_MASKS(OP) \
  OP(And1) OP(Or1) OP(Xor1) OP(AndNot1) OP(Not1) OP(SelectF32) OP(SelectI32) OP(SelectI1) OP(AnyLane) \
  OP(AnyActive) OP(AllActive)
// clang-format on

class MaskLowering : protected ValueForms {
 public:
  MaskLowering(State& state, HostMasks& masks) : ValueForms(state), masks_(masks) {}

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_MASKS(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE

 private:
  void logic(ir::Inst i, MaskOp op);
  void select(ir::Inst i, bool floating);
  // Does b hold in any lane in which a does? A scalar that is not 0 if so.
  Reg any_both(Value a, Value b, bool negate_b);

  HostMasks& masks_;
};

}  // namespace warpjit::backend
