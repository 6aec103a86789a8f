// Writes ELF cubins of Tesla kernels: no real one of sm_1x is public, so the reader's tests make their own.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/tesla/container/program.h"

namespace warpjit::tests {

struct ElfCubinOptions {
  bool is_64 = false;
  unsigned architecture = 12;  // sm_12
};
// Kernels as `.text.NAME` with their constants, shared and local memory.
std::vector<std::byte> write_elf_cubin(const tesla::Container& container,
                                       const ElfCubinOptions& options = {});

}  // namespace warpjit::tests
