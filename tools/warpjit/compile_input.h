// What golden.cpp needs of programs and launches: it looks at one guest at a time.
#pragma once

#include <memory>
#include <optional>

#include "command.h"
#include "frontend/pica200/shader.h"
#include "ir/pipeline.h"
#include "launch/read_launch.h"

namespace warpjit::tool {

struct LoadedProgram {
  pica200::Program program;
  std::optional<LaunchFile> launch;  // of a launch file
};
struct CompileInput {
  std::shared_ptr<const pica200::Shader> shader;
  frontend::Facts facts;
};
// Without a launch: every input that the code reads is bound, no boolean is known, the outputs are those
// that the program declares (else o0-o15).
Result<CompileInput> prepare_compile(const LoadedProgram& loaded);

}  // namespace warpjit::tool
