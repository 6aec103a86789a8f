// Conversions that ir/callout.h defines, and the upper product, in operations on 32-bit words without
// branches: templates over an Ops (base/sfu_lanes.h).
#pragma once

#include <cstdint>

#include "ir/callout.h"

namespace warpjit::ir {

template <class Ops>
class Conversions {
 public:
  using I32 = typename Ops::I32;

  explicit Conversions(Ops& ops) : o_(ops) {}

  // TeslaF16ToF32.
  I32 f16_to_f32(I32 half) {
    const I32 magnitude = o_.iand(half, word(0x7fff));
    const I32 sign = o_.iand(o_.ishl(half, 16), word(kSign));
    const I32 normal = o_.iadd(o_.ishl(magnitude, 13), word(112U << 23));
    // Multiples of 2^-24; of zero the exponent becomes negative.
    const I32 small = o_.imaxs(o_.isub(o_.float_word(magnitude), word(24U << 23)), word(0));
    I32 r = o_.iselect(o_.ilts(magnitude, word(0x400)), small, normal);
    r = o_.iselect(o_.ilts(word(0x7bff), magnitude), word(kInfinity), r);
    r = o_.ior(r, sign);
    return o_.iselect(o_.ilts(word(0x7c00), magnitude), word(kNan), r);
  }

  // TeslaF32ToF16.
  I32 f32_to_f16(I32 x, RoundingMode mode, std::uint32_t nan = 0x7fff) {
    const I32 magnitude = o_.iand(x, word(~kSign));
    const I32 negative = o_.ishrs(x, 31);
    // From 2^-14 on the exponent goes along; below, the significand becomes a multiple of 2^-24.
    const auto is_small = o_.ilts(magnitude, word(113U << 23));
    const I32 significand = o_.ior(o_.iand(x, word(0x7fffff)), word(0x800000));
    const I32 base = o_.iselect(is_small, significand, o_.isub(magnitude, word(112U << 23)));
    const I32 distance = o_.imins(o_.isub(word(126), o_.ishru(magnitude, 23)), word(25));
    const I32 dropped = o_.imaxs(distance, word(13));
    const I32 unit = o_.ishl_by(word(1), dropped);
    // What is added before bits are dropped; the greatest finite result.
    I32 up = word(0), most = word(0x7bff);
    switch (mode) {
      case RoundingMode::nearest: {
        const I32 odd = o_.iand(o_.ishru_by(base, dropped), word(1));
        up = o_.iadd(o_.isub(o_.ishru(unit, 1), word(1)), odd);
        most = word(0x7c00);
        break;
      }
      case RoundingMode::down:
      case RoundingMode::up: {
        const I32 away = mode == RoundingMode::down ? negative : o_.ixor(negative, word(~0U));
        up = o_.iand(o_.isub(unit, word(1)), away);
        most = o_.isub(word(0x7bff), away);
        break;
      }
      case RoundingMode::zero:
        break;
    }
    const I32 rounded = mode == RoundingMode::zero ? base : o_.iadd(base, up);
    I32 r = o_.imins(o_.ishru_by(rounded, dropped), most);
    r = o_.iselect(o_.ilts(magnitude, word(0x5eU << 23)), word(0), r);  // vanishes in any rounding
    r = o_.iselect(o_.ilts(word(kInfinity - 1), magnitude), word(0x7c00), r);
    r = o_.ior(r, o_.iand(negative, word(0x8000)));
    return o_.iselect(o_.ilts(word(kInfinity), magnitude), word(nan), r);
  }

  // IntToF32, not to nearest.
  I32 int_to_f32(I32 x, RoundingMode mode, bool is_signed) {
    const I32 negative = is_signed ? o_.ishrs(x, 31) : word(0);
    const I32 magnitude = is_signed ? o_.isub(o_.ixor(x, negative), negative) : x;
    // 24 bits are exact; of the other 8 those stay for which there is room.
    const I32 first = o_.ishru(magnitude, 8);
    const I32 bits = o_.float_word(first);
    const I32 power = o_.isub(o_.ishru(bits, 23), word(127));
    const I32 last = o_.ishl(o_.iand(magnitude, word(0xff)), 15);
    const I32 kept = o_.ishru_by(last, power);
    I32 r = o_.iadd(o_.iadd(bits, word(8U << 23)), kept);
    const bool outward_if_negative = mode == RoundingMode::down;
    if (mode != RoundingMode::zero && (is_signed || !outward_if_negative)) {
      const I32 exact = o_.iselect(o_.ieq(o_.ishl_by(kept, power), last), word(0), word(1));
      const I32 inexact = o_.isub(word(0), exact);
      const I32 outward = outward_if_negative ? negative : o_.ixor(negative, word(~0U));
      r = o_.isub(r, is_signed ? o_.iand(inexact, outward) : inexact);
    }
    const I32 few_bits = o_.float_word(magnitude);
    r = o_.iselect(o_.ieq(first, word(0)), few_bits, r);
    return is_signed ? o_.ior(r, o_.iand(negative, word(kSign))) : r;
  }

  // IMulHi24.
  I32 multiply_high_24(I32 a, I32 b, bool is_signed) {
    const auto shifted = [&](I32 x, int count) {
      return is_signed ? o_.ishrs(x, count) : o_.ishru(x, count);
    };
    const I32 left = shifted(o_.ishl(a, 8), 8);
    const I32 byte0 = o_.iand(b, word(0xff));
    const I32 byte1 = o_.iand(o_.ishru(b, 8), word(0xff));
    const I32 byte2 = shifted(o_.ishl(b, 8), 24);
    const I32 low = shifted(o_.imul(left, byte0), 8);
    const I32 middle = shifted(o_.iadd(o_.imul(left, byte1), low), 8);
    return o_.iadd(o_.imul(left, byte2), middle);
  }

 private:
  static constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff;
  I32 word(std::uint32_t value) { return o_.constant_i(value); }

  Ops& o_;
};

}  // namespace warpjit::ir
