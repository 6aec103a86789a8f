// What the tool's commands do with a scene of the PICA200, each with its exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

struct SceneInfo {
  std::string file;
  bool all = false;        // draws; else the first kShownDraws
  bool registers = false;  // those that changed since the draw before
  bool json = false;
};
inline constexpr std::uint64_t kShownDraws = 16;
int show_scene(const SceneInfo& options);

}  // namespace warpjit::tool
