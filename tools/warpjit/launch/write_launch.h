// Launch files from values: how the fuzzer hands over what it found.
#pragma once

#include "launch/launch_file.h"

namespace warpjit::tool {

// A launch file on its own, code as words and data inline, that reads back as the same launch. It has the
// inputs of threads first to first + count - 1, and of a grid everything but the
// constants that a container gives.
Json write_launch(const LaunchFile& launch, std::uint64_t first, std::uint64_t count);

// A document as people read and edit it: an array of numbers on one line, everything else indented.
std::string launch_text(const Json& document);

}  // namespace warpjit::tool
