// Scenes of the PICA200 from files of any kind.
#pragma once

#include <string>
#include <vector>

#include "capture/pica200/scene_machine.h"
#include "scene_file.h"

namespace warpjit::tool {

using pica200::SceneMachine;

// True for scenes, and for traces that become scenes.
bool is_scene(const std::string& file);
bool is_trace(const std::string& file);
bool is_scene_capture(const std::string& file);
// Says on stderr what a trace lacks.
Result<Scene> load_scene(const std::string& file);

// As a capture. Errors: bad_input for a scene that must be refused.
Result<std::vector<std::byte>> scene_as_capture(const Scene& scene);
// The same, to a file.
Status write_scene_capture(const Scene& scene, const std::string& file);

}  // namespace warpjit::tool
