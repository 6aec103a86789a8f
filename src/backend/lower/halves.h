// Lowering of arithmetic of two halves in a word, where the host has it; else callouts make it.
#pragma once

#include "backend/lower/callouts.h"
#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class HalfLowering : protected ValueForms {
 public:
  HalfLowering(State& state, HostHalves* halves, CalloutLowering& callouts)
      : ValueForms(state), halves_(halves), callouts_(callouts) {}

  void binary(ir::Inst i, Reg (HostHalves::*make)(Reg, Reg));
  void unary(ir::Inst i, Reg (HostHalves::*make)(Reg));
  void with_constant(ir::Inst i, Op op, std::uint32_t word);
  void multiply_add(ir::Inst i);
  void extreme(ir::Inst i, bool greater);
  void compare(ir::Inst i, HalfCondition condition);
  void of_floats(ir::Inst i);
  void of_bytes(ir::Inst i, bool upper);

 private:
  // make(p) gives part p of the result.
  template <class Make>
  void each_part(ir::Inst i, Make make);

  HostHalves* const halves_;  // null: the host has none
  CalloutLowering& callouts_;
};

}  // namespace warpjit::backend
