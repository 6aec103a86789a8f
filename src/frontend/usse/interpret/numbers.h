// Numbers of the USSE guest interpreter (docs/guests/usse.md 5): halves, C10, normalized integers, the
// functions. All arithmetic is in f32, each operation rounded to nearest even.
#pragma once

#include <cstdint>

#include "base/bits.h"
#include "base/compiler.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

inline constexpr std::uint32_t kNan = 0x7fc00000;
inline constexpr std::uint16_t kHalfNan = 0x7e00;

// The bits of a result: every NaN is kNan.
inline std::uint32_t result_bits(float value) { return value == value ? to_bits(value) : kNan; }

// A half's value; a NaN keeps its payload and becomes quiet.
float half_value(std::uint16_t half);
// Rounds to nearest even; a NaN becomes kHalfNan.
std::uint16_t to_half(float value);

// Ten bits of fixed point, 8 of them after the point.
float c10_value(std::uint32_t bits);
std::uint32_t to_c10(float value);

// 1/x, 1/sqrt(x), log2(x), 2^x; 2^NaN is 1.
float reciprocal(float x);
float reciprocal_root(float x);
float logarithm(float x);
float power_of_two(float x);

// a < b ? a : b and a > b ? a : b: a NaN in either gives b.
inline float minimum(float a, float b) { return WARPJIT_LESSER(a, b); }
inline float maximum(float a, float b) { return WARPJIT_GREATER(a, b); }

// An integer type of VPCK.
struct IntegerType {
  unsigned bits;
  bool is_signed;
};
IntegerType integer_type(Type type);
// A field of that type as a number, and scaled to [0, 1] or [-1, 1].
std::int32_t integer_value(IntegerType type, std::uint32_t field);
float normalized_value(IntegerType type, std::uint32_t field);
// What a float becomes: truncated and saturated, or scaled back; a NaN is 0.
std::uint32_t to_integer(IntegerType type, float value);
std::uint32_t to_normalized(IntegerType type, float value);

// The product of two bytes that stand for 0 to 1: (a b + 127) / 255.
inline std::uint32_t byte_product(std::uint32_t a, std::uint32_t b) { return (a * b + 127) / 255; }

}  // namespace warpjit::usse
