// Lowering of i1 logic, selects and votes.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class MaskLowering : protected ValueForms {
 public:
  MaskLowering(State& state, HostMasks& masks) : ValueForms(state), masks_(masks) {}

  void logic(ir::Inst i, MaskOp op);
  void invert(ir::Inst i);
  void select(ir::Inst i);
  void select_masks(ir::Inst i);
  void any_lane(ir::Inst i);
  void any_active(ir::Inst i);
  void all_active(ir::Inst i);

 private:
  // A scalar that is not 0 if b holds in any lane in which a does.
  Reg any_both(Value a, Value b, bool negate_b);

  HostMasks& masks_;
};

}  // namespace warpjit::backend
