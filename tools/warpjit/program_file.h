// Guest programs from files: SHBIN containers and assembly sources, told apart by their content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "frontend/pica200/container/program.h"

namespace warpjit::tool {

// Which program of a container, and where it begins.
struct ProgramRequest {
  std::string entry;                     // a name; empty: the container's own entry
  std::optional<std::uint32_t> address;  // a word address instead
  std::optional<std::size_t> index;
  std::optional<pica200::Stage> stage;
};

// "0", "12" and "0x1c" as an address, everything else as a name.
void set_entry(ProgramRequest& request, const std::string& text);

// Reads an SHBIN (it begins with DVLB) or assembles a source (the name ends in .pica).
Result<pica200::Container> read_container(std::span<const std::byte> bytes, const std::string& name);
Result<pica200::Program> choose_program(const pica200::Container& container, const ProgramRequest& request);

}  // namespace warpjit::tool
