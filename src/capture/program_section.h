// Programs of all guests as sections of a file, kind 15.
#pragma once

#include "capture/section_file.h"
#include "warpjit/program.hpp"

namespace warpjit::capture {

// What a section has of a program, which reads back as the same one. Errors: unsupported for one that does not.
Result<std::vector<std::byte>> program_bytes(const Program& program);
Status write_program(SectionWriter& file, const Program& program);
// Errors name the byte: bad_input; those of the guest's reader.
Result<Program> read_program(const FileBytes& file, const Section& section, FileGuest guest);

}  // namespace warpjit::capture
