#include <algorithm>
#include <limits>

#include "frontend/valhall/facts/special_functions.h"
#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool flushes(const FloatFormat& format, const FloatMode& mode) {
  return &format == &kHalf ? mode.flush_half : mode.flush_single;
}

// A NaN becomes the lower bound; -0 becomes +0 where that is the bound.
double clamped(Clamp clamp, double value) {
  const auto between = [&](double low, double high) { return value > low ? std::min(value, high) : low; };
  switch (clamp) {
    case Clamp::none:
      return value;
    case Clamp::zero_to_infinity:
      return between(0, kInfinity);
    case Clamp::minus_one_to_one:
      return between(-1, 1);
    case Clamp::zero_to_one:
      return between(0, 1);
  }
  return value;
}

}  // namespace

double half_source(const Source& source, std::uint64_t value, unsigned k, const FloatMode& mode) {
  const double half =
      half_value(static_cast<std::uint32_t>(integer_element(source, value, elements_of(Type::v2f16), k)));
  return with_modifiers(source, mode.flush_half ? flushed(kHalf, half) : half);
}

std::uint32_t finish(const FloatFormat& format, double value, const Instruction& instruction,
                     const FloatMode& mode, Round round) {
  std::uint32_t bits = round_to(format, clamped(instruction.clamp, value), round);
  const std::uint32_t magnitude = bits & ~format.sign();
  const bool denormal = magnitude >> format.fraction_bits == 0;
  if (denormal && flushes(format, mode)) bits &= format.sign();
  if (magnitude > format.infinity() && mode.suppress_nan) bits = 0;
  if (magnitude == format.infinity() && mode.suppress_infinity) --bits;
  return bits;
}

namespace {

using Wide = std::uint64_t;

// Applies a function of doubles to the sources as the instruction's type says.
template <class Function>
Wide each_float(const Instruction& i, const Inputs& in, const Function& function,
                Round round = Round::nearest_even) {
  if (i.type != Type::v2f16) {
    const auto source = [&](unsigned n) { return single_source(i.source[n], in.source[n], in.mode); };
    return finish(kSingle, function(source, 0U), i, in.mode, round);
  }
  return pack_elements(elements_of(i.type), [&](unsigned k) {
    const auto source = [&](unsigned n) { return half_source(i.source[n], in.source[n], k, in.mode); };
    return finish(kHalf, function(source, k), i, in.mode, round);
  });
}

// Rounded down, what cancels is -0.
double sum_of(const Instruction& i, double a, double b) {
  const double sum = add_to_odd(a, b);
  const bool zeros = a == 0 && b == 0 && !std::signbit(a) && !std::signbit(b);
  return sum == 0 && i.round == Round::down && !zeros ? -0.0 : sum;
}
Wide fadd(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in, [&](const auto& source, unsigned) { return sum_of(i, source(0), source(1)); }, i.round);
}
Wide fadd_imm(const Instruction& i, const Inputs& in) {
  return each_float(i, in, [&](const auto& source, unsigned k) {
    const bool half = i.type == Type::v2f16;
    const double constant =
        half ? half_value(i.constant >> (16 * k) & 0xffff) : static_cast<double>(to_float(i.constant));
    const bool flush = half ? in.mode.flush_half : in.mode.flush_single;
    return add_to_odd(source(0), flush ? flushed(half ? kHalf : kSingle, constant) : constant);
  });
}

// Products of two f32 are exact in a double.
Wide fma(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in, [&](const auto& source, unsigned) { return sum_of(i, source(0) * source(1), source(2)); },
      i.round);
}

// A NaN loses, or wins; -0 is less than +0.
double least(double a, double b, bool propagate_nan = false) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != propagate_nan ? b : a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
Wide fmin(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in, [&](const auto& source, unsigned) { return least(source(0), source(1), i.propagate_nan); });
}
Wide fmax(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in, [&](const auto& source, unsigned) { return -least(-source(0), -source(1), i.propagate_nan); });
}

// No f32 or f16 but 0 and infinity stays one when it is scaled by more.
constexpr int kMostScale = 700;
double scaled(double value, std::int64_t exponent) {
  return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -kMostScale, kMostScale)));
}

Wide ldexp(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in,
      [&](const auto& source, unsigned k) {
        const Elements elements{i.type == Type::v2f16 ? 16U : 32U, i.type == Type::v2f16 ? 2U : 1U, true};
        return scaled(source(0), integer_element(i.source[1], in.source[1], elements, k));
      },
      i.round);
}

enum class Rescale { plain, n, left };
template <Rescale kRescale>
Wide fma_rscale(const Instruction& i, const Inputs& in) {
  return each_float(i, in, [&](const auto& source, unsigned) {
    const double a = source(0), b = source(1);
    double product = a * b;
    if (kRescale != Rescale::plain && (a == 0 || b == 0)) product = kRescale == Rescale::left ? a : 0.0;
    return scaled(add_to_odd(product, source(2)), static_cast<std::int32_t>(in.source[3]));
  });
}

Wide fround(const Instruction& i, const Inputs& in) {
  return each_float(i, in,
                    [&](const auto& source, unsigned) { return round_to_integer(source(0), i.round); });
}

// ---- Mantissa and exponent

struct Parts {
  double mantissa;
  int exponent;
};
// value = mantissa * 2^exponent, of sqrt 4^exponent: the mantissa in [1/2, 1), of log in [3/4, 3/2), of sqrt
// in [1/4, 1). Zeros, infinities and NaNs are their own mantissa.
Parts parts_of(double value, bool sqrt, bool log) {
  if (value == 0 || !std::isfinite(value)) return {value, 0};
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  if (log && std::fabs(mantissa) < 0.75) {
    mantissa *= 2;
    --exponent;
  } else if (sqrt) {
    const int odd = exponent & 1;
    if (odd != 0) mantissa /= 2;
    exponent = (exponent + odd) / 2;
  }
  return {mantissa, exponent};
}
Wide frexpm(const Instruction& i, const Inputs& in) {
  return each_float(
      i, in, [&](const auto& source, unsigned) { return parts_of(source(0), i.sqrt, i.log).mantissa; });
}
Wide frexpe(const Instruction& i, const Inputs& in) {
  const auto exponent = [&](double value) {
    const int e = parts_of(value, i.sqrt, i.log).exponent;
    return i.negate_result ? -e : e;
  };
  if (i.type == Type::f32)
    return static_cast<std::uint32_t>(exponent(single_source(i.source[0], in.source[0], in.mode)));
  return pack_elements(elements_of(i.type), [&](unsigned k) {
    return exponent(half_source(i.source[0], in.source[0], k, in.mode));
  });
}
Wide fadd_lscale(const Instruction& i, const Inputs& in) {
  return each_float(i, in, [](const auto& source, unsigned) {
    return add_to_odd(source(0), parts_of(source(1), false, true).mantissa);
  });
}

// ---- Special functions

// f16 forms take one half; both halves of the result are it.
template <class Function>
Wide of_one(const Instruction& i, const Inputs& in, const Function& function) {
  if (i.type == Type::f32)
    return finish(kSingle, function(single_source(i.source[0], in.source[0], in.mode)), i, in.mode);
  const std::uint32_t half =
      finish(kHalf, function(half_source(i.source[0], in.source[0], 0, in.mode)), i, in.mode);
  return half | half << 16;
}
Wide frcp(const Instruction& i, const Inputs& in) {
  return of_one(i, in, [](double x) { return 1 / x; });
}

// Those that special_functions.h defines. Sources of f32 and f16 are f32 without rounding.
constexpr math::ScalarOps kOps;
Wide frsq(const Instruction& i, const Inputs& in) {
  return of_one(i, in,
                [](double x) { return static_cast<double>(reciprocal_root(kOps, static_cast<float>(x))); });
}
Wide fexp(const Instruction& i, const Inputs& in) {
  const double scaled = single_source(i.source[1], in.source[1], in.mode);
  return finish(kSingle, static_cast<double>(exp2_scaled(kOps, static_cast<float>(scaled))), i, in.mode);
}
Wide flogd(const Instruction& i, const Inputs& in) {
  const double x = single_source(i.source[0], in.source[0], in.mode);
  double result = x;  // of a NaN and of infinity
  if (x == 0)
    result = kInfinity;
  else if (x < 0)
    result = kNan;
  else if (std::isfinite(x))
    result = static_cast<double>(log2_slope(kOps, static_cast<float>(parts_of(x, false, true).mantissa)));
  return finish(kSingle, result, i, in.mode);
}

// sin(k pi / 32) for k = 0 to 16, as f32.
constexpr std::uint32_t kSine[] = {0x00000000, 0x3dc8bd36, 0x3e47c5c2, 0x3e94a031, 0x3ec3ef15, 0x3ef15aea,
                                   0x3f0e39da, 0x3f226799, 0x3f3504f3, 0x3f45e403, 0x3f54db31, 0x3f61c598,
                                   0x3f6c835e, 0x3f74fa0b, 0x3f7b14be, 0x3f7ec46d, 0x3f800000};
std::uint32_t sine(std::uint64_t k) {
  const auto quarter = static_cast<unsigned>(k & 31);
  const std::uint32_t value = kSine[quarter <= 16 ? quarter : 32 - quarter];
  return value | ((k & 32) != 0 && quarter != 0 ? 0x80000000 : 0);
}
Wide fsin_table(const Instruction&, const Inputs& in) { return sine(in.source[0]); }
Wide fcos_table(const Instruction&, const Inputs& in) { return sine(in.source[0] + 16); }

// ---- Cubes: the face in bits 29 to 31 is 2 * axis, and 1 more for the negative side.

struct Axes {
  std::array<double, 3> value;
};
Axes axes_of(const Instruction& i, const Inputs& in) {
  Axes axes{};
  for (unsigned n = 0; n < 3; ++n) axes.value[n] = single_source(i.source[n], in.source[n], in.mode);
  return axes;
}
Wide cubeface1(const Instruction& i, const Inputs& in) {
  const auto [value] = axes_of(i, in);
  const double largest = -least(-std::fabs(value[0]), least(-std::fabs(value[1]), -std::fabs(value[2])));
  return finish(kSingle, largest, i, in.mode);
}
// True if what single_source gives is negative.
// The bits say it, because a conversion may lose the sign of a NaN.
bool is_negative(const Source& source, std::uint64_t value) {
  const bool sign = (value >> (source.lanes == Lanes::h0 ? 15 : 31) & 1) != 0;
  return (sign && !source.absolute) != source.negate;
}
Wide cubeface2(const Instruction& i, const Inputs& in) {
  const auto [value] = axes_of(i, in);
  const double x = std::fabs(value[0]), y = std::fabs(value[1]), z = std::fabs(value[2]);
  const unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return (2 * axis + (is_negative(i.source[axis], in.source[axis]) ? 1 : 0)) << 29;
}
enum class Coordinate { plus_first, minus_first, plus_second, minus_second };
template <std::array<Coordinate, 6> kFaces>
Wide cube_coordinate(const Instruction& i, const Inputs& in) {
  const Coordinate choice = kFaces[std::min<std::uint64_t>(in.source[2] >> 29 & 7, 5)];
  const bool second = choice == Coordinate::plus_second || choice == Coordinate::minus_second;
  const bool minus = choice == Coordinate::minus_first || choice == Coordinate::minus_second;
  const double value = single_source(i.source[second ? 1 : 0], in.source[second ? 1 : 0], in.mode);
  return finish(kSingle, minus ? -value : value, i, in.mode);
}
using enum Coordinate;
constexpr std::array kSFaces = {minus_first, plus_first, plus_second, plus_second, plus_second, minus_second};
constexpr std::array kTFaces = {minus_first,  minus_first, plus_second,
                                minus_second, minus_first, minus_first};

constexpr Meaning kFloatMeanings[] = {
    {Opcode::fadd, fadd},
    {Opcode::fadd_imm, fadd_imm},
    {Opcode::fma, fma},
    {Opcode::fmin, fmin},
    {Opcode::fmax, fmax},
    {Opcode::ldexp, ldexp},
    {Opcode::fma_rscale, fma_rscale<Rescale::plain>},
    {Opcode::fma_rscale_n, fma_rscale<Rescale::n>},
    {Opcode::fma_rscale_left, fma_rscale<Rescale::left>},
    {Opcode::fround, fround},
    {Opcode::frexpm, frexpm},
    {Opcode::frexpe, frexpe},
    {Opcode::fadd_lscale, fadd_lscale},
    {Opcode::frcp, frcp},
    {Opcode::frsq, frsq},
    {Opcode::fexp, fexp},
    {Opcode::flogd, flogd},
    {Opcode::fsin_table, fsin_table},
    {Opcode::fcos_table, fcos_table},
    {Opcode::cubeface1, cubeface1},
    {Opcode::cubeface2, cubeface2},
    {Opcode::cube_ssel, cube_coordinate<kSFaces>},
    {Opcode::cube_tsel, cube_coordinate<kTFaces>},
};

}  // namespace

std::span<const Meaning> float_meanings() { return kFloatMeanings; }

}  // namespace warpjit::valhall
