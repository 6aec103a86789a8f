// Textures of a scene's draws as small pictures in a folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontend/pica200/facts/fragment_memory.h"

namespace warpjit::tool {

class Thumbnails {
 public:
  // The folder exists, or is empty: then nothing is written.
  explicit Thumbnails(std::string folder) : folder_(std::move(folder)) {}
  // The first level that the unit may sample, of each face, at most 128 x 128. Gives the names of the files; what was
  // written before is not written again. Errors: io.
  Result<std::vector<std::string>> write(const pica200::FragmentSetup& setup, unsigned unit,
                                         const pica200::FoundTexture& texture);

 private:
  std::string folder_;
  std::map<std::string, std::map<std::uint64_t, std::string>> files_;  // by what they show and its bytes
};

}  // namespace warpjit::tool
