// Checks of what is set and bound for work over pixels.
#pragma once

#include "base/result.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

// Every enumeration is one of its values. Errors: bad_input.
Status check_state(const RasterState& state);
Status check_state(const OutputState& state);

// Each buffer holds what is drawn, and targets do not overlap. Errors: bad_input.
Status check_pixels(const LaunchPixels& pixels, std::uint64_t count);

}  // namespace warpjit::runtime
