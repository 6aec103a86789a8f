// The guest interpreter as the runtime sees it: blocks of a grid, or the pixels of a draw.
#pragma once

#include <memory>

#include "base/result.h"
#include "frontend/interpreter.h"
#include "frontend/valhall/container/program.h"

namespace warpjit::valhall {

// Errors: those of Interpreter::prepare.
Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program);

}  // namespace warpjit::valhall
