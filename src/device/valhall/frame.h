// A fragment job: the draws of its tiler context, into the targets of its framebuffer
// (docs/guests/valhall.md 11).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/valhall/run_launch.h"
#include "device/valhall/state.h"
#include "device/valhall/tile.h"

namespace warpjit::valhall {

// A vertex job that has run.
struct WaitingDraw {
  std::size_t number = 0;
  Job job;
  TilerContext tiler;
  ShadedVertices vertices;
};

// A launch of a draw's fragment program, all of it bound; what it refers to.
struct FragmentRun {
  std::optional<Launch> launch;  // nothing: no pixel can change
  DrawState state;
  JobLaunch given;  // the program and its memory
  DescriptorCopies descriptors;
  TextureCopies textures;
};

class Frame {
 public:
  // Reads the framebuffer and clears its tiles.
  // `kept`: what targets of earlier jobs hold, which must outlive it.
  static Result<Frame> begin(const Image& image, const Job& job, const KeptPictures& kept);

  // The draws with which the frame begins, if there are any: they load targets. Errors name the draw.
  Status run_pre_frame(const Engine& engine, Image& image, const Job& job, const RunOptions& options);
  // By their numbers; nothing: it did not run.
  const std::array<std::optional<Report>, kPreFrameDraws>& pre_frame_reports() const { return pre_frame_; }
  // A launch of one, all of it bound, for one of the samples of pixels. The image, the draw and the frame
  // must outlive it.
  Result<FragmentRun> prepare(Image& image, const WaitingDraw& waiting, unsigned sample = 0);
  // Draws one, and adds to its query. `drawn`: what the record says of it.
  Status draw(const Engine& engine, Image& image, const WaitingDraw& waiting, const RunOptions& options,
              CaptureDraw& drawn);

  // After the last draw. To memory what goes there, and the others' to `kept`.
  Status store(Image& image, KeptPictures& kept);

  // The targets as they are before the first draw.
  Result<FramePixels> cleared(const Image& image) const { return begin_frame(image, framebuffer_, area_); }

  const Framebuffer& framebuffer() const { return framebuffer_; }
  // After store(): the pixels that a visitor gets; with several samples, the average.
  const FramePixels& pixels() const { return resolved_ ? *resolved_ : samples_.front(); }
  // The same while draws run.
  FramePixels pixels_so_far() const {
    return samples_.size() > 1 ? resolve_samples(samples_) : samples_.front();
  }
  const KeptPictures& kept() const { return *kept_; }

 private:
  Frame() = default;

  Result<FragmentRun> read_run(Image& image, const Job& job, const DrawDescriptor& draw,
                               unsigned sample) const;
  Status bind_run(Image& image, const DrawDescriptor& draw, const ShadedVertices& vertices,
                  std::span<const TargetRange> ranges, FragmentRun& run);
  Status run_pre_frame(const Engine& engine, Image& image, const Job& job, const DrawDescriptor& draw,
                       unsigned sample, const RunOptions& options, std::optional<Report>& kept);
  Status draw_sample(const Engine& engine, Image& image, const WaitingDraw& waiting, unsigned sample,
                     const RunOptions& options, CaptureDraw& drawn);
  Status add_to_query(Image& image, const DrawDescriptor& draw, std::span<const std::uint32_t> passed) const;

  Framebuffer framebuffer_;
  DrawArea area_;
  std::vector<FramePixels> samples_;
  std::optional<FramePixels> resolved_;
  std::array<std::optional<Report>, kPreFrameDraws> pre_frame_;
  std::vector<TargetRange> ranges_;
  const KeptPictures* kept_ = nullptr;
};

}  // namespace warpjit::valhall
