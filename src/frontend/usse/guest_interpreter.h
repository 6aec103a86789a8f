// The guest interpreter as the runtime sees it: rows of vertices, and draws.
#pragma once

#include <memory>

#include "base/result.h"
#include "frontend/interpreter.h"
#include "frontend/usse/container/program.h"

namespace warpjit::usse {

// Errors: those of Interpreter::prepare.
Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program);

}  // namespace warpjit::usse
