// Records launches while they run.
#include "warpjit/launch_recorder.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/known_bytes.h"
#include "capture/launch/buffer_recorder.h"
#include "capture/launch/launch_scene.h"
#include "capture/program_section.h"
#include "frontend/shader.h"
#include "runtime/engine/engine.h"
#include "runtime/work/launch.h"
#include "textures/view.h"

namespace warpjit {

using namespace capture;

class LaunchRecorder::State final : private runtime::DrawWatch {
 public:
  State(CaptureSink sink, void* context) : sink_(sink), context_(context) {}

  Result<Report> run(const Engine& engine, const Launch& launch, const RunOptions& options) {
    const Status began = records() ? begin(launch) : Status();
    if (!began) lost_ = began;
    if (!records()) return engine.run(launch, options);
    auto report = run_watched(engine, launch, options);
    end(options, report ? Status() : Status(report.error()));
    return report;
  }

  void end_frame() {
    if (!records() || !file_) return;
    file_->write(SectionKind::frame_end, 0, {});
    buffers_->forget_targets();
  }

  Status finish() {
    if (finished_) return Error{ErrorCode::bad_input, "the capture is finished already", "capture"};
    finished_ = true;
    if (!file_)
      return lost_ ? Error{ErrorCode::bad_input, "no launch was recorded", "capture"} : lost_.error();
    name_outputs();
    for (NamedOutput& named : outputs_) {
      LaunchOutput& output = named.output;
      output.expected = buffers_->known(output.memory);
      write_output(*file_, output);
      output.expected.reset();
    }
    const Status ended = file_->finish();
    if (!ended) return ended;
    if (!lost_) return lost_;
    return failed_ ? Status(*failed_) : Status();
  }

 private:
  bool records() const { return !finished_ && lost_.ok() && !failed_; }

  Result<Report> run_watched(const Engine& engine, const Launch& launch, const RunOptions& options) try {
    return engine.state().run(launch.state(), options, this);
  } catch (...) {
    return caught();
  }
  void draw(const RasterState::Rectangle& pixels) override { buffers_->draw(pixels); }

  // Stores what the launch reads.
  Status begin(const Launch& launch) {
    if (sink_ == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
    const Isa isa = launch.program().isa();
    if (!file_) {
      isa_ = isa;
      file_.emplace(sink_, context_, guest_of(isa));
      memory_.emplace(*file_);
      buffers_.emplace(*memory_);
    }
    if (isa != isa_)
      return Error{ErrorCode::bad_input,
                   std::string("a launch of ") + name(isa) + " in a capture of " + name(isa_),
                   launch.program().source_name()};
    // Places are numbers of what is bound until all of it has one.
    bound_.clear();
    Status programs;
    WARPJIT_TRY(recorded_, describe_launch(
                               launch,
                               [&](const void* data, std::size_t size, bool writes) -> BufferPlace {
                                 if (data == nullptr || size == 0) return {};
                                 bound_.push_back({static_cast<const std::byte*>(data), size, writes});
                                 return {bound_.size() - 1, size};
                               },
                               [&](const Program& program) {
                                 const auto number = store(program);
                                 if (!number && programs.ok()) programs = number.error();
                                 return number ? *number : 0;
                               }));
    WARPJIT_CHECK(programs);
    targets_.clear();
    const auto add_target = [&](const RecordedTarget& target) {
      if (target.memory.size == 0) return;
      BufferRecorder::Buffer& buffer = bound_[static_cast<std::size_t>(target.memory.address)];
      buffer.drawn = true;
      targets_.push_back(
          {buffer.data, buffer.size, static_cast<std::size_t>(target.pitch), pixel_size(target.format)});
    };
    if (const auto& pixels = recorded_.pixels) {
      for (const RecordedTarget& target : pixels->colors) add_target(target);
      add_target(pixels->depth);
      add_target(pixels->pass_counts);
    }
    WARPJIT_CHECK(buffers_->begin_job(bound_));
    if (const auto& pixels = recorded_.pixels) buffers_->set_targets(targets_, pixels->width, pixels->height);
    each_buffer(recorded_, [&](BufferPlace& place) {
      const BufferRecorder::Buffer& buffer = bound_[static_cast<std::size_t>(place.address)];
      place = buffers_->find(buffer.data, buffer.size);
    });
    return check_copies(launch.state());
  }

  void end(const RunOptions& options, const Status& done) {
    const bool is_last =
        !done && (done.error().code == ErrorCode::fault || done.error().code == ErrorCode::out_of_fuel);
    if (!done && !is_last) return buffers_->forget_targets();  // the next launch sees what it has changed
    recorded_.fuel = options.fuel.value_or(recorded_.fuel);
    write_launch(*file_, recorded_);
    buffers_->end_job();
    if (is_last) {
      failed_ =
          Error{done.error().code, "the launch failed, and the capture ends with it: " + done.error().message,
                "launch " + std::to_string(launches_) +
                    (done.error().where.empty() ? "" : ", " + done.error().where)};
      outputs_.clear();  // nobody says what such a run leaves
      return;
    }
    ++launches_;
    add_outputs();
  }

  // Of every place the last one.
  void add_outputs() {
    each_output(recorded_, [&](const BufferName& name, const LaunchOutput& output) {
      const auto same = places_.find(output.memory.address);
      if (same != places_.end()) {
        outputs_[same->second] = {name, output};
      } else if (outputs_.size() < kMaxLaunchOutputs) {
        places_.emplace(output.memory.address, outputs_.size());
        outputs_.push_back({name, output});
      }
    });
  }

  // The number of a program, which is stored once, also if it was loaded several times.
  Result<std::uint32_t> store(const Program& program) {
    const void* const key = program.shared_state().get();
    if (const auto stored = programs_.find(key); stored != programs_.end()) return stored->second.number;
    WARPJIT_TRY(const std::vector<std::byte> bytes, program_bytes(program));
    const auto known = sections_.find_or_add(bytes, section_count_);
    if (!known) file_->write(SectionKind::program, 0, bytes);
    const auto number = static_cast<std::uint32_t>(known.value_or(section_count_));
    programs_.emplace(key, Stored{program, number});
    section_count_ += known ? 0 : 1;
    return number;
  }

  // Textures that were copied when they were set must be what a replay makes of their memory.
  Status check_copies(const runtime::LaunchData& launch) {
    for (const runtime::GivenTexture& given : launch.given_textures) {
      const auto& bound = launch.values.grid.bound.textures;
      const auto& view = bound[given.slot];
      if (view == nullptr || view->copy == nullptr) continue;
      const auto known = copies_.find(view.get());
      if (known != copies_.end() && !buffers_->has_changed(given.texture.data, given.texture.size)) continue;
      Texture texture = given.texture;
      texture.level_places = given.places;
      WARPJIT_TRY(const textures::TextureView now, textures::make_view(texture, "texture"));
      if (now.copy == nullptr || *now.copy != *view->copy)
        return Error{ErrorCode::unsupported,
                     "a capture cannot have a compressed or unaligned texture whose memory was changed after "
                     "it was set",
                     "texture " + std::to_string(given.slot)};
      copies_.emplace(view.get(), view);
    }
    for (const auto& stage :
         {launch.pixels ? launch.pixels->vertex : nullptr, launch.pixels ? launch.pixels->geometry : nullptr})
      if (stage != nullptr) WARPJIT_CHECK(check_copies(*stage));
    return {};
  }

  // Outputs of one name are told apart by their addresses.
  void name_outputs() {
    std::map<std::string, unsigned> counts;
    for (NamedOutput& named : outputs_) ++counts[named.output.name = named.name.text()];
    for (NamedOutput& named : outputs_)
      if (LaunchOutput& output = named.output; counts[output.name] > 1)
        output.name += "_" + hex_text(output.memory.address).substr(2);
  }

  struct Stored {
    Program program;  // so that no other one has its address
    std::uint32_t number = 0;
  };

  struct NamedOutput {
    BufferName name;
    LaunchOutput output;  // without its name until the end
  };

  CaptureSink sink_;
  void* context_;
  Isa isa_{};
  std::optional<SectionWriter> file_;  // from the first launch on, which says the guest
  std::optional<MemoryWriter> memory_;
  std::optional<BufferRecorder> buffers_;
  std::unordered_map<const void*, Stored> programs_;
  KnownBytes sections_;  // of programs, and their numbers
  std::uint64_t section_count_ = 0;
  std::unordered_map<const void*, std::shared_ptr<const textures::TextureView>> copies_;
  RecordedLaunch recorded_;                      // the one that runs,
  std::vector<BufferRecorder::Buffer> bound_;    // ... and what it binds
  std::vector<BufferRecorder::Target> targets_;  // of that
  std::vector<NamedOutput> outputs_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // of outputs_, by address
  std::size_t launches_ = 0;
  bool finished_ = false;
  Status lost_;
  std::optional<Error> failed_;
};

LaunchRecorder::LaunchRecorder(CaptureSink sink, void* context)
    : state_(make_or_null<State>(sink, context)) {}
LaunchRecorder::LaunchRecorder(LaunchRecorder&&) noexcept = default;
LaunchRecorder& LaunchRecorder::operator=(LaunchRecorder&&) noexcept = default;
LaunchRecorder::~LaunchRecorder() = default;

Result<Report> LaunchRecorder::run(const Engine& engine, const Launch& launch,
                                   const RunOptions& options) try {
  if (!state_) return no_memory();
  return state_->run(engine, launch, options);
} catch (...) {
  return caught();
}

void LaunchRecorder::end_frame() {
  if (state_) state_->end_frame();
}

Status LaunchRecorder::finish() try {
  if (!state_) return no_memory();
  return state_->finish();
} catch (...) {
  return caught();
}

}  // namespace warpjit
