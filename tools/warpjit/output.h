// What the tool prints, and where. Names come from hostile files: no text reaches a terminal with a control
// character in it but line feeds and tabs. Nothing throws where a disk is full or a pipe is closed:
// finish_output() tells.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace warpjit::tool {

// Text of the tool's own making, with its line feeds, to stdout or stderr. To stderr, the middle of a line that
// is longer than a screen is left out.
void write_out(std::string_view text);
void write_err(std::string_view text);

// What a format may show: strings become one visible line.
template <class T>
decltype(auto) shown(const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>)
    return text::visible(value);
  else
    return (value);
}
template <class... Args>
std::string format_shown(fmt::string_view format, const Args&... args) {
  return [&](const auto&... visible) {
    return fmt::vformat(format, fmt::make_format_args(visible...));
  }(shown(args)...);
}
template <class... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  write_out(format_shown(format, args...));
}
template <class... Args>
void print_err(fmt::format_string<Args...> format, Args&&... args) {
  write_err(format_shown(format, args...));
}

// Writes to a terminal what moves its cursor.
void write_progress(std::string_view text);

void flush_out();
// Errors: what the first write to stdout that failed said (io). Later texts to stdout were dropped.
Status finish_output();

}  // namespace warpjit::tool
