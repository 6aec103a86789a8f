// Which arithmetic is defined, and the shape of its results (docs/guests/valhall.md 6).
// Both engines refuse the same.
#pragma once

#include <cstdint>

#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

enum class ResultShape : std::uint8_t {
  word,    // halves that the mask does not name are kept
  single,  // an f32; into one half, or into both for mask 0, it is rounded to f16
  wide,    // a pair
};

// Errors name the instruction: unsupported for what is not arithmetic, for what no source defines, and for
// bits that no field has.
Result<ResultShape> arithmetic_result(const Instruction& instruction);

}  // namespace warpjit::valhall
