// Text to a float or double, as std::from_chars reads it. libc++ has that for integers alone before its version 20; there the
// C library does it.
#pragma once

#include <charconv>

namespace warpjit {

// "-1.5e-3": no sign +, no spaces, always a point. Out of range: magnitudes that round to infinity or, but for 0, to 0.
std::from_chars_result parse_float(const char* first, const char* last, float& value);
std::from_chars_result parse_float(const char* first, const char* last, double& value);

#if !defined(_WIN32)
// By the C library, for decimal numbers.
std::from_chars_result parse_float_by_c_library(const char* first, const char* last, float& value);
std::from_chars_result parse_float_by_c_library(const char* first, const char* last, double& value);
#endif

}  // namespace warpjit
