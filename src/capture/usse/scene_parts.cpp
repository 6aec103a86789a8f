// What frames of the Vita can do without: whole scenes and changes of memory, draws, and what is expected.
#include <algorithm>

#include "capture/left_out.h"
#include "capture/usse/scene_frames.h"

namespace warpjit::usse {
namespace {

using capture::Part;

bool is_draw(const SceneStep& step) { return std::holds_alternative<DrawData>(step); }
bool is_change(const SceneStep& step) { return std::holds_alternative<capture::MemoryChange>(step); }

// Scenes first, then changes.
std::vector<bool> steps_of_jobs(const SceneList& list, const std::vector<bool>& left_out) {
  std::vector<bool> steps(list.steps.size());
  std::size_t begun = 0, change = list.scenes;
  for (std::size_t n = 0; n < list.steps.size(); ++n) {
    const SceneStep& step = list.steps[n];
    if (is_change(step))
      steps[n] = left_out[change++];
    else if (const auto* draw = std::get_if<DrawData>(&step))
      steps[n] = left_out[draw->scene];
    else if (const auto* end = std::get_if<SceneEnd>(&step))
      steps[n] = left_out[end->scene];
    else
      steps[n] = left_out[begun++];
  }
  return steps;
}

// Scenes count from 0 in the order in which they begin.
void number_scenes(SceneList& list, const std::vector<bool>& left_out) {
  std::vector<std::size_t> numbers(list.scenes);
  std::size_t next = 0;
  for (std::size_t n = 0; n < list.scenes; ++n) {
    numbers[n] = next;
    next += left_out[n] ? 0 : 1;
  }
  for (SceneStep& step : list.steps) {
    if (auto* draw = std::get_if<DrawData>(&step)) draw->scene = numbers[draw->scene];
    if (auto* end = std::get_if<SceneEnd>(&step)) end->scene = numbers[end->scene];
  }
  list.scenes = next;
}

bool expects(const SceneStep& step) {
  const auto* end = std::get_if<SceneEnd>(&step);
  return end != nullptr && (end->hash || !end->expected.empty());
}

}  // namespace

std::size_t SceneFrames::parts(Part part) const {
  const auto count = [&](auto is) {
    return static_cast<std::size_t>(std::ranges::count_if(scenes_.steps, is));
  };
  if (part == Part::job) return scenes_.scenes + count(is_change);
  if (part == Part::draw) return count(is_draw);
  return part == Part::expected ? count(expects) : 0;
}

std::unique_ptr<const capture::Frames> SceneFrames::without(Part part,
                                                            const std::vector<bool>& left_out) const {
  SceneList list = scenes_;
  std::size_t part_number = 0;
  if (part == Part::job) {
    capture::leave_out(list.steps, list.frame_ends, steps_of_jobs(list, left_out));
    number_scenes(list, left_out);
  }
  if (part == Part::draw) {
    std::vector<bool> steps(list.steps.size());
    for (std::size_t n = 0; n < steps.size(); ++n)
      if (is_draw(list.steps[n])) steps[n] = left_out[part_number++];
    capture::leave_out(list.steps, list.frame_ends, steps);
  }
  if (part == Part::expected)
    for (SceneStep& step : list.steps)
      if (expects(step) && left_out[part_number++]) {
        auto& end = std::get<SceneEnd>(step);
        end.hash.reset();
        end.expected = {};
      }
  return std::make_unique<SceneFrames>(std::move(list), name_);
}

}  // namespace warpjit::usse
