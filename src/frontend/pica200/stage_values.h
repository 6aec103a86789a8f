// Where a launch's values lie in frontend::Values::words, and how the guest interpreter takes them.
#pragma once

#include <cstdint>

#include "frontend/interpreter.h"
#include "frontend/pica200/interpret/interpret.h"
#include "frontend/pica200/translate/translate.h"

namespace warpjit::pica200 {

inline constexpr std::uint32_t kFloatUniforms = 96;

// c0, i0, the state at the start, and the fixed input registers v0-v15 of a draw.
struct ValueWords {
  static constexpr std::uint32_t kFloat = 0, kInt = 4 * kFloatUniforms, kR = kInt + 16, kA0 = kR + 64,
                                 kAL = kA0 + 2, kCmp = kAL + 1, kFixedInputs = kCmp + 2 + 3,
                                 kCount = kFixedInputs + 64;
};
// From kR on, words lie as in the uniform table.
static_assert(4 * (ValueWords::kFixedInputs - ValueWords::kR) == TableLayout().v(0) - TableLayout().r(0));

Uniforms uniforms_of(const frontend::Values& values);
// The registers at the start of every thread.
ThreadState start_of(const frontend::Values& values);

}  // namespace warpjit::pica200
