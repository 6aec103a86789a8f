// The special-function unit (base/sfu.h) in operations on 32-bit words, without branches: a template over an
// `Ops`. sfu_lanes.cpp instantiates it on words, backend/lower/words.cpp on host instructions.
//
// An Ops has the types I32 and I1 and the operations of LaneOps below; of a selection the second operand may
// be a constant without further cost. No argument list makes two operations, so that what is emitted has one
// order on every compiler. Products of numbers below 2^15 have operations of their own: AVX2 multiplies
// halves of words in half the time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/compiler.h"
#include "base/sfu.h"

namespace warpjit::sfu {

// The ROM, two words a segment. The base: what the sum begins with, see below. The slopes: |c1| << 16 | |c2|,
// of rsqrt 4 |c2| and of lg2 2 |c2|, for its square. And the products of three by three bits without the
// terms of less than 4, in quarters: word a holds that of a and b in bits 4b+3 to 4b.
enum class Table : std::uint8_t {
  rcp_base,
  rcp_slopes,
  rsqrt_base,
  rsqrt_slopes,
  lg2_base,
  lg2_slopes,
  sin_base,
  sin_slopes,
  ex2_base,
  ex2_slopes,
  truncated_products,
};
inline constexpr std::size_t kTables = 11;
constexpr std::size_t word_count(Table table) {
  constexpr std::size_t kCounts[kTables] = {128, 128, 128, 128, 64, 64, 64, 64, 64, 64, 8};
  return kCounts[static_cast<std::size_t>(table)];
}
// As many words: a power of two. An index counts modulo their number.
std::span<const std::uint32_t> words_of(Table table);

// What the base words are made of. rcp: (c0 2^13 + c1 2^15 + half) >> 8, sin: c0 + c1 2^5; the others:
// (c0 2^shift + half) >> 8. The bits of `half` that this drops are added again later.
inline constexpr std::uint32_t kRcpHalf = 0x47e7, kRsqrtHalf = 0x7fff, kLg2Half = 0x3345, kEx2Half = 0x77e2;

// Loops over lanes vectorize only if all of it is inlined.
#define WARPJIT_LANE WARPJIT_ALWAYS_INLINE

template <class Ops>
class Lanes {
 public:
  using I32 = typename Ops::I32;
  using I1 = typename Ops::I1;

  explicit Lanes(Ops& ops) : o_(ops) {}

  // rcp and rsqrt in two steps: of usual operands, and then of all others. Usual: from 2^-63 to below 2^65 in
  // magnitude, of rsqrt positive. There rcp_bits() has all bits of kUsualOfRcp,
  // and rsqrt_bits() those of kUsualOfRsqrt.
  static constexpr std::uint32_t kUsualOfRcp = 0x40000000, kUsualOfRsqrt = 0xc0000000;
  WARPJIT_LANE I32 rcp_bits(I32 x) { return o_.iadd(x, word(64U << 23)); }
  WARPJIT_LANE I32 rsqrt_bits(I32 x) { return o_.isub(word(0x1fffffff), x); }

  WARPJIT_LANE I32 rcp(I32 x) { return other_rcp(x, usual_rcp(x)); }
  WARPJIT_LANE I32 rsqrt(I32 x) { return other_rsqrt(x, usual_rsqrt(x)); }

  WARPJIT_LANE I32 usual_rcp(I32 x) {
    const auto [base, slopes] = o_.look_up_two(Table::rcp_base, Table::rcp_slopes, x, 16);
    const I32 low = o_.iand(x, word(0xffff));
    const I32 squared = square(o_.iadd(low, low));
    // Counted from the middle of the segment, the linear term fits 32 bits.
    const I32 linear = o_.imul(o_.ishru(slopes, 16), o_.isub(word(0x8000), low));
    const I32 quadratic = o_.imul_lower(slopes, squared);
    const I32 inner = o_.iadd(o_.iadd(linear, quadratic), word(kRcpHalf & 0xff));
    const I32 significand = o_.ishru(o_.iadd(base, o_.ishrs(inner, 8)), 7);
    // With the sign, as 2^31 less is 2^31 more.
    return o_.iadd(significand, o_.isub(word(252U << 23), o_.iand(x, word(kSign | kInfinity))));
  }
  WARPJIT_LANE I32 other_rcp(I32 x, I32 r) {
    const I32 magnitude = o_.iand(x, word(kMagnitude));
    const I32 sign = o_.ixor(x, magnitude);
    const I32 infinite = o_.ior(sign, word(kInfinity));
    r = o_.iselect(o_.ilts(word(253U << 23), magnitude), sign, r);
    r = o_.iselect(o_.ilts(magnitude, word(kLeast)), infinite, r);
    return o_.iselect(o_.ilts(word(kInfinity), magnitude), word(kNan), r);
  }

  WARPJIT_LANE I32 usual_rsqrt(I32 x) {
    // By the segment with the lowest bit of the exponent.
    const I32 sum = interpolate<kRsqrtHalf, -1, 1>(Table::rsqrt_base, Table::rsqrt_slopes, x).high;
    const I1 is_power = o_.ieq(o_.iand(x, word(0xffffff)), word(0x800000));  // of four
    const I32 significand = o_.iselect(is_power, word(1U << 24), o_.ishru(sum, 8));
    const I32 halved = o_.iand(o_.ishru(o_.iadd(x, word(0x800000)), 1), word(kInfinity));
    return o_.iadd(significand, o_.isub(word(189U << 23), halved));
  }
  WARPJIT_LANE I32 other_rsqrt(I32 x, I32 r) {
    const I32 magnitude = o_.iand(x, word(kMagnitude));
    const I32 sign = o_.ixor(x, magnitude);
    r = o_.iselect(o_.ieq(x, word(kInfinity)), word(0), r);
    r = o_.iselect(is_negative_or_nan(x), word(kNan), r);
    const I32 infinite = o_.ior(sign, word(kInfinity));
    return o_.iselect(o_.ilts(magnitude, word(kLeast)), infinite, r);
  }

  WARPJIT_LANE I32 lg2(I32 x) {
    const Sum sum = interpolate<kLg2Half, 1, -1>(Table::lg2_base, Table::lg2_slopes, x);
    // 36 fraction bits: 30 of `high`, and 6 of what is below it.
    const I32 power = o_.isub(o_.ishru(x, 23), word(127));
    const I32 negative = o_.ishrs(power, 31);
    const I32 whole = o_.ixor(power, negative);
    const I32 high = o_.iand(o_.ixor(sum.high, negative), word(0x3fffffff));
    const I32 low = o_.iand(o_.ixor(sum.low, negative), word(0xfc));
    const I1 below_one = o_.ieq(whole, word(0));
    // From 1 on: the integer and 23 bits. Below: 24 bits and the other 12.
    const I32 first = o_.iselect(below_one, o_.ishru(high, 6), whole);
    const I32 middle = o_.ishl(o_.iand(high, word(63)), 17);
    const I32 last = o_.ior(middle, o_.ishl(low, 9));
    const I32 rest = o_.iselect(below_one, last, o_.ishru(high, 7));
    const I32 scale = o_.iselect(below_one, word(24U << 23), word(0));
    I32 r = o_.isub(normalized(first, rest), scale);
    // Next to 1 there are no others than the last 12 bits, which `last` has from bit 11 on.
    const I32 few_bits = o_.isub(o_.float_word(last), word((36U + 11) << 23));
    r = o_.iselect(o_.ieq(first, word(0)), few_bits, r);
    r = o_.ior(r, o_.iand(negative, word(kSign)));
    const I32 magnitude = o_.iand(x, word(kMagnitude));
    r = o_.iselect(o_.ieq(x, word(0x3f800000)), word(0), r);
    r = o_.iselect(o_.ieq(x, word(kInfinity)), word(kInfinity), r);
    r = o_.iselect(is_negative_or_nan(x), word(kNan), r);
    return o_.iselect(o_.ilts(magnitude, word(kLeast)), word(kSign | kInfinity), r);
  }

  WARPJIT_LANE I32 preex2(I32 x) {
    const I32 magnitude = o_.iand(x, word(kMagnitude));
    const I32 sign = o_.ixor(x, magnitude);
    const I32 significand = o_.ior(o_.iand(x, word(0x7fffff)), word(0x800000));
    // One of the two is a shift by 32 or more, or both are by 0.
    const I32 power = o_.isub(o_.ishru(magnitude, 23), word(127));
    const I32 larger = o_.ishl_by(significand, power);
    const I32 smaller = o_.ishru_by(significand, o_.isub(word(0), power));
    I32 r = o_.ior(larger, smaller);
    r = o_.iselect(o_.ilts(word(((127U + 7) << 23) - 1), magnitude), word(kFixedInfinity), r);
    r = o_.iselect(o_.ilts(word(kInfinity), magnitude), word(kFixedNan), r);
    return o_.ior(r, sign);
  }

  WARPJIT_LANE I32 presin(I32 x) {
    const I32 magnitude = o_.iand(x, word(kMagnitude));
    const I32 sign = o_.ixor(x, magnitude);
    // The upper 32 of the product's 48 bits, by bytes of the significand.
    const I32 turns = word(0xa2f983);
    const I32 byte0 = o_.iand(x, word(0xff)), byte1 = o_.iand(o_.ishru(x, 8), word(0xff));
    const I32 byte2 = o_.ior(o_.iand(o_.ishru(x, 16), word(0x7f)), word(0x80));
    const I32 carried = o_.ishru(o_.imul(byte0, turns), 8);
    const I32 middle = o_.ishru(o_.iadd(o_.imul(byte1, turns), carried), 8);
    const I32 product = o_.iadd(o_.imul(byte2, turns), middle);
    const I32 power = o_.isub(o_.ishru(magnitude, 23), word(135));
    const I32 larger = o_.ishl_by(product, power);
    const I32 smaller = o_.ishru_by(product, o_.isub(word(0), power));
    I32 r = o_.iand(o_.ior(larger, smaller), word(0x1ffffff));
    r = o_.iselect(o_.ilts(word(kInfinity - 1), magnitude), word(kFixedInfinity), r);
    r = o_.iselect(o_.ilts(word(kInfinity), magnitude), word(kFixedNan), r);
    return o_.ior(r, sign);
  }

  WARPJIT_LANE I32 sin(I32 fixed) {
    const I32 flip = o_.iand(o_.ishl(fixed, 7), word(kSign));  // quadrants 2 and 3
    return sin_of(fixed, o_.ixor(flip, o_.iand(fixed, word(kSign))));
  }
  WARPJIT_LANE I32 cos(I32 fixed) {
    const I32 next = o_.iadd(fixed, word(1U << 23));
    const I32 number = o_.iand(next, word(0x01ffffff));
    const I32 with_nan = o_.ior(number, o_.iand(fixed, word(kFixedNan)));
    return sin_of(with_nan, o_.iand(o_.ishl(next, 7), word(kSign)));
  }

  WARPJIT_LANE I32 ex2(I32 fixed) {
    const I32 negative = o_.ishrs(fixed, 31);
    // The negative of what has a fraction, less than the next unit: ~ stands for it.
    const I32 magnitude = o_.iand(fixed, word(0x3fffffff));
    const I1 borrows = o_.ieq(o_.iand(fixed, word(0x7fffff)), word(0));
    const I32 flipped = o_.ixor(magnitude, negative);
    // An integer gets the negative itself.
    const I32 number = o_.iselect(borrows, o_.isub(flipped, negative), flipped);
    const I32 sum = interpolate<kEx2Half, 1, 1>(Table::ex2_base, Table::ex2_slopes, number).high;
    const I32 significand = o_.ishru(sum, 7);
    const I32 exponent = o_.iand(number, word(0xff800000));
    I32 r = o_.iadd(o_.iadd(significand, word(126U << 23)), exponent);
    r = o_.iselect(o_.ilts(r, word(kLeast)), word(0), r);
    r = o_.imins(r, word(kInfinity));
    const I32 is_special = o_.iand(fixed, word(kFixedNan));
    const I32 infinite = o_.iand(o_.ixor(negative, word(~0U)), word(kInfinity));
    const I32 special = o_.iselect(o_.ieq(magnitude, word(0)), word(kNan), infinite);
    return o_.iselect(o_.ilts(word(0), is_special), special, r);
  }

 private:
  static constexpr std::uint32_t kSign = 0x80000000, kMagnitude = 0x7fffffff, kInfinity = 0x7f800000,
                                 kNan = 0x7fffffff, kLeast = 0x00800000;
  static constexpr std::uint32_t kFixedNan = 0x40000000, kFixedInfinity = 0x40800000;

  WARPJIT_LANE I32 word(std::uint32_t value) { return o_.constant_i(value); }

  // Zeros and denormals with a sign count as negative.
  WARPJIT_LANE I1 is_negative_or_nan(I32 x) {
    const I32 flipped = o_.ixor(x, word(kSign));  // compared as signed, orders as x does without
    return o_.ilts(word(kSign | kInfinity), flipped);
  }

  // sfu::square: with x = 512 high + 4 h + ..., H = high >> 1, besides the square of `high` the products of
  // bits i of H and j of h, i + j >= 6: four by four upper bits, and two triangles of three by three. Less
  // than 2^15 for an x of 17 bits.
  WARPJIT_LANE I32 square(I32 x) {
    const I32 high = o_.ishru(x, 9);
    const I32 squared = o_.ishru(o_.imul_small(high, high), 1);
    const I32 upper = o_.ishru(x, 13);
    const I32 product = o_.imul_small(upper, o_.iand(o_.ishru(x, 5), word(15)));
    const I32 above = truncated_product(o_.ishru(x, 14), o_.iand(x, word(28)));
    const I32 below_by = o_.ishru(x, 4);
    const I32 below = truncated_product(o_.ishru(x, 10), o_.iand(below_by, word(28)));
    const I32 triangles = o_.iadd(above, below);
    return o_.iadd(o_.iadd(squared, product), triangles);
  }
  WARPJIT_LANE I32 truncated_product(I32 a, I32 four_b) {
    const I32 row = o_.look_up(Table::truncated_products, a);
    return o_.iand(o_.ishru_by(row, four_b), word(15));
  }

  struct Sum {
    I32 high;  // without its lowest 8 bits
    I32 low;   // these, and others above them
  };
  // base + kSign1 c1 x + kSign2 c2 square(x) of the lowest 17 bits x of a word, and of the segment that the
  // bits above them tell, with what `half` adds.
  template <std::uint32_t kHalf, int kSign1, int kSign2>
  WARPJIT_LANE Sum interpolate(Table base_table, Table slopes_table, I32 segment_and_x) {
    const auto [base, slopes] = o_.look_up_two(base_table, slopes_table, segment_and_x, 17);
    const I32 x = o_.iand(segment_and_x, word(0x1ffff));
    const I32 squared = square(x);
    const I32 quadratic = o_.imul_lower(slopes, squared);
    const I32 c1 = o_.ishru(slopes, 16);
    const I32 fine = o_.imul(c1, o_.iand(x, word(0xff)));
    const I32 coarse = o_.imul(c1, o_.ishru(x, 8));
    const I32 half = word(kHalf & 0xff);
    const I32 with_half = kSign1 > 0 ? o_.iadd(half, fine) : o_.isub(half, fine);
    const I32 low = kSign2 > 0 ? o_.iadd(with_half, quadratic) : o_.isub(with_half, quadratic);
    const I32 linear = kSign1 > 0 ? o_.iadd(base, coarse) : o_.isub(base, coarse);
    return {o_.iadd(linear, o_.ishrs(low, 8)), low};
  }

  // The float of the number `first` + `rest` / 2^23, truncated; `first` is at most 2^24, and not 0.
  WARPJIT_LANE I32 normalized(I32 first, I32 rest) {
    const I32 bits = o_.float_word(first);
    const I32 power = o_.isub(o_.ishru(bits, 23), word(127));
    return o_.iadd(bits, o_.ishru_by(rest, power));
  }

  // `fixed`: the fraction and the lowest bit of the quadrant.
  WARPJIT_LANE I32 sin_of(I32 fixed, I32 sign) {
    const I32 backward = o_.ishrs(o_.ishl(fixed, 8), 31);
    const I32 t = o_.ixor(fixed, backward);
    const auto [base, slopes] = o_.look_up_two(Table::sin_base, Table::sin_slopes, t, 17);
    const I32 low = o_.iand(t, word(0x1ffff));
    const I32 squared = square(low);
    const I32 linear = o_.imul(o_.ishru(slopes, 16), o_.isub(low, word(0x10000)));
    const I32 inner = o_.isub(linear, o_.imul_lower(slopes, squared));
    // 37 fraction bits: 26 here, 11 in `inner`. 24 of them, and 13.
    const I32 sum = o_.iadd(base, o_.ishrs(inner, 11));
    const I32 first = o_.ishru(sum, 2);
    const I32 upper = o_.ishl(sum, 21);
    const I32 lower = o_.iand(o_.ishl(inner, 10), word(0x1ffc00));
    const I32 rest = o_.iand(o_.ior(upper, lower), word(0x7fffff));
    I32 r = o_.isub(normalized(first, rest), word(24U << 23));
    r = o_.ior(o_.iselect(o_.ieq(first, word(0)), word(0), r), sign);
    return o_.iselect(o_.ilts(word(0), o_.iand(fixed, word(kFixedNan))), word(kNan), r);
  }

  Ops& o_;
};

// The instance on words.
class LaneOps {
 public:
  using I32 = std::uint32_t;
  using I1 = bool;

  LaneOps() {
    for (std::size_t n = 0; n < kTables; ++n) tables_[n] = words_of(static_cast<Table>(n)).data();
  }

  WARPJIT_LANE static I32 constant_i(I32 value) { return value; }
  WARPJIT_LANE static I32 iadd(I32 a, I32 b) { return a + b; }
  WARPJIT_LANE static I32 isub(I32 a, I32 b) { return a - b; }
  WARPJIT_LANE static I32 imul(I32 a, I32 b) { return a * b; }
  // Products of numbers below 2^15; the first factor of imul_lower is the lower half of a word.
  WARPJIT_LANE static I32 imul_small(I32 a, I32 b) { return a * b; }
  WARPJIT_LANE static I32 imul_lower(I32 a, I32 b) { return (a & 0xffff) * b; }
  WARPJIT_LANE static I32 imins(I32 a, I32 b) { return ilts(a, b) ? a : b; }
  WARPJIT_LANE static I32 imaxs(I32 a, I32 b) { return ilts(a, b) ? b : a; }
  WARPJIT_LANE static I32 iand(I32 a, I32 b) { return a & b; }
  WARPJIT_LANE static I32 ior(I32 a, I32 b) { return a | b; }
  WARPJIT_LANE static I32 ixor(I32 a, I32 b) { return a ^ b; }
  // By a constant from 1 to 31; by a word, where 32 and more give 0.
  WARPJIT_LANE static I32 ishl(I32 a, int count) { return a << count; }
  WARPJIT_LANE static I32 ishru(I32 a, int count) { return a >> count; }
  WARPJIT_LANE static I32 ishrs(I32 a, int count) {
    return static_cast<I32>(static_cast<std::int32_t>(a) >> count);
  }
  WARPJIT_LANE static I32 ishl_by(I32 a, I32 count) { return count < 32 ? a << (count & 31) : 0; }
  WARPJIT_LANE static I32 ishru_by(I32 a, I32 count) { return count < 32 ? a >> (count & 31) : 0; }
  WARPJIT_LANE static bool ilts(I32 a, I32 b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  }
  WARPJIT_LANE static bool ieq(I32 a, I32 b) { return a == b; }
  WARPJIT_LANE static I32 iselect(bool condition, I32 a, I32 b) { return condition ? a : b; }
  // The bits of the float of a signed integer.
  WARPJIT_LANE static I32 float_word(I32 a) {
    return std::bit_cast<I32>(static_cast<float>(static_cast<std::int32_t>(a)));
  }
  WARPJIT_LANE I32 look_up(Table table, I32 index) const {
    return tables_[static_cast<std::size_t>(table)][index & (word_count(table) - 1)];
  }
  // In two tables of equal size, by the bits of a word from `bit` on.
  WARPJIT_LANE std::array<I32, 2> look_up_two(Table first, Table second, I32 a, int bit) const {
    return {look_up(first, a >> bit), look_up(second, a >> bit)};
  }

 private:
  std::array<const I32*, kTables> tables_{};
};

}  // namespace warpjit::sfu
