#include "device/pica200/command_list.h"

#include <cstdio>
#include <string>

namespace warpjit::pica200 {
namespace {

Error cut(std::size_t at, std::string message, std::uint32_t id) {
  std::string where = "word " + std::to_string(at);
  if (id != ~0u) {
    char text[32];
    std::snprintf(text, sizeof text, ", register 0x%03X", static_cast<unsigned>(id));
    where += text;
  }
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}

}  // namespace

Result<Command> read_command(std::span<const std::uint32_t> words, std::size_t at) {
  if (words.size() - at < 2) return cut(at, "the command list ends before a header", ~0u);
  const std::uint32_t header = words[at + 1];
  const std::size_t others = header >> 20 & 0xFF;
  Command command;
  command.id = header & 0xFFFF;
  command.bytes = header >> 16 & 15;
  command.consecutive = header >> 31 != 0;
  command.first = words[at];
  command.words = (2 + others + 1) / 2 * 2;
  if (command.words > words.size() - at)
    return cut(at, "the command list ends within an entry of " + std::to_string(command.words) + " words",
               command.id);
  command.others = words.subspan(at + 2, others);
  return command;
}

}  // namespace warpjit::pica200
