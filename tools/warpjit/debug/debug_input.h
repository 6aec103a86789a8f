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
  // Add to a command the file; what follows it: the place; how the frame runs.
  void add_file_to(Command& command);
  void add_place_to(Command& command);
  void add_run_to(Command& command);
  DebugOptions options() const;
};

// A session at the place. Errors: those of load_any_capture, of a place, and of DebugSession.
Result<DebugSession> open_session(const DebugInput& input);
Result<DebugSession> open_session(const DebugInput& input, const Capture& capture);
// The place that the words of the command line say.
Result<DebugPlace> place_of(const DebugInput& input);

// "0.25 (0x3e800000)"; what is no float that people compute with is shown as an integer.
std::string value_text(std::uint32_t value);
bool shows_as_integer(std::uint32_t value);

Json texel_json(const DebugStep::Texel& texel);

// What else instructions do, by the names that people use: "sample diverge", ["sample", "diverge"].
std::string happened_text(std::uint16_t happened);
Json happened_json(std::uint16_t happened);
// The bit of a name; 0 for another name.
std::uint16_t happened_bit(std::string_view name);
// All names, with this between them.
std::string happened_names(std::string_view between);

}  // namespace warpjit::tool
