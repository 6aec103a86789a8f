#include "backend/target.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "backend/host.h"
#include "backend/workspace.h"

namespace warpjit::backend {

namespace {

#if defined(__x86_64__)
// __builtin_cpu_supports of GCC 12 has no name for it; that the system keeps the
// registers follows from AVX-512.
bool has_avx512_fp16() {
  constexpr unsigned kFeatures = 7, kBit = 1U << 23;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) != 0 && (d & kBit) != 0;
}
#elif defined(__aarch64__)
bool has_feat_fp16() {
#if defined(__linux__)
  constexpr unsigned long kVectorHalves = 1UL << 10;  // HWCAP_ASIMDHP
  return (getauxval(AT_HWCAP) & kVectorHalves) != 0;
#elif defined(__APPLE__)
  return true;  // every processor that macOS runs on
#else
  return false;
#endif
}
#endif

}  // namespace

std::string_view name(Target target) {
  switch (target) {
    case Target::x64_v3:
      return "v3";
    case Target::x64_v4:
      return "v4";
    case Target::x64_v4_fp16:
      return "v4-fp16";
    case Target::a64_fp16:
      return "a64-fp16";
    case Target::a64:
      break;
  }
  return "a64";
}

std::uint32_t lanes(Target target) { return capabilities(target).lanes; }

ir::PipelineOptions pipeline_options(Target target) {
  ir::PipelineOptions options;
  options.group_lanes = [target](const ir::Function& f) { return choose_group_lanes(f, target); };
  options.masks_are_numbers = capabilities(target).mask_registers == 0;
  return options;
}

Result<Target> parse_target(std::string_view text) {
  for (Target target : kTargets)
    if (text == name(target)) return target;
  return Error{ErrorCode::bad_input,
               "unknown target \"" + std::string(text) +
                   "\"; there are v3 (AVX2), v4 (AVX-512), v4-fp16 (with AVX512-FP16), a64 (NEON) and "
                   "a64-fp16 (with FEAT_FP16)",
               ""};
}

bool built_in(Target target) { return find_host(target) != nullptr; }

bool runs_here(Target target) {
  if (!built_in(target)) return false;
#if defined(__x86_64__)
  switch (target) {
    case Target::x64_v3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    case Target::x64_v4:
      return runs_here(Target::x64_v3) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    case Target::x64_v4_fp16:
      return runs_here(Target::x64_v4) && has_avx512_fp16();
    case Target::a64:
    case Target::a64_fp16:
      return false;
  }
  return false;
#elif defined(__aarch64__)
  // NEON is part of the architecture.
  return target == Target::a64 || (target == Target::a64_fp16 && has_feat_fp16());
#else
  return false;
#endif
}

Result<Target> best_target() {
  for (Target target : {Target::x64_v4_fp16, Target::x64_v4, Target::x64_v3, Target::a64_fp16, Target::a64})
    if (runs_here(target)) return target;
#if defined(__x86_64__)
  constexpr Target kNeeded = Target::x64_v3;
  constexpr const char* kLacking = "this CPU has neither AVX-512 (F, BW, DQ, VL) nor AVX2 with FMA and BMI2";
#else
  constexpr Target kNeeded = Target::a64;
  constexpr const char* kLacking = "there is no backend for this CPU's architecture";
#endif
  return Error{ErrorCode::target_unavailable,
               built_in(kNeeded) ? kLacking : "this build of warpjit has no backend for this machine", ""};
}

Workspace::Workspace() : state_(std::make_unique<State>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

}  // namespace warpjit::backend
