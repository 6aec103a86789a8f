// Files that hold a GPU's memory and where its jobs begin: .wjcap, device core dumps of Linux's panfrost
// driver, and bare memory records (docs/captures.md). They may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/valhall/container/image.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

inline constexpr std::size_t kMaxChains = 4096;

struct CaptureFile {
  Image image;
  std::vector<JobChain> chains;  // in the order of their submission; bare records have none
  std::uint32_t gpu = 0;         // its product number; 0: the file does not say
};

// The first bytes say which kind of file it is. Errors name the byte: bad_input, resource_limit; unsupported
// for a version or a section of .wjcap that only newer readers know.
Result<CaptureFile> read_capture(std::span<const std::byte> bytes, std::string name,
                                 const ImageLimits& limits = {});

// As .wjcap. `note`: JSON, or empty.
std::vector<std::byte> write_capture(const CaptureFile& capture, std::string_view note = {});

}  // namespace warpjit::valhall
