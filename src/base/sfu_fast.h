// The special functions in few instructions, which are not the unit's bits (tesla::Modes::fast_sfu):
// templates over an `Ops`, from operations that give the same on every host. Denormals are zeros, operands
// and results; a NaN is 0x7fffffff.
//
// An Ops is one of base/math.h that also has round_even(F32); number_or(F32, I32), the float or, where it is
// a NaN, the word; and flush(F32), which makes a zero of a denormal; where all arithmetic takes denormals for
// zeros and makes none of what it has rounded, flush does nothing.
#pragma once

#include <limits>

#include "base/math.h"

namespace warpjit::sfu {

template <class Ops>
class FastFunctions {
 public:
  using F32 = typename Ops::F32;

  explicit FastFunctions(Ops& ops) : o_(ops) {}

  F32 rcp(F32 x) {
    const F32 one = o_.constant_f(1.0F);
    const F32 quotient = o_.div(one, o_.flush(x));
    return canonical(o_.flush(quotient));
  }

  F32 rsqrt(F32 x) {
    const F32 one = o_.constant_f(1.0F);
    return canonical(o_.div(one, o_.sqrt(o_.flush(x))));
  }

  F32 lg2(F32 x) { return canonical(math::log2(o_, o_.flush(x))); }

  // Takes the number itself: there is nothing for preex2 to do.
  F32 ex2(F32 x) {
    const F32 power = math::exp2(o_, x);
    const auto too_small = o_.flt(x, o_.constant_f(-126.0F));
    return canonical(o_.select(too_small, o_.constant_f(0.0F), power));
  }

  // The angle in turns, which sin and cos take.
  F32 presin(F32 x) {
    const F32 turns = o_.mul(o_.flush(x), o_.constant_f(0x1.45f306p-3F));
    return canonical(o_.flush(turns));
  }
  F32 sin(F32 turns) { return canonical(sin_of(o_.flush(turns))); }
  F32 cos(F32 turns) { return canonical(sin_of(o_.add(turns, o_.constant_f(0.25F)))); }

 private:
  // Over a quarter of a turn an odd polynomial, whose error is below 2^-22.8 relative,
  // and which gives 1 at its end.
  F32 sin_of(F32 turns) {
    const F32 rest = o_.sub(turns, o_.round_even(turns));  // -1/2 to 1/2, exact
    const auto bits = o_.as_int(rest);
    const auto sign = o_.iand(bits, o_.constant_i(kSign));
    const F32 forward = o_.as_float(o_.iand(bits, o_.constant_i(~kSign)));
    const F32 backward = o_.sub(o_.constant_f(0.5F), forward);
    const F32 t = o_.fmin_select(backward, forward);
    const F32 square = o_.mul(t, t);
    F32 p = o_.constant_f(0x1.3db012p+5F);
    for (const float coefficient : {-0x1.324e4ap+6F, 0x1.4668fp+6F, -0x1.4abbc8p+5F, 0x1.921fb6p+2F})
      p = o_.fma(p, square, o_.constant_f(coefficient));
    return o_.as_float(o_.ior(o_.as_int(o_.mul(p, t)), sign));
  }

  F32 canonical(F32 x) { return o_.number_or(x, o_.constant_i(0x7fffffff)); }

  static constexpr std::int32_t kSign = std::numeric_limits<std::int32_t>::min();

  Ops& o_;
};

// The instance on words.
struct FastOps : math::ScalarOps {
  static float round_even(float x) { return std::nearbyint(x); }
  static float number_or(float x, std::int32_t nan) { return std::isnan(x) ? as_float(nan) : x; }
  static float flush(float x) { return std::fabs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x; }
};

}  // namespace warpjit::sfu
