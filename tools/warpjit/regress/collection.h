// The captures below a folder, and how jobs share them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/capture.hpp"

namespace warpjit::tool {

struct CaptureFile {
  std::string name;            // relative to the folder, "/" between its parts
  std::filesystem::path path;  // empty: a baseline alone has it
  std::uint64_t size = 0;      // bytes
  std::int64_t modified = 0;   // in the file system's units
};

// Files named *.wjcap or scene.json, by their names; links to folders are not followed. Errors: io;
// resource_limit for more than 2^20.
Result<std::vector<CaptureFile>> list_captures(const std::string& folder);

// A frame of any kind; `name` is what errors say. Errors: those of Capture::load, and of scenes.
Result<Capture> load_frames(const std::filesystem::path& path, const std::string& name);

// One of several shares, from 1 on: "2/3".
struct Share {
  std::uint32_t number = 1, of = 1;
  // By the name alone, so that it is the same on every machine, and stays where others come and go: the upper half
  // of its FNV-1a hash, modulo `of`.
  bool has(std::string_view name) const;
};
Result<Share> parse_share(const std::string& text, const std::string& where);

}  // namespace warpjit::tool
