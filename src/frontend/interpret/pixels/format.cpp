#include "frontend/interpret/pixels/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

#include "base/bits.h"
#include "base/srgb.h"
#include "frontend/interpret/pixels/arithmetic.h"

namespace warpjit::interpret {

namespace {

struct FormatRow {
  PixelFormat format;
  FormatInfo info;
};
// Components of these widths, the first one lowest.
constexpr FormatRow row(PixelFormat format, Kind kind, Encoding encoding,
                        std::array<std::uint8_t, 4> widths) {
  FormatRow made{format, {0, kind, {}}};
  unsigned first = 0;
  for (std::size_t n = 0; n < 4 && widths[n] != 0; first += widths[n++])
    made.info.components[n] = {encoding, static_cast<std::uint8_t>(first), widths[n]};
  made.info.bytes = static_cast<std::uint8_t>(first / 8);
  return made;
}
constexpr FormatRow unorm(PixelFormat format, std::array<std::uint8_t, 4> widths) {
  return row(format, Kind::limited, Encoding::unorm, widths);
}
constexpr FormatRow snorm(PixelFormat format, std::array<std::uint8_t, 4> widths) {
  return row(format, Kind::balanced, Encoding::snorm, widths);
}
constexpr FormatRow floats(PixelFormat format, std::array<std::uint8_t, 4> widths) {
  return row(format, Kind::number,
             widths[0] == 32   ? Encoding::word
             : widths[0] == 16 ? Encoding::half
                               : Encoding::small,
             widths);
}
constexpr FormatRow sint(PixelFormat format, std::array<std::uint8_t, 4> widths) {
  return row(format, Kind::integer, Encoding::signed_, widths);
}
constexpr FormatRow uint(PixelFormat format, std::array<std::uint8_t, 4> widths) {
  return row(format, Kind::integer, Encoding::unsigned_, widths);
}
constexpr FormatRow with(FormatRow made, std::size_t n, Encoding encoding) {
  made.info.components[n].encoding = encoding;
  return made;
}
using F = PixelFormat;
constexpr FormatRow kFormats[] = {
    {F::none, {}},
    unorm(F::rgba8, {8, 8, 8, 8}),
    with(row(F::srgb8, Kind::limited, Encoding::srgb, {8, 8, 8, 8}), 3, Encoding::unorm),
    unorm(F::rgb565, {5, 6, 5}),
    unorm(F::rgba4, {4, 4, 4, 4}),
    unorm(F::rgb5a1, {5, 5, 5, 1}),
    unorm(F::rgb10a2, {10, 10, 10, 2}),
    floats(F::rgba16f, {16, 16, 16, 16}),
    floats(F::rgba32f, {32, 32, 32, 32}),
    floats(F::r32f, {32}),
    sint(F::rgba32i, {32, 32, 32, 32}),
    uint(F::rgba32ui, {32, 32, 32, 32}),
    sint(F::r32i, {32}),
    uint(F::r32ui, {32}),
    sint(F::rgba8i, {8, 8, 8, 8}),
    uint(F::rgba8ui, {8, 8, 8, 8}),
    unorm(F::d16, {16}),
    with(unorm(F::d24s8, {24, 8}), 1, Encoding::unsigned_),
    floats(F::d32f, {32}),
    unorm(F::r8, {8}),
    unorm(F::rg8, {8, 8}),
    unorm(F::r16, {16}),
    unorm(F::rg16, {16, 16}),
    unorm(F::rgba16, {16, 16, 16, 16}),
    snorm(F::r8_snorm, {8}),
    snorm(F::rg8_snorm, {8, 8}),
    snorm(F::rgba8_snorm, {8, 8, 8, 8}),
    snorm(F::r16_snorm, {16}),
    snorm(F::rg16_snorm, {16, 16}),
    snorm(F::rgba16_snorm, {16, 16, 16, 16}),
    floats(F::r16f, {16}),
    floats(F::rg16f, {16, 16}),
    floats(F::rg32f, {32, 32}),
    floats(F::r11g11b10f, {11, 11, 10}),
    sint(F::r8i, {8}),
    uint(F::r8ui, {8}),
    sint(F::rg8i, {8, 8}),
    uint(F::rg8ui, {8, 8}),
    sint(F::r16i, {16}),
    uint(F::r16ui, {16}),
    sint(F::rg16i, {16, 16}),
    uint(F::rg16ui, {16, 16}),
    sint(F::rgba16i, {16, 16, 16, 16}),
    uint(F::rgba16ui, {16, 16, 16, 16}),
    sint(F::rg32i, {32, 32}),
    uint(F::rg32ui, {32, 32}),
    uint(F::rgb10a2ui, {10, 10, 10, 2}),
};

static_assert(std::size(kFormats) == static_cast<std::size_t>(kLastPixelFormat) + 1);
static_assert([] {
  for (std::size_t n = 0; n < std::size(kFormats); ++n)
    if (kFormats[n].format != static_cast<PixelFormat>(n)) return false;
  return true;
}());

// Products with the largest integer: those that would be denormals round to 0 anyway.
std::uint32_t encode_unorm(unsigned width, std::uint32_t value) {
  const float largest = static_cast<float>(low_mask<std::uint32_t>(width));
  return static_cast<std::uint32_t>(f32::nearest_integer(to_float(f32::unit(value)) * largest));
}
std::uint32_t decode_unorm(unsigned width, std::uint32_t bits) {
  constexpr auto kInverses = [] {
    std::array<float, 9> inverses{};
    for (unsigned w = 1; w < inverses.size(); ++w) inverses[w] = 1.0F / static_cast<float>((1U << w) - 1);
    return inverses;
  }();
  const float number = static_cast<float>(bits);
  if (width < kInverses.size()) return to_bits(number * kInverses[width]);
  return to_bits(number / static_cast<float>(low_mask<std::uint32_t>(width)));
}

std::uint32_t encode_snorm(unsigned width, std::uint32_t value) {
  const float largest = static_cast<float>(low_mask<std::uint32_t>(width - 1));
  const double integer = f32::nearest_integer(to_float(f32::balanced(value)) * largest);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(integer)) & low_mask<std::uint32_t>(width);
}
std::uint32_t decode_snorm(unsigned width, std::uint32_t bits) {
  const auto number = static_cast<float>(static_cast<std::int32_t>(sign_extend(bits, width)));
  return to_bits(std::max(number / static_cast<float>(low_mask<std::uint32_t>(width - 1)), -1.0F));
}

// How many thresholds are not above the number.
std::uint32_t encode_srgb(std::uint32_t value) {
  // In order as words too: all are positive.
  const std::span<const std::uint32_t> thresholds(kSrgbThresholds);
  return static_cast<std::uint32_t>(std::ranges::upper_bound(thresholds, f32::unit(value)) -
                                    thresholds.begin());
}

std::uint32_t clamp_integer(bool is_signed, unsigned width, std::uint32_t value) {
  if (!is_signed) return std::min(value, low_mask<std::uint32_t>(width));
  const std::int32_t most = static_cast<std::int32_t>(low_mask<std::uint32_t>(width - 1));
  const std::int32_t number = std::clamp(static_cast<std::int32_t>(value), -most - 1, most);
  return static_cast<std::uint32_t>(number) & low_mask<std::uint32_t>(width);
}

}  // namespace

const FormatInfo& format_info(PixelFormat format) {
  const auto row = static_cast<std::size_t>(format);
  return kFormats[row < std::size(kFormats) ? row : 0].info;
}

PixelWords load_pixel(const std::byte* from, std::size_t bytes) {
  PixelWords words{};
  if (bytes == sizeof words[0])  // a move of known size
    std::memcpy(words.data(), from, sizeof words[0]);
  else
    std::memcpy(words.data(), from, bytes);
  return words;
}
void store_pixel(std::byte* to, std::size_t bytes, const PixelWords& words) {
  if (bytes == sizeof words[0])
    std::memcpy(to, words.data(), sizeof words[0]);
  else
    std::memcpy(to, words.data(), bytes);
}

// No component crosses a word.
std::uint32_t extract(const Component& component, const PixelWords& pixel) {
  return bits(pixel[component.first / 32], component.first % 32, component.width);
}
void insert(const Component& component, PixelWords& pixel, std::uint32_t value) {
  std::uint32_t& target = pixel[component.first / 32];
  target = with_bits(target, component.first % 32, component.width, value);
}

std::uint32_t encode(const Component& component, std::uint32_t value) {
  switch (component.encoding) {
    case Encoding::none:
      break;
    case Encoding::unorm:
      return encode_unorm(component.width, value);
    case Encoding::srgb:
      return encode_srgb(value);
    case Encoding::snorm:
      return encode_snorm(component.width, value);
    case Encoding::half:
      return to_half(value);
    case Encoding::small:
      return to_small(component.width, value);
    case Encoding::word:
      return value;
    case Encoding::signed_:
    case Encoding::unsigned_:
      return clamp_integer(component.encoding == Encoding::signed_, component.width, value);
  }
  return 0;
}

std::uint32_t decode(const Component& component, std::uint32_t value) {
  switch (component.encoding) {
    case Encoding::none:
      break;
    case Encoding::unorm:
      return decode_unorm(component.width, value);
    case Encoding::srgb:
      return kSrgbDecoded[value];
    case Encoding::snorm:
      return decode_snorm(component.width, value);
    case Encoding::half:
      return from_half(value);
    case Encoding::small:
      return from_small(component.width, value);
    case Encoding::word:
    case Encoding::unsigned_:
      return value;
    case Encoding::signed_:
      return static_cast<std::uint32_t>(sign_extend(value, component.width));
  }
  return 0;
}

std::uint32_t to_small(unsigned width, std::uint32_t value) {
  const unsigned fraction = width - 5;
  if (f32::is_nan(value)) return low_mask<std::uint32_t>(width);
  if ((value & f32::kSign) != 0) return 0;
  if (value == f32::kInfinity) return 31U << fraction;
  const std::uint32_t largest = (31U << fraction) - 1;
  const double magnitude = f32::wide(value);
  if (magnitude >= f32::wide(from_small(width, largest))) return largest;
  // As halves, with fewer bits of the fraction.
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const double scaled = std::ldexp(magnitude, static_cast<int>(fraction) - exponent);
  return (static_cast<std::uint32_t>(exponent + 14) << fraction) +
         static_cast<std::uint32_t>(std::nearbyint(scaled));
}
std::uint32_t from_small(unsigned width, std::uint32_t bits) {
  const unsigned fraction_bits = width - 5;
  const std::uint32_t exponent = bits >> fraction_bits,
                      fraction = bits & low_mask<std::uint32_t>(fraction_bits);
  if (exponent == 31) return fraction != 0 ? f32::kNan : f32::kInfinity;
  const std::uint32_t significand = exponent == 0 ? fraction : fraction | 1U << fraction_bits;
  const int scale = static_cast<int>(std::max(exponent, 1U)) - 15 - static_cast<int>(fraction_bits);
  return to_bits(static_cast<float>(std::ldexp(significand, scale)));
}
std::uint32_t to_half(std::uint32_t value) {
  const std::uint32_t sign = value >> 16 & 0x8000;
  if (f32::is_nan(value)) return 0x7fff;
  const double magnitude = std::fabs(f32::wide(value));
  // What rounds up from the largest half, 65504, is infinite.
  if (magnitude >= 65520) return sign | 0x7c00;
  // Halves are multiples of 2^(exponent - 10), from 2^-14 down of 2^-24: scaled, they are integers.
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const auto multiple = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the fraction goes to the exponent, where it belongs.
  return sign | (static_cast<std::uint32_t>(exponent + 14) * 0x400 + multiple);
}
std::uint32_t from_half(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff, sign = (half & 0x8000) << 16;
  if (exponent == 31) return fraction != 0 ? f32::kNan : sign | f32::kInfinity;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24)
                                         : std::ldexp(0x400 + fraction, static_cast<int>(exponent) - 25);
  return sign | to_bits(static_cast<float>(magnitude));
}

}  // namespace warpjit::interpret
