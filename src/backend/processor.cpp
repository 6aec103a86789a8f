#include "backend/processor.h"

namespace warpjit::backend {

Maker maker() {
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return Maker::amd;
  if (__builtin_cpu_is("intel")) return Maker::intel;
#endif
  return Maker::other;
}

bool rows_ahead_pay() { return maker() == Maker::amd; }

std::int32_t bytes_ahead() { return maker() == Maker::amd ? 8192 : 2048; }

}  // namespace warpjit::backend
