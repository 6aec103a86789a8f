#include "backend/processor.h"

namespace warpjit::backend {
namespace {

bool is_zen_3_or_4() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amdfam19h") != 0;
#else
  return false;
#endif
}

Tuning find_tuning() {
  Tuning tuning;
  if (maker() != Maker::amd) return tuning;
  tuning.bytes_ahead = 8192;
  tuning.rows_ahead = true;
  if (is_zen_3_or_4()) {
    tuning.lanes_without_loops = 32;
    tuning.extracts_lanes = true;
  }
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
