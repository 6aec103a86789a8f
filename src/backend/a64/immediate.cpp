#include "backend/a64/immediate.h"

namespace warpjit::backend::a64 {
namespace {

using Kind = VectorImmediate::Kind;

std::optional<VectorImmediate> shifted_byte(std::uint32_t word, std::uint32_t bits, Kind kind) {
  for (std::uint32_t shift = 0; shift < bits; shift += 8)
    if ((word & ~(0xffu << shift)) == 0)
      return VectorImmediate{kind, static_cast<std::uint8_t>(word >> shift),
                             static_cast<std::uint8_t>(shift)};
  return std::nullopt;
}

std::optional<VectorImmediate> byte_over_ones(std::uint32_t word, Kind kind) {
  for (std::uint32_t shift : {8u, 16u})
    if ((word & ~(0xffu << shift)) == (1u << shift) - 1)
      return VectorImmediate{kind, static_cast<std::uint8_t>(word >> shift),
                             static_cast<std::uint8_t>(shift)};
  return std::nullopt;
}

}  // namespace

std::optional<VectorImmediate> vector_immediate(std::uint32_t word) {
  const std::uint32_t low = word & 0xffff;
  if (auto found = shifted_byte(word, 32, Kind::words)) return found;
  if (auto found = shifted_byte(~word, 32, Kind::words_inverted)) return found;
  if (auto found = byte_over_ones(word, Kind::ones)) return found;
  if (auto found = byte_over_ones(~word, Kind::ones_inverted)) return found;
  if (low == word >> 16) {
    if (low >> 8 == (low & 0xff)) return VectorImmediate{Kind::bytes, static_cast<std::uint8_t>(low), 0};
    if (auto found = shifted_byte(low, 16, Kind::halves)) return found;
    if (auto found = shifted_byte(~low & 0xffff, 16, Kind::halves_inverted)) return found;
  }
  // Sign, an exponent from -3 to 4, four bits of fraction.
  const std::uint32_t exponent = word >> 25 & 0x3f;
  if ((word & 0x7ffff) == 0 && (exponent == 0x20 || exponent == 0x1f))
    return VectorImmediate{Kind::real, static_cast<std::uint8_t>((word >> 24 & 0x80) | (word >> 19 & 0x7f)),
                           0};
  return std::nullopt;
}

}  // namespace warpjit::backend::a64
