#include "base/stop_reason.h"

namespace warpjit {

const char* message(StopReason reason) {
  switch (reason) {
    case StopReason::barrier_never_complete:
      return "a barrier that can never complete";
    case StopReason::trap:
      return "a trap instruction";
    case StopReason::no_code:
      return "control reaches code that is not there";
    case StopReason::stack_overflow:
      return "the control stack overflows";
    case StopReason::stack_underflow:
      return "the control stack underflows";
    case StopReason::stack_mismatch:
      return "the control stack does not match";
    case StopReason::leaves_quads:
      return "control flow that parts quads which quadon holds together";
    case StopReason::missing_level:
      return "a level of the texture that is smaller than 8 x 8 is sampled";
  }
  return "?";
}

}  // namespace warpjit
