// What a launch of a fragment program has besides memory and textures, as launch files write it.
#pragma once

#include "launch/launch_file.h"
#include "launch/write_launch.h"

namespace warpjit::tool {

// Targets, state and the vertices that are bound, without what is as usual. `side`: as of write_launch().
void add_pixels(const LaunchFile& launch, Json& json, SideFiles* side);

// A target that is filled with its first pixel.
LaunchTarget cleared_target(PixelFormat format, const std::byte* first);

}  // namespace warpjit::tool
