// How large floats are in lanes that have a mask: what comparisons say that are joined in it.
#pragma once

#include <optional>

#include "ir/function.h"

namespace warpjit::ir {

// Both are below 2^first and 2^second in magnitude.
struct FactorBounds {
  int first, second;
};
// Bounds of the f32 values a and b in lanes where the i1 value `mask` is set, unless one is a NaN there.
// None: not known. Found are upper limits of sums of squares and magnitudes, as |z|^2 <= 4 is one for the
// parts of z. Looks at a few instructions.
std::optional<FactorBounds> factor_bounds(const Function& f, Value mask, Value a, Value b);

}  // namespace warpjit::ir
