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
  std::string textures;  // a folder for thumbnails of textures; empty: none
};
inline constexpr std::uint64_t kShownDraws = 16;
int show_scene(const SceneInfo& options);

struct SceneVerify {
  std::string file;
  RunOptions run;  // but for engine and target
  std::vector<std::string> engines;
  std::uint64_t random = 0, seed = 1;  // runs with changed registers; 0: the scene as it is
  bool json = false;
};
int verify_scene(const SceneVerify& options);

struct SceneBench {
  std::string file;
  RunOptions run;  // but for engine and target
  std::vector<std::string> engines;
  double seconds = 0.2;  // for each engine
  unsigned slowest = 5;  // draws that are shown, of the last engine
  bool json = false;
};
int bench_scene(const SceneBench& options);

}  // namespace warpjit::tool
