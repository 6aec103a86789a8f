// What golden.cpp needs of kernels.
#pragma once

#include "program.h"

namespace warpjit::tool {

using ComputeCode = Translated;

inline Result<ComputeCode> translate_compute(const ProgramInput& input, bool dispatch) {
  return translate(input, dispatch);
}

}  // namespace warpjit::tool
