// What a guest with compute kernels gives to the runtime: a shader that checks launches, translates itself
// for the facts of one, sets up blocks, and can run itself in a guest interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontend/guest.h"
#include "ir/function.h"
#include "ir/memory.h"
#include "warpjit/compute.hpp"

namespace warpjit::frontend {

// A piece of a global space.
struct GlobalRange {
  std::uint32_t address = 0;  // guest address of its first byte
  std::span<std::byte> bytes{};
};

struct ComputeLaunch {
  std::array<std::uint32_t, 2> grid{1, 1};      // blocks, each at most 65535
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads: x, y at most 512, z at most 64, all at most 512
  std::uint16_t grid_id = 0;                    // first half-word of s[]
  std::vector<std::byte> parameters{};          // at s[0x10]
  std::uint32_t shared_bytes = 0;               // all of s[] if larger than the program says; in steps of 64
  // c0 to c15; what a program's container presets lies where these are empty or shorter.
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<GlobalRange>, ir::kMaxSpaces> globals{};  // sorted by address, not overlapping
  // Transfers that name an address <= their own, for each thread (DESIGN.md 3.5).
  std::uint64_t fuel = std::uint64_t{1} << 24;
  TeslaModes modes{};

  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1]; }
  std::array<std::uint32_t, 2> block_at(std::uint64_t number) const {
    return {static_cast<std::uint32_t>(number % grid[0]), static_cast<std::uint32_t>(number / grid[0])};
  }
};

// A launch that was checked against a program.
struct ComputePlan {
  std::uint32_t threads = 0;       // of a block
  std::uint32_t shared_bytes = 0;  // of s[]
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<std::byte>, ir::kMaxSpaces> merged{};  // what some of those point to
};

// What happened in some blocks.
struct BlocksReport {
  struct Fault {
    ir::MemoryFault access;
    std::array<std::uint32_t, 2> block{};
  };
  std::optional<Fault> fault;  // the first
};

// Runs blocks in the guest's own terms. Thread-safe.
class GuestBlocks {
 public:
  virtual ~GuestBlocks() = default;
  // Blocks `first` to `first + count - 1`, x fastest. Assumes the default floating-point environment. Errors
  // name the guest address.
  virtual Status run(const ComputeLaunch& launch, std::uint64_t first, std::uint64_t count,
                     BlocksReport& report) const = 0;
};

// An immutable kernel; every call is thread-safe.
class ComputeShader : public Guest {
 public:
  virtual const std::string& name() const = 0;
  virtual std::uint32_t registers() const = 0;
  virtual std::uint32_t shared_bytes() const = 0;
  virtual std::uint32_t local_bytes() const = 0;
  virtual std::size_t code_words() const = 0;

  // Errors: bad_input for values outside the guest's limits.
  virtual Result<ComputePlan> plan(const ComputeLaunch& launch) const = 0;
  // Appends everything that translate() depends on. Errors: as translate().
  virtual Status append_key(const ComputeLaunch& launch, const ComputePlan& plan,
                            std::vector<std::byte>& key) const = 0;
  // Errors: unsupported, with the reason, for what only the guest interpreter can run.
  // `dispatch_all`: all control flow as the guest's own rule has it (DESIGN.md 3.4).
  virtual Result<ir::Function> translate(const ComputeLaunch& launch, const ComputePlan& plan,
                                         bool dispatch_all) const = 0;
  // The uniform table as translate() lays it out.
  virtual void fill_table(const ComputeLaunch& launch, std::span<std::byte> table) const = 0;
  // What the hardware writes to shared memory, which is zero, before a block runs.
  virtual void begin_block(const ComputeLaunch& launch, std::array<std::uint32_t, 2> block,
                           std::span<std::byte> shared) const = 0;
  virtual Result<std::unique_ptr<GuestBlocks>> prepare_guest(const ComputeLaunch& launch) const = 0;
  // The whole grid in the guest's own terms, observed. Assumes the default floating-point environment.
  virtual Status run_profiled(const ComputeLaunch& launch, BlocksReport& report,
                              ComputeProfile& profile) const = 0;
};

}  // namespace warpjit::frontend
