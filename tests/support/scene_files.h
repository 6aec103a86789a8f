// Scenes of the 3DS that tests run, for programs that link the tool's reader.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/source_dir.h"
#include "unpack.h"

namespace warpjit::tests {

// scene.json of each: the examples, and those that are not in the repository.
inline std::vector<std::filesystem::path> scene_files() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const fs::path& folder :
       {fs::path(corpus_file("pica200/frames")), fs::path(source_file("examples/pica200/scenes"))})
    if (fs::is_directory(folder))
      for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == "scene.json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Files of some are compressed.
inline bool can_unpack_xz() {
  const auto result = tool::unpack_xz({}, "", 1);
  return result || result.error().code != ErrorCode::unsupported;
}

}  // namespace warpjit::tests
