// SHBIN (DVLB/DVLP/DVLE) containers of PICA200 programs, docs/guests/pica200.md 12: reads hostile bytes,
// writes what the community's assembler would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

// Reads all programs. Tables are located by their offsets only. An error names the file, the byte offset
// and the field. No table may be larger than the file that holds it; code is limited to 4096 words, the
// descriptors to 128, the programs to 256.
Result<Container> read_shbin(std::span<const std::byte> bytes, const std::string& file_name);

struct ShbinOptions {
  bool labels = false;  // store the label table (the community's assembler does not)
};
std::vector<std::byte> write_shbin(const Container& container, const ShbinOptions& options = {});

}  // namespace warpjit::pica200
