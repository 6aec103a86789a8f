// Launches as what captures hold.
#pragma once

#include <string>

#include "capture/frames.h"
#include "capture/launch/launch_scene.h"

namespace warpjit::capture {

class LaunchFrames final : public Frames {
 public:
  // `name`: of the file, for messages.
  LaunchFrames(LaunchScene scene, std::uint32_t product, std::string name)
      : scene_(std::move(scene)), product_(product), name_(std::move(name)) {}
  FramesInfo info() const override;
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const override;
  Status write(SectionWriter& file) const override;
  std::size_t parts(Part part) const override;
  std::size_t vertices() const override;
  std::unique_ptr<const Frames> without(Part part, const std::vector<bool>& left_out) const override;
  const LaunchScene& scene() const { return scene_; }

 private:
  LaunchScene scene_;
  std::uint32_t product_;
  std::string name_;
};

// "compute: 16 x 1 x 1 blocks of 64 x 1 x 1 threads".
std::string launch_text(const RecordedLaunch& launch, const Program& program);

}  // namespace warpjit::capture
