// Which results of a fragment program a target takes (docs/guests/usse.md 8.3).
#pragma once

#include "base/result.h"
#include "frontend/usse/container/program.h"
#include "warpjit/pixels.hpp"

namespace warpjit::usse {

// Whether the program's colour has a type for this target; none: nothing is stored. Errors: unsupported.
Status check_color(const Program& program, PixelFormat target);

}  // namespace warpjit::usse
