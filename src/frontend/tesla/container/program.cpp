#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

std::string Program::where(std::uint32_t address) const {
  const std::uint32_t word = address / 4 < code.size() ? code[address / 4] : 0;
  return where_byte(source_name, address, word);
}

Result<Program> select_program(const Container& container, const std::string& name,
                               std::optional<ProgramType> type) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), container.source_name};
  };
  const Program* found = nullptr;
  std::size_t matching = 0;
  std::string there, other_types;
  for (const Program& program : container.programs) {
    if (type && program.type != *type) {
      if (const std::string_view other = warpjit::tesla::name(program.type);
          other_types.find(other) == std::string::npos)
        other_types += (other_types.empty() ? "" : " and ") + std::string(other);
      continue;
    }
    ++matching;
    if (found == nullptr && (name.empty() || program.name == name)) found = &program;
    if (there.size() <= 200) there += (there.empty() ? "" : ", ") + program.name;
  }
  if (container.programs.empty()) return wrong("there is no kernel");
  if (matching == 0)
    return wrong("these are " + other_types + " programs, not " + std::string(warpjit::tesla::name(*type)) +
                 " programs");
  if (found == nullptr) return wrong("no program '" + name + "', there is: " + there);
  if (name.empty() && matching > 1) return wrong("several programs, name one of: " + there);
  return *found;
}

Result<Program> read_words(std::span<const std::byte> bytes, ProgramType type, const std::string& file_name) {
  if (bytes.empty() || bytes.size() % 4 != 0)
    return Error{ErrorCode::bad_input,
                 "code is words of 4 bytes; found " + std::to_string(bytes.size()) + " bytes", file_name};
  Program program;
  program.type = type;
  program.source_name = file_name;
  if (bytes.size() / 4 > kMaxCodeWords)
    return Error{ErrorCode::resource_limit, "more code than 16 MiB", file_name};
  program.code.resize(bytes.size() / 4);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    program.code[k / 4] |= std::to_integer<std::uint32_t>(bytes[k]) << (k % 4 * 8);
  return program;
}

Status check_limits(const Program& program) {
  const auto over = [&](const char* what, std::uint64_t value, std::uint64_t limit) -> Status {
    if (value <= limit) return {};
    return Error{ErrorCode::resource_limit,
                 std::string(what) + ": " + std::to_string(value) + ", at most " + std::to_string(limit),
                 program.source_name + (program.name.empty() ? "" : ", kernel " + program.name)};
  };
  WARPJIT_CHECK(over("words of code", program.code.size(), kMaxCodeWords));
  WARPJIT_CHECK(over("registers", program.registers, kMaxRegisters));
  WARPJIT_CHECK(over("bytes of shared memory", program.shared_bytes, kMaxSharedBytes));
  WARPJIT_CHECK(over("bytes of local memory", program.local_bytes, kMaxLocalBytes));
  WARPJIT_CHECK(over("barriers", program.barriers, kBarriers));
  for (const ConstantSegment& segment : program.constants) {
    WARPJIT_CHECK(over("constant space", segment.space, kConstantSpaces - 1));
    WARPJIT_CHECK(
        over("end of a constant segment", std::uint64_t{segment.offset} + segment.bytes, kMaxConstantBytes));
    WARPJIT_CHECK(over("words of a constant segment", segment.words.size(), (segment.bytes + 3) / 4));
  }
  return {};
}

}  // namespace warpjit::tesla
