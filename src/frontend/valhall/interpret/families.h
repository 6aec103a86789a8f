// The families of instructions that arithmetic.h gathers, and what they share.
#pragma once

#include <array>
#include <span>

#include "base/compiler.h"
#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {

// What an opcode computes, with any type.
struct Meaning {
  Opcode opcode;
  Compute compute;
};
std::span<const Meaning> integer_meanings();
std::span<const Meaning> float_meanings();
std::span<const Meaning> conversion_meanings();

inline std::uint64_t element_mask(unsigned bits) { return low_mask<std::uint64_t>(bits); }

// The pieces of a source that its elements are, as the name of its lanes says: "h1", "h10", "b3210".
struct Pieces {
  std::uint8_t bits = 0;  // of a piece; 0: as many as an element has, one after the other
  std::array<std::uint8_t, 4> index{0, 1, 2, 3};
};
const Pieces& pieces_of(Lanes lanes);

// Element k of a source, extended as `elements` says, from the part of the source that its lanes name. A
// value of 64 bits has all of them, signed or not.
inline std::int64_t integer_element(const Source& source, std::uint64_t value, const Elements& elements,
                                    unsigned k) {
  unsigned bits = elements.bits, index = k;
  if (source.lanes != Lanes::none_) {
    if (const Pieces& pieces = pieces_of(source.lanes); pieces.bits != 0)
      bits = pieces.bits, index = pieces.index[k];
  }
  const std::uint64_t piece = value >> (index * bits) & element_mask(bits);
  return elements.is_signed ? sign_extend(piece, bits) : static_cast<std::int64_t>(piece);
}

// The low bits of each element's result, packed.
template <class Function>
std::uint64_t pack_elements(const Elements& elements, const Function& element) {
  std::uint64_t packed = 0;
  for (unsigned k = 0; k < elements.count; ++k)
    packed |= (static_cast<std::uint64_t>(element(k)) & element_mask(elements.bits)) << (k * elements.bits);
  return packed;
}

// True if the comparison of an instruction holds for element k.
bool compare_element(const Instruction& instruction, const Inputs& inputs, unsigned k);

// A denormal of the format becomes a zero of its sign.
inline double flushed(const FloatFormat& format, double value) {
  return std::fabs(value) < format.least_normal() ? std::copysign(0.0, value) : value;
}
// Absolute, then negated.
inline double with_modifiers(const Source& source, double value) {
  if (source.absolute) value = std::fabs(value);
  return source.negate ? -value : value;
}
// A source as f32, which may be half a register, and as element k of v2f16: flushed, made absolute, negated.
WARPJIT_ALWAYS_INLINE double single_source(const Source& source, std::uint64_t value, const FloatMode& mode) {
  if (source.lanes == Lanes::h0 || source.lanes == Lanes::h1) {
    const double half = half_value(value >> (source.lanes == Lanes::h1 ? 16 : 0) & 0xffff);
    return with_modifiers(source, mode.flush_half ? flushed(kHalf, half) : half);
  }
  const double single = static_cast<double>(to_float(static_cast<std::uint32_t>(value)));
  return with_modifiers(source, mode.flush_single ? flushed(kSingle, single) : single);
}
double half_source(const Source& source, std::uint64_t value, unsigned k, const FloatMode& mode);

// The bits of a result: clamped, rounded, flushed, without what the mode suppresses.
std::uint32_t finish(const FloatFormat& format, double value, const Instruction& instruction,
                     const FloatMode& mode, Round round = Round::nearest_even);

}  // namespace warpjit::valhall
