// The memory of a launch, and what a guest knows of its spaces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/memory.h"

namespace warpjit::frontend {

struct Grid;

// A piece of a writable space.
struct MappedRange {
  std::uint32_t address = 0;  // guest address of its first byte
  std::span<std::byte> bytes{};
};

struct LaunchMemory {
  std::vector<std::byte> parameters{};
  // Constant spaces. Where these are empty or shorter, the container's preset constants apply.
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<MappedRange>, ir::kMaxSpaces> globals{};  // sorted by address, not overlapping
  // For guests with one space of 64-bit addresses: globals[k] is what lies at those with the high word
  // high_words[k]. No two are equal.
  std::vector<std::uint32_t> high_words{};
};

// A launch that the guest has checked against its limits.
struct CheckedGrid {
  std::uint32_t threads = 0;       // of a block
  std::uint32_t shared_bytes = 0;  // of a block
  std::array<std::span<const std::byte>, ir::kMaxSpaces> constants{};
  std::array<std::vector<std::byte>, ir::kMaxSpaces> merged{};  // storage of merged constants
  // True if it stays valid until the launch is changed. If not, it holds a copy of the caller's memory.
  bool lasting = true;
};

// A memory space of the guest, found by its name.
struct SpaceName {
  bool constant = false;
  std::uint8_t index = 0;  // in LaunchMemory::constants or globals
  // If it is not 0, addresses have 64 bits: a launch maps memory at no more high words than this, and
  // LaunchMemory::high_words says where each one's pieces are in LaunchMemory::globals.
  std::uint8_t high_words = 0;
};

// Which memory launches of a program have, besides constants.
struct MemoryUse {
  bool parameters = false;  // and constants that code reads where they lie
  bool rows = false;        // pieces of memory also in work over rows
  bool tables = false;      // images, and buffers by tables and entries
  // Facts depend on the contents of constants, which may change from run to run without a call.
  bool code_addresses = false;
};

// What a guest whose programs access memory knows of it. Thread-safe.
class MemorySpaces {
 public:
  // Errors: bad_input.
  virtual Result<SpaceName> find_space(std::string_view name) const = 0;
  // "g14[0x1000]". `memory`: of the launch.
  virtual std::string address_text(const ir::MemoryFault& access, const LaunchMemory& memory) const = 0;
  // Errors: bad_input for values outside the guest's limits.
  virtual Result<CheckedGrid> check_grid(const Grid& grid) const = 0;
  // What a translation depends on of the launch, in a form that only the guest reads (Facts::guest). Equal
  // bytes mean equal code.
  virtual std::vector<std::byte> pack_facts(const Grid&, const CheckedGrid&) const { return {}; }

 protected:
  ~MemorySpaces() = default;
};

// "[0x1000]".
std::string bracketed(std::uint32_t address);

}  // namespace warpjit::frontend
