// Formats of pixels in memory, as the guest interpreters convert them (docs/pixels.md 10).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "warpjit/pixels.hpp"

namespace warpjit::interpret {

// What the bits of a component mean.
enum class Encoding : std::uint8_t {
  none,      // the component is not there
  unorm,     // an integer of `width` bits, divided by the largest
  srgb,      // as unorm, after the sRGB curve; 8 bits
  snorm,     // a signed integer of `width` bits, divided by the largest; not below -1
  half,      // f16
  small,     // a float without a sign: five bits of exponent above the fraction
  word,      // an f32 as it is
  signed_,   // a word, clamped to an integer of `width` bits
  unsigned_  // a word, clamped to an unsigned integer of `width` bits
};
struct Component {
  Encoding encoding = Encoding::none;
  std::uint8_t first = 0, width = 0;  // bits of the pixel
};
enum class Kind : std::uint8_t {
  number,    // floats
  limited,   // numbers in [0, 1]
  balanced,  // numbers in [-1, 1]
  integer
};
// Components of a colour are red, green, blue, alpha; of a depth format depth, stencil.
struct FormatInfo {
  std::uint8_t bytes = 0;
  Kind kind = Kind::number;
  std::array<Component, 4> components{};
};
const FormatInfo& format_info(PixelFormat format);

// A pixel of memory: its bits from the lowest up, upper words 0.
using PixelWords = std::array<std::uint32_t, 4>;
PixelWords load_pixel(const std::byte* from, std::size_t bytes);
void store_pixel(std::byte* to, std::size_t bytes, const PixelWords& words);

// The component's bits in a pixel.
std::uint32_t extract(const Component& component, const PixelWords& pixel);
void insert(const Component& component, PixelWords& pixel, std::uint32_t bits);

// The bits for a word that a program left, and the word (bits of f32 but for integers) that they stand for.
std::uint32_t encode(const Component& component, std::uint32_t value);
std::uint32_t decode(const Component& component, std::uint32_t bits);

// f32 to a float of `width` bits without a sign, round to nearest even: what is negative to 0, what is finite
// not above the largest one, a NaN to all ones; back exactly.
std::uint32_t to_small(unsigned width, std::uint32_t value);
std::uint32_t from_small(unsigned width, std::uint32_t bits);

// f32 to f16, round to nearest even, a NaN 0x7fff; back exactly, a NaN 0x7fffffff.
std::uint32_t to_half(std::uint32_t value);
std::uint32_t from_half(std::uint32_t half);

}  // namespace warpjit::interpret
