// Textures of a capture's draws in listings, with their files.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "capture/texture_folder.h"
#include "json.h"

namespace warpjit::tool {

class TextureRows {
 public:
  explicit TextureRows(const std::string& folder) : folder_(folder) {}
  bool wanted() const { return folder_.wanted(); }
  // False: its file cannot be written.
  bool add(const CaptureTexture& texture);
  // The rows of a draw, once: stage, unit, format, width, height, levels, address, file.
  Json take(std::size_t draw);
  const std::optional<Error>& error() const { return error_; }

 private:
  TextureFolder folder_;
  std::map<std::size_t, Json> rows_;
  std::optional<Error> error_;
};

// "texture 0 of the fragment program: rgba8, 64 x 64 at 0x81000000, texture_81000000_64x64_rgba8.png".
std::string texture_text(const Json& row);

// All of a capture, by draws: [{draw, textures}, ...]. Errors: io, and those of the run.
Result<Json> list_textures(const Capture& capture, const std::string& folder);

}  // namespace warpjit::tool
