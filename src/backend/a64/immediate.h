// Constants that a NEON instruction holds itself.
#pragma once

#include <cstdint>
#include <optional>

namespace warpjit::backend::a64 {

// A 32-bit word repeated over a vector, as MOVI, MVNI or FMOV (Arm ARM, AdvSIMDExpandImm).
struct VectorImmediate {
  enum class Kind : std::uint8_t {
    words,           // imm8 << shift
    words_inverted,  // ~(imm8 << shift)
    ones,            // imm8 << shift with ones below it (MSL)
    ones_inverted,
    halves,  // imm8 << shift in both halves
    halves_inverted,
    bytes,  // imm8 in all bytes
    real,   // a float of 3 exponent and 4 fraction bits
  };
  Kind kind;
  std::uint8_t imm8;
  std::uint8_t shift;
};
std::optional<VectorImmediate> vector_immediate(std::uint32_t word);

}  // namespace warpjit::backend::a64
