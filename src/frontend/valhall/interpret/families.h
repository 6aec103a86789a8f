// The families of instructions that arithmetic.h gathers, and what they share.
#pragma once

#include <span>

#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {

// What an opcode computes, whatever its type.
struct Meaning {
  Opcode opcode;
  Compute compute;
  Operation::Result result =
      Operation::Result::word;  // of 64-bit types wide, of f16 types a word in any case
};
std::span<const Meaning> integer_meanings();
std::span<const Meaning> float_meanings();
std::span<const Meaning> conversion_meanings();

inline std::uint64_t element_mask(unsigned bits) { return low_mask<std::uint64_t>(bits); }

// Element k of a source, extended as `elements` says, from the part of the source that its lanes name. A
// value of 64 bits has all of them, whatever the sign.
std::int64_t integer_element(const Source& source, std::uint64_t value, const Elements& elements, unsigned k);

// The low bits of each element's result, packed.
template <class Function>
std::uint64_t pack_elements(const Elements& elements, const Function& element) {
  std::uint64_t packed = 0;
  for (unsigned k = 0; k < elements.count; ++k)
    packed |= (static_cast<std::uint64_t>(element(k)) & element_mask(elements.bits)) << (k * elements.bits);
  return packed;
}

// Does the comparison of an instruction hold for element k?
bool compare_element(const Instruction& instruction, const Inputs& inputs, unsigned k);

// A source as f32, which may be half a register, and as element k of v2f16: flushed, made absolute, negated.
double single_source(const Source& source, std::uint64_t value, const FloatMode& mode);
double half_source(const Source& source, std::uint64_t value, unsigned k, const FloatMode& mode);

// The bits of a result: clamped, rounded, flushed, without what the mode suppresses.
std::uint32_t finish(const FloatFormat& format, double value, const Instruction& instruction,
                     const FloatMode& mode, Round round = Round::nearest_even);

}  // namespace warpjit::valhall
