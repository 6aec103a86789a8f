// Scenes of the PICA200 as what captures hold.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capture/frames.h"
#include "capture/pica200/flat_scene.h"
#include "capture/pica200/scene.h"

namespace warpjit::pica200 {

class SceneFrames final : public capture::Frames {
 public:
  // `name`: of the file, for messages. The texts of the scene do not count.
  SceneFrames(Scene scene, std::string name) : scene_(std::move(scene)), name_(std::move(name)) {}
  capture::FramesInfo info() const override;
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const override;
  Status write(capture::SectionWriter& file) const override;
  std::size_t parts(capture::Part part) const override;
  std::size_t vertices() const override;
  std::unique_ptr<const capture::Frames> without(capture::Part part,
                                                 const std::vector<bool>& left_out) const override;
  const Scene& scene() const { return scene_; }

 private:
  // The scene with lists that can be changed.
  const FlatScene& flat() const;

  Scene scene_;
  std::string name_;
  mutable std::once_flag flattened_;
  mutable std::shared_ptr<const FlatScene> flat_;
};

}  // namespace warpjit::pica200
