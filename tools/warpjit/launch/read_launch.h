// Reads launch files (docs/launch.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "files.h"
#include "launch/launch_file.h"

namespace warpjit::tool {

// Reads the text of a launch file; `files` gives what it names.
Result<LaunchFile> parse_launch(std::string_view text, const std::string& name, const FileReader& files);
// Reads a launch file; names in it are relative to its folder.
Result<LaunchFile> read_launch(const std::filesystem::path& path);
Result<LaunchFile> read_launch(const std::string& name);

}  // namespace warpjit::tool
