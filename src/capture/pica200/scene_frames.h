// Scenes of the PICA200 as what captures hold.
#pragma once

#include <memory>
#include <string>

#include "capture/frames.h"
#include "capture/pica200/scene.h"

namespace warpjit::pica200 {

class SceneFrames final : public capture::Frames {
 public:
  // `name`: of the file, for messages. The texts of the scene do not count.
  SceneFrames(Scene scene, std::string name) : scene_(std::move(scene)), name_(std::move(name)) {}
  capture::FramesInfo info() const override;
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const override;
  Status write(capture::SectionWriter& file) const override;
  const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  std::string name_;
};

}  // namespace warpjit::pica200
