// Values that people ask a debugger for: registers, numbers, and comparisons of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "debug/debug_input.h"

namespace warpjit::tool {

// A word of 32 bits. Numbers with a point or an exponent are f32, others integers.
struct DebugValue {
  std::uint32_t word = 0;
  bool is_float = true;      // how comparisons see it
  bool is_register = false;  // its kind is that of what it is compared with, or as which it is shown
  bool is_bits = false;      // it was written in hexadecimal
};
// "r3.x", "r3.x@5" in lane 5, "17", "0x3f800000", "1.5", "nan". Errors: bad_input.
Result<DebugValue> value_of(DebugSession& session, unsigned lane, std::string_view text);
// "r3.x > 1.5", "a1 == 3", "r0.x is nan"; a value alone holds if it is not 0. Errors: bad_input.
Result<bool> holds(DebugSession& session, unsigned lane, std::string_view text);
// A register by its name, in a lane. Errors: bad_input, with names that there are.
struct DebugRegister {
  unsigned word = 0, lane = 0;
};
Result<DebugRegister> register_of(const DebugSession& session, unsigned lane, std::string_view text);

// Errors: bad_input, of a word of a command.
inline Error wrong(std::string message, std::string_view where) {
  return {ErrorCode::bad_input, std::move(message), std::string(where)};
}
// A decimal number, as steps and counts are. Errors: bad_input.
inline constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 48;
Result<std::uint64_t> number_of(std::string_view text, std::uint64_t most = kMostSteps);

// A word in all its readings: hexadecimal, f32, two f16, signed, four bytes.
Json readings_json(std::uint32_t word);

}  // namespace warpjit::tool
