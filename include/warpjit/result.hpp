// The error type of warpjit and Result<T>, a value or an error. No function of warpjit throws.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "warpjit/export.h"

namespace warpjit {

enum class ErrorCode : std::uint8_t {
  bad_input,           // malformed bytes, text, names or values handed in
  unsupported,         // well-formed, but not implemented (yet)
  out_of_fuel,         // a guest thread took more backward transfers than the launch allows
  fault,               // a guest access outside its memory where that is an error
  cancelled,           // the run or the compilation was cancelled
  target_unavailable,  // this machine cannot run the requested target
  resource_limit,      // a documented limit was exceeded
  io,                  // a file could not be read or written
  internal,            // a bug in warpjit; never expected
  outside,             // a vertex or an index of a draw does not lie in the memory that was given
};

// Short English name of a code, for messages.
WARPJIT_API const char* name(ErrorCode code);

// What went wrong. `message` is a sentence without a full stop; `where` names the place (a file, a byte
// offset, a JSON field, a guest address with its word), or is empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string where;
};

// "where: message".
WARPJIT_API std::string to_string(const Error& error);

// A T or an Error. As a boolean: true if it is a T. Reading the other one is a programming error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit on purpose
  explicit operator bool() const { return ok_; }
  bool ok() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace warpjit
