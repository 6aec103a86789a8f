// Scenes of the Vita as what captures hold.
#pragma once

#include <string>
#include <utility>

#include "capture/frames.h"
#include "capture/usse/scene.h"

namespace warpjit::usse {

class SceneFrames final : public capture::Frames {
 public:
  // `name`: of the file, for messages.
  SceneFrames(SceneList scenes, std::string name) : scenes_(std::move(scenes)), name_(std::move(name)) {}
  capture::FramesInfo info() const override;
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const override;
  Status run_with_stores(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options,
                         capture::StoreVisitor& stores) const override;
  Status write(capture::SectionWriter& file) const override;
  std::size_t parts(capture::Part part) const override;
  std::size_t vertices() const override;
  std::unique_ptr<const capture::Frames> without(capture::Part part,
                                                 const std::vector<bool>& left_out) const override;
  const SceneList& scenes() const { return scenes_; }

 private:
  SceneList scenes_;
  std::string name_;
};

}  // namespace warpjit::usse
