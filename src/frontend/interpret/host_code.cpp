#include "frontend/interpret/host_code.h"

namespace warpjit::interpret {

bool host_has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

}  // namespace warpjit::interpret
