// Callouts: rare operations of guests (flag O of opcodes.inc) that compiled code leaves to a C++ function,
// lane by lane. The folder and the lane loops do not handle them. LaneRead is one, too, of all lanes at once.
// FMadTruncFlush32 is a callout on hosts without its rounding; it is called for all lanes at once.
//
// All functions expect round to nearest even and no flushing.
#pragma once

#include <cstdint>

#include "base/sfu.h"
#include "ir/types.h"

namespace warpjit::ir {

enum class RoundingMode : std::uint8_t { nearest, down, up, zero };
inline constexpr std::uint64_t kRoundingModes = 4;
inline constexpr std::uint64_t kSignedInteger = 4;  // flag of IntToF32 and IntToF16 beside the RoundingMode

using TeslaSpecialFunction = sfu::Function;
inline constexpr std::uint64_t kSpecialFunctions = sfu::kFunctions;

// Doubles are IEEE 754 binary64 with denormals. Arithmetic on a NaN gives that NaN, quieted; of several the
// one named first. A NaN made by an operation is 0xfff8000000000000. Out of range conversions give the
// nearest integer, NaN 0x80...0 (docs/guests/tesla.md 11).
enum class TeslaF64Function : std::uint8_t {
  fma,  // a*b + c, rounded once; NaN of b, c, a
  add,  // NaN of b, a
  mul,  // a*b; NaN of b, a
  min,  // one NaN gives the other, two give b, made quiet; -0 < +0
  max,
  compare,   // 1 less, 2 equal, 4 greater, 8 unordered
  from_f32,  // keeps denormals; NaN payloads, made quiet
  to_f32,    // keeps denormals; NaN payloads, made quiet
  from_s32,
  from_u32,
  from_s64,
  from_u64,
  to_s32,  // rounded as the mode says; the second word is 1 if it was out of range
  to_u32,
  to_s64,  // these two: do not report being out of range
  to_u64,
  round_to_integral,
  s64_to_f32,
  u64_to_f32,
  f32_to_s64,
  f32_to_u64,
};
inline constexpr std::uint64_t kF64Functions = 21;
constexpr std::uint64_t f64_immediate(TeslaF64Function function,
                                      RoundingMode rounding = RoundingMode::nearest) {
  return static_cast<std::uint64_t>(function) | static_cast<std::uint64_t>(rounding) << 8;
}

// Result words of a pure callout from operand words.
void evaluate_callout(Opcode opcode, std::uint64_t immediate, const std::uint32_t* operands,
                      std::uint32_t* results);

// FMadTruncFlush32 of `count` lanes: words holds the first operand of each, then the second, then the third.
void multiply_add_truncated(const std::uint32_t* words, std::size_t count, std::uint32_t* results);

}  // namespace warpjit::ir
