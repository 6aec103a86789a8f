// Which function of base/sfu.h an instruction computes.
#pragma once

#include <optional>

#include "base/sfu.h"
#include "frontend/tesla/encoding/decode.h"

namespace warpjit::tesla {

// None: the instruction hands its operand on. `fast`: Modes::fast_sfu.
std::optional<sfu::Function> special_function_of(Opcode opcode, bool fast);

}  // namespace warpjit::tesla
