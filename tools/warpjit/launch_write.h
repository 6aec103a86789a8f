// Launch files from values: how the fuzzer hands over what it found.
#pragma once

#include <nlohmann/json.hpp>

#include "launch_file.h"

namespace warpjit::tool {

// A launch file on its own, code as words and data inline, that reads back as the same values. Of the
// inputs it holds threads first to first + count - 1.
nlohmann::ordered_json write_launch(const LaunchFile& launch, std::uint64_t first, std::uint64_t count);

}  // namespace warpjit::tool
