// asmjit, from the version of 2022 (1.9, Debian 12's) to that of 2024 (1.12): what differs between them stands here.
//
// - a64.h is not among what Debian 12 installs.
// - Operands of AArch64 moved from asmjit::arm to asmjit::a64, which had them before, too.
// JitAllocator::isInitialized() says the opposite in 1.9: runtime/code/code_arena.cpp does not ask it.
#pragma once

#include <asmjit/core.h>
#include <asmjit/x86.h>
#if __has_include(<asmjit/a64.h>)
#include <asmjit/a64.h>
#else
#include <asmjit/arm/a64assembler.h>
#include <asmjit/arm/a64utils.h>
#endif

namespace warpjit::backend {

namespace x86 = asmjit::x86;
namespace arm = asmjit::a64;

}  // namespace warpjit::backend
