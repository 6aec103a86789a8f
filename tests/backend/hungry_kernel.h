// A kernel that uses every register there is: for tests of calling conventions.
#pragma once

#include "backend/kernel.h"

namespace warpjit::backend {

// Many live values of every class, in a loop, and a preamble with many scalars and vectors.
ir::GroupProgram hungry_program();
Launch hungry_launch(std::uint64_t threads);

}  // namespace warpjit::backend
