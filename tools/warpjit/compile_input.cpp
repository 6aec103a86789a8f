#include "compile_input.h"

#include <algorithm>

namespace warpjit::tool {

Result<CompileInput> prepare_compile(pica200::Program program) {
  CompileInput input;
  WARPJIT_TRY(input.shader, pica200::Shader::make(std::move(program)));
  input.facts.bound_inputs = input.shader->usage().inputs;
  const std::vector<pica200::Output>& outputs = input.shader->program().outputs;
  for (std::uint8_t reg = 0; reg < 16; ++reg) {
    const bool declared = std::any_of(outputs.begin(), outputs.end(),
                                      [&](const pica200::Output& output) { return output.reg == reg; });
    if (declared || outputs.empty()) input.facts.outputs[input.facts.output_count++] = reg;
  }
  return input;
}

Result<CompileInput> prepare_compile(const LoadedProgram& loaded) {
  if (!loaded.launch) return prepare_compile(loaded.program);
  WARPJIT_TRY(const BoundLaunch bound, BoundLaunch::make(*loaded.launch));
  CompileInput input;
  WARPJIT_TRY(input.shader, pica200::Shader::make(loaded.program));
  WARPJIT_TRY(input.facts, bound.facts());
  return input;
}

}  // namespace warpjit::tool
