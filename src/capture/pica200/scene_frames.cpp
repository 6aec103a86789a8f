#include "capture/pica200/scene_frames.h"

#include <algorithm>
#include <array>
#include <optional>

#include "capture/pica200/call_list.h"
#include "capture/pica200/draw_textures.h"
#include "capture/pica200/output_pixels.h"
#include "capture/pica200/scene_machine.h"
#include "capture/pica200/scene_sections.h"
#include "frontend/pica200/facts/fragment_memory.h"

namespace warpjit::pica200 {
namespace {

using capture::count_text;
using capture::hex_text;

// What the processor does is no job.
bool is_job(const SceneJob& job) {
  return !std::holds_alternative<MemoryLoad>(job) && !std::holds_alternative<StateLoad>(job);
}

std::string text_of(const SceneJob& job) {
  if (const auto* list = std::get_if<CommandList>(&job))
    return "commands at " + hex_text(list->address) + ", " + std::to_string(list->bytes) + " bytes";
  if (const auto* calls = std::get_if<CallList>(&job))
    return count_text(count_calls(calls->bytes).calls, "call", "calls");
  if (const auto* fill = std::get_if<MemoryFill>(&job))
    return "fill from " + hex_text(fill->start) + " to " + hex_text(fill->end);
  if (const auto* transfer = std::get_if<DisplayTransfer>(&job))
    return "transfer from " + hex_text(transfer->input) + " to " + hex_text(transfer->output);
  const auto& copy = std::get<TextureCopy>(job);
  return "copy from " + hex_text(copy.input) + " to " + hex_text(copy.output);
}

// A draw that runs.
struct RunningDraw {
  std::uint64_t number = 0;
  std::string text;
  bool drawn = false;
  std::vector<SceneOutput> targets;
};

class SceneReplay final : public DrawVisitor {
 public:
  SceneReplay(SceneMachine& machine, CaptureVisitor& visitor)
      : machine_(machine), visitor_(visitor), interest_(visitor.interest()) {}

  Status run(const Engine& engine, const RunOptions& options) {
    const Scene& scene = machine_.scene();
    if (interest_.draws || interest_.targets_of_draws || interest_.textures != 0) machine_.set_visitor(this);
    auto frame_end = scene.frame_ends.begin();
    for (std::size_t n = 0; n < scene.jobs.size() && !ended_; ++n) {
      for (; frame_end != scene.frame_ends.end() && *frame_end <= n; ++frame_end) ++frame_;
      const Status done = machine_.run_job(n, engine, options);
      if (ended_) break;
      WARPJIT_CHECK(done);
      if (!is_job(scene.jobs[n])) continue;
      finish_draw();
      const std::string text = text_of(scene.jobs[n]);
      ended_ = ended_ || !visitor_.job({job_++, frame_, text});
    }
    show_vertices();
    for (const SceneOutput& output : scene.outputs) {
      if (ended_) break;
      WARPJIT_CHECK(show(output, std::nullopt));
    }
    return {};
  }

  Status begin() override {
    finish_draw();
    if (ended_) return Error{ErrorCode::cancelled, "the visitor has ended the run", ""};
    return {};
  }
  Result<bool> visit(const DrawView& draw) override {
    RunningDraw& seen = draw_.emplace();
    seen.number = draw.number;
    seen.text = count_text(draw.triangles.count(), "triangle", "triangles") + " of " +
                count_text(draw.vertices, "vertex", "vertices");
    seen.drawn = draw.triangles.count() != 0;
    if (interest_.targets_of_draws) add_targets(draw);
    if (interest_.textures != 0) show_textures(draw);
    return true;
  }

 private:
  // What cannot be found is the draw's own error, which comes next.
  void show_textures(const DrawView& draw) {
    (void)find_textures(draw, [&](unsigned unit, const FoundTexture& found) -> Status {
      const auto show = [&](const CaptureTexture& texture) { return visitor_.texture(texture); };
      ended_ = ended_ || !show_texture(draw, unit, found, interest_.textures, textures_, show);
      return {};
    });
  }

  void add_targets(const DrawView& draw) {
    const TargetSetup& target = draw.setup.target;
    const OutputState& state = draw.setup.state.output;
    const auto add = [&](const char* name, SceneOutput::Layout layout, std::uint32_t address, unsigned format,
                         std::size_t bytes) {
      SceneOutput& output = draw_->targets.emplace_back();
      output.name = name;
      output.layout = layout;
      output.address = address;
      output.width = target.width;
      output.height = (target.height + 7) & ~7U;
      output.format = format;
      output.size = static_cast<std::uint32_t>(output.width * output.height * bytes);
    };
    if (state.touches_color())
      add("color0", SceneOutput::Layout::color, target.color_address,
          static_cast<unsigned>(state.color_format), pixel_bytes(state.color_format));
    if (state.touches_depth() && (state.depth_writes || state.stencil_writes))
      add("depth", SceneOutput::Layout::depth, target.depth_address,
          static_cast<unsigned>(state.depth_format), pixel_bytes(state.depth_format));
  }

  void finish_draw() {
    if (!draw_ || ended_) return;
    const RunningDraw draw = std::move(*draw_);
    draw_.reset();
    const auto number = static_cast<std::size_t>(draw.number);
    if (interest_.draws) ended_ = !visitor_.draw({number, job_, frame_, draw.text, draw.drawn, {}});
    for (const SceneOutput& target : draw.targets)
      if (!ended_) (void)show(target, number);
  }

  // What draws of vertices alone gave, as hashes.
  void show_vertices() {
    const std::span<const std::uint64_t> results = machine_.call_results();
    if (ended_ || results.empty()) return;
    CapturePicture picture;
    picture.name = "vertices";
    picture.frame = frame_;
    picture.job = job_ == 0 ? 0 : job_ - 1;
    picture.bytes = std::as_bytes(results);
    const std::uint64_t differ = machine_.call_differences();
    picture.compared = {.units = results.size(), .differ = differ, .beyond = differ, .allowed = 0};
    ended_ = !visitor_.picture(picture);
  }

  Status show(const SceneOutput& output, std::optional<std::size_t> draw) {
    const std::span<const std::byte> bytes = machine_.bytes_of(output);
    if (bytes.size() != output.size)
      return Error{ErrorCode::bad_input, "the output " + output.name + " does not lie in memory", "outputs"};
    const auto pixels = output_pixels(output, bytes);
    CapturePicture picture;
    picture.name = output.name;
    picture.frame = frame_;
    picture.job = draw || job_ == 0 ? job_ : job_ - 1;
    picture.draw = draw;
    picture.address = output.address;
    if (pixels) {
      picture.format = pixels->format;
      picture.width = output.width;
      picture.height = output.height;
      picture.pixels = pixels->bytes;
    }
    picture.bytes = bytes;
    if (output.expected) picture.compared = compare_output(output, bytes);
    ended_ = !visitor_.picture(picture);
    return {};
  }

  SceneMachine& machine_;
  CaptureVisitor& visitor_;
  CaptureInterest interest_;
  std::size_t job_ = 0, frame_ = 0;
  std::optional<RunningDraw> draw_;
  capture::TextureNumbers textures_;
  bool ended_ = false;
};

}  // namespace

capture::FramesInfo SceneFrames::info() const {
  capture::FramesInfo info;
  info.isa = Isa::pica200;
  info.jobs = static_cast<std::size_t>(std::ranges::count_if(scene_.jobs, is_job));
  // An end after the last job begins no frame.
  for (const std::size_t end : scene_.frame_ends) info.frames += end != 0 && end < scene_.jobs.size();
  return info;
}

Status SceneFrames::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const {
  WARPJIT_TRY(const std::unique_ptr<SceneMachine> machine, SceneMachine::make(scene_, name_));
  return SceneReplay(*machine, visitor).run(engine, options);
}

Status SceneFrames::write(capture::SectionWriter& file) const {
  write_scene(file, scene_);
  return {};
}

}  // namespace warpjit::pica200
