// Who is told of all that a GPU does, to record it (src/capture).
#pragma once

#include <variant>

#include "frontend/pica200/facts/physical_memory.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

class GpuState;

struct CommandList {
  std::uint32_t address = 0, bytes = 0;
};
// A packet, which lives as long as the job; null: the end of an immediate draw.
struct StartedPacket {
  const Packet* packet = nullptr;
};
using StartedJob = std::variant<CommandList, MemoryFill, DisplayTransfer, TextureCopy, StartedPacket>;

// The GPU tells it of memory between begin_job and end_job. It keeps errors until finish().
class GpuRecording : public MemoryWatch {
 public:
  virtual void begin_job(GpuState& gpu, const StartedJob& job) = 0;
  virtual void end_job(GpuState& gpu, const StartedJob& job, const Status& done) = 0;
  virtual Status end_frame() = 0;
  virtual Status finish() = 0;
};

}  // namespace warpjit::pica200
