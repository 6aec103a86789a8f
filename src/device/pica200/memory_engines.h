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

}  // namespace warpjit::pica200
