// Planes of a tile of which nothing is left where a pixel is covered.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace warpjit::ir {

// Bit p: every covered pixel stores to plane p, and none loads from it. The function is in thread form, and
// its threads all end. Planes from 64 on are not looked at.
std::uint64_t overwritten_planes(const Function& f);

}  // namespace warpjit::ir
