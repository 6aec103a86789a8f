// Fused multiply-add: a * b + c with one rounding. C libraries differ here, some round twice: results that must be
// the same everywhere come from these functions, or from the host's instruction.
#pragma once

#include <cstdint>

#include "base/compiler.h"
#include "base/cpu.h"

namespace warpjit::fma {

// The nearest float. Expects round to nearest even without flushing, as every public entry sets; a NaN has the payload
// that the host gives.
//
// The product of two floats is exact in a double. The sum is rounded to odd there (what is cut off makes the last bit
// 1), so that rounding that to a float, which has less than half of the bits, gives what one rounding would.
WARPJIT_ALWAYS_INLINE float in_doubles(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b), addend = static_cast<double>(c);
  const double sum = product + addend;
  const double back = sum - product, error = (product - (sum - back)) + (addend - back);
  const std::uint64_t bits = WARPJIT_BIT_CAST(std::uint64_t, sum);
  // With an error against its sign the magnitude of the sum is above the exact one: the number below it is cut off.
  const std::uint64_t cut = bits - ((error < 0) == (sum > 0) ? 1 : 0);
  return static_cast<float>(WARPJIT_BIT_CAST(double, error<0 || error> 0 ? cut | 1 : bits));
}

// The same for doubles, in integers, in the rounding mode that the host is set to.
double in_integers(double a, double b, double c);

// By the builtin, since without optimization fmaf() is the C library's.
#if WARPJIT_HAS_TARGETS
// by_instruction() only where has_instruction().
constexpr bool kAlwaysInstruction = false;
WARPJIT_TARGET("fma") inline float by_instruction(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
WARPJIT_TARGET("fma") inline double by_instruction(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
WARPJIT_ALWAYS_INLINE bool has_instruction() {
#if defined(_MSC_VER)  // whose libraries lack what the builtin reads
  return cpu::has(cpu::Feature::fma);
#else
  return __builtin_cpu_supports("fma");
#endif
}
#elif WARPJIT_GNU && WARPJIT_HOST_A64
constexpr bool kAlwaysInstruction = true;
inline float by_instruction(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double by_instruction(double a, double b, double c) { return __builtin_fma(a, b, c); }
constexpr bool has_instruction() { return true; }
#else
constexpr bool kAlwaysInstruction = false;
inline float by_instruction(float a, float b, float c) { return in_doubles(a, b, c); }
inline double by_instruction(double a, double b, double c) { return in_integers(a, b, c); }
constexpr bool has_instruction() { return false; }
#endif

// Whichever is quicker. Always inlined: sources are compiled with different options.
WARPJIT_ALWAYS_INLINE float fused(float a, float b, float c) {
#if defined(__FMA__)
  return by_instruction(a, b, c);
#else
  return has_instruction() ? by_instruction(a, b, c) : in_doubles(a, b, c);
#endif
}
WARPJIT_ALWAYS_INLINE double fused(double a, double b, double c) {
  return has_instruction() ? by_instruction(a, b, c) : in_integers(a, b, c);
}

}  // namespace warpjit::fma
