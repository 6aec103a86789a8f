// Masks that compare the lane's number with a number for all lanes: they hold from a lane on, before one, in
// one lane, or in all others.
#pragma once

#include <optional>

#include "ir/function.h"

namespace warpjit::ir {

struct LaneComparison {
  Opcode opcode;    // IEq32 to ILeU32
  bool lane_first;  // LaneIndex is operand 0, the number is operand 1; else the other way round
  Value number;
  bool negated;
};

// The comparison that the i1 value `mask` is, or is the negation of, if it is one. Constant time.
std::optional<LaneComparison> lane_comparison(const Function& f, Value mask);

}  // namespace warpjit::ir
