// Files that hold a GPU's memory and where its jobs begin: .wjcap, device core dumps of Linux's panfrost
// driver, and bare memory records (docs/captures.md). They may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/valhall/container/chain_memory.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

inline constexpr std::size_t kMaxChains = 4096;

struct CaptureFile {
  Image image;
  std::vector<JobChain> chains;  // in the order of their submission; bare records have none
  std::uint32_t gpu = 0;         // its product number; 0: the file does not say
  bool gpu_assumed = false;      // for the same reason; the first of the notes says so
  // What is written before each chain; none before those beyond its end. The image has all their addresses.
  std::vector<ChainChanges> changes{};
  std::vector<CaptureName> names{};
  std::vector<std::string> notes{};  // what is not in the file and was assumed, for people
};

// The first bytes say which kind of file it is; not .wjcap of version 2. Errors name the byte: bad_input, resource_limit; unsupported
// for a version or a section of .wjcap that only newer readers know.
Result<CaptureFile> read_capture(std::span<const std::byte> bytes, std::string name,
                                 const ImageLimits& limits = {});

bool is_core_dump(std::span<const std::byte> bytes);

}  // namespace warpjit::valhall
