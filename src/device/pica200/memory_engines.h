// The GPU's engines that move memory: fills, display transfers, texture copies (docs/pica-pixels.md).
#pragma once

#include "base/result.h"
#include "frontend/pica200/facts/physical_memory.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

// Errors: bad_input, before anything is written.
Status fill_memory(const PhysicalMemory& memory, const MemoryFill& job);
Status transfer_picture(const PhysicalMemory& memory, const DisplayTransfer& job);
Status copy_texture(const PhysicalMemory& memory, const TextureCopy& job);

// Where a job reads and writes, from the first byte to the last one; gaps between lines count.
struct JobMemory {
  std::uint64_t input = 0, input_size = 0, output = 0, output_size = 0;  // sizes in bytes
};
// Errors: those of the job that do not depend on memory.
Result<JobMemory> memory_of(const MemoryFill& job);
Result<JobMemory> memory_of(const DisplayTransfer& job);
Result<JobMemory> memory_of(const TextureCopy& job);

}  // namespace warpjit::pica200
