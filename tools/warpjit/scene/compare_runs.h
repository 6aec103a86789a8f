// Where two runs of a scene part.
#pragma once

#include <optional>
#include <string>

#include "scene/load_scene.h"

namespace warpjit::tool {

// A machine, and how it runs.
struct SceneRun {
  SceneMachine& machine;
  RunOptions options;
};
// "job 2, draw 5 (command at 0x20000e00): colour of pixel (12, 30): byte 0x18000123 is 0x12, not 0x34": the first
// draw or job after which their memory differs. Both run from their beginning, up to four times. No value: it does
// not.
std::optional<std::string> find_parting(const Engine& engine, const SceneRun& got, const SceneRun& wanted);

}  // namespace warpjit::tool
