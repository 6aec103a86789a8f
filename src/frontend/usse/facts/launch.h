// What a launch may be: its memory.
#pragma once

#include "base/result.h"
#include "frontend/grid.h"

namespace warpjit::usse {

// The only memory is that of `mem`: pieces with addresses of 32 bits that do not overlap. Errors: bad_input.
Result<frontend::CheckedGrid> check_launch(const frontend::LaunchMemory& launch);

}  // namespace warpjit::usse
