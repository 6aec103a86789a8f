// What frames of launches can do without: launches and changes of memory, and what is expected.
#include <algorithm>

#include "capture/launch/launch_frames.h"
#include "capture/left_out.h"

namespace warpjit::capture {

std::size_t LaunchFrames::parts(Part part) const {
  if (part == Part::job) return scene_.events.size();
  if (part == Part::expected)
    return static_cast<std::size_t>(std::ranges::count_if(
        scene_.outputs, [](const LaunchOutput& output) { return output.expected.has_value(); }));
  return 0;
}

std::unique_ptr<const Frames> LaunchFrames::without(Part part, const std::vector<bool>& left_out) const {
  LaunchScene scene = scene_;
  if (part == Part::job) leave_out(scene.events, scene.frame_ends, left_out);
  if (scene.launches() == 0) return nullptr;  // no file of launches has none
  std::size_t n = 0;
  if (part == Part::expected)
    for (LaunchOutput& output : scene.outputs)
      if (output.expected && left_out[n++]) output.expected.reset();
  return std::make_unique<LaunchFrames>(std::move(scene), product_, name_);
}

}  // namespace warpjit::capture
