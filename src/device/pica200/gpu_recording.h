// Who is told of all that a GPU does, to record it (src/capture).
#pragma once

#include <variant>

#include "device/pica200/pipeline_call.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

class GpuState;

struct CommandList {
  std::uint32_t address = 0, bytes = 0;
};
using StartedJob = std::variant<CommandList, MemoryFill, DisplayTransfer, TextureCopy, PipelineCall>;

// The GPU tells it of memory between begin_job and end_job. It keeps errors until finish().
class GpuRecording : public PipelineRecording {
 public:
  virtual void begin_job(GpuState& gpu, const StartedJob& job) = 0;
  virtual void end_job(GpuState& gpu, const StartedJob& job, const Status& done) = 0;
  // The bytes of Gpu::save are the state now.
  virtual void load(std::span<const std::byte> state) = 0;
};

}  // namespace warpjit::pica200
