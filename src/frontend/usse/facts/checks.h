// Which instructions are defined, alone and in a program (docs/guests/usse.md 11).
// Both engines refuse the same.
#pragma once

#include "base/result.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

// Whether what this instruction does is defined (section 11). Errors: unsupported, naming the field.
Status check_executes(const Instruction& instruction);
// Whether a program may have this instruction, which is the last one of its code if `last`. Errors: the same.
Status check_instruction(const Instruction& instruction, bool last, const Program& program, bool secondary);
// Whether a primary program may: all threads read what this one would write. Errors: the same.
Status check_not_shared(const Instruction& instruction);

}  // namespace warpjit::usse
