// The guest interpreter as the runtime sees it: blocks of a grid, vertices and input primitives as rows, and
// whole draws of fragment programs.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "frontend/shader.h"
#include "frontend/tesla/interpret/interpret.h"

namespace warpjit::tesla {

// Errors: those of Interpreter::prepare.
Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(
    const Program& program, const Modes& modes, std::span<const BranchTarget> targets,
    const frontend::Traits& traits);

// The first one of a run of the interpreter.
std::optional<frontend::BlockFault> fault_of(const RunReport& run);

}  // namespace warpjit::tesla
