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
  // Of texts: the memory of each chain. The image has all their addresses; before a chain runs, it gets what
  // has changed since the one before. Empty: one image for all.
  std::vector<ChainMemory> memories{};
  std::vector<std::string> notes{};  // what is not in the file and was assumed, for people
};

// The first bytes say which kind of file it is. Errors name the byte: bad_input, resource_limit; unsupported
// for a version or a section of .wjcap that only newer readers know.
Result<CaptureFile> read_capture(std::span<const std::byte> bytes, std::string name,
                                 const ImageLimits& limits = {});

bool is_core_dump(std::span<const std::byte> bytes);

// One memory for all chains in place of `memories`. Errors: unsupported, if a byte of one that is not 0 is
// another one in the next.
Status unite_memories(CaptureFile& capture);

// As .wjcap, which has the memory of the first chain alone. `note`: JSON, or empty.
std::vector<std::byte> write_capture(const CaptureFile& capture, std::string_view note = {});

}  // namespace warpjit::valhall
