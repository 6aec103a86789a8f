// Textures of a capture's draws as small pictures in a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "warpjit/capture.hpp"

namespace warpjit::tool {

// The largest extent of the pictures.
inline constexpr std::uint32_t kThumbnailExtent = 128;

class TextureFolder {
 public:
  // An empty name: nothing is written.
  explicit TextureFolder(std::string folder) : folder_(std::move(folder)) {}
  bool wanted() const { return !folder_.empty(); }
  // Errors: io.
  Status make() const;
  // The name of its file: "texture_81000000_64x64_rgba8.png". What was written before is not written again. Errors:
  // io.
  Result<std::string> write(const CaptureTexture& texture);

 private:
  std::string folder_;
  std::vector<std::string> files_;            // by the numbers of textures
  std::map<std::string, std::size_t> named_;  // how many files have such a name
};

}  // namespace warpjit::tool
