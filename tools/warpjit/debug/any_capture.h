// Captures from files of any kind.
#pragma once

#include <string>

#include "warpjit/capture.hpp"

namespace warpjit::tool {

// A capture of any guest and version, a scene, a draw of the Vita as JSON, a launch file, which is run. Errors: those of
// reading and running.
Result<Capture> load_any_capture(const std::string& file);

}  // namespace warpjit::tool
