#include "capture/launch/launch_frames.h"

#include <algorithm>
#include <array>

#include "capture/launch/launch_machine.h"
#include "capture/launch/sampled_textures.h"
#include "frontend/interpret/pixels/format.h"

namespace warpjit::capture {
namespace {

std::string extents_text(const std::array<std::uint32_t, 3>& extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}
// The rows of a target without padding.
std::vector<std::byte> packed_rows(const LaunchOutput& output, std::span<const std::byte> bytes) {
  const std::size_t row = output.width * pixel_size(output.format);
  std::vector<std::byte> packed;
  packed.reserve(row * output.height);
  for (std::size_t y = 0; y < output.height; ++y) {
    const auto line = bytes.subspan(y * static_cast<std::size_t>(output.pitch), row);
    packed.insert(packed.end(), line.begin(), line.end());
  }
  return packed;
}

// True if the channels of two pixels differ by at most the tolerance in units of the format. Those that are not
// unorm must be equal.
bool is_close(PixelFormat format, const std::byte* a, const std::byte* b, std::uint32_t tolerance) {
  const interpret::FormatInfo& info = interpret::format_info(format);
  const interpret::PixelWords x = interpret::load_pixel(a, info.bytes),
                              y = interpret::load_pixel(b, info.bytes);
  for (const interpret::Component& component : info.components) {
    if (component.encoding == interpret::Encoding::none) continue;
    const std::uint32_t u = interpret::extract(component, x), v = interpret::extract(component, y);
    if (u == v) continue;
    const bool is_unorm =
        component.encoding == interpret::Encoding::unorm || component.encoding == interpret::Encoding::srgb;
    if (!is_unorm || std::max(u, v) - std::min(u, v) > tolerance) return false;
  }
  return true;
}

CaptureComparison compare(const LaunchOutput& output, std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOneIn = 500;  // units that may differ by any amount
  CaptureComparison comparison;
  const std::span<const std::byte> wanted = *output.expected;
  const auto see = [&](const std::byte* a, const std::byte* b, std::size_t size, bool is_pixel) {
    ++comparison.units;
    if (std::equal(a, a + size, b)) return;
    ++comparison.differ;
    const auto low = std::to_integer<std::uint32_t>(std::min(*a, *b)),
               high = std::to_integer<std::uint32_t>(std::max(*a, *b));
    if (is_pixel ? is_close(output.format, a, b, output.tolerance) : high - low <= output.tolerance) return;
    if (comparison.beyond++ == 0) comparison.first = comparison.units - 1;
  };
  if (output.format == PixelFormat::none) {
    for (std::size_t n = 0; n < bytes.size(); ++n) see(&bytes[n], &wanted[n], 1, false);
  } else {
    const std::size_t size = pixel_size(output.format);
    for (std::size_t y = 0; y < output.height; ++y)
      for (std::size_t x = 0; x < output.width; ++x) {
        const std::size_t at = y * static_cast<std::size_t>(output.pitch) + x * size;
        see(&bytes[at], &wanted[at], size, true);
      }
  }
  if (output.tolerance != 0) comparison.allowed = comparison.units / kOneIn;
  return comparison;
}

class Replay {
 public:
  Replay(const LaunchScene& scene, const std::string& name, CaptureVisitor& visitor)
      : scene_(scene),
        machine_(scene, name),
        visitor_(visitor),
        interest_(visitor.interest()),
        textures_(visitor, [this](const std::byte* data) { return machine_.address_of(data); }) {}

  Status run(const Engine& engine, const RunOptions& options) {
    auto frame_end = scene_.frame_ends.begin();
    for (std::size_t n = 0; n < scene_.events.size() && !ended_; ++n) {
      for (; frame_end != scene_.frame_ends.end() && *frame_end <= n; ++frame_end) ++frame_;
      if (const auto* change = std::get_if<MemoryChange>(&scene_.events[n]))
        machine_.apply(*change);
      else
        WARPJIT_CHECK(run(std::get<RecordedLaunch>(scene_.events[n]), engine, options));
    }
    for (const LaunchOutput& output : scene_.outputs)
      if (!ended_) show(output, std::nullopt);
    return {};
  }

 private:
  Status run(const RecordedLaunch& launch, const Engine& engine, const RunOptions& options) {
    WARPJIT_TRY(const Launch made, machine_.make(launch, job_));
    if (textures_.wanted() && !textures_.show(made, job_)) {
      ended_ = true;
      return {};
    }
    WARPJIT_TRY(const Report report, machine_.run(made, job_, engine, options));
    const Program& program = scene_.programs[launch.program];
    const std::string text = launch_text(launch, program);
    if (interest_.draws) {
      const CaptureDraw::Program ran{name(program.stage()), &report, &program};
      const bool drawn = report.work != Work::pixels || report.primitives != 0;
      ended_ = !visitor_.draw({job_, job_, frame_, text, drawn, std::span(&ran, 1)});
    }
    if (interest_.targets_of_draws)
      for (const LaunchOutput& output : outputs_of(launch))
        if (!ended_) show(output, job_);
    if (!ended_) ended_ = !visitor_.job({job_, frame_, text});
    ++job_;
    return {};
  }

  void show(const LaunchOutput& output, std::optional<std::size_t> draw) {
    CapturePicture picture;
    picture.name = output.name;
    picture.frame = frame_;
    picture.job = draw || job_ == 0 ? job_ : job_ - 1;
    picture.draw = draw;
    picture.address = output.memory.address;
    picture.bytes = machine_.bytes_of(output.memory);
    std::vector<std::byte> packed;
    if (output.format != PixelFormat::none) {
      packed = packed_rows(output, picture.bytes);
      picture.format = output.format;
      picture.width = output.width;
      picture.height = output.height;
      picture.pixels = packed;
    }
    if (output.expected) picture.compared = compare(output, picture.bytes);
    ended_ = !visitor_.picture(picture);
  }

  const LaunchScene& scene_;
  LaunchMachine machine_;
  CaptureVisitor& visitor_;
  CaptureInterest interest_;
  SampledTextures textures_;
  std::size_t job_ = 0, frame_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string launch_text(const RecordedLaunch& launch, const Program& program) {
  std::string text;
  const std::uint64_t count = launch.vertex.empty() ? launch.count : launch.vertex.front().count;
  if (launch.grid)
    text = extents_text(launch.grid->grid) + " blocks of " + extents_text(launch.grid->block) + " threads";
  else if (launch.pixels)
    text = std::string(launch.pixels->indexed
                           ? count_text(launch.pixels->indices.size(), "index", "indices") + " of "
                           : "") +
           count_text(count, "vertex", "vertices") + " to " + std::to_string(launch.pixels->width) + " x " +
           std::to_string(launch.pixels->height) + " pixels";
  else if (launch.primitives)
    text = count_text(count, launch.vertex.empty() ? "invocation" : "vertex",
                      launch.vertex.empty() ? "invocations" : "vertices");
  else
    text = count_text(launch.count, "vertex", "vertices");
  const std::string& entry = program.name();
  return std::string(name(program.stage())) + (entry.empty() ? "" : " '" + entry + "'") + ": " + text;
}

FramesInfo LaunchFrames::info() const {
  FramesInfo info;
  info.isa = scene_.isa;
  info.product = product_;
  info.jobs = scene_.launches();
  // An end after the last launch begins no frame.
  for (const std::size_t end : scene_.frame_ends) info.frames += end != 0 && end < scene_.events.size();
  return info;
}

Status LaunchFrames::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const {
  return Replay(scene_, name_, visitor).run(engine, options);
}

Status LaunchFrames::write(SectionWriter& file) const { return write_launches(file, scene_); }

}  // namespace warpjit::capture
