// What frames of the Vita can do without: whole scenes and changes of memory, draws, their state and vertices, and
// what is expected.
#include <algorithm>

#include "capture/left_out.h"
#include "capture/usse/scene_frames.h"
#include "capture/vertex_slices.h"

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

capture::VertexSlices vertices_of(const DrawData& draw) { return {draw.indices.size() / draw.index_bytes}; }

template <class List, class Visit>
void each_draw(List& list, const Visit& visit) {
  for (auto& step : list.steps)
    if (auto* draw = std::get_if<DrawData>(&step)) visit(*draw);
}

// What a draw sets, which has a value when it does not: visit(is_set, unset).
template <class Visit>
void each_state(DrawData& draw, const Visit& visit) {
  Draw& state = draw.state;
  visit(state.region.has_value(), [&] { state.region.reset(); });
  visit(state.blend.has_value(), [&] { state.blend.reset(); });
  visit(state.cull != Cull::none, [&] { state.cull = Cull::none; });
  visit(state.depth_stencil.stencil, [&] { state.depth_stencil.stencil = false; });
  visit(state.depth_stencil.depth_write, [&] { state.depth_stencil.depth_write = false; });
  visit(state.depth_stencil.depth_compare != Compare::always,
        [&] { state.depth_stencil.depth_compare = Compare::always; });
  for (StageData* stage : {&draw.vertex, &draw.fragment}) {
    visit(!stage->default_uniforms.empty(), [stage] { stage->default_uniforms = {}; });
    std::vector<UniformData> uniforms;
    for (const UniformData& uniform : stage->uniforms) {
      bool stays = true;
      visit(true, [&] { stays = false; });
      if (stays) uniforms.push_back(uniform);
    }
    stage->uniforms = std::move(uniforms);
  }
}

}  // namespace

std::size_t SceneFrames::parts(Part part) const {
  const auto count = [&](auto is) {
    return static_cast<std::size_t>(std::ranges::count_if(scenes_.steps, is));
  };
  if (part == Part::job) return scenes_.scenes + count(is_change);
  if (part == Part::draw) return count(is_draw);
  std::size_t number = 0;
  if (part == Part::state)
    each_draw(scenes_, [&](DrawData draw) {
      each_state(draw, [&](bool is_set, const auto&) { number += is_set ? 1 : 0; });
    });
  if (part == Part::vertices)
    each_draw(scenes_, [&](const DrawData& draw) { number += vertices_of(draw).slices(); });
  if (part == Part::state || part == Part::vertices) return number;
  return part == Part::expected ? count(expects) : 0;
}

std::size_t SceneFrames::vertices() const {
  std::uint64_t sum = 0;
  each_draw(scenes_, [&](const DrawData& draw) { sum += vertices_of(draw).count; });
  return static_cast<std::size_t>(sum);
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
  if (part == Part::state)
    each_draw(list, [&](DrawData& draw) {
      each_state(draw, [&](bool is_set, const auto& unset) {
        if (is_set && left_out[part_number++]) unset();
      });
    });
  if (part == Part::vertices)
    each_draw(list, [&](DrawData& draw) {
      const capture::VertexSlices vertices = vertices_of(draw);
      const auto kept = vertices.kept(left_out, part_number);
      part_number += vertices.slices();
      draw.indices = draw.indices.subspan(static_cast<std::size_t>(kept.begin * draw.index_bytes),
                                          static_cast<std::size_t>(kept.size() * draw.index_bytes));
    });
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
