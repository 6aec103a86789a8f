// The x64 backend as a whole: group form in, machine code out.
#pragma once

#include "backend/target.h"

namespace warpjit::backend::x64 {

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options,
                            Workspace::State& workspace);

}  // namespace warpjit::backend::x64
