#include "capture/usse/scene_frames.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "capture/launch/sampled_textures.h"
#include "capture/usse/scene_machine.h"
#include "capture/usse/scene_sections.h"

namespace warpjit::usse {
namespace {

using capture::count_text;

std::string text_of(const DrawData& draw) {
  constexpr std::array<const char*, 4> kPrimitives{"triangles", "triangle strip", "triangle fan", "points"};
  std::string text = kPrimitives[static_cast<std::size_t>(draw.state.primitive)];
  text += " of " + count_text(draw.indices.size() / draw.index_bytes, "vertex", "vertices");
  if (draw.state.instances != 1) text += ", " + count_text(draw.state.instances, "instance", "instances");
  return text;
}

// Fields of pixels, in units of the surface's format.
CaptureComparison compare_bytes(const SceneEnd& end, const Surface& surface, DataBytes bytes) {
  CaptureComparison compared;
  const ColorSurface& where = surface.where();
  compared.units = std::uint64_t{where.width} * where.height;
  compared.allowed = end.beyond;
  for (std::uint32_t y = 0; y < where.height; ++y)
    for (std::uint32_t x = 0; x < where.width; ++x) {
      const auto got = surface.fields_at(bytes, x, y), wanted = surface.fields_at(end.expected, x, y);
      if (got == wanted) continue;
      ++compared.differ;
      bool beyond = false;
      for (unsigned n = 0; n < surface.fields(); ++n)
        beyond = beyond || std::max(got[n], wanted[n]) - std::min(got[n], wanted[n]) > end.tolerance;
      if (!beyond) continue;
      if (compared.beyond++ == 0) compared.first = std::uint64_t{y} * where.width + x;
    }
  return compared;
}

// All pixels differ from those of a hash, or none.
std::optional<CaptureComparison> compare(const SceneEnd& end, const Surface& surface, DataBytes bytes) {
  if (!end.expected.empty()) return compare_bytes(end, surface, bytes);
  if (!end.hash) return std::nullopt;
  CaptureComparison compared;
  compared.units = std::uint64_t{surface.where().width} * surface.where().height;
  compared.differ = compared.beyond = surface_hash(bytes) == *end.hash ? 0 : compared.units;
  return compared;
}

class SceneReplay {
 public:
  SceneReplay(const SceneList& list, SceneMachine& machine, CaptureVisitor& visitor)
      : list_(list),
        machine_(machine),
        visitor_(visitor),
        interest_(visitor.interest()),
        textures_(visitor, [&machine](const std::byte* data) { return machine.address_of(data); }) {
    if (!textures_.wanted()) return;
    machine_.watch([this](const Launch& launch) { ended_ = ended_ || !textures_.show(launch, draw_); });
  }

  Status run(const Engine& engine, const RunOptions& options) {
    auto frame_end = list_.frame_ends.begin();
    for (std::size_t n = 0; n < list_.steps.size() && !ended_; ++n) {
      for (; frame_end != list_.frame_ends.end() && *frame_end <= n; ++frame_end)
        frame_ += *frame_end != 0 ? 1 : 0;
      WARPJIT_CHECK(machine_.run_step(n, engine, options));
      WARPJIT_CHECK(show(n));
    }
    return {};
  }

 private:
  struct Begun {
    const SceneBegin* begin = nullptr;
    std::size_t draws = 0;
  };

  Status show(std::size_t step) {
    const SceneStep& what = list_.steps[step];
    if (const auto* begin = std::get_if<SceneBegin>(&what)) {
      begun_.push_back({begin, 0});
      finish(step, begun_.size() - 1);
    } else if (const auto* draw = std::get_if<DrawData>(&what)) {
      ++begun_[draw->scene].draws;
      show_draw(*draw);
      ++draw_;
      finish(step, draw->scene);
    } else if (const auto* end = std::get_if<SceneEnd>(&what)) {
      const bool is_last = machine_.is_last_of(step, end->scene);
      if (is_last) show_job(end->scene);
      WARPJIT_CHECK(show_end(*end));
      if (is_last) machine_.drop(end->scene);
    }
    return {};
  }

  // A scene that nothing ends.
  void finish(std::size_t step, std::size_t scene) {
    if (!machine_.is_last_of(step, scene)) return;
    show_job(scene);
    machine_.drop(scene);
  }

  void show_job(std::size_t scene) {
    const Begun& begun = begun_[scene];
    const ColorSurface& color = begun.begin->color;
    std::string text =
        "scene of " + std::to_string(color.width) + " x " + std::to_string(color.height) + " pixels";
    if (begun.begin->address < kOwnMemory) text += " at " + capture::hex_text(begun.begin->address);
    text += ", " + count_text(begun.draws, "draw", "draws");
    if (!ended_) ended_ = !visitor_.job({scene, frame_, text});
  }

  void show_draw(const DrawData& draw) {
    const DrawReport& report = machine_.report();
    if (interest_.draws) {
      const std::string text = text_of(draw);
      const auto& programs = machine_.programs();
      // The launch of both is parted.
      Report vertices, pixels = report.pixels;
      vertices.engine = pixels.engine;
      vertices.target = pixels.target;
      vertices.threads = pixels.threads;
      vertices.run_time = std::exchange(pixels.vertex_time, {});
      pixels.run_time -= vertices.run_time;
      const std::array<CaptureProgram, 2> ran{{{"vertex", &vertices, &programs[draw.vertex.program]},
                                               {"fragment", &pixels, &programs[draw.fragment.program]}}};
      ended_ = ended_ || !visitor_.draw({draw_, draw.scene, frame_, text, report.drawn,
                                         std::span(ran).first(report.drawn ? 2U : 0U)});
    }
    if (ended_ || !interest_.targets_of_draws || !report.drawn) return;
    const usse::SceneState& state = machine_.state(draw.scene);
    CapturePicture picture = picture_of(draw.scene);
    picture.draw = draw_;
    const bool writes_color = !draw.state.blend || (draw.state.blend->color_mask & 15) != 0;
    if (writes_color) {
      picture.pixels = picture.bytes = state.color;
      ended_ = !visitor_.picture(picture);
    }
    const bool writes_depth = draw.state.depth_stencil.depth_write || draw.state.depth_stencil.stencil;
    if (ended_ || !state.depth || !writes_depth) return;
    picture.name = "depth";
    picture.address = 0;
    picture.format = state.depth->format;
    picture.pixels = picture.bytes = state.depth_pixels;
    ended_ = !visitor_.picture(picture);
  }

  Status show_end(const SceneEnd& end) {
    if (ended_) return {};
    const usse::SceneState& state = machine_.state(end.scene);
    CapturePicture picture = picture_of(end.scene);
    picture.pixels = state.color;
    picture.bytes = machine_.bytes_of(*begun_[end.scene].begin);
    if (!end.expected.empty() && end.expected.size() != picture.bytes.size())
      return Error{ErrorCode::bad_input,
                   std::to_string(end.expected.size()) + " bytes are expected of a surface of " +
                       std::to_string(picture.bytes.size()),
                   "scene " + std::to_string(end.scene)};
    picture.compared = compare(end, state.surface, picture.bytes);
    ended_ = !visitor_.picture(picture);
    return {};
  }

  CapturePicture picture_of(std::size_t scene) const {
    const Begun& begun = begun_[scene];
    CapturePicture picture;
    picture.name = "color0";
    picture.frame = frame_;
    picture.job = scene;
    picture.address = begun.begin->address < kOwnMemory ? begun.begin->address : 0;
    picture.format = machine_.state(scene).surface.target();
    picture.width = begun.begin->color.width;
    picture.height = begun.begin->color.height;
    return picture;
  }

  const SceneList& list_;
  SceneMachine& machine_;
  CaptureVisitor& visitor_;
  CaptureInterest interest_;
  capture::SampledTextures textures_;
  std::vector<Begun> begun_;  // scenes, by number
  std::size_t draw_ = 0, frame_ = 0;
  bool ended_ = false;
};

}  // namespace

capture::FramesInfo SceneFrames::info() const {
  capture::FramesInfo info;
  info.isa = Isa::usse;
  info.jobs = scenes_.scenes;
  // An end after the last step begins no frame.
  for (const std::size_t end : scenes_.frame_ends) info.frames += end != 0 && end < scenes_.steps.size();
  return info;
}

Status SceneFrames::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const {
  WARPJIT_TRY(const std::unique_ptr<SceneMachine> machine, SceneMachine::make(scenes_, name_));
  return SceneReplay(scenes_, *machine, visitor).run(engine, options);
}

Status SceneFrames::run_with_stores(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options,
                                    capture::StoreVisitor& stores) const {
  WARPJIT_TRY(const std::unique_ptr<SceneMachine> machine, SceneMachine::make(scenes_, name_));
  machine->set_store_visitor(&stores);
  return SceneReplay(scenes_, *machine, visitor).run(engine, options);
}

Status SceneFrames::write(capture::SectionWriter& file) const {
  write_scenes(file, scenes_);
  return {};
}

}  // namespace warpjit::usse
