// How C calls reach the C++ interface: what the handles are,
// structs by their versions, errors as text. Nothing that the C++ side gives or throws passes `call`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "base/result.h"
#include "warpjit/pica200.h"
#include "warpjit/pica200.hpp"
#include "warpjit/tesla.h"
#include "warpjit/valhall.h"
#include "warpjit/warpjit.h"
#include "warpjit/warpjit.hpp"

struct warpjit_engine {
  warpjit_log_function log;
  void* log_context;
  warpjit::Engine engine;
  warpjit::EngineInfo info;
  warpjit_engine(const warpjit::EngineOptions& options, warpjit_log_function log, void* log_context)
      : log(log), log_context(log_context), engine(with_log(options)), info(engine.info()) {}

 private:
  warpjit::EngineOptions with_log(warpjit::EngineOptions options) {
    if (log == nullptr) return options;
    options.log = [](void* context, warpjit::LogLevel level, const char* message) {
      const auto* self = static_cast<const warpjit_engine*>(context);
      self->log(self->log_context, static_cast<std::int32_t>(level), message);
    };
    options.log_context = this;
    return options;
  }
};
struct warpjit_program {
  warpjit::Program program;
};
struct warpjit_launch {
  warpjit::Launch launch;
};
struct warpjit_compilation {
  warpjit::Compilation compilation;
};
struct warpjit_prepared_run {
  warpjit::PreparedRun run;
};
struct warpjit_profile {
  warpjit::Profile profile;
};

namespace warpjit::c_api {

// ---- Numbers and pointers from outside -----------------------------------------------------------------

// True if a C enumerator has the number of the C++ one.
template <class Enum>
constexpr bool same(Enum value, int number) {
  return static_cast<int>(value) == number;
}

Error bad(std::string message, std::string where = {});

// The enumerator of a number from outside; `last` is the largest there is.
template <class Enum>
Result<Enum> enumerator(std::int64_t number, Enum last, const char* what) {
  if (number >= 0 && number <= static_cast<std::int64_t>(last)) return static_cast<Enum>(number);
  return bad("there is no such value: " + std::to_string(number), what);
}

Status check_flags(std::uint32_t flags, std::uint32_t known);

// A pointer and the name of its parameter.
struct Wanted {
  const void* pointer;
  const char* name;
};
Status given(const void* pointer, const char* what);

template <class T>
Result<std::span<const T>> array(const T* data, std::size_t count, const char* what) {
  if (count != 0) WARPJIT_CHECK(given(data, what));
  if (count > PTRDIFF_MAX / sizeof(T)) return Error{ErrorCode::resource_limit, "no array is that long", what};
  return std::span<const T>(data, count);
}
// An element of a list that C counts through.
template <class T>
Result<const T*> element(std::span<const T> list, std::size_t index) {
  if (index < list.size()) return &list[index];
  return bad("there are " + std::to_string(list.size()), "index");
}
Result<std::span<const std::byte>> bytes_at(const void* data, std::size_t count);

Result<Format> format(std::int32_t type, std::uint32_t components);

// ---- Structs -------------------------------------------------------------------------------------------

// The size of the first version of a struct; one that grows gets a constant of its own here.
template <class Struct>
constexpr std::size_t kFirstSize = sizeof(Struct);
template <>
inline constexpr std::size_t kFirstSize<warpjit_report> = offsetof(warpjit_report, work);
template <>
inline constexpr std::size_t kFirstSize<warpjit_pica200_draw> = offsetof(warpjit_pica200_draw,
                                                                         outside_vertices);
template <>
inline constexpr std::size_t kFirstSize<warpjit_attribute> = offsetof(warpjit_attribute, divisor);
template <>
inline constexpr std::size_t kFirstSize<warpjit_program_words> = offsetof(warpjit_program_words, stage);
template <>
inline constexpr std::size_t kFirstSize<warpjit_tesla_words> = offsetof(warpjit_tesla_words, graphics);

// True if a struct can have this size. `least`: that of its first version.
constexpr bool fits(std::size_t size, std::size_t least) {
  constexpr std::size_t kLargestStruct = 4096;  // no version will be larger: `size` was not set
  return size >= least && size <= kLargestStruct;
}
Status check_size(std::size_t size, std::size_t least, const char* what);

// The caller's struct as this version has it; all 0 for NULL.
template <class Struct>
Result<Struct> read(const Struct* from, const char* what) {
  Struct result{};
  if (from == nullptr) return result;
  WARPJIT_CHECK(check_size(from->size, kFirstSize<Struct>, what));
  std::memcpy(&result, from, std::min(from->size, sizeof result));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t n = sizeof result; n < from->size; ++n)
    if (bytes[n] != 0)
      return Error{ErrorCode::unsupported, "a member is set that this library does not know", what};
  return result;
}

// Fills the caller's struct as far as it goes.
template <class Struct>
void write(Struct from, Struct* to) {
  if (to == nullptr) return;
  from.size = to->size;
  std::memcpy(to, &from, std::min(to->size, sizeof from));
}
// Call this before the work whose result is written. NULL has room enough.
template <class Struct>
Status check_room(const Struct* to, const char* what) {
  return to == nullptr ? Status() : check_size(to->size, kFirstSize<Struct>, what);
}

// As much of a text as there is room for, cut where a character ends.
void copy_text(std::string_view from, std::span<char> to);

// ---- Calls ---------------------------------------------------------------------------------------------

constexpr warpjit_status status_of(ErrorCode code) { return static_cast<warpjit_status>(code) + 1; }
static_assert(status_of(ErrorCode::bad_input) == WARPJIT_BAD_INPUT);
static_assert(status_of(ErrorCode::outside) == WARPJIT_OUTSIDE);

warpjit_status report_error(warpjit_status status, const Error& error, warpjit_error* to) noexcept;

// Runs a call's body, a function that gives a Status, unless a pointer is NULL, and turns what it gives into
// what C gets.
template <class Body>
warpjit_status call(warpjit_error* error, std::initializer_list<Wanted> wanted, Body body) noexcept {
  try {
    const Status status = [&]() -> Status {
      for (const Wanted& pointer : wanted) WARPJIT_CHECK(given(pointer.pointer, pointer.name));
      return body();
    }();
    if (!status) return report_error(status_of(status.error().code), status.error(), error);
    return report_error(WARPJIT_OK, {}, error);
  } catch (...) {
    const Error what = caught();
    return report_error(status_of(what.code), what, error);
  }
}

// A call whose body gives what *to gets: a Result of a struct of C.
template <class Struct, class Body>
warpjit_status fill(Struct* to, const char* name, warpjit_error* error, std::initializer_list<Wanted> wanted,
                    Body body) {
  return call(error, wanted, [&]() -> Status {
    WARPJIT_CHECK(given(to, name));
    WARPJIT_CHECK(check_room(to, name));
    WARPJIT_TRY(const Struct result, Result<Struct>(body()));
    write(result, to);
    return {};
  });
}

// A call whose body gives what *to, a handle, is made of.
template <class Handle, class Body>
warpjit_status make(Handle** to, const char* name, warpjit_error* error, std::initializer_list<Wanted> wanted,
                    Body body) {
  return call(error, wanted, [&]() -> Status {
    WARPJIT_CHECK(given(to, name));
    WARPJIT_TRY(auto made, body());
    if constexpr (requires { made.status(); }) WARPJIT_CHECK(made.status());
    *to = new Handle{std::move(made)};
    return {};
  });
}

inline std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

// ---- Runs ----------------------------------------------------------------------------------------------

Result<RunOptions> run_options(const warpjit_run_options* from);
warpjit_report to_c(const CompileReport& report);
warpjit_report to_c(const Report& report);

}  // namespace warpjit::c_api
