// A program made ready for the compiler, for commands that look at its stages: the shader and the facts of
// its launch, or without a launch the most general facts.
#pragma once

#include <memory>

#include "bound_launch.h"
#include "command.h"
#include "frontend/pica200/shader.h"

namespace warpjit::tool {

struct CompileInput {
  std::shared_ptr<const pica200::Shader> shader;
  frontend::Facts facts;
};

// Without a launch: every input that the code reads is bound, no boolean is known, the outputs are those
// that the program declares (else o0-o15).
Result<CompileInput> prepare_compile(pica200::Program program);
Result<CompileInput> prepare_compile(const LoadedProgram& loaded);

}  // namespace warpjit::tool
