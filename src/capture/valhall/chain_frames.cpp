#include "capture/valhall/chain_frames.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/float_environment.h"
#include "capture/launch/sampled_textures.h"
#include "capture/valhall/chain_sections.h"
#include "device/valhall/capture.h"
#include "device/valhall/target_memory.h"

namespace warpjit::valhall {
namespace {

using capture::hex_text;

// Shows a run to a visitor of captures of all guests.
class ChainReplay final : public CaptureVisitor, public RunWatcher {
 public:
  ChainReplay(const Image& image, warpjit::CaptureVisitor& visitor, std::size_t frames,
              capture::StoreVisitor* stores)
      : image_(image),
        visitor_(visitor),
        stores_(stores),
        interest_(visitor.interest()),
        textures_(visitor, [this](const std::byte* data) { return address_of(data); }),
        frames_(frames) {}

  // Keeps what ran for a job itself; `ended` tells the job.
  bool job(const CaptureJob& job) override {
    if (job.report) programs_.push_back({std::string(job.kind), *job.report});
    return true;
  }

  bool draw(const CaptureDraw& draw) override {
    if (!interest_.draws) return true;
    std::array<CaptureProgram, 3> programs;
    std::size_t count = 0;
    const auto add = [&](const char* stage, const std::optional<Report>& report) {
      if (report) programs[count++] = {stage, &*report, nullptr};
    };
    add("position", draw.position);
    add("varying", draw.varying);
    add("fragment", draw.fragment);
    std::string what = std::string(draw.mode) + " of " + std::to_string(draw.vertices) +
                       (draw.vertices == 1 ? " vertex" : " vertices");
    if (draw.instances != 1) what += ", " + std::to_string(draw.instances) + " instances";
    // A draw that no fragment job asks for comes after the last job.
    const std::size_t job = draw.fragment_job != 0 || job_ == 0 ? job_ : job_ - 1;
    return visitor_.draw({draw.number, job, frame(), what, draw.drawn, std::span(programs).first(count)});
  }

  bool sees_launches() const override { return textures_.wanted(); }
  bool draws(std::size_t number, const Launch& launch) override { return textures_.show(launch, number); }

  bool drawn(const Frame& frame, const CaptureDraw& draw) override {
    if (!interest_.targets_of_draws || (draw.targets == 0 && !draw.depth)) return true;
    frame_now_ = &frame;
    const FramePixels pixels = frame.pixels_so_far();
    for (unsigned n = 0; n < pixels.colors.size(); ++n) {
      if ((draw.targets >> n & 1) == 0) continue;
      const auto shown = without_unstored(frame.framebuffer().targets[n], pixels.colors[n]);
      if (!show(n, shown ? *shown : pixels.colors[n], pixels, draw.number)) return false;
    }
    return !draw.depth || show(CapturePicture::kDepth, pixels.depth, pixels, draw.number);
  }

  bool stored(const Frame& frame) override {
    frame_now_ = &frame;
    if (stores_ != nullptr) show_stores(frame);
    return true;
  }

  bool picture(const CapturePicture& picture) override {
    const std::span<const std::byte> bytes = picture.stored ? stored_bytes(picture.target) : picture.pixels;
    return show(picture.target, picture.format, picture.width, picture.height, picture.pixels, bytes, {},
                picture.compared);
  }

  bool ended(const Job& job) override {
    std::vector<CaptureProgram> programs;
    for (const auto& [stage, report] : programs_) programs.push_back({stage, &report, nullptr});
    const std::string what = std::string(name(job.kind)) + " at " + hex_text(job.address);
    const bool goes_on = visitor_.job({job_++, frame(), what, programs});
    programs_.clear();
    if (job.kind == JobKind::fragment) ++frame_;
    return goes_on;
  }

 private:
  // Colours with one sample; the average of several is no draw's pixel.
  void show_stores(const Frame& frame) const {
    const Framebuffer& framebuffer = frame.framebuffer();
    if (framebuffer.samples != 1) return;
    for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
      const auto range = target_memory(framebuffer, n);
      const auto memory = range ? image_.find(range->address, range->size) : std::nullopt;
      std::string ignored;
      const auto store = PixelStore::make(framebuffer.targets[n], ignored);
      if (!framebuffer.targets[n].write || !memory || !store) continue;
      const FramePixels& pixels = frame.pixels();
      const TilePixels& color = pixels.colors[n];
      stores_->stored({color.bytes, *memory,
                       [plane = target_place(framebuffer.targets[n], store->bytes()), first = range->address,
                        width = pixels.width, height = pixels.height,
                        bytes = color.pixel_bytes](std::size_t byte) -> std::optional<std::size_t> {
                         const std::uint64_t address = first + byte;
                         for (std::uint32_t y = 0; y < height; ++y)
                           for (std::uint32_t x = 0; x < width; ++x)
                             if (const std::uint64_t at = plane.memory + plane.offset(x, y);
                                 address >= at && address - at < plane.bytes)
                               return (std::size_t{y} * width + x) * bytes;
                         return std::nullopt;
                       }});
    }
  }

  // Jobs after the last fragment job belong to its frame.
  std::size_t frame() const { return std::min(frame_, frames_ - 1); }

  bool show(unsigned target, const TilePixels& pixels, const FramePixels& of, std::size_t draw) {
    return show(target, pixels.format, of.width, of.height, pixels.bytes, pixels.bytes, draw);
  }
  bool show(unsigned target, PixelFormat format, std::uint32_t width, std::uint32_t height,
            std::span<const std::byte> pixels, std::span<const std::byte> bytes,
            std::optional<std::size_t> draw, const std::optional<CaptureComparison>& compared = {}) {
    const Framebuffer& framebuffer = frame_now_->framebuffer();
    const std::string name = target == CapturePicture::kDepth ? "depth" : "color" + std::to_string(target);
    warpjit::CapturePicture picture;
    picture.name = name;
    picture.frame = frame();
    picture.job = job_;
    picture.draw = draw;
    if (target != CapturePicture::kDepth)
      picture.address = framebuffer.targets[target].memory;
    else if (framebuffer.depth)
      picture.address = framebuffer.depth->memory;
    // Raw pixels have no format before something draws to them.
    if (format != PixelFormat::none) {
      picture.format = format;
      picture.width = width;
      picture.height = height;
      picture.pixels = pixels;
    }
    picture.bytes = bytes;
    picture.compared = compared;
    return visitor_.picture(picture);
  }

  std::span<const std::byte> stored_bytes(unsigned target) const {
    const Framebuffer& framebuffer = frame_now_->framebuffer();
    const auto range =
        target == CapturePicture::kDepth ? depth_memory(framebuffer) : target_memory(framebuffer, target);
    const auto found = range ? image_.find(range->address, range->size) : std::nullopt;
    return found.value_or(std::span<const std::byte>());
  }

  std::uint64_t address_of(const std::byte* data) const {
    for (const ImageWindow& window : image_.windows())
      if (const auto bytes = window.bytes(); data >= bytes.data() && data < bytes.data() + bytes.size())
        return window.address() + static_cast<std::uint64_t>(data - bytes.data());
    return 0;
  }

  const Image& image_;
  warpjit::CaptureVisitor& visitor_;
  capture::StoreVisitor* stores_;  // null: nobody
  CaptureInterest interest_;
  capture::SampledTextures textures_;
  std::size_t frames_, frame_ = 0, job_ = 0;
  std::vector<std::pair<std::string, Report>> programs_;
  const Frame* frame_now_ = nullptr;  // whose pictures are seen
};

}  // namespace

Result<std::unique_ptr<const ChainFrames>> ChainFrames::make(CaptureFile file) {
  if (file.chains.empty())
    return Error{ErrorCode::bad_input, "the capture names no chain of jobs", file.image.name()};
  WARPJIT_TRY(const std::vector<std::vector<Job>> chains, read_chains(file));
  capture::FramesInfo info{.isa = Isa::valhall, .product = file.gpu, .frames = 0, .jobs = 0};
  for (const std::vector<Job>& jobs : chains) {
    info.jobs += jobs.size();
    info.frames += static_cast<std::size_t>(std::ranges::count(jobs, JobKind::fragment, &Job::kind));
  }
  info.frames = std::max<std::size_t>(info.frames, 1);
  for (const ExpectedTarget& expected : file.expected)
    if (expected.job >= info.jobs)
      return Error{
          ErrorCode::bad_input,
          "a target of job " + std::to_string(expected.job) + " is expected, and there are " +
              std::to_string(info.jobs) + " jobs",
          file.image.name() + ", byte " + capture::hex_text(expected.at + capture::kSectionHeader + 16)};
  return std::unique_ptr<const ChainFrames>(new ChainFrames(std::move(file), info));
}

Status ChainFrames::run(const Engine& engine, warpjit::CaptureVisitor& visitor,
                        const RunOptions& options) const {
  WARPJIT_TRY(Image memory, file_.image.copy());
  return run(engine, visitor, options, memory);
}

Status ChainFrames::run_with_stores(const Engine& engine, warpjit::CaptureVisitor& visitor,
                                    const RunOptions& options, capture::StoreVisitor& stores) const {
  WARPJIT_TRY(Image memory, file_.image.copy());
  return run(engine, visitor, options, memory, &stores);
}

Status ChainFrames::run(const Engine& engine, warpjit::CaptureVisitor& visitor, const RunOptions& options,
                        Image& image, capture::StoreVisitor* stores) const {
  ChainReplay replay(image, visitor, info_.frames, stores);
  CaptureRun run(image, engine, replay, options);
  run.watch(replay);
  return run_chains(file_, image, run);
}

Status ChainFrames::write(capture::SectionWriter& file) const {
  write_chains(file, file_);
  return {};
}

}  // namespace warpjit::valhall
