#include "backend/target.h"

#include "backend/workspace.h"
#include "backend/x64/compile.h"

namespace warpjit::backend {

std::string_view name(Target target) { return target == Target::x64_v3 ? "v3" : "v4"; }

Result<Target> parse_target(std::string_view text) {
  for (Target target : {Target::x64_v3, Target::x64_v4})
    if (text == name(target)) return target;
  return Error{ErrorCode::bad_input,
               "unknown target \"" + std::string(text) + "\"; there are v3 (AVX2) and v4 (AVX-512)", ""};
}

bool runs_here(Target target) {
#if defined(__x86_64__)
  switch (target) {
    case Target::x64_v3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    case Target::x64_v4:
      return runs_here(Target::x64_v3) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
#endif
  (void)target;
  return false;
}

Result<Target> best_target() {
  for (Target target : {Target::x64_v4, Target::x64_v3})
    if (runs_here(target)) return target;
  return Error{ErrorCode::target_unavailable,
               "this CPU has neither AVX-512 (F, BW, DQ, VL) nor AVX2 with FMA and BMI2", ""};
}

Workspace::Workspace() : state_(std::make_unique<State>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options,
                            Workspace& workspace) {
  return x64::compile(program, target, options, workspace.state());
}

Result<MachineCode> compile(const ir::GroupProgram& program, Target target, const CompileOptions& options) {
  Workspace workspace;
  return compile(program, target, options, workspace);
}

}  // namespace warpjit::backend
