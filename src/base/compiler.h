// What sources need of a compiler beyond standard C++, each with the form that standard C++ has for it. GNU
// compilers are GCC and clang, also clang-cl. With WARPJIT_STANDARD_CXX (an option of CMake, for tests) they get the
// standard forms. No other file of src/ has extensions, except those that tests/base/extensions_test.cpp names.
#pragma once

#include <bit>
#include <cstdint>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(WARPJIT_STANDARD_CXX)
#define WARPJIT_GNU 1
#else
#define WARPJIT_GNU 0
#endif

// What the library itself runs on: 1 for x86-64, and for AArch64. Backends are there or not without regard to it.
#if defined(__x86_64__) || defined(_M_X64)
#define WARPJIT_HOST_X64 1
#else
#define WARPJIT_HOST_X64 0
#endif
#if defined(__aarch64__) || defined(_M_ARM64)
#define WARPJIT_HOST_A64 1
#else
#define WARPJIT_HOST_A64 0
#endif

// ALWAYS_INLINE, in place of `inline`: the compiler inlines every call, also where it would find that too long, or
// does not optimize. The standard form leaves the choice to it, and is slower where loops should become vectors.
// COLD, before a function that runs seldom: the compiler keeps it out of its callers.
// RESTRICT, after the star of a pointer: no other pointer reads what this one writes.
#if WARPJIT_GNU
#define WARPJIT_ALWAYS_INLINE [[gnu::always_inline]] inline
#define WARPJIT_COLD [[gnu::cold, gnu::noinline]]
#define WARPJIT_RESTRICT __restrict
#elif defined(_MSC_VER)
#define WARPJIT_ALWAYS_INLINE __forceinline
#define WARPJIT_COLD __declspec(noinline)
#define WARPJIT_RESTRICT __restrict
#else
#define WARPJIT_ALWAYS_INLINE inline
#define WARPJIT_COLD
#define WARPJIT_RESTRICT
#endif

// TARGET("avx2,fma"), before a function: it is compiled for processors with these features, also if its file is compiled
// for others. Call it only if cpu::has() them. A source has such functions only if HAS_TARGETS is 1; each has a second
// form there that runs on every processor.
#if WARPJIT_GNU && WARPJIT_HOST_X64
#define WARPJIT_HAS_TARGETS 1
#define WARPJIT_TARGET(features) [[gnu::target(features)]]
#else
#define WARPJIT_HAS_TARGETS 0
#endif

// std::bit_cast, for sources that are compiled for several processors: without optimization a function of that name
// for the best of them could become the program's only copy.
#if WARPJIT_GNU
#define WARPJIT_BIT_CAST(type, value) __builtin_bit_cast(type, value)
#else
#define WARPJIT_BIT_CAST(type, value) std::bit_cast<type>(value)
#endif

// GREATER(a, b) is a > b ? a : b of floats, LESSER(a, b) a < b ? a : b: b where either is a NaN. Each operand is evaluated
// several times. Clang's code for AArch64 (14) gives a NaN where a is a signalling one and b a constant, unless it is asked.
#if defined(__clang__) && WARPJIT_HOST_A64
#define WARPJIT_GREATER(a, b) ((a) != (a) ? (b) : (a) > (b) ? (a) : (b))
#define WARPJIT_LESSER(a, b) ((a) != (a) ? (b) : (a) < (b) ? (a) : (b))
#else
#define WARPJIT_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define WARPJIT_LESSER(a, b) ((a) < (b) ? (a) : (b))
#endif

// LANE_LOOP, before a loop: no turn depends on another, and the loop should become one of vectors. GCC must not unroll
// it completely: what makes vectors of straight-line code gives up on selects. The standard form is nothing.
#if !WARPJIT_GNU
#define WARPJIT_LANE_LOOP
#elif defined(__clang__)
#define WARPJIT_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define WARPJIT_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

// Labels as values: LABEL(name) is the value of a label of the same function, a `const void*`, JUMP(value) goes to
// it. A source that uses them says ALLOW_LABEL_VALUES once. If HAS_LABEL_VALUES is 0, it has the standard form
// instead: a switch with a `goto` in each case.
#if WARPJIT_GNU
#define WARPJIT_HAS_LABEL_VALUES 1
#define WARPJIT_ALLOW_LABEL_VALUES _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define WARPJIT_LABEL(name) &&name
#define WARPJIT_JUMP(value) goto*(value)
#else
#define WARPJIT_HAS_LABEL_VALUES 0
#define WARPJIT_ALLOW_LABEL_VALUES
#endif

#if WARPJIT_HOST_A64 && defined(_MSC_VER)
#include <intrin.h>
#endif

namespace warpjit {

// Tells the processor that the cache line at `address` is read soon, or written. Any address; the standard form does
// nothing.
template <bool kForWriting>
WARPJIT_ALWAYS_INLINE void prefetch([[maybe_unused]] const void* address) {
#if WARPJIT_GNU
  __builtin_prefetch(address, kForWriting);
#endif
}

#if WARPJIT_HOST_A64
// Registers of AArch64; standard C++ has no form for them. FPCR and FPSR: control and status of floating point.
namespace a64 {
struct FloatRegisters {
  std::uint64_t control, status;
};
inline FloatRegisters read_float_registers() {
#if defined(_MSC_VER)
  return {static_cast<std::uint64_t>(_ReadStatusReg(ARM64_FPCR)),
          static_cast<std::uint64_t>(_ReadStatusReg(ARM64_FPSR))};
#else
  FloatRegisters registers;
  asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(registers.control), "=r"(registers.status));
  return registers;
#endif
}
inline void write_float_registers(const FloatRegisters& registers) {
#if defined(_MSC_VER)
  _WriteStatusReg(ARM64_FPCR, static_cast<std::int64_t>(registers.control));
  _WriteStatusReg(ARM64_FPSR, static_cast<std::int64_t>(registers.status));
#else
  asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(registers.control), "r"(registers.status) : "memory");
#endif
}
// Instructions that were fetched before are fetched again.
inline void synchronize_fetch() {
#if defined(_MSC_VER)
  __isb(_ARM64_BARRIER_SY);
#else
  asm volatile("isb" ::: "memory");
#endif
}
}  // namespace a64
#endif

}  // namespace warpjit
