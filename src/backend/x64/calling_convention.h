// Calling conventions of x86-64, as data.
#pragma once

#include <cstdint>

#include "backend/emit/asmjit.h"
#include "backend/target.h"

namespace warpjit::backend::x64 {

// Where the argument comes in, what must be kept.
struct CallingConvention {
  asmjit::x86::Gp argument;
  std::uint32_t saved_scalars;  // bit per register number
  std::uint32_t saved_vectors;
};
inline CallingConvention calling_convention(Abi abi) {
  constexpr std::uint32_t kSystemV = 1u << 3 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;
#if defined(_WIN32)
  if (abi == Abi::native) abi = Abi::win64;
#endif
  // Callees also keep rdi and rsi, and xmm6 to xmm15.
  if (abi == Abi::win64) return {asmjit::x86::rcx, kSystemV | 1u << 6 | 1u << 7, 0xffc0};
  return {asmjit::x86::rdi, kSystemV, 0};
}

}  // namespace warpjit::backend::x64
