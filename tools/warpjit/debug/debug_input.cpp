#include "debug/debug_input.h"

#include <fmt/core.h>

#include <bit>

#include "stop.h"

namespace warpjit::tool {
namespace {

struct Flag {
  std::uint16_t bit;
  const char* name;
};
constexpr Flag kFlags[] = {{DebugStep::sampled, "sample"},         {DebugStep::discarded, "discard"},
                           {DebugStep::diverged, "diverge"},       {DebugStep::joined, "join"},
                           {DebugStep::faulted, "fault"},          {DebugStep::ended, "end"},
                           {DebugStep::barrier, "barrier"},        {DebugStep::rule, "rule"},
                           {DebugStep::undefined, "uninitialized"}};

}  // namespace

void DebugInput::add_file_to(Command& command) {
  command.option("file", file, "a capture, a scene, or a launch file").required();
}
void DebugInput::add_place_to(Command& command) {
  command.option("place", place, "\"draw 17 pixel 120,88\", \"draw 3 vertex 5\", \"thread 3,0,0 block 1,2\"");
}
void DebugInput::add_run_to(Command& command) {
  command.flag("--unchecked", unchecked, "do not compare what the interpreter leaves with compiled code");
  command.option("--fuel", fuel, "backward transfers that a guest thread may make");
}

DebugOptions DebugInput::options() const {
  DebugOptions options;
  options.check = !unchecked;
  options.run.cancel = cancel_word();
  options.run.fuel = fuel;
  return options;
}

Result<DebugPlace> place_of(const DebugInput& input) {
  std::string text;
  for (const std::string& word : input.place) text += word + " ";
  return DebugPlace::parse(text);
}

Result<DebugSession> open_session(const DebugInput& input) {
  WARPJIT_TRY(const Capture capture, load_any_capture(input.file));
  return open_session(input, capture);
}

Result<DebugSession> open_session(const DebugInput& input, const Capture& capture) {
  WARPJIT_TRY(const DebugPlace place, place_of(input));
  WARPJIT_TRY(DebugSession session, DebugSession::open(capture, input.options()));
  WARPJIT_CHECK(session.go(place));
  return session;
}

bool shows_as_integer(std::uint32_t value) {
  return ((value & 0x7f800000) == 0 && value != 0) || value == ~0U;
}

std::string value_text(std::uint32_t value) {
  if (shows_as_integer(value)) return fmt::format("{} (0x{:x})", static_cast<std::int32_t>(value), value);
  return fmt::format("{:.9g} (0x{:x})", std::bit_cast<float>(value), value);
}

Json texel_json(const DebugStep::Texel& texel) {
  Json value = Json::array();
  for (unsigned word = 0; word < (texel.bytes + 3) / 4 && word < texel.value.size(); ++word)
    value.push_back(texel.value[word]);
  return {{"texture", texel.texture},
          {"level", texel.level},
          {"layer", texel.layer},
          {"x", texel.x},
          {"y", texel.y},
          {"weight", double{texel.weight}},
          {"bytes", texel.bytes},
          {"value", value}};
}

std::string happened_text(std::uint16_t happened) {
  std::string text;
  for (const Flag& flag : kFlags)
    if ((happened & flag.bit) != 0) text += (text.empty() ? "" : " ") + std::string(flag.name);
  return text;
}

Json happened_json(std::uint16_t happened) {
  Json list = Json::array();
  for (const Flag& flag : kFlags)
    if ((happened & flag.bit) != 0) list.push_back(flag.name);
  return list;
}

std::uint16_t happened_bit(std::string_view name) {
  for (const Flag& flag : kFlags)
    if (name == flag.name) return flag.bit;
  return 0;
}

std::string happened_names(std::string_view between) {
  std::string names;
  for (const Flag& flag : kFlags) names += (names.empty() ? "" : std::string(between)) + flag.name;
  return names;
}

}  // namespace warpjit::tool
