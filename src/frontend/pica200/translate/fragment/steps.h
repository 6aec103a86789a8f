// Short names for what the translation of the fixed function is made of. f32 operations know no denormals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pixels/facts.h"
#include "ir/builder.h"

namespace warpjit::pica200 {

using ir::F32;
using ir::I1;
using ir::I32;

// Four bytes, each in a word of its own: red, green, blue, alpha.
using Color = std::array<I32, 4>;
// Where a member of FragmentWords lies in the uniform table.
#define WARPJIT_FRAGMENT_WORD(member) \
  (frontend::kPixelTableBytes + static_cast<std::uint32_t>(offsetof(FragmentWords, member)))

class FragmentSteps {
 protected:
  explicit FragmentSteps(ir::Builder& b) : b_(b) {}

  F32 real(float value) { return b_.constant(value); }
  I32 word(std::uint32_t value) { return b_.constant(value); }
  F32 uniform_real(std::uint32_t byte) { return b_.LoadUniformF32(byte); }
  I32 uniform_word(std::uint32_t byte) { return b_.LoadUniformI32(byte); }
  F32 as_real(I32 bits) { return b_.BitcastI32ToF32(bits); }
  I32 as_word(F32 value) { return b_.BitcastF32ToI32(value); }

  F32 add(F32 a, F32 b) { return b_.FAddFlush32(a, b); }
  F32 sub(F32 a, F32 b) { return b_.FSubFlush32(a, b); }
  F32 mul(F32 a, F32 b) { return b_.FMulFlush32(a, b); }
  F32 div(F32 a, F32 b) { return b_.FDivFlush32(a, b); }
  F32 root(F32 a) { return b_.FSqrtFlush32(a); }
  F32 floor(F32 a) { return b_.FFloor32(a); }
  F32 abs(F32 a) { return b_.FAbs32(a); }
  // As std::min and std::max: the first one where neither is smaller.
  F32 least(F32 a, F32 b) { return b_.FMinSelect32(b, a); }
  F32 greatest(F32 a, F32 b) { return b_.FMaxSelect32(b, a); }
  // As std::clamp: a NaN stays.
  F32 clamped(F32 x, float low, float high) { return least(greatest(x, real(low)), real(high)); }
  // A NaN becomes `low`.
  F32 limited(F32 x, float low, float high) {
    return b_.FMinSelect32(b_.FMaxSelect32(x, real(low)), real(high));
  }
  F32 number_or_zero(F32 x) { return b_.select(b_.FUnordered32(x, x), real(0), x); }
  // Toward zero, of numbers that integers hold.
  I32 integer(F32 x) { return b_.F32ToI32Lowest(x); }
  F32 number(I32 x) { return b_.I32ToF32(x); }

  I32 plus(I32 a, I32 b) { return b_.IAdd32(a, b); }
  I32 minus(I32 a, I32 b) { return b_.ISub32(a, b); }
  I32 times(I32 a, I32 b) { return b_.IMul32(a, b); }
  I32 both(I32 a, I32 b) { return b_.IAnd32(a, b); }
  I32 either(I32 a, I32 b) { return b_.IOr32(a, b); }
  I32 left(I32 a, unsigned bits) { return b_.IShl32(a, word(bits)); }
  I32 right(I32 a, unsigned bits) { return b_.IShrU32(a, word(bits)); }
  I32 field(I32 a, unsigned low, unsigned bits) { return both(right(a, low), word((1u << bits) - 1)); }
  I32 limited(I32 x, std::int32_t low, std::int32_t high) {
    return b_.IMinS32(b_.IMaxS32(x, b_.constant(low)), b_.constant(high));
  }
  I32 byte(I32 x) { return limited(x, 0, 255); }
  // v / 255, to nearest, of 0 to 255 * 255.
  I32 quotient(I32 v) {
    const I32 more = plus(v, word(128));
    return right(plus(more, right(more, 8)), 8);
  }
  Color bytes_of(I32 packed) {  // red lowest
    return {both(packed, word(255)), field(packed, 8, 8), field(packed, 16, 8), right(packed, 24)};
  }
  static I32 with(I32 x) { return x; }

  ir::Builder& b_;
};

}  // namespace warpjit::pica200
