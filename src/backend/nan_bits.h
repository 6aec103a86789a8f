// Whose NaNs are looked at as bits. Of others it does not matter which NaN they are, so that a value that
// only goes around a loop from one arithmetic operation to the next needs no canonical one.
#pragma once

#include <vector>

#include "ir/function.h"

namespace warpjit::backend {

// By value: may its bits, if it is a NaN, show in anything but the payload of another NaN? Linear.
std::vector<char> seen_as_bits(const ir::Function& f);

}  // namespace warpjit::backend
