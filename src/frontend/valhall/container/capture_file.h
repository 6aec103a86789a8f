// Files that hold a GPU's memory and where its jobs begin: .wjcap, device core dumps of Linux's panfrost
// driver, and bare memory records (docs/captures.md). They may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/valhall/container/chain_memory.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

inline constexpr std::size_t kMaxChains = 4096;
inline constexpr std::size_t kMaxExpected = 4096;
// By how much of 255 a channel may differ from what hardware has drawn, where nobody says.
inline constexpr std::uint32_t kExpectedTolerance = 2;

// What hardware has left in a colour target.
struct ExpectedTarget {
  std::size_t job = 0;  // of the jobs of all chains, from 0 on: the fragment job that stores it
  std::uint32_t target = 0;
  std::uint32_t tolerance = kExpectedTolerance;
  std::uint64_t address = 0;
  std::span<const std::byte> bytes{};  // as memory has them
  std::size_t at = 0;                  // byte of the file
  std::shared_ptr<const void> owner{};
};

struct CaptureFile {
  Image image;
  std::vector<JobChain> chains;  // in the order of their submission; bare records have none
  std::uint32_t gpu = 0;         // its product number; 0: the file does not say
  bool gpu_assumed = false;      // for the same reason; the first of the notes says so
  // What is written before each chain; none before those beyond its end. The image has all their addresses.
  std::vector<ChainChanges> changes{};
  std::vector<ExpectedTarget> expected{};
  std::vector<CaptureName> names{};
  std::vector<std::string> notes{};  // what is not in the file and was assumed, for people

  // Nothing is assumed then.
  void set_gpu(std::uint32_t product);
  // Errors: more than kMaxChains (resource_limit).
  Status add_chain(const JobChain& chain);
  void clear_chains();
};

// The first bytes say which kind of file it is; not .wjcap of version 2. Errors name the byte: bad_input, resource_limit; unsupported
// for a version or a section of .wjcap that only newer readers know.
Result<CaptureFile> read_capture(std::span<const std::byte> bytes, std::string name,
                                 const ImageLimits& limits = {});

bool is_core_dump(std::span<const std::byte> bytes);

}  // namespace warpjit::valhall
