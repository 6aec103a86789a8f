#include "base/result.h"

#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

namespace warpjit {

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input:
      return "bad input";
    case ErrorCode::unsupported:
      return "not supported";
    case ErrorCode::out_of_fuel:
      return "out of fuel";
    case ErrorCode::fault:
      return "fault";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::target_unavailable:
      return "target unavailable";
    case ErrorCode::resource_limit:
      return "resource limit";
    case ErrorCode::io:
      return "input/output";
    case ErrorCode::internal:
      return "internal error";
    case ErrorCode::outside:
      return "outside of memory";
  }
  return "error";
}

std::string to_string(const Error& error) try {
  std::string text = error.where;
  if (!text.empty()) text += ": ";
  text += error.message;
  return text;
} catch (const std::bad_alloc&) {
  return no_memory().message;
}

// Texts of at most 15 characters: strings hold them without an allocation.
Error no_memory() noexcept { return {ErrorCode::resource_limit, "out of memory", ""}; }

Error caught() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {
    return no_memory();
  } catch (const std::system_error&) {
    return {ErrorCode::resource_limit, "no more threads", ""};
  } catch (...) {
    return {ErrorCode::internal, "an exception", ""};
  }
}

std::string where_word(const std::string& file, std::uint32_t address, std::uint32_t word) {
  char text[64];
  std::snprintf(text, sizeof text, "word %u (0x%08x)", address, word);
  return file.empty() ? std::string(text) : file + ", " + text;
}

}  // namespace warpjit
