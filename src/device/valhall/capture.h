// What a Capture holds: memory, the chains of jobs, and while they run,
// the draws that wait for their fragment job.
#pragma once

#include <map>
#include <vector>

#include "device/valhall/frame.h"
#include "frontend/valhall/container/capture_file.h"

namespace warpjit::valhall {

// The most bytes of vertices that wait for their fragment jobs.
inline constexpr std::uint64_t kMaxWaitingBytes = std::uint64_t{1} << 30;

// The memory of one chain after the other as it is before its jobs run; of what jobs store it has nothing.
class ChainImages {
 public:
  explicit ChainImages(const CaptureFile& file) : file_(file) {}
  // The memory of the next chain, until the next call; as many times as there are chains. Errors: resource_limit.
  Result<const Image*> next();

 private:
  const CaptureFile& file_;
  std::size_t chain_ = 0;
  std::optional<Image> own_;  // once something has changed
};
// The jobs of each chain, with its memory. Errors: also more than kMaxJobs.
Result<std::vector<std::vector<Job>>> read_chains(const CaptureFile& file);

// The draws of all chains. Errors: those of read_chains.
Result<std::size_t> count_draws(const CaptureFile& file);

class CaptureRun;
// All chains, on an image that is the file's or a copy of it, of which the run was made.
Status run_chains(const CaptureFile& file, Image& image, CaptureRun& run);

struct CaptureState {
  CaptureFile file;

  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options);
};

// Sees what visitors do not get to see. False ends the run.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  // Whether `draws` is called: the launch of a draw's fragment program, before it runs.
  virtual bool sees_launches() const { return false; }
  virtual bool draws(std::size_t /*number*/, const Launch& /*launch*/) { return true; }
  // After the draw was seen by the visitor.
  virtual bool drawn(const Frame& frame, const CaptureDraw& draw) = 0;
  // A fragment job has stored its targets, which the visitor sees next.
  virtual bool stored(const Frame& frame) = 0;
  // After everything of a job of any kind.
  virtual bool ended(const Job& job) = 0;
};

// A run. It stops where the visitor says so.
class CaptureRun {
 public:
  CaptureRun(Image& image, const Engine& engine, CaptureVisitor& visitor, const RunOptions& options)
      : image_(image), engine_(engine), visitor_(visitor), options_(options) {}

  Status run(std::span<const Job> jobs);
  // After the last job.
  Status finish();
  void watch(RunWatcher& watcher) { watcher_ = &watcher; }
  // Pictures are compared with these, by the numbers of all jobs.
  void expect(std::span<const ExpectedTarget> expected) { expected_ = expected; }
  // The image's bytes there are others now.
  void forget(const MemoryRange& range) { kept_.forget(range.address, range.size); }
  bool ended() const { return ended_; }

  // For who wants a launch of one draw: runs what comes before it, and stops there. `found` gets the draw
  // and its fragment job.
  struct Stop {
    std::size_t number = 0;
    std::optional<WaitingDraw> draw{};
    std::optional<Frame> frame{};
  };
  void stop_before(Stop& stop) { stop_ = &stop; }

 private:
  struct Context {
    std::vector<WaitingDraw> draws;
    bool used = false;  // by a fragment job: the next vertex job begins anew
  };

  Status run_job(const Job& job);
  Status write_value(const Job& job);
  Status shade(const Job& job);
  Status run_fragments(const Job& job);
  Status show_pictures(const Job& job, const Frame& frame);
  std::optional<CaptureComparison> compare(const Framebuffer& framebuffer, unsigned target) const;
  CaptureDraw record_of(const WaitingDraw& waiting) const;

  Image& image_;
  const Engine& engine_;
  CaptureVisitor& visitor_;
  const RunOptions& options_;
  std::map<std::uint64_t, Context> contexts_;  // by the address of the tiler context
  std::uint64_t waiting_bytes_ = 0;
  std::size_t draws_ = 0;
  KeptPictures kept_;
  bool ended_ = false;
  Stop* stop_ = nullptr;
  RunWatcher* watcher_ = nullptr;
  std::span<const ExpectedTarget> expected_;
  std::size_t jobs_ = 0;  // that have begun
};

}  // namespace warpjit::valhall

class warpjit::valhall::Capture::State final : public warpjit::valhall::CaptureState {};
