// Lowering of arithmetic of two halves in a word, where the host has it; else it is called out for.
#pragma once

#include "backend/lower/callouts.h"
#include "backend/lower/host_parts.h"

namespace warpjit::backend {

// clang-format off
#define WARPJIT_LOWERED_AS_HALVES(OP) \
  OP(HalvesAdd) OP(HalvesMul) OP(HalvesFma) OP(HalvesMaxNum) OP(HalvesMinNum) OP(HalvesNeg) OP(HalvesAbs) \
  OP(HalvesLow) OP(HalvesHigh) OP(HalvesSwap) OP(HalvesEq) OP(HalvesLt) OP(HalvesLe) OP(HalvesOfF32) OP(HalvesOfBytes) OP(HalvesOfUpperBytes) OP(HalvesLowBytes) \
  OP(CanonicalizeNaNHalves)
// clang-format on

class HalfLowering : protected ValueForms {
 public:
  HalfLowering(State& state, HostHalves* halves, CalloutLowering& callouts)
      : ValueForms(state), halves_(halves), callouts_(callouts) {}

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_HALVES(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE

 private:
  // make(p) gives part p of the result.
  template <class Make>
  void each_part(ir::Inst i, Make make);
  void binary(ir::Inst i, Reg (HostHalves::*make)(Reg, Reg));
  void unary(ir::Inst i, Reg (HostHalves::*make)(Reg));
  void extreme(ir::Inst i, bool greater);
  void compare(ir::Inst i, HalfCondition condition);

  HostHalves* const halves_;  // null: the host has none
  CalloutLowering& callouts_;
};

}  // namespace warpjit::backend
