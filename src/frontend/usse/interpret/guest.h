// The guest interpreter as the runtime sees it: rows of vertices, and draws.
#pragma once

#include <memory>

#include "base/result.h"
#include "frontend/shader.h"
#include "frontend/usse/container/program.h"

namespace warpjit::usse {

// Errors: those of Interpreter::prepare.
Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest(const Program& program,
                                                               const frontend::Facts& facts);

}  // namespace warpjit::usse
