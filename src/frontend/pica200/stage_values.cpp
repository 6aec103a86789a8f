#include "frontend/pica200/stage_values.h"

#include <cstring>

namespace warpjit::pica200 {

Uniforms uniforms_of(const frontend::Values& values) {
  Uniforms uniforms;
  std::memcpy(uniforms.c, values.words.data() + ValueWords::kFloat, sizeof uniforms.c);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned k = 0; k < 4; ++k)
      uniforms.i[n][k] = static_cast<std::uint8_t>(values.words[ValueWords::kInt + 4 * n + k]);
  uniforms.b = static_cast<std::uint16_t>(values.bools);
  return uniforms;
}

ThreadState start_of(const frontend::Values& values) {
  ThreadState start;
  const std::uint32_t* w = values.words.data();
  // What the launch does not give is 0 in `values` already.
  std::memcpy(start.r, w + ValueWords::kR, sizeof start.r);
  start.a0[0] = static_cast<std::int32_t>(w[ValueWords::kA0]);
  start.a0[1] = static_cast<std::int32_t>(w[ValueWords::kA0 + 1]);
  start.aL = static_cast<std::int32_t>(w[ValueWords::kAL]);
  start.cmp[0] = w[ValueWords::kCmp] != 0;
  start.cmp[1] = w[ValueWords::kCmp + 1] != 0;
  return start;
}

}  // namespace warpjit::pica200
