#include "compile_input.h"

#include "launch/template.h"

namespace warpjit::tool {

Result<CompileInput> prepare_compile(const LoadedProgram& loaded) {
  CompileInput input;
  WARPJIT_TRY(input.shader, pica200::Shader::make(loaded.program));
  if (!loaded.launch) {
    input.facts = general_facts(*input.shader);
    return input;
  }
  WARPJIT_TRY(const BoundLaunch bound, BoundLaunch::make(*loaded.launch));
  WARPJIT_TRY(input.facts, bound.facts());
  return input;
}

}  // namespace warpjit::tool
