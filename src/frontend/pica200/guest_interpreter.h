// The guest interpreter as the runtime sees it: rows and vertices of draws, or invocations on a unit.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "frontend/interpreter.h"
#include "frontend/pica200/container/program.h"
#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::pica200 {

// Output number of what SETEMIT latched: geometry programs only.
inline constexpr std::uint16_t kEmitNumber = 35;

// Errors: those of Interpreter::prepare.
Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(const Program& program);

// The unit as rows (UnitRows), b15 with it, and back.
void write_unit(const InterpretedUnit& unit, bool b15, std::byte* rows);
bool read_unit(const std::byte* rows, InterpretedUnit& unit);

}  // namespace warpjit::pica200
