// The sRGB curve between bytes and f32: c / 12.92 up to c = 0.04045, ((c + 0.055) / 1.055)^2.4 above, c =
// byte / 255. Tables hold bits of f32.
#pragma once

#include <array>
#include <cstdint>

namespace warpjit {

// The curve at each byte, rounded to nearest.
extern const std::uint32_t kSrgbDecoded[256];

// A number in [0, 1] is encoded as how many of these are not above it: the byte nearest to its place on the
// curve. kSrgbThresholds[n] is the curve at (n + 1/2) / 255, rounded to nearest.
extern const std::uint32_t kSrgbThresholds[255];

// The same with one look-up. The words of f32 from 2^-13 to 1 are cut into steps of 2^16 words, which have at
// most one threshold each; smaller numbers encode as 0. The byte of a word w is
//   (steps[(w - kSrgbFirstStep) >> 16] + (w & 0xffff)) >> 16
inline constexpr std::uint32_t kSrgbFirstStep = 0x39000000,
                               kSrgbSteps = ((0x3f800000 - 0x39000000) >> 16) + 1;
std::array<std::uint32_t, kSrgbSteps> srgb_steps();

}  // namespace warpjit
