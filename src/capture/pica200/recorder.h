// Records a GPU as a capture: what its jobs reach of memory is stored when they first do, later only what changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "capture/memory_writer.h"
#include "capture/page_recorder.h"
#include "capture/pica200/scene.h"
#include "device/pica200/gpu.h"

namespace warpjit::pica200 {

class Recorder final : public GpuRecording {
 public:
  // Writes the GPU's state. Errors: unsupported, as Gpu::record.
  static Result<std::unique_ptr<Recorder>> make(GpuState& gpu, CaptureSink sink, void* context);

  void begin_job(GpuState& gpu, const StartedJob& job) override;
  void end_job(GpuState& gpu, const StartedJob& job, const Status& done) override;
  void reach(const std::byte* data, std::size_t size, bool writes) override;
  Status end_frame() override;
  Status finish() override;

 private:
  Recorder(const PhysicalMemory& memory, CaptureSink sink, void* context);
  bool records() const { return lost_.ok() && !failed_job_; }
  void write_state(GpuState& gpu);
  void lose(const char* what);
  void add_packet(const StartedPacket& job);
  void write_packets();

  capture::SectionWriter file_;
  capture::MemoryWriter memory_;
  capture::PageRecorder pages_;
  std::vector<std::byte> state_;                   // that a replay has after its last list
  std::uint64_t changes_ = 0;                      // of the pipeline, when a packet ran
  bool after_packets_ = false;                     // the last job that is no load was one
  capture::Numbers packets_;                       // that have run and are not in the file
  std::uint32_t job_ = 0;                          // the one that runs, from 1 on
  std::uint32_t ended_ = 0;                        // the last one of the frame that ended last
  std::map<std::uint32_t, SceneOutput> pictures_;  // by address
  Status lost_;
  std::optional<Error> failed_job_;
};

}  // namespace warpjit::pica200
