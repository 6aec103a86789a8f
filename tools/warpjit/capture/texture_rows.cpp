#include "capture/texture_rows.h"

#include <fmt/format.h>

#include "warpjit/engine.hpp"

namespace warpjit::tool {

namespace {

class TextureLister final : public CaptureVisitor {
 public:
  explicit TextureLister(const std::string& folder) : rows_(folder) {}
  CaptureInterest interest() const override { return {.textures = kThumbnailExtent}; }
  bool texture(const CaptureTexture& texture) override { return rows_.add(texture); }
  bool draw(const CaptureDraw& draw) override {
    if (Json textures = rows_.take(draw.number); !textures.empty())
      list.push_back({{"draw", draw.number}, {"textures", std::move(textures)}});
    return true;
  }
  Json list = Json::array();
  const std::optional<Error>& error() const { return rows_.error(); }

 private:
  TextureRows rows_;
};

}  // namespace

bool TextureRows::add(const CaptureTexture& texture) {
  const auto file = folder_.write(texture);
  if (!file) error_ = file.error();
  if (!file) return false;
  Json row{{"stage", std::string(texture.stage)},
           {"unit", texture.unit},
           {"format", std::string(texture.format)},
           {"width", texture.width},
           {"height", texture.height},
           {"levels", texture.levels}};
  if (texture.address != 0) row["address"] = fmt::format("{:#010x}", texture.address);
  if (texture.layer != 0) row["face"] = texture.layer;
  row["file"] = *file;
  rows_.try_emplace(texture.draw, Json::array()).first->second.push_back(std::move(row));
  return true;
}

Json TextureRows::take(std::size_t draw) {
  const auto found = rows_.find(draw);
  if (found == rows_.end()) return Json::array();
  Json rows = std::move(found->second);
  rows_.erase(found);
  return rows;
}

std::string texture_text(const Json& row) {
  return fmt::format("texture {} of the {} program{}: {}, {} x {}{}, {}", row["unit"].natural(),
                     row["stage"].string(),
                     row.contains("face") ? fmt::format(", face {}", row["face"].natural()) : "",
                     row["format"].string(), row["width"].natural(), row["height"].natural(),
                     row.contains("address") ? " at " + row["address"].string() : "", row["file"].string());
}

Result<Json> list_textures(const Capture& capture, const std::string& folder) {
  WARPJIT_CHECK(TextureFolder(folder).make());
  TextureLister lister(folder);
  const Engine engine;
  RunOptions run;
  run.engine = engine.info().jit ? EngineKind::jit : EngineKind::guest;
  WARPJIT_CHECK(capture.run(engine, lister, run));
  if (lister.error()) return *lister.error();
  return std::move(lister.list);
}

}  // namespace warpjit::tool
