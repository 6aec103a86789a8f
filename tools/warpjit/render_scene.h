// warpjit render of a scene of the PICA200: runs its jobs, compares and writes what they leave in memory.
#pragma once

#include <string>

#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

struct RenderScene {
  std::string file;
  RunOptions run;
  std::string out, raw;  // folders for pictures and for bytes; empty: none
  bool heatmap = false;  // pictures of overdraw, too
  bool json = false;
};
int render_scene(const RenderScene& options);

}  // namespace warpjit::tool
