// CiTrace 1 (.ctf): what an emulator recorded of a 3DS's GPU, as a scene.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scene_file.h"

namespace warpjit::tool {

bool is_citrace(std::span<const std::byte> bytes);

struct ImportedScene {
  Scene scene;
  std::vector<std::string> notes;  // what the trace lacks
};
// The state of shader units becomes a command list before the first job. Errors: bad_input for parts that do not lie
// in the file or over each other, and for a stream that starts nothing; resource_limit.
Result<ImportedScene> read_citrace(std::span<const std::byte> bytes, const std::string& name);

// Writes the scene's description, and its bytes into files beside it whose names begin as its own.
Status write_scene(const Scene& scene, const std::string& name);

}  // namespace warpjit::tool
