// Records a GPU as a capture: what its jobs reach of memory is stored when they first do, later only what changed.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "capture/pica200/capture_log.h"
#include "capture/pica200/scene.h"
#include "device/pica200/gpu.h"

namespace warpjit::pica200 {

class Recorder final : public GpuRecording {
 public:
  // Writes the GPU's state. Errors: unsupported, as Gpu::record.
  static Result<std::unique_ptr<Recorder>> make(GpuState& gpu, CaptureSink sink, void* context);

  void begin_job(GpuState& gpu, const StartedJob& job) override;
  void end_job(GpuState& gpu, const StartedJob& job, const Status& done) override;
  void begin_call(const PipelineCall& call) override;
  void end_call(const PipelineCall& call, const CallResult& result) override;
  void load(std::span<const std::byte> state) override;
  void reach(const std::byte* data, std::size_t size, bool writes) override;
  void lose(const char* what) override { log_.lose(what); }
  Status end_frame() override;
  Status finish() override;

 private:
  Recorder(GpuState& gpu, CaptureSink sink, void* context);
  bool records() const { return log_.lost().ok() && !failed_job_; }

  const PipelineState& pipeline_;
  CaptureLog log_;
  std::uint32_t job_ = 0;                          // the one that runs, from 1 on
  std::map<std::uint32_t, SceneOutput> pictures_;  // by address
  std::optional<Error> failed_job_;
};

}  // namespace warpjit::pica200
