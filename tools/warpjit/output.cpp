#include "output.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "system.h"

namespace warpjit::tool {
namespace {

constexpr std::size_t kMostOfLine = 2000;  // of stderr

// What goes to stdout. Its memory is there from the start: nothing here allocates.
struct Sink {
  std::array<char, 1 << 16> bytes{};
  std::size_t size = 0;
  int failure = 0;  // errno of the first write that failed

  void flush() {
    if (failure == 0 && size != 0) failure = system::write_all(system::kStdout, {bytes.data(), size});
    size = 0;
  }
  void add(std::string_view text) {
    while (!text.empty() && failure == 0) {
      const std::size_t part = std::min(text.size(), bytes.size() - size);
      std::copy_n(text.begin(), part, bytes.begin() + static_cast<std::ptrdiff_t>(size));
      size += part;
      text.remove_prefix(part);
      if (size == bytes.size()) flush();
    }
  }
};
constinit Sink sink;

}  // namespace

void write_out(std::string_view text) {
  static const bool terminal = system::is_terminal(system::kStdout);
  sink.add(text::visible_lines(text));
  if (terminal) sink.flush();
}

void write_err(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    shown += line.size() <= kMostOfLine ? text::visible_lines(line) : text::shortened(line, kMostOfLine);
    if (end != text.size()) shown += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Without stderr there is nobody to tell.
  static_cast<void>(system::write_all(system::kStderr, shown));
}

void write_progress(std::string_view text) { static_cast<void>(system::write_all(system::kStderr, text)); }

void flush_out() { sink.flush(); }

Status finish_output() {
  sink.flush();
  if (sink.failure == 0) return {};
  return Error{ErrorCode::io, std::generic_category().message(sink.failure), "stdout"};
}

}  // namespace warpjit::tool
