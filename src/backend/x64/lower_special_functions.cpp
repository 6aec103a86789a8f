// Tesla's special functions (base/sfu.h) for AVX-512, in code that runs without denormals: the sums of
// base/sfu_lanes.h with products of 16-bit halves; conversions and multiply-adds that round toward zero where
// a sum is truncated; the classes of the operand by one instruction.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using sfu::Function;
using sfu::Table;

namespace {

constexpr std::uint32_t kSign = 0x80000000, kAllButSign = 0x7fffffff, kInfinity = 0x7f800000,
                        kNan = 0x7fffffff, kLeast = 0x00800000;
constexpr std::uint32_t kFixedNan = 0x40000000, kFixedInfinity = 0x40800000;

// Functions of three bits, for Op::Ternary.
constexpr int kA = 0xf0, kB = 0xcc, kC = 0xaa;
constexpr int kSelect = (kC & kB) | (~kC & kA & 0xff);  // c ? b : a
constexpr int kMerge = kA | (kB & kC);

// What FixUp puts in the place of a result, by the class of the operand.
constexpr std::uint32_t kZeroClass = 8, kOneClass = 12, kInfinityClass = 20;  // shifts
constexpr std::uint32_t kMinusInfinity = 4, kPlusInfinity = 5, kSignedInfinity = 6, kPlusZero = 8;

constexpr std::uint32_t pair(std::uint32_t upper, std::uint32_t lower) { return upper << 16 | lower; }
// The factors by which MulHighHalves shifts to the right.
constexpr std::uint32_t shifts(int upper, int lower) { return pair(1U << (16 - upper), 1U << (16 - lower)); }

// By a << 3 | b, two entries a word.
std::array<std::uint32_t, 32> truncated_products_by_halves() {
  const auto rows = sfu::words_of(Table::truncated_products);
  std::array<std::uint32_t, 32> words{};
  for (std::uint32_t n = 0; n < 64; ++n) words[n / 2] |= (rows[n >> 3] >> 4 * (n & 7) & 15) << 16 * (n & 1);
  return words;
}

}  // namespace

Reg Words::special_function(Function function, Reg x, bool all_ones) {
  if (!host_.mask_registers || !state_.flushing) return lir::kNoReg;
  switch (function) {
    case Function::rcp:
      return rcp(x, all_ones);
    case Function::rsqrt:
      return rsqrt(x);
    case Function::lg2:
      return lg2(x);
    case Function::presin:
      return presin(x);
    case Function::preex2:
      return preex2(x);
    case Function::sin: {
      Reg flip = vvv(Op::Xor, x, with_immediate(Op::Shl, x, 7));
      return sin_of(x, flip, x);
    }
    case Function::cos: {
      Reg next = vvv(Op::IAdd, x, constant_source(kLeast));
      return sin_of(next, with_immediate(Op::Shl, next, 7), x);
    }
    case Function::ex2:
      return ex2(x);
    default:
      return lir::kNoReg;
  }
}

// ---- instructions

// a * b + c, toward zero.
Reg Words::fma_zero(Reg a, std::uint32_t b, Reg c) {
  Reg factor = constant_vector(b);
  const InstRef inst = add(Op::FmaZero, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, a);
  use(inst, factor);
  use(inst, c);
  return inst->def;
}

Reg Words::bits_in(Reg a, std::uint32_t bits) {
  const InstRef inst = add(Op::TestBits, RegClass::mask);
  use(inst, a);
  use_source(inst, constant_source(bits));
  return inst->def;
}

// With a vector of pairs of halves, which cannot be one word of memory.
Reg Words::half_pair_source(Op op, Reg a, std::uint32_t halves) {
  std::array<std::uint32_t, kMostHostLanes> all;
  all.fill(halves);
  return vvv(op, a, Source{lir::kNoReg, pool_mem(all)});
}

// ---- what they share

// sfu::square of the number whose upper 16 bits of 17 are the lower ones of `upper`. With the number's bits
// from 9 on as high: half the square of that, with twice the product of its upper four bits and the four
// below it, in one sum of products; and the two products without low bits (base/sfu_lanes.h) by one look-up.
Words::Square Words::square(Reg upper) {
  static const auto kProducts = truncated_products_by_halves();
  constexpr std::uint32_t kTwice = 0x01000100;  // bytes 1 and 0, for each of four words
  std::array<std::uint32_t, kMostHostLanes> twice;
  for (std::uint32_t n = 0; n < twice.size(); ++n) twice[n] = kTwice + (n % 4) * 0x04040404;
  Reg both = vvv(Op::ShuffleBytes, upper, Source{lir::kNoReg, pool_mem(twice)});
  Reg left = half_pair_source(Op::MulHighHalves, both, shifts(12, 8));
  Reg right = half_pair_source(Op::MulHighHalves, both, shifts(3, 8));
  right = vvv(Op::And, right, constant_source(pair(0x1e, 0xffff)));
  Reg squared = with_immediate(Op::ShrU, vvv(Op::DotHalves, left, right), 1);
  Reg a = half_pair_source(Op::MulHighHalves, both, shifts(6, 10));
  Reg b = half_pair_source(Op::MulHighHalves, both, shifts(5, 1));
  Reg index = ternary(kSelect, a, b, constant_source(pair(7, 7)));
  Source lower{lir::kNoReg, {}};
  lower.mem.base = lir::MemBase::pool;
  lower.mem.displacement = pool_.table(kProducts);
  Source higher = lower;
  higher.mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  Reg products = load_constant(lower.mem);
  const InstRef look_up = add(Op::LookUpHalves, RegClass::vector);
  look_up->flags |= lir::kTied;
  use(look_up, products);
  use(look_up, index);
  use_source(look_up, higher);
  Reg found = look_up->def;
  return {vvv(Op::IAdd, squared, half_pair_source(Op::DotHalves, found, pair(1, 1))), both};
}

std::array<Reg, 2> Words::entry_of(Table bases, Table slopes, Reg segment) {
  Reg base = look_up(sfu::words_of(bases), segment);
  return {base, look_up(sfu::words_of(slopes), segment)};
}

// base + c1 x + c2 square(x) of the lowest 17 bits of x; `falls`: with -c1, and then `adds_square` holds;
// without `adds_square`: with -c2.
Words::Sum Words::interpolate(Table bases, Table slopes_table, std::uint32_t half, Reg x, bool falls,
                              bool adds_square) {
  Reg segment = with_immediate(Op::ShrU, x, 17);
  const auto [base, slopes] = entry_of(bases, slopes_table, segment);
  const auto [squared, both] = square(with_immediate(Op::ShrU, x, 1));
  Reg quadratic = vvv(Op::DotHalves, slopes, squared);  // whose upper halves are 0
  Reg c1 = with_immediate(Op::ShrU, slopes, 16);
  Reg fine = vvv(Op::IMul, c1, vvv(Op::And, x, constant_source(0xff)));
  Reg coarse = vvv(Op::IMul, c1, half_pair_source(Op::MulHighHalves, both, pair(0, 1U << 9)));
  if (falls) {  // (0xff - n) >> 8 is -(n >> 8)
    Reg low = vvv(Op::ISub, fine, quadratic);
    Reg linear = vvv(Op::ISub, base, coarse);
    return {vvv(Op::ISub, linear, with_immediate(Op::ShrS, low, 8)), low};
  }
  Reg with_half = vvv(Op::IAdd, fine, constant_source(half & 0xff));
  Reg low = vvv(adds_square ? Op::IAdd : Op::ISub, with_half, quadratic);
  Reg linear = vvv(Op::IAdd, base, coarse);
  return {vvv(Op::IAdd, linear, with_immediate(Op::ShrS, low, 8)), low};
}

// `r`, but the words for numbers beyond `last_finite` and for NaNs in the lanes whose magnitude is such.
Reg Words::special_fixed(Reg magnitude, Reg r, std::uint32_t last_finite) {
  Reg is_large = compare(Op::CmpI, magnitude, constant_source(last_finite), integer_predicate::kGt);
  Reg limited = blend(r, constant_source(kFixedInfinity), is_large);
  Reg is_nan = compare(Op::CmpI, magnitude, constant_source(kInfinity), integer_predicate::kGt);
  return blend(limited, constant_source(kFixedNan), is_nan);
}

// ---- the functions

// The significand, with 7 bits more, is scaled by the operand's exponent, which is infinite where the operand
// is, and of a zero.
Reg Words::rcp(Reg x, bool all_ones) {
  Reg segment = with_immediate(Op::ShrU, x, 16);
  const auto [base, slopes] = entry_of(Table::rcp_base, Table::rcp_slopes, segment);
  Reg quadratic = vvv(Op::DotHalves, slopes, square(x).truncated);
  Reg middle = constant_vector(0x8000);
  Reg from_middle = vvv(Op::ISub, middle, vvv(Op::And, x, constant_source(0xffff)));
  Reg linear = vvv(Op::IMul, from_middle, with_immediate(Op::ShrU, slopes, 16));
  linear = vvv(Op::IAdd, linear, constant_source(sfu::kRcpHalf & 0xff));
  Reg sum = vvv(Op::IAdd, base, with_immediate(Op::ShrS, vvv(Op::IAdd, linear, quadratic), 8));
  Reg significand = vv(Op::CvtToFUZero, sum);
  constexpr std::uint32_t kMinus31 = 0xc1f80000;
  Reg power = constant_vector(kMinus31);
  power = vvv(Op::Sub, power, vv(Op::Exponent, x));
  Reg r = ternary(kSelect, vvv(Op::Scale, significand, power), x, constant_source(kSign));
  return all_ones ? r : nan_as(kNan, r);
}

Reg Words::rsqrt(Reg x) {
  const Reg sum = interpolate(Table::rsqrt_base, Table::rsqrt_slopes, sfu::kRsqrtHalf, x, true, true).high;
  Reg is_power = compare(Op::CmpI, vvv(Op::And, x, constant_source(0xffffff)), constant_source(kLeast),
                         integer_predicate::kEq);  // of four
  Reg significand = blend(with_immediate(Op::ShrU, sum, 8), constant_source(1U << 24), is_power);
  Reg halved = with_immediate(Op::ShrU, vvv(Op::IAdd, x, constant_source(kLeast)), 1);
  halved = vvv(Op::And, halved, constant_source(kInfinity));
  Reg power = constant_vector(189U << 23);
  power = vvv(Op::ISub, power, halved);
  Reg r = vvv(Op::IAdd, significand, power);
  // NaNs, and negative numbers; of these the zeros are seen to below.
  Reg is_none = compare(Op::CmpU, x, constant_source(kInfinity), integer_predicate::kGt);
  r = blend(r, constant_source(kNan), is_none);
  return fix_up(r, x, kSignedInfinity << kZeroClass | kPlusZero << kInfinityClass);
}

// 36 fraction bits: 30 of the sum's upper word, 6 of its lower one. The sums below, from the low bits up, are
// exact but for what the result drops.
Reg Words::lg2(Reg x) {
  const Sum sum = interpolate(Table::lg2_base, Table::lg2_slopes, sfu::kLg2Half, x, false, false);
  Reg power = vvv(Op::ISub, with_immediate(Op::ShrU, x, 23), constant_source(127));
  Reg negative = with_immediate(Op::ShrS, power, 31);
  Reg whole = vv(Op::CvtToF, vvv(Op::Xor, power, negative));
  constexpr int kMaskedXor = (kA ^ kB) & kC;
  Reg high = vv(Op::CvtToFZero, ternary(kMaskedXor, sum.high, negative, constant_source(0x3fffffff)));
  Reg low = vv(Op::CvtToF, ternary(kMaskedXor, sum.low, negative, constant_source(0xfc)));
  constexpr std::uint32_t kTwoTo8 = 0x43800000, kTwoTo38 = 0x52800000, kTwoToMinus38 = 0x2c800000;
  Reg r = fma_zero(whole, kTwoTo38, fma_zero(high, kTwoTo8, low));
  r = vvv(Op::Mul, r, constant_source(kTwoToMinus38));
  r = ternary(kMerge, r, negative, constant_source(kSign));
  Reg is_none = compare(Op::CmpU, x, constant_source(kInfinity), integer_predicate::kGt);
  r = blend(r, constant_source(kNan), is_none);
  return fix_up(r, x,
                kMinusInfinity << kZeroClass | kPlusZero << kOneClass | kPlusInfinity << kInfinityClass);
}

// The product with |x|, rounded down, as two floats: the upper one is whole where the lower one is 1 or more.
Reg Words::times_turns(Reg magnitude) {
  constexpr std::uint32_t kTurns = 0x4aa2f983;  // 2/pi with 23 fraction bits, 0xa2f983 / 2
  Reg turns = constant_vector(kTurns);
  const InstRef high = add(Op::MulZero, RegClass::vector);
  use(high, magnitude);
  use(high, turns);
  high->prefer = 3;
  Reg upper = high->def;
  const InstRef rest = add(Op::Fms, RegClass::vector);
  use(rest, magnitude);
  use(rest, turns);
  use(rest, upper);
  rest->prefer = 7;
  Reg lower = rest->def;
  Reg whole = vv(Op::CvtToU, upper);
  return vvv(Op::IAdd, whole, vv(Op::CvtToI, lower));
}

// From 2^9 on the exponent is taken for that of 2^8, and the product is shifted.
Reg Words::presin(Reg x) {
  constexpr std::uint32_t kExponentOfTwoTo8 = 127 + 8;
  Reg magnitude = vvv(Op::And, x, constant_source(kAllButSign));
  Reg exponent = with_immediate(Op::ShrU, magnitude, 23);
  Reg at_least = vvv(Op::IMaxU, exponent, constant_source(kExponentOfTwoTo8));
  Reg count = vvv(Op::ISub, at_least, constant_source(kExponentOfTwoTo8));
  Reg product = times_turns(vvv(Op::ISub, magnitude, with_immediate(Op::Shl, count, 23)));
  Reg shifted = vvv(Op::And, vvv(Op::ShlV, product, count), constant_source(0x1ffffff));
  Reg r = special_fixed(magnitude, shifted, kInfinity - 1);
  return ternary(kMerge, r, x, constant_source(kSign));
}

Reg Words::preex2(Reg x) {
  constexpr std::uint32_t kTwoTo23 = 0x4b000000;
  Reg magnitude = vvv(Op::And, x, constant_source(kAllButSign));
  Reg fixed = vv(Op::CvtToI, vvv(Op::Mul, magnitude, constant_source(kTwoTo23)));
  Reg r = special_fixed(magnitude, fixed, ((127U + 7) << 23) - 1);
  return ternary(kMerge, r, x, constant_source(kSign));
}

// The sine for the fraction and the lowest bit of the quadrant in `quadrants`, with bit 31 of `sign`; NaN
// where `fixed` is.
Reg Words::sin_of(Reg quadrants, Reg sign, Reg fixed) {
  Reg backward = with_immediate(Op::ShrS, with_immediate(Op::Shl, quadrants, 8), 31);
  Reg t = vvv(Op::Xor, quadrants, backward);
  Reg segment = with_immediate(Op::ShrU, t, 17);
  const auto [base, slopes] = entry_of(Table::sin_base, Table::sin_slopes, segment);
  Reg quadratic = vvv(Op::DotHalves, slopes, square(with_immediate(Op::ShrU, t, 1)).truncated);
  Reg from_middle = vvv(Op::ISub, vvv(Op::And, t, constant_source(0x1ffff)), constant_source(0x10000));
  Reg linear = vvv(Op::IMul, with_immediate(Op::ShrU, slopes, 16), from_middle);
  Reg inner = vvv(Op::ISub, linear, quadratic);
  // 37 fraction bits: 26 here, 11 in `inner`.
  Reg sum = vvv(Op::IAdd, base, with_immediate(Op::ShrS, inner, 11));
  Reg high = vv(Op::CvtToFZero, sum);
  Reg low = vv(Op::CvtToF, vvv(Op::And, inner, constant_source(0x7ff)));
  constexpr std::uint32_t kTwoTo11 = 0x45000000, kTwoToMinus37 = 0x2d000000;
  Reg r = vvv(Op::Mul, fma_zero(high, kTwoTo11, low), constant_source(kTwoToMinus37));
  r = ternary(kMerge, r, sign, constant_source(kSign));
  return blend(r, constant_source(kNan), bits_in(fixed, kFixedNan));
}

Reg Words::ex2(Reg fixed) {
  Reg negative = with_immediate(Op::ShrS, fixed, 31);
  // The negative of what has a fraction, less than the next unit: ~ stands for it. For an integer it is the
  // negative itself.
  constexpr std::uint32_t kAll = 0x3fffffff;
  constexpr int kXorOfMasked = (kA & kC) ^ kB;
  Reg flipped = ternary(kXorOfMasked, fixed, negative, constant_source(kAll));
  Reg number = blend(vvv(Op::ISub, flipped, negative), reg_source(flipped), bits_in(fixed, 0x7fffff));
  const Reg sum = interpolate(Table::ex2_base, Table::ex2_slopes, sfu::kEx2Half, number, false, true).high;
  Reg exponent = vvv(Op::And, number, constant_source(0xff800000));
  exponent = vvv(Op::IAdd, exponent, constant_source(126U << 23));
  Reg r = vvv(Op::IAdd, with_immediate(Op::ShrU, sum, 7), exponent);
  r = zero_where_not(r, compare(Op::CmpI, r, constant_source(kLeast), integer_predicate::kGe));
  r = vvv(Op::IMinS, r, constant_source(kInfinity));
  // For an infinity: infinity, or zero if it is negative.
  Reg infinite = vvv(Op::AndNot, negative, constant_source(kInfinity));
  Reg none = constant_vector(kNan);
  Reg special = blend(none, reg_source(infinite), bits_in(fixed, kAll));
  return blend(r, reg_source(special), bits_in(fixed, kFixedNan));
}

}  // namespace warpjit::backend::x64
