#include "program_file.h"

#include <charconv>

#include "files.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/container/shbin.h"

namespace warpjit::tool {

void set_entry(ProgramRequest& request, const std::string& text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  std::uint32_t address = 0;
  const char* begin = text.data() + (hexadecimal ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(begin, end, address, hexadecimal ? 16 : 10);
  if (failure == std::errc() && stop == end && begin != end)
    request.address = address;
  else
    request.entry = text;
}

Result<pica200::Container> read_container(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("DVLB")) return pica200::read_shbin(bytes, name);
  if (name.ends_with(".pica")) {
    const pica200::SourceFile source{name, std::string(text)};
    return pica200::assemble({&source, 1});
  }
  return Error{ErrorCode::bad_input,
               "neither an SHBIN (which begins with DVLB) nor an assembly source (whose name ends in .pica)",
               name};
}

Result<pica200::Program> choose_program(const pica200::Container& container, const ProgramRequest& request) {
  pica200::ProgramChoice choice;
  choice.index = request.index;
  choice.entry = request.entry;
  choice.stage = request.stage;
  if (request.address) {
    for (std::size_t k = 0; k < container.programs.size() && !choice.index; ++k) {
      const pica200::ProgramInfo& info = container.programs[k];
      if (info.entry == *request.address && (!request.stage || info.stage == *request.stage))
        choice.index = k;
    }
  }
  WARPJIT_TRY(pica200::Program program, pica200::select_program(container, choice));
  if (request.stage && program.stage != *request.stage)
    return Error{ErrorCode::bad_input,
                 "the chosen program is a " + std::string(pica200::name(program.stage)) + " program, not a " +
                     std::string(pica200::name(*request.stage)) + " program",
                 container.source_name};
  if (request.address) program.entry = *request.address;
  if (program.entry >= program.code.size())
    return Error{ErrorCode::bad_input,
                 "entry " + std::to_string(program.entry) + " lies past the code of " +
                     std::to_string(program.code.size()) + " words",
                 container.source_name};
  return program;
}

}  // namespace warpjit::tool
