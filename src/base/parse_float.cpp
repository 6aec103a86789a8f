#include "base/parse_float.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>
#include <version>
#if !defined(_WIN32)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace warpjit {

#if !defined(_WIN32)
namespace {

#if defined(__ANDROID__)  // its numbers have a point in every locale
float convert(const char* text, float) { return std::strtof(text, nullptr); }
double convert(const char* text, double) { return std::strtod(text, nullptr); }
#else
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}
float convert(const char* text, float) { return strtof_l(text, nullptr, c_locale()); }
double convert(const char* text, double) { return strtod_l(text, nullptr, c_locale()); }
#endif

const char* skip_digits(const char* at, const char* last) {
  while (at != last && *at >= '0' && *at <= '9') ++at;
  return at;
}

// Where the number ends; `first`: none begins there. `zero`: all digits before the exponent are 0.
const char* find_end(const char* first, const char* last, bool& zero) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  const char* const whole = at;
  at = skip_digits(at, last);
  auto digits = at - whole;
  if (at != last && *at == '.') {
    const char* const end = skip_digits(at + 1, last);
    digits += end - (at + 1);
    if (digits != 0) at = end;
  }
  if (digits == 0) return first;
  zero = true;
  for (const char* c = whole; c != at; ++c) zero = zero && (*c == '0' || *c == '.');
  if (at == last || (*at != 'e' && *at != 'E')) return at;
  const char* exponent = at + 1;
  if (exponent != last && (*exponent == '-' || *exponent == '+')) ++exponent;
  const char* const end = skip_digits(exponent, last);
  return end == exponent ? at : end;
}

template <class Float>
std::from_chars_result parse(const char* first, const char* last, Float& value) {
  bool zero = false;
  const char* const end = find_end(first, last, zero);
  if (end == first) return {first, std::errc::invalid_argument};
  const Float number = convert(std::string(first, end).c_str(), Float());
  if (std::isinf(number) || (number == 0 && !zero)) return {end, std::errc::result_out_of_range};
  value = number;
  return {end, std::errc()};
}

}  // namespace

std::from_chars_result parse_float_by_c_library(const char* first, const char* last, float& value) {
  return parse(first, last, value);
}
std::from_chars_result parse_float_by_c_library(const char* first, const char* last, double& value) {
  return parse(first, last, value);
}
#endif

#if defined(_WIN32) || defined(__cpp_lib_to_chars)
std::from_chars_result parse_float(const char* first, const char* last, float& value) {
  return std::from_chars(first, last, value);
}
std::from_chars_result parse_float(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}
#else
std::from_chars_result parse_float(const char* first, const char* last, float& value) {
  return parse_float_by_c_library(first, last, value);
}
std::from_chars_result parse_float(const char* first, const char* last, double& value) {
  return parse_float_by_c_library(first, last, value);
}
#endif

}  // namespace warpjit
