#include "backend/processor.h"

namespace warpjit::backend {
namespace {

// Family 19h: Zen 3 and Zen 4, which has AVX-512.
bool is_zen_3_or_4() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amdfam19h") != 0;
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

Tuning find_tuning() {
  Tuning tuning;
  if (maker() != Maker::amd) return tuning;
  const bool zen_3_or_4 = is_zen_3_or_4(), zen_4 = zen_3_or_4 && has_avx512();
  tuning.bytes_ahead = zen_4 ? 0 : 8192;
  tuning.bytes_ahead_of_rows = zen_4 ? 128 : 8192;
  if (zen_3_or_4 && !zen_4) tuning.lanes_without_loops = 32;
  tuning.extracts_lanes = zen_3_or_4;
  return tuning;
}

}  // namespace

Maker maker() {
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return Maker::amd;
  if (__builtin_cpu_is("intel")) return Maker::intel;
#endif
  return Maker::other;
}

Tuning tuning_here() {
  static const Tuning kHere = find_tuning();
  return kHere;
}

}  // namespace warpjit::backend
