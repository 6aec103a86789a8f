// The special-function unit for many words at once, so that the compiler vectorizes it.
#include "base/sfu_lanes.h"

#include "base/compiler.h"
#include "base/cpu.h"

namespace warpjit::sfu {
namespace {

using u32 = std::uint32_t;

WARPJIT_ALWAYS_INLINE void evaluate_lanes(Function function, const u32* WARPJIT_RESTRICT x,
                                          u32* WARPJIT_RESTRICT results, std::size_t count) {
  LaneOps ops;
  Lanes<LaneOps> lanes(ops);
  const WordFunction of_word = word_function(function);
  switch (function) {
#define WARPJIT_FUNCTION(name)                                             \
  case Function::name:                                                     \
    for (std::size_t k = 0; k < count; ++k) results[k] = lanes.name(x[k]); \
    break;
    WARPJIT_FUNCTION(rcp)
    WARPJIT_FUNCTION(rsqrt)
    WARPJIT_FUNCTION(lg2)
    WARPJIT_FUNCTION(presin)
    WARPJIT_FUNCTION(preex2)
    WARPJIT_FUNCTION(sin)
    WARPJIT_FUNCTION(cos)
    WARPJIT_FUNCTION(ex2)
#undef WARPJIT_FUNCTION
    default:
      for (std::size_t k = 0; k < count; ++k) results[k] = of_word(x[k]);
      break;
  }
}

using Evaluate = void (*)(Function, const u32*, u32*, std::size_t);

void evaluate_plain(Function function, const u32* x, u32* results, std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
#if WARPJIT_HAS_TARGETS
WARPJIT_TARGET("avx2") void evaluate_avx2(Function function, const u32* x, u32* results, std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
WARPJIT_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
void evaluate_avx512(Function function, const u32* x, u32* results, std::size_t count) {
  evaluate_lanes(function, x, results, count);
}
Evaluate best() {
  using enum cpu::Feature;
  if (cpu::has({avx512f, avx512bw, avx512dq, avx512vl})) return evaluate_avx512;
  return cpu::has(avx2) ? evaluate_avx2 : evaluate_plain;
}
#else
Evaluate best() { return evaluate_plain; }
#endif

}  // namespace

void evaluate(Function function, std::span<const std::uint32_t> x, std::uint32_t* results) {
  static const Evaluate kEvaluate = best();
  kEvaluate(function, x.data(), results, x.size());
}

}  // namespace warpjit::sfu
