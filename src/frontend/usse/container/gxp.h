// GXP containers, in which programs of the PlayStation Vita come (docs/guests/usse.md 4). Every byte may be
// hostile: errors name the byte of the field and the field.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "frontend/usse/container/program.h"

namespace warpjit::usse {

bool is_gxp(std::span<const std::byte> bytes);
// Errors: bad_input; unsupported for native colours with several samples.
Result<Program> read_gxp(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace warpjit::usse
