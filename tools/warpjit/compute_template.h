// A launch file to fill in, for a kernel that someone just has.
#pragma once

#include <string>

#include "command.h"
#include "frontend/tesla/container/program.h"

namespace warpjit::tool {

// One block of `threads` threads; parameters, constants and pieces of memory where the code reads or writes
// them. Errors: as translation, for code that cannot be decoded.
Result<Json> compute_template(const tesla::Program& program, const std::string& file_name,
                              std::uint32_t threads);

}  // namespace warpjit::tool
