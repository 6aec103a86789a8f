#include "frontend/usse/container/program.h"

#include <cinttypes>
#include <cstdio>

namespace warpjit::usse {
namespace {

constexpr std::pair<Stage, std::string_view> kStageNames[] = {{Stage::vertex, "vertex"},
                                                              {Stage::fragment, "fragment"}};

}  // namespace

std::string_view stage_name(Stage stage) {
  for (const auto& [known, name] : kStageNames)
    if (known == stage) return name;
  return {};
}
std::optional<Stage> find_stage(std::string_view name) {
  for (const auto& [stage, known] : kStageNames)
    if (known == name) return stage;
  return {};
}

std::string Program::where(bool in_secondary, std::size_t word) const {
  const std::vector<std::uint64_t>& code = in_secondary ? secondary : primary;
  char text[64];
  std::snprintf(text, sizeof text, "%s word %zu (0x%016" PRIx64 ")", in_secondary ? "secondary" : "primary",
                word, word < code.size() ? code[word] : 0);
  return source_name.empty() ? std::string(text) : source_name + ", " + text;
}

Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name) {
  if (bytes.empty() || bytes.size() % 8 != 0)
    return Error{ErrorCode::bad_input,
                 "USSE instructions are 8 bytes each, but there are " + std::to_string(bytes.size()),
                 file_name};
  if (bytes.size() / 8 > kMaxCodeWords)
    return Error{ErrorCode::resource_limit, "more code than 65536 instructions", file_name};
  Program program;
  program.stage = stage;
  program.source_name = file_name;
  program.primary.resize(bytes.size() / 8);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    program.primary[k / 8] |= std::to_integer<std::uint64_t>(bytes[k]) << (k % 8 * 8);
  return program;
}

Result<std::vector<std::byte>> write_words(const Program& program) {
  if (!program.secondary.empty())
    return Error{ErrorCode::bad_input, "bare words hold a primary program alone", program.source_name};
  std::vector<std::byte> bytes(8 * program.primary.size());
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(program.primary[k / 8] >> (k % 8 * 8));
  return bytes;
}

}  // namespace warpjit::usse
