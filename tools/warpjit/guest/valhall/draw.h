// A draw of a capture as a launch file.
#pragma once

#include "launch/launch_file.h"
#include "warpjit/valhall.hpp"

namespace warpjit::tool {

// Runs the capture up to the draw, which keeps what the draws before it have stored, but not what they drew:
// targets begin with their clear values. Instances become vertices of their own. Errors: no such draw, or one
// that changes no pixel; what launch files have no words for.
Result<LaunchFile> launch_of_draw(valhall::CaptureFile& capture, std::size_t number);

}  // namespace warpjit::tool
