#pragma once

#include <cstdint>

namespace warpjit {

// Why a program ends before its end, other than for lack of fuel.
enum class StopReason : std::uint8_t {
  barrier_never_complete,  // groups wait at different barriers
  trap,                    // the guest stops itself
  no_code,                 // control goes where the program has no code
  // Guests with a control stack: more entries than it holds; an instruction that takes an entry from an
  // empty one; an entry of another kind than the instruction takes; lanes leave quads that are held together.
  stack_overflow,
  stack_underflow,
  stack_mismatch,
  leaves_quads,
  missing_level,  // of a texture
};
inline constexpr std::uint32_t kStopReasons = 8;
// The same words in every engine; ends with 0.
const char* message(StopReason reason);

}  // namespace warpjit
