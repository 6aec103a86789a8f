// What frames of launches can do without: launches and changes of memory, vertices or threads, and what is expected.
#include <algorithm>

#include "capture/launch/launch_frames.h"
#include "capture/left_out.h"
#include "capture/vertex_slices.h"

namespace warpjit::capture {
namespace {

// The launch whose count says how many vertices or threads there are; null: a grid has its own extents, and indices
// name vertices.
template <class Launch>
auto* counting(Launch& launch) {
  auto* counts = &launch;
  if ((launch.pixels || launch.primitives) && !launch.vertex.empty()) counts = &launch.vertex.front();
  return launch.grid || launch.primitives ? nullptr : counts;
}

bool is_indexed(const RecordedLaunch& launch) { return launch.pixels && launch.pixels->indexed; }

VertexSlices vertices_of(const RecordedLaunch& launch) {
  if (is_indexed(launch)) return {launch.pixels->indices.size()};
  const RecordedLaunch* const counts = counting(launch);
  return {counts == nullptr ? 0 : counts->count};
}

// What comes before those that stay has no index that could be left out: it stays, too.
void keep(RecordedLaunch& launch, const VertexSlices::Range& kept) {
  if (is_indexed(launch)) {
    std::vector<std::uint32_t>& indices = launch.pixels->indices;
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(kept.end), indices.end());
    indices.erase(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(kept.begin));
  } else if (RecordedLaunch* const counts = counting(launch)) {
    counts->count = kept.end;
  }
}

template <class Events, class Visit>
void each_launch(Events& events, const Visit& visit) {
  for (auto& event : events)
    if (auto* launch = std::get_if<RecordedLaunch>(&event)) visit(*launch);
}

}  // namespace

std::size_t LaunchFrames::parts(Part part) const {
  if (part == Part::job) return scene_.events.size();
  std::size_t count = 0;
  if (part == Part::vertices)
    each_launch(scene_.events, [&](const RecordedLaunch& launch) { count += vertices_of(launch).slices(); });
  if (part == Part::expected)
    return static_cast<std::size_t>(std::ranges::count_if(
        scene_.outputs, [](const LaunchOutput& output) { return output.expected.has_value(); }));
  return count;
}

std::size_t LaunchFrames::vertices() const {
  std::uint64_t sum = 0;
  each_launch(scene_.events, [&](const RecordedLaunch& launch) { sum += vertices_of(launch).count; });
  return static_cast<std::size_t>(sum);
}

std::unique_ptr<const Frames> LaunchFrames::without(Part part, const std::vector<bool>& left_out) const {
  LaunchScene scene = scene_;
  if (part == Part::job) leave_out(scene.events, scene.frame_ends, left_out);
  if (scene.launches() == 0) return nullptr;  // no file of launches has none
  std::size_t n = 0;
  if (part == Part::vertices)
    each_launch(scene.events, [&](RecordedLaunch& launch) {
      const VertexSlices vertices = vertices_of(launch);
      keep(launch, vertices.kept(left_out, n));
      n += vertices.slices();
    });
  if (part == Part::expected)
    for (LaunchOutput& output : scene.outputs)
      if (output.expected && left_out[n++]) output.expected.reset();
  return std::make_unique<LaunchFrames>(std::move(scene), product_, name_);
}

}  // namespace warpjit::capture
