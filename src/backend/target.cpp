#include "backend/target.h"

#include "backend/host.h"
#include "backend/workspace.h"
#include "base/compiler.h"
#include "base/cpu.h"

#if WARPJIT_HOST_A64 && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace warpjit::backend {

namespace {

#if WARPJIT_HOST_A64
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
#if WARPJIT_HOST_X64
  using enum cpu::Feature;
  switch (target) {
    case Target::x64_v3:
      return cpu::has({avx2, fma, bmi2});
    case Target::x64_v4:
      return runs_here(Target::x64_v3) && cpu::has({avx512f, avx512bw, avx512dq, avx512vl});
    case Target::x64_v4_fp16:
      return runs_here(Target::x64_v4) && cpu::has(avx512_fp16);
    case Target::a64:
    case Target::a64_fp16:
      return false;
  }
  return false;
#elif WARPJIT_HOST_A64
  // NEON is part of the architecture.
  return target == Target::a64 || (target == Target::a64_fp16 && has_feat_fp16());
#else
  return false;
#endif
}

Result<Target> best_target() {
  for (Target target : {Target::x64_v4_fp16, Target::x64_v4, Target::x64_v3, Target::a64_fp16, Target::a64})
    if (runs_here(target)) return target;
#if WARPJIT_HOST_X64
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
