// The floating-point environment that every engine computes in: round to nearest even, denormals kept, all
// exceptions masked (docs/architecture.md). Every public entry, and every worker task, holds one of these.
#pragma once

#include <cstdint>

#include "base/compiler.h"

#if WARPJIT_HOST_X64
#include <xmmintrin.h>
#endif

namespace warpjit {

// Sets the calling thread's environment; the destructor puts back what was there, sticky flags included.
class FloatEnvironment {
 public:
  FloatEnvironment() : saved_(read()) { write(kDefault); }
  ~FloatEnvironment() { write(saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

  // kSticky: all sticky flags.
#if WARPJIT_HOST_X64
  using Word = std::uint32_t;
  static constexpr Word kDefault = 0x1F80, kInvalid = 1, kSticky = 0x3F;
  static Word read() { return _mm_getcsr(); }
  static void write(Word word) { _mm_setcsr(word); }
#elif WARPJIT_HOST_A64
  // FPCR is the control half, FPSR the sticky flags. DN is set: every NaN that arithmetic gives is
  // 0x7fc00000, which is what CanonicalizeNaN32 makes of it anyway, so that generated code need not.
  using Word = std::uint64_t;
  static constexpr Word kDefault = Word{1u << 25} << 32, kInvalid = 1, kSticky = 0x9F;
  static Word read() {
    const a64::FloatRegisters registers = a64::read_float_registers();
    return registers.control << 32 | (registers.status & 0xFFFFFFFF);
  }
  static void write(Word word) {
    a64::write_float_registers({.control = word >> 32, .status = word & 0xFFFFFFFF});
  }
#else
  using Word = std::uint32_t;
  static constexpr Word kDefault = 0, kInvalid = 0, kSticky = 0;  // none
  static Word read() { return 0; }
  static void write(Word) {}
#endif

  // The sticky flag of invalid operations, among them 0 times infinity. On hosts without it kHasInvalid is
  // false, and the two functions must not be called.
  static constexpr bool kHasInvalid = kInvalid != 0;
  static bool invalid_raised() { return (read() & kInvalid) != 0; }
  static void clear_invalid() { write(kDefault); }  // reading takes longer

 private:
  Word saved_;
};

}  // namespace warpjit
