// What the commands that look into threads share: the file, of any kind, and the place in it.
#pragma once

#include <string>

#include "command.h"
#include "debug/any_capture.h"
#include "warpjit/debug.hpp"

namespace warpjit::tool {

struct DebugInput {
  std::string file;
  std::vector<std::string> place;
  bool unchecked = false;
  std::optional<std::uint64_t> fuel;
  // Adds them to a command.
  void add_to(Command& command);
};

// A session at the place. Errors: those of load_any_capture, of a place, and of DebugSession.
Result<DebugSession> open_session(const DebugInput& input);
Result<DebugSession> open_session(const DebugInput& input, const Capture& capture);
// The place that the words of the command line say.
Result<DebugPlace> place_of(const DebugInput& input);

// "0.25 (0x3e800000)"; what is no float that people compute with is shown as an integer.
std::string value_text(std::uint32_t value);
bool shows_as_integer(std::uint32_t value);

// "sample diverge".
std::string happened_text(std::uint16_t happened);
Json happened_json(std::uint16_t happened);

}  // namespace warpjit::tool
