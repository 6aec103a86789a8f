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

constexpr Component unorm(unsigned first, unsigned width) {
  return {Encoding::unorm, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(width)};
}
constexpr Component srgb(unsigned first) { return {Encoding::srgb, static_cast<std::uint8_t>(first), 8}; }
constexpr Component half(unsigned first) { return {Encoding::half, static_cast<std::uint8_t>(first), 16}; }
constexpr Component word(unsigned first) { return {Encoding::word, static_cast<std::uint8_t>(first), 32}; }
constexpr Component clamped(Encoding encoding, unsigned first) {
  return {encoding, static_cast<std::uint8_t>(first), 8};
}

struct FormatRow {
  PixelFormat format;
  FormatInfo info;
};
constexpr Encoding kS = Encoding::signed_, kU = Encoding::unsigned_;
constexpr FormatRow kFormats[] = {
    {PixelFormat::none, {}},
    {PixelFormat::rgba8, {4, Kind::limited, {unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)}}},
    {PixelFormat::srgb8, {4, Kind::limited, {srgb(0), srgb(8), srgb(16), unorm(24, 8)}}},
    {PixelFormat::rgb565, {2, Kind::limited, {unorm(0, 5), unorm(5, 6), unorm(11, 5), {}}}},
    {PixelFormat::rgba4, {2, Kind::limited, {unorm(0, 4), unorm(4, 4), unorm(8, 4), unorm(12, 4)}}},
    {PixelFormat::rgb5a1, {2, Kind::limited, {unorm(0, 5), unorm(5, 5), unorm(10, 5), unorm(15, 1)}}},
    {PixelFormat::rgb10a2, {4, Kind::limited, {unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)}}},
    {PixelFormat::rgba16f, {8, Kind::number, {half(0), half(16), half(32), half(48)}}},
    {PixelFormat::rgba32f, {16, Kind::number, {word(0), word(32), word(64), word(96)}}},
    {PixelFormat::r32f, {4, Kind::number, {word(0), {}, {}, {}}}},
    {PixelFormat::rgba32i, {16, Kind::integer, {word(0), word(32), word(64), word(96)}}},
    {PixelFormat::rgba32ui, {16, Kind::integer, {word(0), word(32), word(64), word(96)}}},
    {PixelFormat::r32i, {4, Kind::integer, {word(0), {}, {}, {}}}},
    {PixelFormat::r32ui, {4, Kind::integer, {word(0), {}, {}, {}}}},
    {PixelFormat::rgba8i,
     {4, Kind::integer, {clamped(kS, 0), clamped(kS, 8), clamped(kS, 16), clamped(kS, 24)}}},
    {PixelFormat::rgba8ui,
     {4, Kind::integer, {clamped(kU, 0), clamped(kU, 8), clamped(kU, 16), clamped(kU, 24)}}},
    {PixelFormat::d16, {2, Kind::limited, {unorm(0, 16), {}, {}, {}}}},
    {PixelFormat::d24s8, {4, Kind::limited, {unorm(0, 24), clamped(kU, 24), {}, {}}}},
    {PixelFormat::d32f, {4, Kind::number, {word(0), {}, {}, {}}}},
};

static_assert(std::size(kFormats) == static_cast<std::size_t>(PixelFormat::d32f) + 1);
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

// How many thresholds are not above the number.
std::uint32_t encode_srgb(std::uint32_t value) {
  const std::span<const std::uint32_t> thresholds(
      kSrgbThresholds);  // in order as words too: all are positive
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
    case Encoding::half:
      return to_half(value);
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
    case Encoding::half:
      return from_half(value);
    case Encoding::word:
    case Encoding::unsigned_:
      return value;
    case Encoding::signed_:
      return static_cast<std::uint32_t>(sign_extend(value, component.width));
  }
  return 0;
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
