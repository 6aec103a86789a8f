#include "capture/texture_folder.h"

#include <fmt/format.h>

#include <utility>

#include "files.h"
#include "picture_file.h"
#include "regress/baseline.h"

namespace warpjit::tool {

Status TextureFolder::make() const { return wanted() ? make_folders(path_of(folder_)) : Status(); }

Result<std::string> TextureFolder::write(const CaptureTexture& texture) {
  if (texture.number < files_.size()) return files_[texture.number];
  // The same memory may hold another texture later.
  std::string name =
      fmt::format("texture_{:08x}_{}x{}_{}", texture.address, texture.width, texture.height, texture.format);
  if (const std::size_t count = ++named_[name]; count != 1) name += fmt::format("_{}", count);
  Image image{texture.picture_width, texture.picture_height, {}};
  for (const std::byte byte : texture.rgba) image.rgba.push_back(std::to_integer<std::uint8_t>(byte));
  name += ".png";
  WARPJIT_CHECK(write_picture(name_of(path_of(folder_) / path_of(name)), write_png(image)));
  return files_.emplace_back(std::move(name));
}

}  // namespace warpjit::tool
