#include "frontend/usse/interpret/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace warpjit::usse {

float half_value(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31U, fraction = half & 0x3ffU;
  if (exponent == 31) return to_float(sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000U : 0));
  const float magnitude = exponent == 0 ? static_cast<float>(fraction) * 0x1p-24f
                                        : to_float((exponent + 112) << 23 | fraction << 13);
  return sign != 0 ? -magnitude : magnitude;
}

std::uint16_t to_half(float value) {
  if (value != value) return kHalfNan;
  const auto sign = static_cast<std::uint16_t>(to_bits(value) >> 16 & 0x8000U);
  const float magnitude = std::fabs(value);
  std::uint32_t bits = 0;
  if (magnitude >= 65520.0F)
    bits = 0x7c00;
  else if (magnitude < 0x1p-14F)
    bits = static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24F));
  else {
    const std::uint32_t word = to_bits(magnitude);
    // Half an ulp less one, and one more if the last bit that stays is odd.
    bits = (word + 0xfff + (word >> 13 & 1)) >> 13;
    bits -= 112U << 10;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

float c10_value(std::uint32_t bits) { return static_cast<float>(sign_extend(bits & 0x3ff, 10)) / 256.0F; }
std::uint32_t to_c10(float value) {
  if (value != value) return 0;
  const float scaled = std::clamp(value * 256.0F, -512.0F, 511.0F);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::nearbyint(scaled))) & 0x3ff;
}

float reciprocal(float x) { return 1.0F / x; }
float reciprocal_root(float x) { return 1.0F / std::sqrt(x); }
float logarithm(float x) { return math::log2(x); }
float power_of_two(float x) { return x == x ? math::exp2(x) : 1.0F; }

IntegerType integer_type(Type type) {
  switch (type) {
    case Type::s8:
      return {8, true};
    case Type::u16:
      return {16, false};
    case Type::s16:
      return {16, true};
    default:
      return {8, false};  // O8 is as U8
  }
}

std::int32_t integer_value(IntegerType type, std::uint32_t field) {
  field &= low_mask<std::uint32_t>(type.bits);
  return type.is_signed ? sign_extend(field, type.bits) : static_cast<std::int32_t>(field);
}

float normalized_value(IntegerType type, std::uint32_t field) {
  const auto most = static_cast<float>(low_mask<std::uint32_t>(type.bits - (type.is_signed ? 1 : 0)));
  const float value = static_cast<float>(integer_value(type, field)) / most;
  return std::max(value, -1.0F);
}

std::uint32_t to_integer(IntegerType type, float value) {
  if (value != value) return 0;
  const auto most = static_cast<float>(low_mask<std::uint32_t>(type.bits - (type.is_signed ? 1 : 0)));
  const float whole = std::clamp(std::trunc(value), type.is_signed ? -most - 1.0F : 0.0F, most);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) & low_mask<std::uint32_t>(type.bits);
}

std::uint32_t to_normalized(IntegerType type, float value) {
  if (value != value) return 0;
  const auto most = static_cast<float>(low_mask<std::uint32_t>(type.bits - (type.is_signed ? 1 : 0)));
  const float clamped = std::clamp(value, type.is_signed ? -1.0F : 0.0F, 1.0F);
  const auto number = static_cast<std::int32_t>(std::nearbyint(clamped * most));
  return static_cast<std::uint32_t>(number) & low_mask<std::uint32_t>(type.bits);
}

}  // namespace warpjit::usse
