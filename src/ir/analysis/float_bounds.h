// Between which numbers a float lies.
#pragma once

#include <limits>

#include "ir/function.h"

namespace warpjit::ir {

// A float lies between two numbers, or is a NaN.
struct FloatBounds {
  float least = -std::numeric_limits<float>::infinity(), greatest = std::numeric_limits<float>::infinity();
  bool nan = true, minus_zero = true;  // true if it can be that
};
// Looks at `depth` instructions of each chain at most.
FloatBounds float_bounds(const Function& f, Value value, int depth = 7);

}  // namespace warpjit::ir
