#include "frontend/interpret/host_code.h"

#include "base/cpu.h"

namespace warpjit::interpret {

bool host_has_avx2() { return cpu::has({cpu::Feature::avx2, cpu::Feature::fma}); }

}  // namespace warpjit::interpret
