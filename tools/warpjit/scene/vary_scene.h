// Random changes to the registers that a scene's command lists write.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/random.h"
#include "scene_file.h"

namespace warpjit::tool {

// Where lists write registers of the fixed function, but for addresses; lists that others jump to are not seen.
class SceneVariation {
 public:
  explicit SceneVariation(const Scene& scene);
  bool empty() const { return places_.empty(); }
  // Changes a few of these words in a copy of the scene that it was made of: bits, whole words, or one word for
  // another of the same register.
  void vary(Scene& scene, Random& random) const;

 private:
  struct Place {
    std::size_t piece = 0, offset = 0;  // of the word in its memory
  };
  std::vector<std::uint32_t> ids_;
  std::map<std::uint32_t, std::vector<Place>> places_;  // by register
};

}  // namespace warpjit::tool
