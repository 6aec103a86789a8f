// The public handle of captures of all guests.
#include <utility>

#include "base/result.h"
#include "capture/frames.h"
#include "capture/launch/launch_frames.h"
#include "capture/pica200/scene_frames.h"
#include "capture/pica200/scene_sections.h"
#include "capture/usse/scene_frames.h"
#include "capture/usse/scene_sections.h"
#include "capture/valhall/chain_frames.h"
#include "capture/valhall/chain_sections.h"

namespace warpjit {
namespace {

using capture::FileGuest;

Result<std::unique_ptr<const capture::Frames>> read_frames(const capture::SectionFile& sections,
                                                           capture::FileOwner owner) {
  using Made = std::unique_ptr<const capture::Frames>;
  if (capture::has_launches(sections)) {
    WARPJIT_TRY(capture::LaunchScene scene, capture::read_launches(sections, std::move(owner)));
    return Made(
        std::make_unique<capture::LaunchFrames>(std::move(scene), sections.product, sections.file.name()));
  }
  switch (sections.guest) {
    case FileGuest::pica200: {
      WARPJIT_TRY(pica200::Scene scene, pica200::read_scene(sections, std::move(owner)));
      return Made(std::make_unique<pica200::SceneFrames>(std::move(scene), sections.file.name()));
    }
    case FileGuest::usse: {
      WARPJIT_TRY(usse::SceneList scenes, usse::read_scenes(sections, std::move(owner)));
      return Made(std::make_unique<usse::SceneFrames>(std::move(scenes), sections.file.name()));
    }
    default:
      return sections.file.fail(8, std::string("captures of ") + name_of(sections.guest) + " cannot be run",
                                ErrorCode::unsupported);
  }
}

// Chains of jobs of a Mali GPU, which are not in sections alone.
Result<std::unique_ptr<Capture::State>> load_chains(std::span<const CaptureBytes> files) {
  WARPJIT_TRY(valhall::CaptureFile file, valhall::load_captures(files));
  auto state = std::make_unique<Capture::State>();
  state->texts = {file.names, file.notes};
  WARPJIT_TRY(state->frames, valhall::ChainFrames::make(std::move(file)));
  return state;
}

// Memory records have no sign of what they are.
Status check_no_records(const CaptureBytes& file) {
  const std::string name(file.name);
  if (capture::version_of(file.bytes) != 0 || !valhall::Image::read(file.bytes, name)) return {};
  return Error{
      ErrorCode::bad_input,
      "memory records name no jobs: `warpjit import FILE --job ADDRESS -o frame.wjcap` makes a capture "
      "of them",
      name + ", byte 0x0"};
}

}  // namespace

CaptureVisitor::~CaptureVisitor() = default;
bool CaptureVisitor::job(const CaptureJob&) { return true; }
bool CaptureVisitor::draw(const CaptureDraw&) { return true; }
bool CaptureVisitor::picture(const CapturePicture&) { return true; }
bool CaptureVisitor::texture(const CaptureTexture&) { return true; }
CaptureInterest CaptureVisitor::interest() const { return {}; }

Capture::Capture(std::unique_ptr<State> state) : state_(std::move(state)) {}
Capture::Capture(Capture&&) noexcept = default;
Capture& Capture::operator=(Capture&&) noexcept = default;
Capture::~Capture() = default;

Result<Capture> Capture::load(std::span<const std::byte> file, std::string_view name) try {
  const CaptureBytes one{file, name};
  return load(std::span(&one, 1));
} catch (...) {
  return caught();
}

Result<Capture> Capture::load(std::span<const CaptureBytes> files) try {
  const bool sections_alone = files.size() == 1 && capture::version_of(files[0].bytes) == capture::kVersion;
  if (files.size() != 1 || (!sections_alone && valhall::is_chain_file(files[0].bytes))) {
    WARPJIT_TRY(auto chains, load_chains(files));
    return Capture(std::move(chains));
  }
  WARPJIT_CHECK(check_no_records(files[0]));
  const auto owner =
      std::make_shared<const std::vector<std::byte>>(files[0].bytes.begin(), files[0].bytes.end());
  WARPJIT_TRY(const capture::SectionFile sections,
              capture::read_sections(*owner, std::string(files[0].name)));
  if (sections.guest == FileGuest::valhall && !capture::has_launches(sections)) {
    WARPJIT_TRY(auto chains, load_chains(files));
    return Capture(std::move(chains));
  }
  auto state = std::make_unique<State>();
  WARPJIT_TRY(state->texts, capture::read_texts(sections));
  WARPJIT_TRY(state->frames, read_frames(sections, owner));
  return Capture(std::move(state));
} catch (...) {
  return caught();
}

Isa Capture::isa() const { return state_->frames->info().isa; }
std::uint32_t Capture::product() const { return state_->frames->info().product; }
std::size_t Capture::frames() const { return state_->frames->info().frames; }
std::size_t Capture::jobs() const { return state_->frames->info().jobs; }
std::span<const CaptureName> Capture::names() const { return state_->texts.names; }
std::span<const std::string> Capture::notes() const { return state_->texts.notes; }

Status Capture::set_names(std::span<const CaptureName> names) try {
  WARPJIT_CHECK(capture::check_names(names));
  state_->texts.names.assign(names.begin(), names.end());
  return {};
} catch (...) {
  return caught();
}

Status Capture::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const try {
  return state_->frames->run(engine, visitor, options);
} catch (...) {
  return caught();
}

Status Capture::write(CaptureSink sink, void* context) const try {
  if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
  const capture::FramesInfo info = state_->frames->info();
  capture::SectionWriter file(sink, context, capture::guest_of(info.isa), info.product);
  WARPJIT_CHECK(state_->frames->write(file));
  capture::write_texts(file, state_->texts);
  return file.finish();
} catch (...) {
  return caught();
}

}  // namespace warpjit
