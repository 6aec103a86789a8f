#include "base/sfu_fast.h"

#include <array>

#include "base/sfu.h"

namespace warpjit::sfu {

#define WARPJIT_FAST_FUNCTION(name)                                        \
  std::uint32_t fast_##name(std::uint32_t x) {                             \
    FastOps ops;                                                           \
    const float result = FastFunctions(ops).name(std::bit_cast<float>(x)); \
    return std::bit_cast<std::uint32_t>(result);                           \
  }
WARPJIT_FAST_FUNCTION(rcp)
WARPJIT_FAST_FUNCTION(rsqrt)
WARPJIT_FAST_FUNCTION(lg2)
WARPJIT_FAST_FUNCTION(presin)
WARPJIT_FAST_FUNCTION(sin)
WARPJIT_FAST_FUNCTION(cos)
WARPJIT_FAST_FUNCTION(ex2)
#undef WARPJIT_FAST_FUNCTION

WordFunction word_function(Function function) {
  static constexpr std::array<WordFunction, kFunctions> kWordFunctions = {
      rcp,      rsqrt,      lg2,      presin,      preex2,   sin,      cos,     ex2,
      fast_rcp, fast_rsqrt, fast_lg2, fast_presin, fast_sin, fast_cos, fast_ex2};
  return kWordFunctions[static_cast<std::size_t>(function)];
}

}  // namespace warpjit::sfu
