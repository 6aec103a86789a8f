// Errors as values: every fallible function of the project returns Result<T> (declared in the public
// header, because users see the same type). This header adds what only the inside needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "warpjit/result.hpp"

namespace warpjit {

// Builds the `where` text of an error: "file.shbin, word 12 (0x4e000000)".
std::string where_word(const std::string& file, std::uint32_t address, std::uint32_t word);

// The error of a call for which there was no memory. Allocates nothing.
Error no_memory() noexcept;
// The exception that is being handled as an error: `resource_limit` where memory or threads are missing, else
// `internal`. Every public call ends with `catch (...) { return caught(); }`: nothing else leaves the library.
// Allocates nothing.
Error caught() noexcept;
// What a public constructor makes; null without memory for it: then its object has a status.
template <class T, class... Arguments>
std::unique_ptr<T> make_or_null(Arguments&&... arguments) noexcept {
  try {
    return std::make_unique<T>(std::forward<Arguments>(arguments)...);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace warpjit

// Evaluates an expression of type Result<T>; returns its error from the enclosing function, or
// moves its value into `name`.
#define WARPJIT_CONCAT2(a, b) a##b
#define WARPJIT_CONCAT(a, b) WARPJIT_CONCAT2(a, b)
#define WARPJIT_TRY(name, expression)                                                       \
  auto WARPJIT_CONCAT(result_, __LINE__) = (expression);                                    \
  if (!WARPJIT_CONCAT(result_, __LINE__)) return WARPJIT_CONCAT(result_, __LINE__).error(); \
  name = std::move(WARPJIT_CONCAT(result_, __LINE__)).value()
#define WARPJIT_CHECK(expression)                                                                \
  if (auto WARPJIT_CONCAT(status_, __LINE__) = (expression); !WARPJIT_CONCAT(status_, __LINE__)) \
  return WARPJIT_CONCAT(status_, __LINE__).error()
